/* SPDX-License-Identifier: ISC */
/*
 * System calls that the seal refuses and the warden is told of: what no program
 * does by the way.  The warden only.
 */
#ifndef WARD_SANDBOX_REFUSED_CALL_H
#define WARD_SANDBOX_REFUSED_CALL_H

#include <linux/seccomp.h>

#include "profiles/seal_table.h"
#include "sandbox/recorder.h"

/* Refuses one, which that rule is about, and makes a row of it.  Never waits.
 */
void ward_refused_call(struct ward_recorder *recorder, int listener_fd,
    const char *session, const struct seccomp_notif *request,
    const struct ward_seal_rule *rule);

#endif
