/* SPDX-License-Identifier: ISC */
/* Classes and blocks of addresses. */
#include "config.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "common/number.h"
#include "profiles/address.h"

/*
 * The first that has an address tells its class.  They are read at each
 * look-up: that is some microseconds before a connection to elsewhere.
 */
static const struct {
	const char *block;
	enum ward_address_class class;
} ranges[] = {
	{ "255.255.255.255", WARD_ADDRESS_BROADCAST },
	{ "169.254.169.254", WARD_ADDRESS_METADATA },
	{ "100.100.100.200", WARD_ADDRESS_METADATA },
	{ "168.63.129.16", WARD_ADDRESS_METADATA },
	{ "192.0.0.192", WARD_ADDRESS_METADATA },
	{ "0.0.0.0/8", WARD_ADDRESS_UNSPECIFIED },
	{ "127.0.0.0/8", WARD_ADDRESS_LOOPBACK },
	{ "169.254.0.0/16", WARD_ADDRESS_LINK_LOCAL },
	{ "10.0.0.0/8", WARD_ADDRESS_PRIVATE },
	{ "172.16.0.0/12", WARD_ADDRESS_PRIVATE },
	{ "192.168.0.0/16", WARD_ADDRESS_PRIVATE },
	{ "100.64.0.0/10", WARD_ADDRESS_PRIVATE },
	{ "192.0.0.0/24", WARD_ADDRESS_RESERVED },
	{ "192.0.2.0/24", WARD_ADDRESS_RESERVED },
	{ "198.51.100.0/24", WARD_ADDRESS_RESERVED },
	{ "203.0.113.0/24", WARD_ADDRESS_RESERVED },
	{ "192.88.99.0/24", WARD_ADDRESS_RESERVED },
	/* benchmarks; Ward's own stand-ins are here */
	{ "198.18.0.0/15", WARD_ADDRESS_RESERVED },
	{ "224.0.0.0/4", WARD_ADDRESS_MULTICAST },
	{ "240.0.0.0/4", WARD_ADDRESS_RESERVED },

	{ "fd20:ce::254", WARD_ADDRESS_METADATA },
	{ "fd00:c1::a9fe:a9fe", WARD_ADDRESS_METADATA },
	{ "fd00:42::42", WARD_ADDRESS_METADATA },
	{ "fd00:a9fe:a9fe::1", WARD_ADDRESS_METADATA },
	{ "fd00:100::100:200", WARD_ADDRESS_METADATA },
	{ "fd00:ec2::/32", WARD_ADDRESS_METADATA },
	{ "::", WARD_ADDRESS_UNSPECIFIED },
	{ "::1", WARD_ADDRESS_LOOPBACK },
	{ "fe80::/10", WARD_ADDRESS_LINK_LOCAL },
	{ "ff00::/8", WARD_ADDRESS_MULTICAST },
	{ "fc00::/7", WARD_ADDRESS_PRIVATE },
	{ "fec0::/10", WARD_ADDRESS_PRIVATE },
	/* NAT64 of a site's own: where it leads, only the site knows */
	{ "64:ff9b:1::/48", WARD_ADDRESS_PRIVATE },
	{ "100::/64", WARD_ADDRESS_RESERVED },
	{ "2001:db8::/32", WARD_ADDRESS_RESERVED },
	{ "3fff::/20", WARD_ADDRESS_RESERVED },

	{ "::ffff:0:0/96", WARD_ADDRESS_PUBLIC },
	{ "64:ff9b::/96", WARD_ADDRESS_PUBLIC },
	{ "2000::/3", WARD_ADDRESS_PUBLIC },
	{ "::/0", WARD_ADDRESS_RESERVED },
};

/* Where IPv6 carries IPv4: in a block, from a byte on. */
static const struct {
	const char *block;
	unsigned at;
	uint8_t mask; /* each byte is combined with it */
} carriers[] = {
	{ "::ffff:0:0/96", 12, 0 },   /* mapped */
	{ "::/96", 12, 0 },           /* compatible */
	{ "::ffff:0:0:0/96", 12, 0 }, /* translated */
	{ "64:ff9b::/96", 12, 0 },    /* NAT64 */
	{ "2002::/16", 2, 0 },        /* 6to4 */
	{ "2001::/32", 12, 0xff },    /* Teredo */
};

bool
ward_block_has(const struct ward_block *block, const struct in6_addr *address)
{
	unsigned whole = block->bits / 8, rest = block->bits % 8;
	uint8_t mask = (uint8_t)(0xff00 >> rest);

	return memcmp(block->address.s6_addr, address->s6_addr, whole) == 0 &&
	    (rest == 0 ||
		((block->address.s6_addr[whole] ^ address->s6_addr[whole]) &
		    mask) == 0);
}

static bool
is_in(const char *text, const struct in6_addr *address)
{
	struct ward_block block;
	int r = ward_block_read(text, strlen(text), &block);

	assert(r == 0);
	return r == 0 && ward_block_has(&block, address);
}

bool
ward_address_embedded(const struct in6_addr *address, struct in6_addr *embedded)
{
	for (size_t i = 0; i < sizeof(carriers) / sizeof(carriers[0]); i++) {
		if (!is_in(carriers[i].block, address))
			continue;
		memset(embedded, 0, sizeof(*embedded));
		embedded->s6_addr[10] = 0xff;
		embedded->s6_addr[11] = 0xff;
		for (unsigned k = 0; k < 4; k++)
			embedded->s6_addr[12 + k] =
			    address->s6_addr[carriers[i].at + k] ^
			    carriers[i].mask;
		return true;
	}
	return false;
}

static enum ward_address_class
look_up(const struct in6_addr *address)
{
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (is_in(ranges[i].block, address))
			return ranges[i].class;
	return WARD_ADDRESS_RESERVED; /* fail safe: ::/0 has them all */
}

enum ward_address_class
ward_address_class(const struct in6_addr *address)
{
	struct in6_addr embedded;
	enum ward_address_class outer = look_up(address), inner;

	if ((outer != WARD_ADDRESS_PUBLIC && outer != WARD_ADDRESS_RESERVED) ||
	    !ward_address_embedded(address, &embedded))
		return outer;
	inner = look_up(&embedded);
	return inner == WARD_ADDRESS_PUBLIC ? outer : inner;
}

const char *ward_address_class_name(enum ward_address_class class)
{
	static const char *const names[WARD_ADDRESS_CLASSES] = {
		[WARD_ADDRESS_PUBLIC] = "a public address",
		[WARD_ADDRESS_PRIVATE] = "a private address",
		[WARD_ADDRESS_LOOPBACK] = "a loopback address",
		[WARD_ADDRESS_UNSPECIFIED] = "the unspecified address",
		[WARD_ADDRESS_LINK_LOCAL] = "a link-local address",
		[WARD_ADDRESS_MULTICAST] = "a multicast address",
		[WARD_ADDRESS_BROADCAST] = "the broadcast address",
		[WARD_ADDRESS_METADATA] = "a metadata service's address",
		[WARD_ADDRESS_RESERVED] = "a reserved address",
	};

	return names[class];
}

/* Whether an address has no bit behind its prefix. */
static bool
is_base(const struct in6_addr *address, unsigned bits)
{
	for (unsigned i = bits; i < 128; i++)
		if (address->s6_addr[i / 8] & 0x80 >> i % 8)
			return false;
	return true;
}

int
ward_block_read(const char *text, size_t size, struct ward_block *out)
{
	char copy[INET6_ADDRSTRLEN + sizeof("/128")];
	struct in_addr v4;
	uint64_t bits;

	if (size == 0 || size >= sizeof(copy) || memchr(text, '\0', size))
		return -EINVAL;
	memcpy(copy, text, size);
	copy[size] = '\0';
	char *slash = strchr(copy, '/');
	if (slash != NULL)
		*slash = '\0';
	bool is_v4 = inet_pton(AF_INET, copy, &v4) == 1;
	unsigned most = is_v4 ? 32 : 128;
	if (is_v4) {
		memset(&out->address, 0, sizeof(out->address));
		out->address.s6_addr[10] = 0xff;
		out->address.s6_addr[11] = 0xff;
		memcpy(&out->address.s6_addr[12], &v4, sizeof(v4));
	} else if (inet_pton(AF_INET6, copy, &out->address) != 1)
		return -EINVAL;
	bits = most;
	if (slash != NULL && ward_number_parse(slash + 1, most, &bits) != 0)
		return -EINVAL;
	out->bits = (unsigned)bits + (128 - most);
	return is_base(&out->address, out->bits) ? 0 : -EINVAL;
}
