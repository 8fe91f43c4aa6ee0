/* SPDX-License-Identifier: ISC */
/*
 * Notified connects.  None is ever continued: the kernel would look the
 * descriptor and the address up again, and both could be others by then.  What
 * the call meant is read once, and that very socket is connected: by the warden
 * where that does not wait, else by the connector, to the place that was
 * judged. The result is the call's.  Used by the warden and its observer.
 */
#ifndef WARD_SANDBOX_CONNECTS_H
#define WARD_SANDBOX_CONNECTS_H

#include <linux/seccomp.h>
#include <sys/types.h>

#include "common/err.h"
#include "profiles/plan.h"
#include "sandbox/connector_start.h"
#include "sandbox/loop.h"
#include "sandbox/owners.h"
#include "sandbox/recorder.h"

struct ward_connects;

/* All that it points to is borrowed, and alive until ward_connects_stop. */
struct ward_connects_setup {
	struct ward_loop *loop;
	struct ward_recorder *recorder;
	struct ward_owners *owners; /* is told of each TCP connection */
	const struct ward_plan *plan;
	struct ward_connector_of of;
	pid_t init;
	/*
	 * A process of a session wants to ask the warden: connects its socket
	 * to the agent's, without waiting.  An errno or 0.
	 */
	int (*ask_agent)(
	    void *context, int socket_fd, const char *session, pid_t pid);
	void *context;
};

int ward_connects_start(const struct ward_connects_setup *setup,
    struct ward_connects **connects, struct err *err);
/*
 * Starts the connector, which the first connect does otherwise.  Without it
 * connects are refused, which is no reason to refuse the session.
 */
void ward_connects_prepare(struct ward_connects *connects);
/* Before the sandbox's init ends, and before the loop goes; NULL is fine. */
void ward_connects_stop(struct ward_connects *connects);

/* A connect that came on a listener; it is answered now or later. */
void ward_connects_take(struct ward_connects *connects, int listener_fd,
    const char *session, const struct seccomp_notif *request);

#endif
