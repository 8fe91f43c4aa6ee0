/* SPDX-License-Identifier: ISC */
/*
 * What egress tells, as rows: each connection with whose it was, each refusal
 * as a violation.  Egress is not trusted with more than what it decides: its
 * records are checked (common/wire.h), and whose a connection is the warden
 * finds out for itself.  The warden's loop only.
 */
#ifndef WARD_SANDBOX_TRAFFIC_H
#define WARD_SANDBOX_TRAFFIC_H

#include <sys/types.h>

#include "common/err.h"
#include "common/wire.h"
#include "sandbox/owners.h"
#include "sandbox/recorder.h"

struct ward_traffic;

/* All that it points to is borrowed, and alive until ward_traffic_free. */
struct ward_traffic_setup {
	struct ward_recorder *recorder;
	const struct ward_owners *owners;
	int diag_fd; /* sandbox/listeners.h */
	pid_t init;
	/* the session that a process descends from, or NULL */
	const char *(*session_of)(void *context, pid_t pid);
	void *context;
};

int ward_traffic_new(const struct ward_traffic_setup *setup,
    struct ward_traffic **traffic, struct err *err);
void ward_traffic_take(
    struct ward_traffic *traffic, const struct ward_wire_egress_event *event);
/* Egress has ended, and with it all connections. */
void ward_traffic_lost(struct ward_traffic *traffic);
/* Tells what is open as ended; NULL is fine. */
void ward_traffic_free(struct ward_traffic *traffic);

#endif
