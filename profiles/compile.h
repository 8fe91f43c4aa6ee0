/* SPDX-License-Identifier: ISC */
/*
 * All profile files of a machine into profiles: parsed, parents merged in,
 * defaults put in.  Pure.  ctl/ and db/ use it.  One bad file fails all of
 * them, so that the caller commits everything or nothing.
 */
#ifndef WARD_PROFILES_COMPILE_H
#define WARD_PROFILES_COMPILE_H

#include <stddef.h>

#include "common/err.h"
#include "profiles/diagnostics.h"
#include "profiles/profile.h"

/* A file and what is in it; borrowed. */
struct ward_profile_source {
	const char *file; /* as origins and messages name it */
	const char *text; /* size bytes, not terminated */
	size_t size;
};

struct ward_compiled_profile {
	struct ward_profile *profile;
	size_t *sources; /* indices: its own, then those of its parents */
	size_t n_sources;
};

struct ward_compiled {
	struct ward_compiled_profile *profiles; /* in the order of sources */
	size_t n;
};

/*
 * 0 with *out filled, for ward_compiled_clear; findings then holds warnings.
 * Else -EINVAL, with every error in findings and the first in err, or -ENOMEM.
 * Findings begins zeroed and is the caller's to clear.
 */
int ward_profiles_compile(const struct ward_profile_source *sources, size_t n,
    struct ward_compiled *out, struct ward_diagnostics *findings,
    struct err *err);
void ward_compiled_clear(struct ward_compiled *compiled);

/* NULL if there is none of that name. */
const struct ward_profile *
ward_compiled_find(const struct ward_compiled *compiled, const char *name);

#endif
