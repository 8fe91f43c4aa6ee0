/* SPDX-License-Identifier: ISC */
/* Processes of agent accounts that are in no sandbox.  ctl/ only. */
#ifndef WARD_CTL_OUTSIDE_H
#define WARD_CTL_OUTSIDE_H

#include <sys/types.h>

#include "ctl/accounts.h"

typedef void ward_outside_found(void *context, pid_t pid, const char *name,
    const struct ward_account *account);

/*
 * Each process that has the uid of one of them, by any of its four uids, and
 * whose pid namespace is that of no sandbox.  What is gone after a moment was
 * on its way in.
 */
int ward_outside_each(const struct ward_accounts *accounts,
    ward_outside_found *found, void *context, struct err *err);

#endif
