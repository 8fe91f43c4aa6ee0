/* SPDX-License-Identifier: ISC */
/*
 * May this host be reached?  The one function that answers, for every front of
 * the egress and for explain.  Pure.
 */
#ifndef WARD_PROFILES_DECISION_H
#define WARD_PROFILES_DECISION_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiles/network.h"

/* What an admin allowed for a time. */
struct ward_grant {
	int64_t id;
	int64_t until; /* seconds since the epoch; over at that second */
	struct ward_endpoint endpoint;
};

/* What decides, all of it borrowed. */
struct ward_net_policy {
	const struct ward_network *network;
	const struct ward_grant *grants;
	size_t n_grants;
	const struct in6_addr *own; /* addresses of the host's interfaces */
	size_t n_own;
};

enum ward_ground {
	WARD_GROUND_NO_NETWORK, /* network.mode is none */
	WARD_GROUND_MALFORMED,  /* why says how */
	WARD_GROUND_DENY,       /* rule */
	WARD_GROUND_ALLOW,      /* rule */
	WARD_GROUND_GRANT,      /* grant */
	WARD_GROUND_UNLISTED,   /* nothing names it */
	/* of a resolved address only */
	WARD_GROUND_DENIED_BLOCK, /* block */
	WARD_GROUND_ADDRESS,      /* class, or the host's own */
};

/* Pointers are into the policy, and static text. */
struct ward_decision {
	bool allowed;
	bool ask; /* refused, and to be filed as a request */
	enum ward_ground ground;
	const struct ward_net_rule *rule;
	const struct ward_grant *grant;
	const struct ward_net_block *block;
	enum ward_address_class class;
	bool own;           /* an address of the host's own */
	const char *why;    /* of what is malformed */
	const char *reason; /* the profile's own words on a refusal, or NULL */
	struct ward_host host; /* canonical; of MALFORMED empty */
	uint16_t port;
};

/*
 * Whether size bytes, as a client spelt a host, may be connected to at port
 * (1 to 65535; 0 is refused as malformed); now in seconds since the epoch.
 * Always decides: without memory it refuses.
 */
void ward_decide(const struct ward_net_policy *policy, const char *host,
    size_t size, uint16_t port, int64_t now, struct ward_decision *out);

/*
 * Of a host that was allowed, whether this address of it may be dialled;
 * refuses into *decision, which is else left as it is.
 */
void ward_decide_address(const struct ward_net_policy *policy,
    const struct in6_addr *address, int64_t now,
    struct ward_decision *decision);

#endif
