/* SPDX-License-Identifier: ISC */
/* Answers to calls that seccomp(2) has notified of.  The warden only. */
#ifndef WARD_SANDBOX_NOTIFY_H
#define WARD_SANDBOX_NOTIFY_H

#include <linux/seccomp.h>
#include <stdbool.h>

/*
 * The caller waits until it has an answer or the listener is closed, so that
 * this is not given up while there is a caller.  False where it does not wait
 * any more: then what was read of it before may be another's.
 */
bool
ward_notify_answer(int listener_fd, const struct seccomp_notif_resp *response);

#endif
