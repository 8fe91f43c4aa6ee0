/* SPDX-License-Identifier: ISC */
/*
 * What the routing of a sandbox's net namespace knows: every TCP destination
 * is local, so that it can be steered to a listener (sandbox/steer.h), and all
 * else is unreachable, so that no datagram is waited for.  Loopback stays what
 * it is.  Used by the child that becomes init, as root in the namespace.
 */
#ifndef WARD_SANDBOX_ROUTES_H
#define WARD_SANDBOX_ROUTES_H

#include <stdbool.h>

#include "common/err.h"

/*
 * The sandbox's own address, on lo: without one that is not loopback,
 * getaddrinfo(3) takes a machine for one without IPv4 (AI_ADDRCONFIG).  From
 * the range of egress/standins.h, and never given out there.
 */
#define WARD_OWN_ADDRESS 0xc613fffeu /* 198.19.255.254 */

/* A new net namespace has a loopback that is down. */
int ward_loopback_raise(struct err *err);

/* lo must be up.  0 or -errno. */
int ward_routes_set(bool ipv6, struct err *err);

/* Something else refuses what is not TCP (sandbox/strays.h).  0 or -errno. */
int ward_routes_refuse_no_more(bool ipv6, struct err *err);

#endif
