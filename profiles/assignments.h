/* SPDX-License-Identifier: ISC */
/*
 * Which account has which profile: /etc/ward/assignments.conf.  Pure; ctl/ and
 * db/ use it.
 *
 *	users:  ( { name = "builder"; profile = "base"; } );
 *	groups: ( { name = "agents"; profile = "strict"; } );
 *	default = "strict";
 *
 * A user's line wins over groups, those over the default.  Of several groups
 * that an account is in, the first in the file counts.
 */
#ifndef WARD_PROFILES_ASSIGNMENTS_H
#define WARD_PROFILES_ASSIGNMENTS_H

#include <stddef.h>

#include "common/err.h"
#include "profiles/diagnostics.h"
#include "profiles/profile.h"

enum ward_assignee {
	WARD_ASSIGNEE_USER,
	WARD_ASSIGNEE_GROUP,
	WARD_ASSIGNEE_DEFAULT,
};

struct ward_assignment {
	enum ward_assignee kind;
	char *name; /* "" for the default */
	char *profile;
	struct ward_origin origin;
};

/* In the order in which they win: users, groups as in the file, default. */
struct ward_assignments {
	struct ward_assignment *items;
	size_t n;
};

/*
 * 0 with *out filled, for ward_assignments_clear.  -EINVAL with every error in
 * findings, which begins zeroed, and the first in err; or -ENOMEM.
 */
int ward_assignments_parse(const char *file, const char *text, size_t size,
    struct ward_assignments *out, struct ward_diagnostics *findings,
    struct err *err);
void ward_assignments_clear(struct ward_assignments *assignments);

/* Every profile that is named exists: the same answers. */
int ward_assignments_check(const struct ward_assignments *assignments,
    const char *const *profiles, size_t n_profiles,
    struct ward_diagnostics *findings, struct err *err);

/*
 * The assignment of an account that is in these groups, or NULL: then it has
 * no profile, and its sessions are refused.
 */
const struct ward_assignment *
ward_assignments_find(const struct ward_assignments *assignments,
    const char *user, const char *const *groups, size_t n_groups);

#endif
