/* SPDX-License-Identifier: ISC */
/*
 * The rules that hold: taken from the warden's memfd, and kept for as long as a
 * decision points into them.  New ones are for what is decided from then on.
 */
#ifndef WARD_EGRESS_RULES_H
#define WARD_EGRESS_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "profiles/decision.h"

struct ward_rules {
	unsigned references;
	struct ward_network *network;
	struct ward_grant *grants;
	size_t n_grants;
};

/* From a sealed memfd, which stays the caller's; 0 or -errno. */
int ward_rules_load(int rules_fd, struct ward_rules **out);
struct ward_rules *ward_rules_hold(struct ward_rules *rules);
void ward_rules_drop(struct ward_rules *rules); /* NULL is fine */

void ward_rules_decide(const struct ward_rules *rules, const char *host,
    size_t size, uint16_t port, struct ward_decision *out);

/*
 * The same for an address of a host that was allowed; route_fd tells which are
 * this machine's own.
 */
void ward_rules_decide_address(const struct ward_rules *rules, int route_fd,
    const struct in6_addr *address, struct ward_decision *decision);

/* Whether a name is the loopback's, which no name service is asked about. */
bool ward_rules_is_localhost(const struct ward_host *host);

/* Whether this is dialled by way of the upstream proxy. */
bool ward_rules_use_upstream(const struct ward_rules *rules,
    const struct ward_host *host, uint16_t port);

#endif
