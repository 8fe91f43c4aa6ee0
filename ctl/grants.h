/* SPDX-License-Identifier: ISC */
/* What commands do with grants.  ctl/ only. */
#ifndef WARD_CTL_GRANTS_H
#define WARD_CTL_GRANTS_H

#include <stdint.h>

#include "ctl/accounts.h"
#include "db/grants.h"

#define WARD_GRANT_DEFAULT "1d"

/*
 * "2h" and the like, a second to a year, as a point in time; NULL is the
 * default.  An exit status; what is wrong is said.
 */
int ward_grants_until(const char *length, int64_t now, int64_t *until);

/*
 * Stores one of an account that is governed, says so, and what stands against
 * it.  grant has entry, until, reason, granted and request.
 */
int ward_grants_make(const struct ward_account *account,
    struct ward_policy_grant *grant, int64_t *id, struct err *err);

/* Those of an account that goes, or begins: said if there were any. */
int ward_grants_end(const char *account, struct err *err);

#endif
