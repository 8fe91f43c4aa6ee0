/* SPDX-License-Identifier: ISC */
/* What must hold before an account is made or taken, and let in.  ctl/ only. */
#ifndef WARD_CTL_ACCOUNT_READY_H
#define WARD_CTL_ACCOUNT_READY_H

#include <stddef.h>
#include <sys/types.h>

#include "common/err.h"
#include "ctl/accounts.h"

/*
 * Ward is enabled, and would govern an account of this name and these groups:
 * with this profile; NULL: by what assignments say.
 */
int ward_ready_check(const char *name, const gid_t *groups, size_t n_groups,
    const char *profile, struct err *err);

/* The profile is one that is applied. */
int ward_ready_check_profile(const char *profile, struct err *err);

/*
 * Tries a session through every service of its profile, and unlocks the account
 * if each was inside.  days as for ward_account_set_expiry.
 */
int ward_ready_let_in(
    const struct ward_account *account, const char *days, struct err *err);

#endif
