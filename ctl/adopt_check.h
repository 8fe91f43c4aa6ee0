/* SPDX-License-Identifier: ISC */
/*
 * Whether an account that is there can become an agent account.  Nothing is
 * changed; each refusal says what to do.  ctl/ only.
 */
#ifndef WARD_CTL_ADOPT_CHECK_H
#define WARD_CTL_ADOPT_CHECK_H

#include <sys/types.h>

#include "common/err.h"
#include "ctl/accounts.h"

/* Pure: UID_MIN of the text of login.defs(5). */
uid_t ward_adopt_uid_min(const char *text);

/* It is a person's account of this machine's own, and nobody else's too. */
int ward_adopt_check_user(const char *name, struct err *err);

/* It is in no group that leads around a sandbox. */
int
ward_adopt_check_groups(const struct ward_account *account, struct err *err);

/* Its home is its alone, and can be moved by a rename. */
int ward_adopt_check_home(const struct ward_account *account, struct err *err);

/*
 * Nothing is mounted at a path or below it, now or by fstab(5), which would
 * stay or come back where the path is no more.
 */
int ward_adopt_check_mounts(const char *path, struct err *err);

/* No manager is started for it at boot. */
int
ward_adopt_check_linger(const struct ward_account *account, struct err *err);

#endif
