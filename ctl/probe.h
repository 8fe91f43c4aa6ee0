/* SPDX-License-Identifier: ISC */
/*
 * Tries a real session of an account through the real stack of a service, and
 * looks from outside whether what it forks is inside.  ctl/ only.
 */
#ifndef WARD_CTL_PROBE_H
#define WARD_CTL_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "ctl/accounts.h"
#include "profiles/profile.h"

/* How long each step took, in microseconds. */
struct ward_probe_times {
	int64_t open;  /* pam_open_session */
	int64_t fork;  /* until a process of it is the account, sealed */
	int64_t look;  /* at that process */
	int64_t close; /* with the end of the process */
};

/* As ward_probe; times are of one that was inside. */
int ward_probe_timed(const struct ward_account *account, const char *service,
    struct ward_probe_times *times, struct err *err);

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
