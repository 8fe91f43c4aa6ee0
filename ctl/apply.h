/* SPDX-License-Identifier: ISC */
/* From policy files to the policy store.  ctl/ only. */
#ifndef WARD_CTL_APPLY_H
#define WARD_CTL_APPLY_H

#include <stddef.h>

#include "common/err.h"
#include "profiles/assignments.h"
#include "profiles/compile.h"
#include "profiles/diagnostics.h"
#include "profiles/load.h"

/* All of the machine's policy, compiled; starts zeroed. */
struct ward_site {
	struct ward_loaded loaded;
	struct ward_compiled compiled;
	struct ward_assignments assignments;
	struct ward_diagnostics findings;
};

/*
 * Reads and checks everything, with these files in place of those of the same
 * names.  0 or -errno; findings are filled either way.  local is the directory
 * of the machine's own profiles, "" for none.
 */
int ward_site_read(struct ward_site *site, const char *local,
    char *const *files, size_t n_files, struct err *err);
void ward_site_clear(struct ward_site *site);

/*
 * Makes the policy store hold what the files say and tells on stdout what
 * changed.  Findings go to stderr.
 */
int ward_site_apply(struct err *err);

/* One thing that is not in the store as the files have it; a clause. */
typedef void ward_site_stale(void *context, const char *what);

/*
 * Does the store hold what the files say, as this wardctl compiles it?  0 if
 * that could be told: on_stale was called for each thing that differs.
 */
int
ward_site_compare(ward_site_stale *on_stale, void *context, struct err *err);

#endif
