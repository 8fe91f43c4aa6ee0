/* SPDX-License-Identifier: ISC */
/*
 * Moves bytes between a client and a host until both are done: back-pressure,
 * half-close, an end to what is idle.  What the client sends first can be
 * looked at before any of it goes on; what the host sends goes to the client at
 * once.
 */
#ifndef WARD_EGRESS_RELAY_H
#define WARD_EGRESS_RELAY_H

#include "egress/flow.h"

struct ward_relay;

enum ward_relay_verdict {
	WARD_RELAY_MORE, /* ask again when there are more */
	WARD_RELAY_PASS,
	WARD_RELAY_REFUSE, /* the relay ends with EACCES */
};

struct ward_relay_of {
	struct ward_flow *flow; /* counts the bytes; outlives the relay */
	int client_fd;          /* borrowed, and nobody else waits for it */
	int host_fd;            /* taken, also on failure */
	bool client_ended;      /* it has been read to its end */
	/* sent before anything else; copied */
	const uint8_t *to_client, *to_host;
	size_t n_to_client, n_to_host;
	/* of what is for the host; NULL: nothing is looked at */
	enum ward_relay_verdict (*inspect)(
	    void *context, const uint8_t *bytes, size_t n);
	/* error is 0 where both sides ended.  Called once, later. */
	void (*done)(void *context, int error);
	void *context;
};

/* NULL without memory. */
struct ward_relay *ward_relay_start(const struct ward_relay_of *of);
/* done is not called.  NULL is fine. */
void ward_relay_cancel(struct ward_relay *relay);

#endif
