/* SPDX-License-Identifier: ISC */
/*
 * Whether an address is this machine's own, asked of the kernel's routes at the
 * moment that it would be dialled.  For egress/rules.c.
 */
#ifndef WARD_EGRESS_ROUTE_H
#define WARD_EGRESS_ROUTE_H

#include <netinet/in.h>
#include <stdbool.h>

/* A socket to ask with, made before the seal; -errno. */
int ward_route_open(void);

/*
 * IPv4 as mapped.  Own, a broadcast address of a network that it is in, and
 * also where the kernel gives no answer: what cannot be told is not dialled.
 */
bool ward_route_is_own(int route_fd, const struct in6_addr *address);

#endif
