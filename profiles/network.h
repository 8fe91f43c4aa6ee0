/* SPDX-License-Identifier: ISC */
/*
 * The network part of a profile: which hosts may be reached, as checked data,
 * and the grammar of its entries.  Pure.  The profile holds one, the stores
 * keep it, the decision reads it.
 */
#ifndef WARD_PROFILES_NETWORK_H
#define WARD_PROFILES_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiles/address.h"
#include "profiles/host.h"
#include "profiles/origin.h"

/* Characters that a reason may have. */
#define WARD_REASON_MAX 500

enum ward_endpoint_kind {
	WARD_ENDPOINT_ANY,   /* * */
	WARD_ENDPOINT_HOST,  /* the host, and nothing below it */
	WARD_ENDPOINT_BELOW, /* *.x.y: every name strictly below x.y */
};

struct ward_endpoint {
	enum ward_endpoint_kind kind;
	struct ward_host host; /* not of ANY */
	uint16_t port;         /* 0: every port */
};

enum ward_net_list {
	WARD_NET_ALLOW,
	WARD_NET_DENY,
};

struct ward_net_rule {
	enum ward_net_list list;
	char *text; /* as written */
	struct ward_endpoint endpoint;
	struct ward_origin origin;
};

/* What is said of a refusal that the endpoint matches. */
struct ward_net_reason {
	struct ward_endpoint match;
	char *text; /* the match, as written */
	char *say;
	struct ward_origin origin;
};

struct ward_net_block {
	char *text;
	struct ward_block block;
	struct ward_origin origin;
};

/* The proxy that everything is dialled through, by CONNECT. */
struct ward_net_upstream {
	char *host; /* canonical; NULL: none */
	uint16_t port;
	struct ward_origin origin;
};

struct ward_network {
	bool filtered; /* else there is no network at all */
	bool ask;      /* what no rule names is filed as a request */
	bool allow_private;
	struct ward_net_rule *rules; /* in no meaningful order */
	size_t n_rules;
	struct ward_net_reason *reasons; /* the first that matches speaks */
	size_t n_reasons;
	struct ward_net_block *denied; /* deny_addresses */
	size_t n_denied;
	struct ward_net_upstream upstream;
	struct ward_net_rule *no_proxy; /* dialled without it */
	size_t n_no_proxy;
};

/* Frees what it holds; zeroed after. */
void ward_network_clear(struct ward_network *network);

/*
 * "host", "*.x.y", "a.b.c.d", "[x:y::z]", each with ":port" or without; where
 * any_allowed also "*".  0, -ENOMEM, or -EINVAL with the reason, a part of a
 * sentence, in *why.
 */
int ward_endpoint_read(const char *text, size_t size, bool any_allowed,
    struct ward_endpoint *out, const char **why);
bool ward_endpoint_matches(const struct ward_endpoint *endpoint,
    const struct ward_host *host, uint16_t port);
/* Whether whatever inner matches, outer matches. */
bool ward_endpoint_covers(
    const struct ward_endpoint *outer, const struct ward_endpoint *inner);
/* By how narrow they are, the narrowest first; for qsort. */
int ward_endpoint_compare(
    const struct ward_endpoint *a, const struct ward_endpoint *b);

/*
 * "http://host:port" or "none", which has no host; the host is the caller's to
 * free, the origin is left alone.  0, -ENOMEM, or -EINVAL as above.
 */
int ward_upstream_read(
    const char *text, struct ward_net_upstream *out, const char **why);
/* The other way round, always whole.  Returns out. */
#define WARD_UPSTREAM_TEXT_MAX (WARD_HOST_TEXT_MAX + 32)
const char *ward_upstream_text(
    const struct ward_net_upstream *upstream, char out[WARD_UPSTREAM_TEXT_MAX]);

#endif
