/* SPDX-License-Identifier: ISC */
/*
 * A host as a client or a profile spells it, made canonical: one form for each
 * host, so that what is compared is what would be dialled.  Pure.  The network
 * rules and every front of the egress use it, and nothing else reads a host.
 */
#ifndef WARD_PROFILES_HOST_H
#define WARD_PROFILES_HOST_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

/* What a host may be long in any spelling, and a name in DNS (RFC 1035). */
#define WARD_HOST_SPELT_MAX 255
#define WARD_HOST_TEXT_MAX  253

enum ward_host_kind {
	WARD_HOST_NAME,
	WARD_HOST_IPV4,
	WARD_HOST_IPV6,
};

struct ward_host {
	enum ward_host_kind kind;
	struct in6_addr address; /* IPv4 as ::ffff:a.b.c.d; not of a name */
	/* Lower case, ASCII, without trailing dot or brackets. */
	char text[WARD_HOST_TEXT_MAX + 1];
};

/*
 * Reads size bytes.  Names in other scripts become punycode; what ends in a
 * number is an IPv4 address, in any form that inet_aton(3) takes, or nothing;
 * IPv4-mapped IPv6 is IPv4.  Returns 0, -ENOMEM, or -EINVAL with the reason,
 * a part of a sentence, in *why.
 */
int ward_host_read(
    const char *spelt, size_t size, struct ward_host *out, const char **why);

/* The host that an address is; IPv4-mapped IPv6 is IPv4. */
void
ward_host_from_address(const struct in6_addr *address, struct ward_host *out);

/* By kind and value. */
bool ward_host_equal(const struct ward_host *a, const struct ward_host *b);

/* Whether the name host is strictly below the name zone, at any depth. */
bool
ward_host_is_below(const struct ward_host *host, const struct ward_host *zone);

#endif
