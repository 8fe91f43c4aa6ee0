/* SPDX-License-Identifier: ISC */
/*
 * The DNS front: answers each name with addresses that stand for it, whoever
 * asks and whatever the rules say of it, so that nothing is told by asking; a
 * connection to one is what is decided.  It asks nobody.
 */
#ifndef WARD_EGRESS_DNS_FRONT_H
#define WARD_EGRESS_DNS_FRONT_H

#include "egress/client.h"

/* fd is bound, and stays the caller's for as long as the program runs. */
int ward_dns_serve_udp(struct ward_egress *egress, int fd);

extern const struct ward_front ward_front_dns;

#endif
