/* SPDX-License-Identifier: ISC */
/* The public keys that let in an account which is not governed.  ctl/ only. */
#ifndef WARD_CTL_OLD_KEYS_H
#define WARD_CTL_OLD_KEYS_H

#include "common/err.h"
#include "ctl/accounts.h"

/*
 * Pure.  One path of AuthorizedKeysFile with its tokens put in; malloc'd.
 * NULL, with err set, without memory or for a token that it does not know.
 */
char *ward_old_keys_expand(
    const char *pattern, const struct ward_account *account, struct err *err);

/*
 * The text of every file that sshd reads now, and which are as its StrictModes
 * wants them; *keys is malloc'd, "" where there is none.  *from names the
 * files, *left those that were left out and why; both malloc'd, a line each.
 */
int ward_old_keys_read(const struct ward_account *account, char **keys,
    char **from, char **left, struct err *err);

#endif
