/* SPDX-License-Identifier: ISC */
/*
 * A client: one connection from the sandbox, from its first byte to its last.
 * The fronts say what its bytes mean; this keeps them, its timers, and its way
 * through deciding, dialling and being relayed.
 */
#ifndef WARD_EGRESS_CLIENT_H
#define WARD_EGRESS_CLIENT_H

#include "egress/dial.h"
#include "egress/flow.h"
#include "egress/relay.h"

/* A head, a handshake: nothing that a client sends first may be longer. */
#define WARD_CLIENT_IN_MAX 16384

struct ward_client;
struct ward_http;

/*
 * What a front is: what it does with what came (n_in bytes of in, and ended),
 * and how it answers.
 */
struct ward_front {
	void (*take)(struct ward_client *client);
	/* what it is told before the host's first byte; NULL: nothing */
	size_t (*welcome)(const struct ward_client *client, uint8_t out[128]);
	/* says why there is no connection, by way of ward_client_leave */
	void (*refuse)(struct ward_client *client);
};

struct ward_client {
	TAILQ_ENTRY(ward_client) link;
	struct ward_egress *egress;
	const struct ward_front *front;
	bool settled; /* in that list, else it is still shaking hands */
	bool ended;   /* it sent its last byte */
	bool greeted; /* SOCKS 5: the methods were agreed on */
	bool steered; /* it was meant for somewhere else */
	int fd;
	struct event *readable; /* level-triggered, while there is room */
	struct event *timer;
	uint8_t *in; /* WARD_CLIENT_IN_MAX, while there is something */
	size_t n_in;
	struct ward_flow flow;
	struct ward_dial *dial;
	struct ward_relay *relay;
	struct ward_http *http;
};

/* Takes fd, a connection from inside.  NULL without memory. */
struct ward_client *ward_client_new(struct ward_egress *egress, int fd,
    const struct ward_front *front, bool steered);
/* Ends it, whatever it does; a reset where abort. */
void ward_client_free(struct ward_client *client, bool reset);

/* The first n bytes of in have been used. */
void ward_client_used(struct ward_client *client, size_t n);
/* Seconds until it is closed, from now; 0: never. */
void ward_client_wait(struct ward_client *client, unsigned seconds);
/* It is served: nothing evicts it any more; or it waits again. */
void ward_client_settle(struct ward_client *client, bool settled);

/* A few bytes, at once: false where they do not all fit, or it is gone. */
bool ward_client_say(struct ward_client *client, const void *bytes, size_t n);
/* The last thing that it is told; NULL for a reset. */
void ward_client_leave(struct ward_client *client, const void *bytes, size_t n);

/*
 * It asks for this host: decides, dials, welcomes it and relays, or refuses.
 * used bytes of in were the asking; the rest is for the host.
 */
void ward_client_ask(
    struct ward_client *client, const char *host, size_t size, uint16_t port);
/*
 * Relays what the flow is open for; takes host_fd.  first, n bytes, goes to
 * the client before what the host says; with look, the client's own first
 * bytes are looked at.
 */
void ward_client_relay(struct ward_client *client, int host_fd,
    const uint8_t *first, size_t n, bool look);
/* Tells the warden and the client why not; the flow says it. */
void ward_client_refuse(struct ward_client *client);

#endif
