/* SPDX-License-Identifier: ISC */
/*
 * Who extends whom, and what comes of it.  Pure.  profiles/ only; others use
 * compile.h.
 *
 * A profile overrides what it extends, however far up.  Parents that do not
 * extend each other have no order: where they disagree on a single value, the
 * profile itself must say which.  An entry of a list is there unless a profile
 * that extends the one which gave it takes it out with !.
 */
#ifndef WARD_PROFILES_EXTENDS_H
#define WARD_PROFILES_EXTENDS_H

#include <stdbool.h>
#include <stddef.h>

#include "profiles/diagnostics.h"
#include "profiles/parse.h"

#define WARD_PROFILES_MAX 256
#define WARD_EXTENDS_MAX  8 /* profiles in a line */

/* Profiles that are compiled together; borrowed, but for the tables. */
struct ward_family {
	struct ward_profile_text *const *profiles;
	size_t n;
	size_t *order;   /* indices, parents before children */
	bool *ancestors; /* [child * n + ancestor]; not of itself */
};

/* An entry that a merged list has, and the profile that gave it. */
struct ward_given {
	const struct ward_entry *entry;
	size_t giver;
};

/*
 * Checks names, parents and every ! of them.  -EINVAL with findings, -ENOMEM,
 * or 0; ward_family_clear in each case.
 */
int ward_family_join(struct ward_profile_text *const *profiles, size_t n,
    struct ward_family *family, struct ward_diagnostics *findings);
void ward_family_clear(struct ward_family *family);

/* member is child, or child extends it. */
bool
ward_family_has(const struct ward_family *family, size_t child, size_t member);

/*
 * The profile whose scalar holds for child: n if nobody sets it.  -EINVAL with
 * a finding where parents disagree.
 */
int ward_family_scalar(const struct ward_family *family, size_t child,
    enum ward_key_id id, size_t *giver, struct ward_diagnostics *findings);

/*
 * The entries of child's list, each text once (given by the profile furthest
 * down); malloc'd.  -EINVAL where parents disagree on a value.
 */
int ward_family_list(const struct ward_family *family, size_t child,
    enum ward_key_id id, struct ward_given **out, size_t *n_out,
    struct ward_diagnostics *findings);

/* Some profile of child takes it out, as a ! beyond what parents gave. */
bool ward_family_removes(const struct ward_family *family, size_t child,
    enum ward_key_id id, const char *text);

#endif
