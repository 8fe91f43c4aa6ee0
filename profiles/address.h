/* SPDX-License-Identifier: ISC */
/*
 * What an address is, before it is dialled: somewhere on the internet, or one
 * of the places that a name from outside must never stand for.  Pure.  The
 * network decision uses it.  The ranges are those of RFC 6890 and its
 * registries, and what the clouds answer on.
 */
#ifndef WARD_PROFILES_ADDRESS_H
#define WARD_PROFILES_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

enum ward_address_class {
	WARD_ADDRESS_PUBLIC,
	WARD_ADDRESS_PRIVATE, /* RFC 1918, 100.64/10, ULA, site-local */
	WARD_ADDRESS_LOOPBACK,
	WARD_ADDRESS_UNSPECIFIED, /* 0/8 and :: */
	WARD_ADDRESS_LINK_LOCAL,
	WARD_ADDRESS_MULTICAST,
	WARD_ADDRESS_BROADCAST,
	WARD_ADDRESS_METADATA, /* credentials and settings of a cloud */
	WARD_ADDRESS_RESERVED, /* never on the internet */
	WARD_ADDRESS_CLASSES,
};

/*
 * IPv4 as ::ffff:a.b.c.d.  Of IPv6 that carries an IPv4 address (compatible,
 * translated, NAT64, 6to4, Teredo) the class of that counts too.
 */
enum ward_address_class ward_address_class(const struct in6_addr *address);

/* "a loopback address" */
const char *ward_address_class_name(enum ward_address_class class);

/*
 * The IPv4 address that IPv6 carries, as ::ffff:a.b.c.d; false if it carries
 * none.  A mapped address carries itself.
 */
bool ward_address_embedded(
    const struct in6_addr *address, struct in6_addr *embedded);

/* A block of addresses; IPv4 as IPv6-mapped, so bits is 96 more. */
struct ward_block {
	struct in6_addr address;
	unsigned bits; /* 0 to 128 */
};

/*
 * "a.b.c.d/n", "x:y::/n" or an address alone, size bytes.  0, or -EINVAL: also
 * where a bit behind the prefix is set.
 */
int ward_block_read(const char *text, size_t size, struct ward_block *out);
bool
ward_block_has(const struct ward_block *block, const struct in6_addr *address);

#endif
