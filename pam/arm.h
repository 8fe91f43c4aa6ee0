/* SPDX-License-Identifier: ISC */
/*
 * Arms the opener: from here on every child that it makes is either born
 * inside the sandbox and sealed before it returns from fork(), or not made at
 * all.  The opener itself stays on the host, unfiltered.  Only pam_ward.so
 * uses this; one session at a time in a process.
 */
#ifndef WARD_PAM_ARM_H
#define WARD_PAM_ARM_H

#include <stdbool.h>

#include "common/err.h"
#include "pam/join.h"

/* Takes joined (it is empty afterwards).  0 or -errno; then nothing is armed.
 */
int ward_arm_take(struct ward_joined *joined, struct err *err);

/* This process is an armed opener: not a child of one, which is sealed. */
bool ward_arm_is_armed(void);

/*
 * The opener's own pid namespace for children again; tells the warden that
 * the session is over and lets everything go.  -errno where the namespace
 * cannot be had back: then the process makes no child any more.
 */
int ward_disarm(struct err *err);

#endif
