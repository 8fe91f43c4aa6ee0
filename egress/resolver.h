/* SPDX-License-Identifier: ISC */
/*
 * The resolver: a process of its own that asks the host's name services, so
 * that their modules never run where hostile bytes are parsed.  The egress
 * sends it names that it has decided on, and takes addresses for what they are:
 * claims that are checked one by one.
 */
#ifndef WARD_EGRESS_RESOLVER_H
#define WARD_EGRESS_RESOLVER_H

#include <netinet/in.h>
#include <stdint.h>

#include "profiles/host.h"

#define WARD_RESOLVED_MAX 32 /* addresses of a name that are looked at */

/* One record each way; the socket keeps their bounds. */
struct ward_resolver_question {
	uint32_t id;
	char name[WARD_HOST_TEXT_MAX + 1];
};

struct ward_resolver_answer {
	uint32_t id;
	int32_t error; /* EAI_*, 0 with addresses */
	uint32_t n;
	struct in6_addr addresses[WARD_RESOLVED_MAX]; /* IPv4 as mapped */
};

/*
 * In a child of the egress, which holds nothing but this socket.  Returns when
 * the other end is closed.
 */
void ward_resolver_run(int socket_fd);

#endif
