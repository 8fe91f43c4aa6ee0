/* SPDX-License-Identifier: ISC */
/*
 * One request and its response: what was read of the one goes to the host, and
 * what the host says to the client.  The HTTP front's other half.
 */
#ifndef WARD_EGRESS_HTTP_EXCHANGE_H
#define WARD_EGRESS_HTTP_EXCHANGE_H

#include "egress/client.h"
#include "egress/http_head.h"
#include "egress/http_write.h"

enum ward_http_stage {
	WARD_HTTP_HEAD,     /* waiting for a request */
	WARD_HTTP_EXCHANGE, /* from its head to the end of its response */
};

struct ward_http {
	struct ward_client *client;
	enum ward_http_stage state;
	bool origin; /* all requests are for the flow's host */

	/* the request; its slices are good until used is used */
	struct ward_http_head head;
	size_t used;
	http_parser request;
	bool asked; /* its body is whole */
	bool deaf;  /* the host takes no more of it */
	bool is_head, wants_upgrade, keep, old; /* of what it asked for */

	/* the host, and what it says */
	int host_fd;
	struct event *host_readable, *host_writable, *client_writable, *next;
	http_parser response;
	uint8_t *in; /* of the host */
	size_t n_in;
	bool headed;   /* the response's head has gone on */
	bool answered; /* its body is whole */
	bool host_keeps, reused;
	enum ward_http_framing framing;

	struct ward_queue up, down;
	struct ward_queue again; /* the request, while it may be asked twice */
};

bool ward_http_new(struct ward_client *client, int host_fd);
void ward_http_close_host(struct ward_client *client);
/* Frees http; its host's connection is the caller's. */
int ward_http_steal_host(struct ward_http *http);

/* The request's head is in up, and the flow allowed. */
void ward_http_dial(struct ward_client *client);
void ward_http_send(struct ward_client *client);
/* More of the request's body came, or the client ended. */
void ward_http_take_body(struct ward_client *client);

/* egress/http.c: what comes after an exchange, or instead of one. */
void ward_http_next(struct ward_client *client);
void ward_http_refuse(struct ward_client *client);
void ward_http_on_next(evutil_socket_t fd, short what, void *context);

#endif
