/* SPDX-License-Identifier: ISC */
/* Takes connections from the sandbox. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "egress/client.h"
#include "egress/listen.h"

/* Connections that are taken before others have their turn. */
#define TURNS 32
/* One connection, of egress->tokens. */
#define TOKEN UINT64_C(1000)

/* When there is no descriptor, or no more may come now. */
static const struct timeval pause_for = { .tv_usec = 10000 };

struct ward_listener {
	struct ward_egress *egress;
	struct event *event, *resume;
	void (*begin)(struct ward_egress *egress, int fd);
};

/* As many as a second may bring, and as many at once. */
static bool
take_token(struct ward_egress *egress)
{
	const uint64_t most = (uint64_t)egress->rate * TOKEN;
	int64_t now = ward_now_ms();

	if (now > egress->refilled) {
		uint64_t more =
		    (uint64_t)(now - egress->refilled) * egress->rate;
		egress->tokens =
		    more > most - egress->tokens ? most : egress->tokens + more;
		egress->refilled = now;
	}
	if (egress->tokens < TOKEN)
		return false;
	egress->tokens -= TOKEN;
	return true;
}

/* The one that has been shaking hands for longest gives way. */
static void
make_room(struct ward_egress *egress)
{
	struct ward_client *oldest = TAILQ_FIRST(&egress->hands);

	if (oldest == NULL)
		return;
	/* one that was refused has been told of, and only takes its leave */
	if (oldest->flow.cause == WARD_CAUSE_NONE) {
		ward_flow_fail(&oldest->flow, WARD_CAUSE_LIMIT, 0,
		    "there are too many connections: one that was not served "
		    "yet gave way to another");
		ward_flow_told(&oldest->flow);
	}
	ward_client_free(oldest, true);
}

static void
wait_for_room(struct ward_listener *listener)
{
	(void)event_del(listener->event);
	(void)evtimer_add(listener->resume, &pause_for);
}

static void
on_resume(evutil_socket_t fd, short what, void *context)
{
	struct ward_listener *listener = context;

	(void)fd;
	(void)what;
	(void)event_add(listener->event, NULL);
}

static void
on_connection(evutil_socket_t fd, short what, void *context)
{
	struct ward_listener *listener = context;
	struct ward_egress *egress = listener->egress;

	(void)what;
	for (int turn = 0; turn < TURNS; turn++) {
		bool full = egress->n_clients >= egress->clients_max;
		if ((full && TAILQ_EMPTY(&egress->hands)) ||
		    !take_token(egress)) {
			/* the kernel keeps them waiting */
			wait_for_room(listener);
			return;
		}
		int client_fd =
		    accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (client_fd >= 0) {
			if (full)
				make_room(egress);
			listener->begin(egress, client_fd);
			continue;
		}
		egress->tokens += TOKEN;
		if (errno == EAGAIN)
			return;
		if (errno == EINTR || errno == ECONNABORTED)
			continue;
		/* no descriptor: somebody must close one first */
		if (errno == EMFILE || errno == ENFILE)
			make_room(egress);
		wait_for_room(listener);
		return;
	}
}

struct ward_listener *
ward_listener_new(struct ward_egress *egress, int fd,
    void (*begin)(struct ward_egress *egress, int fd))
{
	struct ward_listener *listener = calloc(1, sizeof(*listener));

	if (listener == NULL)
		return NULL;
	listener->egress = egress;
	listener->begin = begin;
	listener->event = event_new(
	    egress->base, fd, EV_READ | EV_PERSIST, on_connection, listener);
	listener->resume = evtimer_new(egress->base, on_resume, listener);
	if (listener->event == NULL || listener->resume == NULL ||
	    event_add(listener->event, NULL) != 0)
		return NULL; /* the program ends */
	return listener;
}
