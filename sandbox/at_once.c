/* SPDX-License-Identifier: ISC */
/* Connects that do not wait. */
#include "config.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "common/clock.h"
#include "sandbox/at_once.h"
#include "sandbox/brief.h"

/* After one that waited, which takes a moment (sandbox/brief.h) of all others.
 */
#define REST_MS 1000

/* To disconnect (AF_UNSPEC), and what is too short, is for the connector. */
static bool
is_inet(const struct ward_caller *caller)
{
	sa_family_t family = AF_UNSPEC;

	if (caller->request.size >= sizeof(family))
		memcpy(&family, caller->request.address, sizeof(family));
	return (caller->domain == AF_INET || caller->domain == AF_INET6) &&
	    (family == AF_INET || family == AF_INET6);
}

static bool
is_of(const struct ward_caller *caller, int type, int protocol)
{
	int its = -1;
	socklen_t size = sizeof(its);

	return caller->type == type &&
	    getsockopt(
		caller->socket_fd, SOL_SOCKET, SO_PROTOCOL, &its, &size) == 0 &&
	    its == protocol;
}

int
ward_at_once_connect(
    struct ward_at_once *at_once, const struct ward_caller *caller)
{
	const struct sockaddr *address =
	    (const struct sockaddr *)(const void *)caller->request.address;

	if (!is_inet(caller) ||
	    (!is_of(caller, SOCK_STREAM, IPPROTO_TCP) &&
		!is_of(caller, SOCK_DGRAM, IPPROTO_UDP)) ||
	    ward_now_ms() < at_once->not_before_ms)
		return 0;
	/*
	 * Over loopback the handshake is over before the call would wait for
	 * it, unless the other end's queue is full.  The connector goes on with
	 * what was begun here: connect(2) of a socket that is connecting waits.
	 */
	ward_brief_begin();
	int r = connect(caller->socket_fd, address, caller->request.size) == 0
	    ? -1
	    : errno;
	ward_brief_end();
	if (r != EINTR)
		return r;
	at_once->not_before_ms = ward_now_ms() + REST_MS;
	return 0;
}
