/* SPDX-License-Identifier: ISC */
/*
 * Tries a real session of an account through the real stack of a service, and
 * looks from outside whether what it forks is inside.  ctl/ only.
 */
#ifndef WARD_CTL_PROBE_H
#define WARD_CTL_PROBE_H

#include <stddef.h>

#include "common/err.h"
#include "ctl/accounts.h"
#include "profiles/profile.h"

/* 0 if the session was inside; else why not, visible text. */
int ward_probe(
    const struct ward_account *account, const char *service, struct err *err);

/*
 * Every service that the profile opens and the machine has, each with a line
 * on stdout.  -EPERM if one was not inside, or there was none to try.
 */
int ward_probe_all(const struct ward_account *account,
    const struct ward_profile *profile, struct err *err);

#endif
