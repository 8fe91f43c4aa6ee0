/* SPDX-License-Identifier: ISC */
/* From a host that is allowed to a connection. */
#include "config.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "egress/dial.h"
#include "egress/upstream.h"

static const struct timeval stagger = { .tv_usec = 250000 };
static const struct timeval patience = { .tv_sec = 30 };
static const struct timeval at_once = { 0 };

/* One address that is being connected to. */
struct attempt {
	struct ward_dial *dial;
	int fd; /* -1: over */
	struct event *event;
};

struct ward_dial {
	struct ward_flow *flow;
	ward_dial_done done;
	void *context;
	struct ward_lookup *lookup;
	struct ward_upstream *upstream; /* being asked, over a connection */
	bool by_upstream;
	bool unasked;  /* the resolver has enough to do */
	uint16_t port; /* that is dialled */
	struct in6_addr addresses[WARD_RESOLVED_MAX];
	size_t n, next;
	struct attempt attempts[WARD_RESOLVED_MAX];
	size_t n_live;
	struct event *timer;    /* of the next attempt, or of the end */
	struct event *deadline; /* of all of it */
	int error;              /* of the first attempt that failed */
};

static void start_next(struct ward_dial *dial);

static void
end_attempt(struct attempt *attempt)
{
	if (attempt->event != NULL)
		event_free(attempt->event);
	attempt->event = NULL;
	if (attempt->fd >= 0)
		(void)close(attempt->fd);
	attempt->fd = -1;
}

void
ward_dial_cancel(struct ward_dial *dial)
{
	if (dial == NULL)
		return;
	if (dial->lookup != NULL)
		ward_lookup_cancel(dial->lookup);
	ward_upstream_cancel(dial->upstream);
	for (size_t i = 0; i < dial->next; i++)
		end_attempt(&dial->attempts[i]);
	if (dial->timer != NULL)
		event_free(dial->timer);
	if (dial->deadline != NULL)
		event_free(dial->deadline);
	free(dial);
}

static void
finish(struct ward_dial *dial, int fd)
{
	ward_dial_done done = dial->done;
	void *context = dial->context;

	ward_dial_cancel(dial);
	done(context, fd);
}

static void
fail(struct ward_dial *dial, enum ward_egress_cause cause, int error,
    const char *detail)
{
	ward_flow_fail(dial->flow, cause, error, detail);
	finish(dial, -1);
}

/* --- connecting --- */

static socklen_t
socket_address(
    const struct in6_addr *address, uint16_t port, struct sockaddr_storage *out)
{
	struct sockaddr_in four = { .sin_family = AF_INET,
		.sin_port = htons(port) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6,
		.sin6_port = htons(port),
		.sin6_addr = *address };

	if (!IN6_IS_ADDR_V4MAPPED(address)) {
		memcpy(out, &six, sizeof(six));
		return sizeof(six);
	}
	memcpy(&four.sin_addr, address->s6_addr + 12, 4);
	memcpy(out, &four, sizeof(four));
	return sizeof(four);
}

/* A socket that is on its way; -errno. */
static int
begin_connect(const struct in6_addr *address, uint16_t port)
{
	struct sockaddr_storage to;
	socklen_t size = socket_address(address, port, &to);
	const int on = 1;
	int fd =
	    socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0 &&
	    (connect(fd, (const struct sockaddr *)&to, size) == 0 ||
		errno == EINPROGRESS))
		return fd;
	int error = errno;
	(void)close(fd);
	return -error;
}

static void
on_upstream(void *context, int fd, const char *why)
{
	struct ward_dial *dial = context;

	dial->upstream = NULL;
	if (fd < 0)
		fail(dial, WARD_CAUSE_UPSTREAM, 0, why);
	else
		finish(dial, fd);
}

/* A connection is there: the others are given up. */
static void
take_connection(struct ward_dial *dial, struct attempt *won)
{
	int fd = won->fd;

	won->fd = -1;
	for (size_t i = 0; i < dial->next; i++)
		end_attempt(&dial->attempts[i]);
	dial->n_live = 0;
	(void)event_del(dial->timer);
	ward_flow_end_point(getpeername, fd, &dial->flow->dialled);
	if (!dial->by_upstream) {
		finish(dial, fd);
		return;
	}
	dial->upstream = ward_upstream_ask(dial->flow->egress->base, fd,
	    &dial->flow->decision.host, dial->flow->decision.port, on_upstream,
	    dial);
	if (dial->upstream == NULL)
		fail(dial, WARD_CAUSE_UPSTREAM, ENOMEM, "no memory");
}

static void
on_connected(evutil_socket_t fd, short what, void *context)
{
	struct attempt *attempt = context;
	struct ward_dial *dial = attempt->dial;
	int error = 0;
	socklen_t size = sizeof(error);

	(void)what;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
		error = errno;
	if (error == 0) {
		take_connection(dial, attempt);
		return;
	}
	if (dial->error == 0)
		dial->error = error;
	end_attempt(attempt);
	dial->n_live--;
	start_next(dial);
}

/* True where it is on its way. */
static bool
start_attempt(struct ward_dial *dial, size_t i)
{
	struct attempt *attempt = &dial->attempts[i];
	int fd = begin_connect(&dial->addresses[i], dial->port);

	*attempt = (struct attempt){ .dial = dial, .fd = fd };
	if (fd >= 0) {
		attempt->event = event_new(dial->flow->egress->base, fd,
		    EV_WRITE, on_connected, attempt);
		if (attempt->event != NULL &&
		    event_add(attempt->event, NULL) == 0) {
			dial->n_live++;
			return true;
		}
		fd = -ENOMEM;
		end_attempt(attempt);
	}
	attempt->fd = -1;
	if (dial->error == 0)
		dial->error = -fd;
	return false;
}

/* The next address; and the one behind it, should this take its time. */
static void
start_next(struct ward_dial *dial)
{
	while (dial->next < dial->n) {
		if (!start_attempt(dial, dial->next++))
			continue;
		if (dial->next < dial->n)
			(void)evtimer_add(dial->timer, &stagger);
		else
			(void)event_del(dial->timer);
		return;
	}
	(void)event_del(dial->timer);
	if (dial->n_live == 0)
		fail(dial, WARD_CAUSE_CONNECT, dial->error, NULL);
}

static void
on_deadline(evutil_socket_t fd, short what, void *context)
{
	struct ward_dial *dial = context;

	(void)fd;
	(void)what;
	fail(dial, dial->by_upstream ? WARD_CAUSE_UPSTREAM : WARD_CAUSE_CONNECT,
	    ETIMEDOUT, "it takes too long");
}

/* --- addresses --- */

/* By turns of the two families, the first one's first (RFC 8305, 4). */
static void
interleave(struct ward_dial *dial)
{
	struct in6_addr sorted[WARD_RESOLVED_MAX] = { 0 };
	bool used[WARD_RESOLVED_MAX] = { false };
	bool four = dial->n > 0 && IN6_IS_ADDR_V4MAPPED(&dial->addresses[0]);

	for (size_t n = 0; n < dial->n; n++, four = !four) {
		size_t pick = dial->n;
		for (size_t i = 0; i < dial->n; i++) {
			if (used[i])
				continue;
			bool same =
			    four == !!IN6_IS_ADDR_V4MAPPED(&dial->addresses[i]);
			if (same || pick == dial->n)
				pick = i;
			if (same)
				break;
		}
		used[pick] = true;
		sorted[n] = dial->addresses[pick];
	}
	memcpy(dial->addresses, sorted, dial->n * sizeof(sorted[0]));
}

/* A name may be in a hosts file twice. */
static bool
is_among(
    const struct in6_addr *address, const struct in6_addr *others, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (memcmp(address, &others[i], sizeof(*address)) == 0)
			return true;
	return false;
}

/* Keeps the addresses that may be dialled; else the flow says why none may. */
static bool
vet(struct ward_dial *dial, const struct in6_addr *addresses, size_t n)
{
	struct ward_flow *flow = dial->flow;
	struct ward_decision refused = flow->decision;

	for (size_t i = 0; i < n && i < WARD_RESOLVED_MAX; i++) {
		struct ward_decision decision = flow->decision;

		if (is_among(&addresses[i], addresses, i))
			continue;
		if (!dial->by_upstream)
			ward_rules_decide_address(flow->rules,
			    flow->egress->route_fd, &addresses[i], &decision);
		if (decision.allowed)
			dial->addresses[dial->n++] = addresses[i];
		else if (refused.allowed)
			refused = decision;
	}
	if (dial->n > 0)
		return true;
	flow->decision = refused;
	return false;
}

static void
take_addresses(
    struct ward_dial *dial, const struct in6_addr *addresses, size_t n)
{
	if (!vet(dial, addresses, n)) {
		fail(dial, WARD_CAUSE_DECISION, 0, NULL);
		return;
	}
	interleave(dial);
	start_next(dial);
}

static void
on_lookup(void *context, int error, const struct in6_addr *addresses, size_t n)
{
	struct ward_dial *dial = context;

	dial->lookup = NULL;
	if (error != 0)
		fail(dial,
		    dial->by_upstream ? WARD_CAUSE_UPSTREAM
				      : WARD_CAUSE_RESOLVE,
		    error, gai_strerror(error));
	else
		take_addresses(dial, addresses, n);
}

/* What needs no look-up. */
static void
take_known(struct ward_dial *dial)
{
	static const struct in6_addr loopback[] = {
		{ .s6_addr = { [10] = 0xff, [11] = 0xff, 127, 0, 0, 1 } },
		IN6ADDR_LOOPBACK_INIT
	};
	const struct ward_host *host = &dial->flow->decision.host;

	if (host->kind == WARD_HOST_NAME)
		take_addresses(dial, loopback, 2);
	else
		take_addresses(dial, &host->address, 1);
}

/* Before there are addresses it is the start, which never calls done. */
static void
on_timer(evutil_socket_t fd, short what, void *context)
{
	struct ward_dial *dial = context;

	(void)fd;
	(void)what;
	if (dial->unasked)
		fail(dial, WARD_CAUSE_RESOLVE, EAI_AGAIN, NULL);
	else if (dial->n == 0)
		take_known(dial);
	else
		start_next(dial);
}

/* The host whose addresses are dialled: 0, or why it cannot be. */
static int
start_lookup(struct ward_dial *dial)
{
	struct ward_flow *flow = dial->flow;
	const struct ward_host *host = &flow->decision.host;
	const char *name = host->text;

	if (dial->by_upstream) {
		/* also an address: the resolver reads it, and nobody asks */
		name = flow->rules->network->upstream.host;
		dial->port = flow->rules->network->upstream.port;
	} else if (host->kind != WARD_HOST_NAME ||
	    ward_rules_is_localhost(host)) {
		return evtimer_add(dial->timer, &at_once) == 0 ? 0 : -ENOMEM;
	}
	dial->lookup =
	    ward_lookup_start(flow->egress->lookups, name, on_lookup, dial);
	if (dial->lookup != NULL)
		return 0;
	dial->unasked = true;
	return evtimer_add(dial->timer, &at_once) == 0 ? 0 : -ENOMEM;
}

struct ward_dial *
ward_dial_start(struct ward_flow *flow, ward_dial_done done, void *context)
{
	struct event_base *base = flow->egress->base;
	struct ward_dial *dial = calloc(1, sizeof(*dial));

	if (dial == NULL)
		return NULL;
	dial->flow = flow;
	dial->done = done;
	dial->context = context;
	dial->port = flow->decision.port;
	dial->by_upstream = ward_rules_use_upstream(
	    flow->rules, &flow->decision.host, dial->port);
	dial->timer = evtimer_new(base, on_timer, dial);
	dial->deadline = evtimer_new(base, on_deadline, dial);
	if (dial->timer == NULL || dial->deadline == NULL ||
	    evtimer_add(dial->deadline, &patience) != 0 ||
	    start_lookup(dial) != 0) {
		ward_dial_cancel(dial);
		return NULL;
	}
	return dial;
}
