/* SPDX-License-Identifier: ISC */
/*
 * Egress, as the warden of its sandbox sees it: a process that is started,
 * given its sockets and rules, and started again when it ends.  Without one
 * nothing leaves the sandbox: the listeners are there, and nobody accepts.
 * The warden's loop only.
 */
#ifndef WARD_SANDBOX_EGRESS_H
#define WARD_SANDBOX_EGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "sandbox/listeners.h"
#include "sandbox/loop.h"
#include "sandbox/recorder.h"
#include "sandbox/traffic.h"

struct ward_egress;

/* All that it points to is borrowed, and alive until ward_egress_stop. */
struct ward_egress_setup {
	struct ward_loop *loop;
	struct ward_recorder *recorder;
	const struct ward_listeners *listeners;
	bool redirected; /* enum ward_steering: by nftables */
	uid_t uid;       /* what it becomes */
	gid_t gid;
	struct ward_traffic *traffic; /* gets its events */
};

/* Takes the rules (a sealed memfd); ward_egress_tend starts it. */
int ward_egress_new_take(const struct ward_egress_setup *setup, int rules_fd,
    struct ward_egress **egress, struct err *err);

/*
 * New rules, which hold for it and for those that come after it.  done is
 * called once it has taken them: 0, or an errno.  Without an answer in time
 * ETIMEDOUT; where there is none to be told, 0 at once.  Of two that are given
 * one after the other, only the second is told of: they are the newer ones.
 */
typedef void ward_egress_done(void *context, int error);
void ward_egress_rules_take(struct ward_egress *egress, int rules_fd,
    ward_egress_done *done, void *context);

/* Starts it where there is none; ms until it wants to be called, or -1. */
int64_t ward_egress_tend(struct ward_egress *egress);
/* The rules that it was given last, a memfd; borrowed. */
int ward_egress_rules_fd(const struct ward_egress *egress);
/* Takes what it has told by now, before its turn.  NULL is fine. */
void ward_egress_hear(struct ward_egress *egress);
/* A child of the warden's has stopped, maybe this one. */
void ward_egress_look(struct ward_egress *egress);
void ward_egress_stop(struct ward_egress *egress); /* NULL is fine */

#endif
