/* SPDX-License-Identifier: ISC */
/* Asks the kernel where an address leads (rtnetlink(7), RTM_GETROUTE). */
#include "config.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "egress/route.h"

int
ward_route_open(void)
{
	int fd = socket(
	    AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

	return fd < 0 ? -errno : fd;
}

static bool
ask(int route_fd, const struct in6_addr *address)
{
	_Alignas(struct nlmsghdr) char message[MNL_NLMSG_HDRLEN + 256] = { 0 };
	struct nlmsghdr *header = mnl_nlmsg_put_header(message);
	bool four = IN6_IS_ADDR_V4MAPPED(address);

	header->nlmsg_type = RTM_GETROUTE;
	header->nlmsg_flags = NLM_F_REQUEST;
	struct rtmsg *route =
	    mnl_nlmsg_put_extra_header(header, sizeof(*route));
	route->rtm_family = four ? AF_INET : AF_INET6;
	route->rtm_dst_len = four ? 32 : 128;
	mnl_attr_put(
	    header, RTA_DST, four ? 4 : 16, address->s6_addr + (four ? 12 : 0));
	return send(route_fd, header, header->nlmsg_len, 0) ==
	    (ssize_t)header->nlmsg_len;
}

/* The kernel answers within the send; 0 is an answer that is an error. */
static int
read_type(int route_fd)
{
	char answer[4096];
	ssize_t n = recv(route_fd, answer, sizeof(answer), 0);
	struct nlmsghdr header;
	struct rtmsg route;

	if (n < (ssize_t)sizeof(header))
		return -EPROTO;
	memcpy(&header, answer, sizeof(header));
	if (header.nlmsg_type == NLMSG_ERROR)
		return 0;
	if (header.nlmsg_type != RTM_NEWROUTE ||
	    n < (ssize_t)(MNL_NLMSG_HDRLEN + sizeof(route)))
		return -EPROTO;
	memcpy(&route, answer + MNL_NLMSG_HDRLEN, sizeof(route));
	return route.rtm_type;
}

bool
ward_route_is_own(int route_fd, const struct in6_addr *address)
{
	char stale[64];

	/* an answer that nobody waited for would be taken for this one */
	while (recv(route_fd, stale, sizeof(stale), 0) >= 0)
		;
	if (!ask(route_fd, address))
		return true;
	int type = read_type(route_fd);
	/* no route is nobody's own: connect(2) will say what is wrong */
	return type != 0 && type != RTN_UNICAST && type != RTN_UNREACHABLE &&
	    type != RTN_BLACKHOLE && type != RTN_PROHIBIT;
}
