/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as an upstream proxy's answer, in two pieces, the first as long as
 * the first byte says: it is taken as a connection only where it says so, and
 * then none of what stands behind the head is lost.
 */
#include "config.h"

#include <event2/event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "egress/upstream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct asked {
	bool is_done;
	int fd;
};

static void
on_done(void *context, int fd, const char *why)
{
	struct asked *asked = context;

	if (asked->is_done || (fd < 0) == (why[0] == '\0'))
		abort();
	asked->is_done = true;
	asked->fd = fd;
}

/* Whatever is in the socket is what stood behind the head. */
static void
check_taken(int fd, const uint8_t *data, size_t size)
{
	static uint8_t left[65536];
	const uint8_t *end = memmem(data, size, "\r\n\r\n", 4);

	if (end == NULL || size < 12 || memcmp(data, "HTTP/1.", 7) != 0 ||
	    data[9] != '2')
		abort();
	size_t behind = size - (size_t)(end + 4 - data);
	ssize_t n = recv(fd, left, sizeof(left), MSG_DONTWAIT);
	if ((n < 0 ? 0 : (size_t)n) != behind ||
	    memcmp(left, end + 4, behind) != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ward_host host = { .text = "a.example.com" };
	static struct event_base *base;
	struct asked asked = { .fd = -1 };
	int pair[2];

	if (size < 1 || size > 32768)
		return 0;
	size_t first = data[0] < size ? data[0] : size - 1;
	if (base == NULL)
		base = event_base_new();
	if (base == NULL ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		abort();
	data++, size--;
	struct ward_upstream *upstream =
	    ward_upstream_ask(base, pair[0], &host, 443, on_done, &asked);
	if (upstream == NULL)
		abort();
	if (send(pair[1], data, first, MSG_NOSIGNAL) != (ssize_t)first)
		abort();
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
	bool whole = send(pair[1], data + first, size - first, MSG_NOSIGNAL) ==
	    (ssize_t)(size - first);
	while (!asked.is_done && event_base_loop(base, EVLOOP_NONBLOCK) == 0 &&
	    recv(pair[0], &(char){ 0 }, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
		;
	if (asked.is_done && asked.fd >= 0) {
		if (whole)
			check_taken(asked.fd, data, size);
		(void)close(asked.fd);
	} else if (!asked.is_done) {
		ward_upstream_cancel(upstream);
	}
	(void)close(pair[1]);
	return 0;
}
