/* SPDX-License-Identifier: ISC */
/*
 * Grants: what an admin lets an account reach for a time, beside its profile.
 * They are in the policy store, and kept for good, so that who let whom reach
 * what can be told later.  wardctl writes them; the warden and wardctl read
 * them.  Times are microseconds since 1970, UTC.
 */
#ifndef WARD_DB_GRANTS_H
#define WARD_DB_GRANTS_H

#include <stddef.h>
#include <stdint.h>

#include "db/policy.h"
#include "profiles/decision.h"

struct ward_policy_grant {
	int64_t id; /* in rows only */
	const char *account;
	const char *entry; /* as network.allow takes it */
	int64_t until;
	const char *reason; /* or NULL */
	int64_t granted;    /* when, and by whom */
	const char *granter;
	int64_t request; /* of violations.db, which it answers; 0: none */
	int64_t revoked; /* in rows only; 0: it was not */
	const char *revoker;
};

/* -EINVAL, with what is wrong, for an entry that network.allow would not take.
 */
int ward_policy_grant_add(struct ward_policy *policy,
    const struct ward_policy_grant *grant, int64_t *id, struct err *err);

/* -ENOENT: there is none; -EALREADY: it is over, or was revoked. */
int ward_policy_grant_revoke(struct ward_policy *policy, int64_t id,
    const char *revoker, int64_t now, struct err *err);
/* All that live of an account that goes; *n of them. */
int
ward_policy_grants_revoke_all(struct ward_policy *policy, const char *account,
    const char *revoker, int64_t now, size_t *n, struct err *err);

/* Those that live, for the decision; *out is the caller's to free. */
int ward_policy_grants(struct ward_policy *policy, const char *account,
    int64_t now, struct ward_grant **out, size_t *n, struct err *err);

/*
 * A listing, oldest first, as in db/policy.h: of an account or of all (NULL),
 * those that live at a time or all of them (0).
 */
typedef int
ward_policy_on_grant(void *context, const struct ward_policy_grant *grant);
int ward_policy_each_grant(struct ward_policy *policy, const char *account,
    int64_t live_at, ward_policy_on_grant *on_grant, void *context,
    struct err *err);

#endif
