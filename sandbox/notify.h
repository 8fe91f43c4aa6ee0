/* SPDX-License-Identifier: ISC */
/* Answers to calls that seccomp(2) has notified of.  The warden only. */
#ifndef WARD_SANDBOX_NOTIFY_H
#define WARD_SANDBOX_NOTIFY_H

#include <linux/seccomp.h>

/*
 * The caller waits until it has an answer or the listener is closed, so that
 * this is not given up while there is a caller.
 */
void
ward_notify_answer(int listener_fd, const struct seccomp_notif_resp *response);

#endif
