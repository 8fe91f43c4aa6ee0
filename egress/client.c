/* SPDX-License-Identifier: ISC */
/* A client, from its first byte to its last. */
#include "config.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "egress/client.h"
#include "egress/http.h"
#include "egress/names.h"

/* How long a client that was refused may take to read why. */
#define LEAVE_S   2
#define HTTP_PORT 80

static void on_readable(evutil_socket_t fd, short what, void *context);
static void on_timer(evutil_socket_t fd, short what, void *context);

static struct ward_client_list *
list_of(const struct ward_client *client)
{
	return client->settled ? &client->egress->settled
			       : &client->egress->hands;
}

struct ward_client *
ward_client_new(struct ward_egress *egress, int fd,
    const struct ward_front *front, bool steered)
{
	struct ward_client *client = calloc(1, sizeof(*client));
	const int on = 1;

	if (client == NULL) {
		(void)close(fd);
		return NULL;
	}
	client->egress = egress;
	client->fd = fd;
	client->front = front;
	client->steered = steered;
	client->flow.egress = egress;
	TAILQ_INSERT_TAIL(&egress->hands, client, link);
	egress->n_clients++;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	ward_flow_end_point(getpeername, fd, &client->flow.from);
	ward_flow_end_point(getsockname, fd, &client->flow.to);
	socklen_t size = sizeof(client->flow.mark);
	if (getsockopt(fd, SOL_SOCKET, SO_MARK, &client->flow.mark, &size) != 0)
		client->flow.mark = 0;
	client->readable = event_new(
	    egress->base, fd, EV_READ | EV_PERSIST, on_readable, client);
	client->timer = evtimer_new(egress->base, on_timer, client);
	if (client->readable == NULL || client->timer == NULL ||
	    event_add(client->readable, NULL) != 0) {
		ward_client_free(client, true);
		return NULL;
	}
	return client;
}

void
ward_client_free(struct ward_client *client, bool reset)
{
	const struct linger now = { .l_onoff = 1 };

	ward_dial_cancel(client->dial);
	ward_relay_cancel(client->relay);
	ward_http_free(client->http);
	ward_flow_end(&client->flow, reset ? ECONNRESET : 0);
	TAILQ_REMOVE(list_of(client), client, link);
	client->egress->n_clients--;
	if (client->readable != NULL)
		event_free(client->readable);
	if (client->timer != NULL)
		event_free(client->timer);
	if (reset)
		(void)setsockopt(
		    client->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	(void)close(client->fd);
	free(client->in);
	free(client);
}

void
ward_client_used(struct ward_client *client, size_t n)
{
	client->n_in -= n;
	if (client->n_in > 0) {
		memmove(client->in, client->in + n, client->n_in);
	} else {
		free(client->in);
		client->in = NULL;
	}
	if (!client->ended)
		(void)event_add(client->readable, NULL);
}

void
ward_client_wait(struct ward_client *client, unsigned seconds)
{
	const struct timeval wait = { .tv_sec = seconds };

	if (seconds == 0)
		(void)event_del(client->timer);
	else
		(void)evtimer_add(client->timer, &wait);
}

void
ward_client_settle(struct ward_client *client, bool settled)
{
	if (client->settled == settled)
		return;
	TAILQ_REMOVE(list_of(client), client, link);
	client->settled = settled;
	TAILQ_INSERT_TAIL(list_of(client), client, link);
}

static void
on_timer(evutil_socket_t fd, short what, void *context)
{
	struct ward_client *client = context;

	(void)fd;
	(void)what;
	/* who was refused and said nothing takes an end for the host's */
	ward_client_free(client, client->steered);
}

/* It asked a proxy and went away before there was an answer. */
static void
give_up(struct ward_client *client)
{
	ward_flow_fail(&client->flow, WARD_CAUSE_CONNECT, ECANCELED, NULL);
	ward_flow_told(&client->flow);
	ward_client_free(client, false);
}

static void
on_readable(evutil_socket_t fd, short what, void *context)
{
	struct ward_client *client = context;

	(void)what;
	if (client->in == NULL)
		client->in = malloc(WARD_CLIENT_IN_MAX);
	if (client->in == NULL) {
		ward_client_free(client, true);
		return;
	}
	ssize_t n = recv(fd, client->in + client->n_in,
	    WARD_CLIENT_IN_MAX - client->n_in, MSG_DONTWAIT);
	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			ward_client_free(client, true);
		return;
	}
	client->n_in += (size_t)n;
	client->ended = n == 0;
	if (client->ended || client->n_in == WARD_CLIENT_IN_MAX)
		(void)event_del(client->readable);
	/* while it is dialled for, what it sends only waits */
	if (client->dial == NULL)
		client->front->take(client);
	else if (client->ended && client->n_in == 0 && !client->steered)
		give_up(client);
}

/* --- leaving --- */

bool
ward_client_say(struct ward_client *client, const void *bytes, size_t n)
{
	return send(client->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT) ==
	    (ssize_t)n;
}

/* What it still sends is read and dropped, since a reset would outrun why. */
static void
take_leave(struct ward_client *client)
{
	if (client->ended)
		ward_client_free(client, false);
	else
		ward_client_used(client, client->n_in);
}

static const struct ward_front leaving = { .take = take_leave };

void
ward_client_leave(struct ward_client *client, const void *bytes, size_t n)
{
	if (bytes == NULL || client->ended) {
		if (bytes != NULL)
			(void)ward_client_say(client, bytes, n);
		ward_client_free(client, bytes == NULL);
		return;
	}
	if (!ward_client_say(client, bytes, n) ||
	    shutdown(client->fd, SHUT_WR) != 0) {
		ward_client_free(client, true);
		return;
	}
	ward_http_free(client->http);
	client->http = NULL;
	client->front = &leaving;
	ward_client_settle(client, false);
	ward_client_used(client, client->n_in);
	ward_client_wait(client, LEAVE_S);
}

void
ward_client_refuse(struct ward_client *client)
{
	ward_flow_told(&client->flow);
	client->front->refuse(client);
}

/* --- from asking to being relayed --- */

static enum ward_relay_verdict
inspect(void *context, const uint8_t *bytes, size_t n)
{
	struct ward_client *client = context;

	return ward_names_look(&client->flow, bytes, n);
}

static void
on_relayed(void *context, int error)
{
	struct ward_client *client = context;

	client->relay = NULL;
	if (error == EACCES && client->flow.cause != WARD_CAUSE_NONE) {
		/* it speaks TLS, so this is the answer that it understands */
		ward_flow_told(&client->flow);
		ward_flow_end(&client->flow, EACCES);
		ward_client_leave(
		    client, ward_names_alert, sizeof(ward_names_alert));
		return;
	}
	ward_flow_end(&client->flow, error);
	ward_client_free(client, error != 0);
}

void
ward_client_relay(struct ward_client *client, int host_fd, const uint8_t *first,
    size_t n, bool look)
{
	const struct ward_relay_of of = {
		.flow = &client->flow,
		.client_fd = client->fd,
		.host_fd = host_fd,
		.client_ended = client->ended,
		.to_client = first,
		.n_to_client = n,
		.to_host = client->in,
		.n_to_host = client->n_in,
		.inspect = look ? inspect : NULL,
		.done = on_relayed,
		.context = client,
	};

	(void)event_del(client->readable);
	client->relay = ward_relay_start(&of);
	if (client->relay == NULL) {
		ward_client_free(client, true);
		return;
	}
	free(client->in);
	client->in = NULL;
	client->n_in = 0;
	ward_client_settle(client, true);
	ward_client_wait(client, 0);
}

/*
 * On HTTP's port each request is read, since one connection may carry several;
 * elsewhere the first bytes say all that can be checked.
 */
static void
welcome(struct ward_client *client, int host_fd)
{
	uint8_t first[128];
	size_t n = client->front->welcome == NULL
	    ? 0
	    : client->front->welcome(client, first);

	if (client->flow.decision.port != HTTP_PORT) {
		ward_client_relay(client, host_fd, first, n, true);
		return;
	}
	if (n > 0 && !ward_client_say(client, first, n)) {
		(void)close(host_fd);
		ward_client_free(client, true);
		return;
	}
	ward_http_adopt(client, host_fd);
}

static void
on_dialled(void *context, int fd)
{
	struct ward_client *client = context;

	client->dial = NULL;
	if (fd < 0) {
		ward_client_refuse(client);
		return;
	}
	ward_flow_opened(&client->flow);
	welcome(client, fd);
}

void
ward_client_ask(
    struct ward_client *client, const char *host, size_t size, uint16_t port)
{
	ward_client_wait(client, 0);
	if (!ward_flow_decide(
		&client->flow, client->egress, host, size, port)) {
		ward_client_refuse(client);
		return;
	}
	client->dial = ward_dial_start(&client->flow, on_dialled, client);
	if (client->dial != NULL) {
		/* from here on it is not the client who is slow */
		ward_client_settle(client, true);
		return;
	}
	ward_flow_fail(&client->flow, WARD_CAUSE_CONNECT, ENOMEM, NULL);
	ward_client_refuse(client);
}
