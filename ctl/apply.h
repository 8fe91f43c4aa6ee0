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

/*
 * The store holds what the files say: 0, -ESTALE naming a profile that is not
 * applied, or why it cannot be told.
 */
int ward_site_compare(struct err *err);

#endif
