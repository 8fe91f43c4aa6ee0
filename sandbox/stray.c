/* SPDX-License-Identifier: ISC */
/* Messages of nfnetlink_log and nf_tables. */
#include "config.h"

#include <endian.h>
#include <libmnl/libmnl.h>
#include <limits.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <netinet/in.h>
#include <string.h>

#include "sandbox/stray.h"

#define HEADERS_MAX 8 /* of IPv6, before what it carries */

#define OF(subsystem, message) ((subsystem) << 8 | (message))

/* --- a packet's head --- */

static void
map_address(struct ward_wire_end_point *point, const uint8_t *address)
{
	memset(point->address, 0, 10);
	memset(point->address + 10, 0xff, 2);
	memcpy(point->address + 12, address, 4);
}

static uint32_t
read_u16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static void
read_ports(struct ward_stray *stray, const uint8_t *at, size_t size)
{
	bool has = stray->protocol == IPPROTO_UDP ||
	    stray->protocol == IPPROTO_UDPLITE ||
	    stray->protocol == IPPROTO_SCTP || stray->protocol == IPPROTO_DCCP;

	if (!has || size < 4)
		return;
	stray->from.port = read_u16(at);
	stray->to.port = read_u16(at + 2);
}

static bool
read_ipv4(struct ward_stray *stray, const uint8_t *at, size_t size)
{
	if (size < 20)
		return false;
	size_t head = (size_t)(at[0] & 0xf) * 4;
	if (head < 20)
		return false;
	stray->protocol = at[9];
	map_address(&stray->from, at + 12);
	map_address(&stray->to, at + 16);
	/* of a fragment only the first has them */
	if ((read_u16(at + 6) & 0x1fff) == 0 && size > head)
		read_ports(stray, at + head, size - head);
	return true;
}

static bool
read_ipv6(struct ward_stray *stray, const uint8_t *at, size_t size)
{
	size_t head = 40;
	unsigned next;

	if (size < head)
		return false;
	next = at[6];
	memcpy(stray->from.address, at + 8, 16);
	memcpy(stray->to.address, at + 24, 16);
	for (unsigned n = 0; n < HEADERS_MAX &&
	     (next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING ||
		 next == IPPROTO_DSTOPTS);
	     n++) {
		size_t length =
		    size - head < 8 ? 8 : ((size_t)at[head + 1] + 1) * 8;
		stray->protocol = next;
		/* the rest was not copied */
		if (length > size - head)
			return true;
		next = at[head];
		head += length;
	}
	stray->protocol = next;
	read_ports(stray, at + head, size - head);
	return true;
}

static bool
read_packet(struct ward_stray *stray, const struct nlmsghdr *h)
{
	const struct nlattr *attribute;

	mnl_attr_for_each (attribute, h, sizeof(struct nfgenmsg)) {
		if (mnl_attr_get_type(attribute) != NFULA_PAYLOAD)
			continue;
		const uint8_t *at = mnl_attr_get_payload(attribute);
		size_t size = mnl_attr_get_payload_len(attribute);
		if (size == 0)
			return false;
		return at[0] >> 4 == 4
		    ? read_ipv4(stray, at, size)
		    : at[0] >> 4 == 6 && read_ipv6(stray, at, size);
	}
	return false;
}

/* --- the counter --- */

static bool
read_data(struct ward_stray *stray, const struct nlattr *data)
{
	const struct nlattr *attribute;
	uint64_t value;

	mnl_attr_for_each_nested (attribute, data) {
		if (mnl_attr_get_type(attribute) != NFTA_COUNTER_PACKETS ||
		    mnl_attr_get_payload_len(attribute) != sizeof(value))
			continue;
		memcpy(&value, mnl_attr_get_payload(attribute), sizeof(value));
		stray->count = be64toh(value);
		return true;
	}
	return false;
}

static bool
read_counter(struct ward_stray *stray, const struct nlmsghdr *h)
{
	const struct nlattr *attribute;

	mnl_attr_for_each (attribute, h, sizeof(struct nfgenmsg)) {
		if (mnl_attr_get_type(attribute) == NFTA_OBJ_DATA)
			return read_data(stray, attribute);
	}
	return false;
}

bool
ward_stray_next(const void **at, size_t *left, struct ward_stray *stray)
{
	const struct nlmsghdr *h = *at;
	int rest = *left > INT_MAX ? INT_MAX : (int)*left;

	*stray = (struct ward_stray){ .kind = WARD_STRAY_OTHER };
	/* the library takes a length for a signed one */
	if (*left < sizeof(*h) || h->nlmsg_len > *left ||
	    !mnl_nlmsg_ok(h, rest))
		return false;
	const void *next = mnl_nlmsg_next(h, &rest);
	if (mnl_nlmsg_get_payload_len(h) >= sizeof(struct nfgenmsg)) {
		if (h->nlmsg_type == OF(NFNL_SUBSYS_ULOG, NFULNL_MSG_PACKET) &&
		    read_packet(stray, h))
			stray->kind = WARD_STRAY_PACKET;
		if (h->nlmsg_type == OF(NFNL_SUBSYS_NFTABLES, NFT_MSG_NEWOBJ) &&
		    read_counter(stray, h))
			stray->kind = WARD_STRAY_COUNT;
	}
	*at = next;
	*left = rest < 0 ? 0 : (size_t)rest;
	return true;
}

const char *
ward_stray_name(unsigned protocol)
{
	switch (protocol) {
	case IPPROTO_UDP:
		return "udp";
	case IPPROTO_UDPLITE:
		return "udplite";
	case IPPROTO_ICMP:
		return "icmp";
	case IPPROTO_ICMPV6:
		return "icmp6";
	case IPPROTO_IGMP:
		return "igmp";
	case IPPROTO_SCTP:
		return "sctp";
	case IPPROTO_DCCP:
		return "dccp";
	default:
		return "ip";
	}
}
