/* SPDX-License-Identifier: ISC */
/* Asks an upstream proxy to connect (RFC 9110, 9.3.6). */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "egress/upstream.h"

#define HEAD_MAX 8192

struct ward_upstream {
	int fd;
	struct event *event;
	char head[HEAD_MAX + 1];
	size_t n;
	ward_upstream_done done;
	void *context;
};

void
ward_upstream_cancel(struct ward_upstream *upstream)
{
	if (upstream == NULL)
		return;
	if (upstream->event != NULL)
		event_free(upstream->event);
	if (upstream->fd >= 0)
		(void)close(upstream->fd);
	free(upstream);
}

static void
finish(struct ward_upstream *upstream, const char *why)
{
	ward_upstream_done done = upstream->done;
	void *context = upstream->context;
	int fd = -1;

	if (why == NULL) {
		fd = upstream->fd;
		upstream->fd = -1;
	}
	/* why may point into it */
	char text[200] = "";
	if (why != NULL)
		(void)snprintf(text, sizeof(text), "%s", why);
	ward_upstream_cancel(upstream);
	done(context, fd, text);
}

/* A whole head: "HTTP/1.x 2dd" is a connection. */
static void
judge(struct ward_upstream *upstream)
{
	char *line = upstream->head;

	line[strcspn(line, "\r\n")] = '\0';
	if (strncmp(line, "HTTP/1.", 7) == 0 && strlen(line) >= 12 &&
	    line[8] == ' ' && line[9] == '2')
		finish(upstream, NULL);
	else
		finish(
		    upstream, line[0] != '\0' ? line : "its answer is no HTTP");
}

/*
 * What stands behind the head is the host's first bytes, and stays in the
 * socket: it is looked at, and only what is the head's is taken.
 */
static void
on_readable(evutil_socket_t fd, short what, void *context)
{
	struct ward_upstream *upstream = context;
	size_t before = upstream->n;

	(void)what;
	ssize_t n = recv(fd, upstream->head + before, HEAD_MAX - before,
	    MSG_PEEK | MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		finish(upstream, "it closed the connection");
		return;
	}
	upstream->n += (size_t)n;
	upstream->head[upstream->n] = '\0';
	char *end = memmem(upstream->head, upstream->n, "\r\n\r\n", 4);
	size_t take = end == NULL ? (size_t)n
				  : (size_t)(end + 4 - upstream->head) - before;
	if (recv(fd, upstream->head + before, take, MSG_DONTWAIT) !=
	    (ssize_t)take)
		finish(upstream, "it closed the connection");
	else if (end != NULL)
		judge(upstream);
	else if (upstream->n == HEAD_MAX)
		finish(upstream, "its answer is too long");
}

static bool
send_request(int fd, const struct ward_host *host, uint16_t port)
{
	const char *open = host->kind == WARD_HOST_IPV6 ? "[" : "";
	const char *shut = host->kind == WARD_HOST_IPV6 ? "]" : "";
	char request[1024];
	int n = snprintf(request, sizeof(request),
	    "CONNECT %s%s%s:%u HTTP/1.1\r\nHost: %s%s%s:%u\r\n\r\n", open,
	    host->text, shut, port, open, host->text, shut, port);

	/* a new connection has room for it */
	return send(fd, request, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) == n;
}

struct ward_upstream *
ward_upstream_ask(struct event_base *base, int fd, const struct ward_host *host,
    uint16_t port, ward_upstream_done done, void *context)
{
	struct ward_upstream *upstream = calloc(1, sizeof(*upstream));

	if (upstream == NULL) {
		(void)close(fd);
		return NULL;
	}
	upstream->fd = fd;
	upstream->done = done;
	upstream->context = context;
	upstream->event =
	    event_new(base, fd, EV_READ | EV_PERSIST, on_readable, upstream);
	if (upstream->event == NULL || event_add(upstream->event, NULL) != 0 ||
	    !send_request(fd, host, port)) {
		ward_upstream_cancel(upstream);
		return NULL;
	}
	return upstream;
}
