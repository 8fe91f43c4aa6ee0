/* SPDX-License-Identifier: ISC */
/* What the kernel tells of packets, message by message. */
#include "config.h"

#include <arpa/inet.h>
#include <endian.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sandbox/stray.h"

#define PACKET (NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET)
#define OBJECT (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWOBJ)

#define V4(protocol)                                                           \
	0x45, 0, 0, 29, 0, 1, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 192, 0,   \
	    2, 9
#define PORTS 0x30, 0x39, 0, 53, 0, 9, 0, 0
#define V6(next)                                                               \
	0x60, 0, 0, 0, 0, 8, next, 64, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  \
	    0, 0, 0, 1, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2

static const struct {
	const char *name;
	unsigned char head[80];
	size_t size;
	const char *want; /* NULL: it is none */
} packets[] = {
	{ "a datagram", { V4(17), PORTS }, 28,
	    "udp 10.0.0.1:12345 192.0.2.9:53" },
	{ "a ping", { V4(1), 8, 0 }, 22, "icmp 10.0.0.1:0 192.0.2.9:0" },
	{ "another protocol", { V4(255) }, 20, "ip 10.0.0.1:0 192.0.2.9:0" },
	{ "sctp", { V4(132), PORTS }, 28, "sctp 10.0.0.1:12345 192.0.2.9:53" },
	{ "options",
	    { 0x46, 0, 0, 33, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 192, 0, 2,
		9, 1, 1, 1, 1, PORTS },
	    32, "udp 10.0.0.1:12345 192.0.2.9:53" },
	{ "a later fragment",
	    { 0x45, 0, 0, 29, 0, 1, 0, 7, 64, 17, 0, 0, 10, 0, 0, 1, 192, 0, 2,
		9, PORTS },
	    28, "udp 10.0.0.1:0 192.0.2.9:0" },
	{ "cut before its ports", { V4(17), PORTS }, 23,
	    "udp 10.0.0.1:0 192.0.2.9:0" },
	{ "cut in its head", { V4(17) }, 19, NULL },
	{ "a head that is too short",
	    { 0x44, 0, 0, 29, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 192, 0, 2,
		9 },
	    20, NULL },
	{ "nothing", { 0 }, 0, NULL },
	{ "of no version", { 0x50 }, 20, NULL },
	{ "IPv6", { V6(17), PORTS }, 48, "udp fd00::1:12345 2001:db8::2:53" },
	{ "IPv6, a ping", { V6(58), 128, 0 }, 42,
	    "icmp6 fd00::1:0 2001:db8::2:0" },
	{ "IPv6 with a header more", { V6(0), 17, 0, 1, 4, 0, 0, 0, 0, PORTS },
	    56, "udp fd00::1:12345 2001:db8::2:53" },
	{ "IPv6 with a header that is cut", { V6(0), 17, 9, 1, 4, 0, 0, 0, 0 },
	    48, "ip fd00::1:0 2001:db8::2:0" },
	{ "IPv6, cut", { V6(17) }, 39, NULL },
};

static struct nlmsghdr *
begin(char *buffer, uint16_t type)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(buffer);

	h->nlmsg_type = type;
	(void)mnl_nlmsg_put_extra_header(h, sizeof(struct nfgenmsg));
	return h;
}

static void
describe(const struct ward_stray *stray, char *text, size_t size)
{
	const struct ward_wire_end_point *points[] = { &stray->from,
		&stray->to };
	char address[2][64];

	for (int i = 0; i < 2; i++) {
		struct in6_addr a;
		memcpy(&a, points[i]->address, sizeof(a));
		bool v4 = IN6_IS_ADDR_V4MAPPED(&a);
		assert_non_null(inet_ntop(v4 ? AF_INET : AF_INET6,
		    v4 ? &a.s6_addr[12] : a.s6_addr, address[i],
		    sizeof(address[i])));
	}
	(void)snprintf(text, size, "%s %s:%u %s:%u",
	    ward_stray_name(stray->protocol), address[0], stray->from.port,
	    address[1], stray->to.port);
}

static void
heads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		_Alignas(struct nlmsghdr) char buffer[512];
		struct nlmsghdr *h = begin(buffer, PACKET);
		struct ward_stray stray;
		char text[200] = "";

		mnl_attr_put_u32(h, NFULA_MARK, 1);
		mnl_attr_put(
		    h, NFULA_PAYLOAD, packets[i].size, packets[i].head);
		const void *at = buffer;
		size_t left = h->nlmsg_len;
		assert_true(ward_stray_next(&at, &left, &stray));
		if ((stray.kind == WARD_STRAY_PACKET) !=
		    (packets[i].want != NULL))
			fail_msg("%s: kind %d", packets[i].name, stray.kind);
		if (packets[i].want != NULL) {
			describe(&stray, text, sizeof(text));
			assert_string_equal(text, packets[i].want);
		}
		assert_false(ward_stray_next(&at, &left, &stray));
	}
}

/* Its counter's answer, with the value in so many bytes. */
static struct nlmsghdr *
put_count(char *buffer, uint64_t value, size_t size)
{
	struct nlmsghdr *h = begin(buffer, OBJECT);
	const uint64_t big = htobe64(value);

	mnl_attr_put_strz(h, NFTA_OBJ_NAME, "strays");
	struct nlattr *data = mnl_attr_nest_start(h, NFTA_OBJ_DATA);
	mnl_attr_put_u64(h, NFTA_COUNTER_BYTES, 1);
	mnl_attr_put(h, NFTA_COUNTER_PACKETS, size, &big);
	mnl_attr_nest_end(h, data);
	return h;
}

static void
counts(void **state)
{
	_Alignas(struct nlmsghdr) char buffer[512];
	struct ward_stray stray;

	(void)state;
	struct nlmsghdr *h = put_count(buffer, UINT64_C(1) << 40, 8);
	const void *at = buffer;
	size_t left = h->nlmsg_len;
	assert_true(ward_stray_next(&at, &left, &stray));
	assert_int_equal(stray.kind, WARD_STRAY_COUNT);
	assert_true(stray.count == UINT64_C(1) << 40);
	h = put_count(buffer, 7, 4);
	at = buffer;
	left = h->nlmsg_len;
	assert_true(ward_stray_next(&at, &left, &stray));
	assert_int_equal(stray.kind, WARD_STRAY_OTHER);
}

/* Several in one; one that is cut, and one that is too short for its head. */
static void
streams(void **state)
{
	_Alignas(struct nlmsghdr) char buffer[512];
	struct ward_stray stray;

	(void)state;
	struct nlmsghdr *h = begin(buffer, NLMSG_ERROR);
	size_t size = NLMSG_ALIGN(h->nlmsg_len);
	h = put_count(buffer + size, 3, 8);
	size += NLMSG_ALIGN(h->nlmsg_len);
	h = mnl_nlmsg_put_header(buffer + size);
	h->nlmsg_type = PACKET;
	size += h->nlmsg_len;
	for (size_t n = 0; n <= size; n++) {
		const void *at = buffer;
		size_t left = n, seen = 0, found = 0;
		while (ward_stray_next(&at, &left, &stray)) {
			seen++;
			found += stray.kind == WARD_STRAY_COUNT;
		}
		assert_true(seen <= 3);
		assert_true(found <= 1);
		if (n == size)
			assert_int_equal(seen, 3);
	}
	h->nlmsg_len = 3;
	const void *at = h;
	size_t left = sizeof(*h);
	assert_false(ward_stray_next(&at, &left, &stray));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads),
		cmocka_unit_test(counts),
		cmocka_unit_test(streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
