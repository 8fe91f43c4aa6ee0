/* SPDX-License-Identifier: ISC */
/*
 * Moves bytes.  Both sockets are watched edge-triggered, once: a direction
 * remembers what its two ends can do, and goes on until one of them cannot.
 */
#include "config.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "egress/hello.h"
#include "egress/relay.h"

/* Turns, and bytes, that one direction has before the others have theirs. */
#define TURNS    16
#define PASS_MAX WARD_EGRESS_BUFFER
/* What is read at once, also where the other end takes less. */
#define READ_MIN ((size_t)64 * 1024)
/* What is looked at, at the most: a whole TLS record of a ClientHello. */
#define LOOK_MAX (WARD_HELLO_MAX + 5)

/*
 * A silent tunnel may be somebody's shell, and a peer that is gone is found by
 * keep-alive; one side alone has less to wait for.
 */
static const int64_t idle_s = 7200, half_idle_s = 600;
static const struct timeval look_again = { .tv_sec = 60 };

struct half {
	int from_fd, to_fd; /* borrowed from the relay */
	bool readable, writable;
	bool ended; /* from has no more */
	bool shut;  /* to was told */
	bool held;  /* what comes is looked at first */
	bool fresh; /* there is something that was not looked at */
	uint8_t *head;
	size_t n_head, at_head;
	bool counted;    /* head is of what passes, not of Ward's answer */
	uint64_t *bytes; /* of the flow */
};

/* Down first: a client is welcomed before what it says is judged. */
enum { DOWN, UP };

struct ward_relay {
	struct ward_relay_of of;
	struct half half[2];
	struct event *client, *host, *timer, *retry;
	uint64_t seen; /* bytes when it was last looked at */
	int64_t idle;  /* seconds that nothing was moved */
};

static struct ward_egress *
egress_of(const struct ward_relay *relay)
{
	return relay->of.flow->egress;
}

/* What a large read has left of memory, when there is none to follow. */
static void
shrink_buffer(struct ward_egress *egress)
{
	if (egress->buffer_used <= READ_MIN)
		return;
	(void)madvise(egress->buffer, WARD_EGRESS_BUFFER, MADV_DONTNEED);
	egress->buffer_used = 0;
}

void
ward_relay_cancel(struct ward_relay *relay)
{
	if (relay == NULL)
		return;
	for (int i = DOWN; i <= UP; i++)
		free(relay->half[i].head);
	struct event *const events[] = { relay->client, relay->host,
		relay->timer, relay->retry };
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i] != NULL)
			event_free(events[i]);
	(void)close(relay->of.host_fd);
	if (--egress_of(relay)->n_relays == 0)
		shrink_buffer(egress_of(relay));
	free(relay);
}

static void
finish(struct ward_relay *relay, int error)
{
	const struct ward_relay_of of = relay->of;

	ward_relay_cancel(relay);
	of.done(of.context, error);
}

/* --- one step of a direction: 1 goes on, 0 waits, -errno ends it all --- */

static int
send_head(struct ward_relay *relay, struct half *half)
{
	ssize_t n = send(half->to_fd, half->head + half->at_head,
	    half->n_head - half->at_head, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		half->writable = false;
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	half->at_head += (size_t)n;
	/* what goes first to the client is the egress's own answer */
	if (half == &relay->half[UP] || half->counted)
		*half->bytes += (uint64_t)n;
	if (half->at_head == half->n_head) {
		free(half->head);
		half->head = NULL;
		half->n_head = half->at_head = 0;
		half->counted = false;
	}
	return 1;
}

/* What the other end does not take now is kept until it does. */
static int
keep_rest(struct half *half, const uint8_t *rest, size_t n)
{
	half->head = malloc(n);
	if (half->head == NULL)
		return -ENOMEM;
	memcpy(half->head, rest, n);
	half->n_head = n;
	half->counted = true;
	half->writable = false;
	return 0;
}

/* What the other end takes now, about: more would have to be kept. */
static size_t
room_of(const struct half *half)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t size = sizeof(info);

	if (getsockopt(half->to_fd, SOL_SOCKET, SO_MEMINFO, info, &size) != 0 ||
	    info[SK_MEMINFO_SNDBUF] <
		info[SK_MEMINFO_WMEM_QUEUED] + (uint64_t)READ_MIN)
		return READ_MIN;
	size_t room = info[SK_MEMINFO_SNDBUF] - info[SK_MEMINFO_WMEM_QUEUED];
	return room < WARD_EGRESS_BUFFER ? room : WARD_EGRESS_BUFFER;
}

/*
 * Through one buffer of all relays, which nothing stays in: so an idle one has
 * none.  Splicing saves the copy, and costs more: it hands on the small pieces
 * that the data came in.
 */
static int
move(struct ward_relay *relay, struct half *half)
{
	struct ward_egress *egress = egress_of(relay);
	uint8_t *buffer = egress->buffer;
	ssize_t n = recv(half->from_fd, buffer, room_of(half), MSG_DONTWAIT);

	if (n > 0 && (size_t)n > egress->buffer_used)
		egress->buffer_used = (size_t)n;
	if (n == 0)
		half->ended = true;
	if (n < 0 && errno == EAGAIN)
		half->readable = false;
	if (n <= 0)
		return n == 0 ? 1 : errno == EAGAIN ? 0 : -errno;
	ssize_t sent =
	    send(half->to_fd, buffer, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (sent < 0 && errno != EAGAIN)
		return -errno;
	if (sent < 0)
		sent = 0;
	*half->bytes += (uint64_t)sent;
	return sent == n ? 1
			 : keep_rest(half, buffer + sent, (size_t)(n - sent));
}

static int
judge_head(struct ward_relay *relay, struct half *half)
{
	switch (half->n_head == 0 ? WARD_RELAY_MORE
				  : relay->of.inspect(relay->of.context,
					half->head, half->n_head)) {
	case WARD_RELAY_PASS:
		half->held = false;
		return 1;
	case WARD_RELAY_MORE:
		if (half->n_head == LOOK_MAX)
			return -EACCES;
		/* one that ends so has nothing more to hide */
		if (half->ended)
			half->held = false;
		return half->ended || half->readable;
	case WARD_RELAY_REFUSE:
		return -EACCES;
	}
	return -EACCES;
}

static int
look(struct ward_relay *relay, struct half *half)
{
	if (half->readable && !half->ended && half->n_head < LOOK_MAX) {
		if (half->head == NULL)
			half->head = malloc(LOOK_MAX);
		if (half->head == NULL)
			return -ENOMEM;
		ssize_t n = recv(half->from_fd, half->head + half->n_head,
		    LOOK_MAX - half->n_head, MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN)
			return -errno;
		half->readable = n > 0;
		half->ended = n == 0;
		half->n_head += n > 0 ? (size_t)n : 0;
		if (n < 0)
			return 0;
	} else if (!half->ended && !half->fresh) {
		return 0;
	}
	half->fresh = false;
	return judge_head(relay, half);
}

static int
step(struct ward_relay *relay, struct half *half)
{
	if (half->held)
		return look(relay, half);
	if (half->n_head > 0)
		return half->writable ? send_head(relay, half) : 0;
	if (!half->ended)
		return half->readable ? move(relay, half) : 0;
	if (!half->shut && shutdown(half->to_fd, SHUT_WR) != 0)
		return -errno;
	half->shut = true;
	return 0;
}

/* Both directions as far as they go; the relay may be gone after. */
static void
pump(struct ward_relay *relay)
{
	bool more = false;

	for (int i = DOWN; i <= UP; i++) {
		struct half *half = &relay->half[i];
		uint64_t before = *half->bytes;
		int r = 1;
		for (int turn = 0;
		     r == 1 && turn < TURNS && *half->bytes - before < PASS_MAX;
		     turn++)
			r = step(relay, half);
		if (r < 0) {
			finish(relay, -r);
			return;
		}
		more = more || r == 1;
	}
	if (relay->half[UP].shut && relay->half[DOWN].shut)
		finish(relay, 0);
	else if (more)
		event_active(relay->retry, EV_TIMEOUT, 0);
}

/* A reset is seen here also while nothing more is read for now. */
static bool
is_broken(int fd, int *error)
{
	socklen_t size = sizeof(*error);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, error, &size) != 0)
		*error = errno;
	return *error != 0;
}

static void
on_socket(struct ward_relay *relay, int fd, short what, struct half *reading,
    struct half *writing)
{
	int error = 0;

	/* an error tells itself as both */
	if ((what & (EV_READ | EV_WRITE)) == (EV_READ | EV_WRITE) &&
	    is_broken(fd, &error)) {
		finish(relay, error);
		return;
	}
	if ((what & EV_READ) != 0)
		reading->readable = true;
	if ((what & EV_WRITE) != 0)
		writing->writable = true;
	pump(relay);
}

static void
on_client(evutil_socket_t fd, short what, void *context)
{
	struct ward_relay *relay = context;

	on_socket(relay, fd, what, &relay->half[UP], &relay->half[DOWN]);
}

static void
on_host(evutil_socket_t fd, short what, void *context)
{
	struct ward_relay *relay = context;

	on_socket(relay, fd, what, &relay->half[DOWN], &relay->half[UP]);
}

static void
on_retry(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	pump(context);
}

static void
on_timer(evutil_socket_t fd, short what, void *context)
{
	struct ward_relay *relay = context;
	uint64_t moved = relay->of.flow->up + relay->of.flow->down;
	bool half = relay->half[UP].ended || relay->half[DOWN].ended;

	(void)fd;
	(void)what;
	relay->idle =
	    moved != relay->seen ? 0 : relay->idle + look_again.tv_sec;
	relay->seen = moved;
	if (relay->idle > 0)
		shrink_buffer(egress_of(relay));
	/* a beginning that nobody finishes */
	if (relay->half[UP].held && relay->half[UP].n_head > 0) {
		finish(relay, ETIMEDOUT);
		return;
	}
	if (relay->idle >= (half ? half_idle_s : idle_s))
		finish(relay, ETIMEDOUT);
}

static int
set_head(struct half *half, const uint8_t *bytes, size_t n, size_t room)
{
	if (n == 0)
		return 0;
	half->head = malloc(n > room ? n : room);
	if (half->head == NULL)
		return -ENOMEM;
	memcpy(half->head, bytes, n);
	half->n_head = n;
	return 0;
}

static int
set_up(struct ward_relay *relay)
{
	const struct ward_relay_of *of = &relay->of;
	struct event_base *base = egress_of(relay)->base;
	const short both = EV_READ | EV_WRITE | EV_ET | EV_PERSIST;
	const int on = 1;

	(void)setsockopt(
	    of->client_fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	(void)setsockopt(
	    of->host_fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	relay->half[UP] = (struct half){
		.from_fd = of->client_fd,
		.to_fd = of->host_fd,
		.held = of->inspect != NULL,
		.fresh = true,
		.writable = true,
		.ended = of->client_ended,
		.bytes = &of->flow->up,
	};
	relay->half[DOWN] = (struct half){
		.from_fd = of->host_fd,
		.to_fd = of->client_fd,
		.writable = true, /* as far as anybody knows */
		.bytes = &of->flow->down,
	};
	if (set_head(&relay->half[UP], of->to_host, of->n_to_host,
		of->inspect == NULL ? 0 : LOOK_MAX) != 0 ||
	    set_head(&relay->half[DOWN], of->to_client, of->n_to_client, 0) !=
		0)
		return -ENOMEM;
	relay->client = event_new(base, of->client_fd, both, on_client, relay);
	relay->host = event_new(base, of->host_fd, both, on_host, relay);
	relay->timer = event_new(base, -1, EV_PERSIST, on_timer, relay);
	relay->retry = evtimer_new(base, on_retry, relay);
	if (relay->client == NULL || relay->host == NULL ||
	    relay->timer == NULL || relay->retry == NULL ||
	    event_add(relay->client, NULL) != 0 ||
	    event_add(relay->host, NULL) != 0 ||
	    event_add(relay->timer, &look_again) != 0)
		return -ENOMEM;
	/* what is known already may be more than LOOK_MAX, or all there is */
	event_active(relay->retry, EV_TIMEOUT, 0);
	return 0;
}

struct ward_relay *
ward_relay_start(const struct ward_relay_of *of)
{
	struct ward_relay *relay = calloc(1, sizeof(*relay));

	if (relay == NULL) {
		(void)close(of->host_fd);
		return NULL;
	}
	relay->of = *of;
	egress_of(relay)->n_relays++;
	if (set_up(relay) == 0)
		return relay;
	ward_relay_cancel(relay);
	return NULL;
}
