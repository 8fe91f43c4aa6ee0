/* SPDX-License-Identifier: ISC */
/* The routing of a sandbox's net namespace. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "common/cleanup.h"
#include "sandbox/routes.h"

#define LO 1 /* its number, in every net namespace */

/*
 * The kernel's own rule for its table of local addresses comes first, and
 * cannot be preceded: it is put behind the one that refuses.
 */
enum { RULE_LOOPBACK = 10, RULE_OWN, RULE_REFUSE = 20, RULE_LOCAL = 30 };

struct batch {
	struct mnl_nlmsg_batch *messages;
	unsigned n;
};

static struct nlmsghdr *
begin(struct batch *b, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *h =
	    mnl_nlmsg_put_header(mnl_nlmsg_batch_current(b->messages));

	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	h->nlmsg_seq = ++b->n;
	return h;
}

/* All of them fit into one page: see ward_routes_set. */
static void
end(struct batch *b)
{
	(void)mnl_nlmsg_batch_next(b->messages);
}

static void
add_own_address(struct batch *b)
{
	struct nlmsghdr *h =
	    begin(b, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE);
	struct ifaddrmsg *m = mnl_nlmsg_put_extra_header(h, sizeof(*m));

	m->ifa_family = AF_INET;
	m->ifa_prefixlen = 32;
	m->ifa_scope = RT_SCOPE_UNIVERSE;
	m->ifa_index = LO;
	mnl_attr_put_u32(h, IFA_LOCAL, htonl(WARD_OWN_ADDRESS));
	mnl_attr_put_u32(h, IFA_ADDRESS, htonl(WARD_OWN_ADDRESS));
	end(b);
}

static struct nlmsghdr *
begin_rule(struct batch *b, uint16_t type, int family, uint32_t priority,
    unsigned char action)
{
	struct nlmsghdr *h =
	    begin(b, type, type == RTM_NEWRULE ? NLM_F_CREATE | NLM_F_EXCL : 0);
	struct fib_rule_hdr *m = mnl_nlmsg_put_extra_header(h, sizeof(*m));

	m->family = (unsigned char)family;
	m->action = action;
	if (action == FR_ACT_TO_TBL)
		m->table = RT_TABLE_LOCAL;
	mnl_attr_put_u32(h, FRA_PRIORITY, priority);
	return h;
}

/* This destination is looked up as every kernel does, whatever the protocol. */
static void
add_plain(struct batch *b, int family, uint32_t priority, const void *address,
    size_t size, unsigned bits)
{
	struct nlmsghdr *h =
	    begin_rule(b, RTM_NEWRULE, family, priority, FR_ACT_TO_TBL);
	struct fib_rule_hdr *m = mnl_nlmsg_get_payload(h);

	m->dst_len = (unsigned char)bits;
	mnl_attr_put(h, FRA_DST, size, address);
	end(b);
}

/* ENETUNREACH, in the call that sends. */
static void
add_refusal(struct batch *b, int family)
{
	struct nlmsghdr *h =
	    begin_rule(b, RTM_NEWRULE, family, RULE_REFUSE, FR_ACT_UNREACHABLE);
	struct fib_rule_hdr *m = mnl_nlmsg_get_payload(h);

	m->flags = FIB_RULE_INVERT;
	mnl_attr_put_u8(h, FRA_IP_PROTO, IPPROTO_TCP);
	end(b);
}

/* Everything is local.  With a source of its own, or a socket could be the
 * other end of itself. */
static void
add_local_default(struct batch *b, int family, const void *source, size_t size)
{
	struct nlmsghdr *h = begin(b, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL);
	struct rtmsg *m = mnl_nlmsg_put_extra_header(h, sizeof(*m));

	m->rtm_family = (unsigned char)family;
	m->rtm_table = RT_TABLE_LOCAL;
	m->rtm_protocol = RTPROT_STATIC;
	m->rtm_scope = RT_SCOPE_HOST;
	m->rtm_type = RTN_LOCAL;
	mnl_attr_put_u32(h, RTA_OIF, LO);
	mnl_attr_put(h, RTA_PREFSRC, size, source);
	end(b);
}

static void
add_family(struct batch *b, int family)
{
	const uint32_t loopback4 = htonl(0x7f000000);
	const uint32_t own = htonl(WARD_OWN_ADDRESS);
	const struct in6_addr loopback6 = IN6ADDR_LOOPBACK_INIT;

	if (family == AF_INET) {
		add_own_address(b);
		add_plain(
		    b, family, RULE_LOOPBACK, &loopback4, sizeof(loopback4), 8);
		add_plain(b, family, RULE_OWN, &own, sizeof(own), 32);
	} else {
		add_plain(b, family, RULE_LOOPBACK, &loopback6,
		    sizeof(loopback6), 128);
	}
	add_refusal(b, family);
	(void)begin_rule(b, RTM_NEWRULE, family, RULE_LOCAL, FR_ACT_TO_TBL);
	end(b);
	(void)begin_rule(b, RTM_DELRULE, family, 0, FR_ACT_TO_TBL);
	end(b);
	if (family == AF_INET)
		add_local_default(b, family, &own, sizeof(own));
	else
		add_local_default(b, family, &loopback6, sizeof(loopback6));
}

/* Takes that back. */
static void
drop_refusal(struct batch *b, int family)
{
	(void)begin_rule(
	    b, RTM_DELRULE, family, RULE_REFUSE, FR_ACT_UNREACHABLE);
	end(b);
}

/* One answer for each; the first that failed counts. */
static int
receive_answers(struct mnl_socket *socket, unsigned n, struct err *err)
{
	char buffer[4096];
	int failed = 0;

	while (n > 0) {
		ssize_t size =
		    mnl_socket_recvfrom(socket, buffer, sizeof(buffer));
		if (size <= 0)
			return ward_err_sys(err, errno, "rtnetlink");
		int left = (int)size;
		for (const struct nlmsghdr *h = (const void *)buffer;
		     n > 0 && mnl_nlmsg_ok(h, left);
		     h = mnl_nlmsg_next(h, &left)) {
			const struct nlmsgerr *answer =
			    mnl_nlmsg_get_payload(h);
			if (h->nlmsg_type != NLMSG_ERROR)
				continue;
			n--;
			if (answer->error != 0 && failed == 0)
				failed = ward_err_sys(err, -answer->error,
				    "routing, step %u", h->nlmsg_seq);
		}
	}
	return failed;
}

/* Fills a batch and has the kernel do it. */
static int
change(void (*add)(struct batch *b, int family), bool ipv6, struct err *err)
{
	char buffer[4096];
	struct batch b = { .messages = mnl_nlmsg_batch_start(
			       buffer, sizeof(buffer) / 2) };

	if (b.messages == NULL)
		return ward_err_sys(err, ENOMEM, "rtnetlink");
	add(&b, AF_INET);
	if (ipv6)
		add(&b, AF_INET6);
	struct mnl_socket *socket =
	    mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	int r = socket == NULL ? ward_err_sys(err, errno, "rtnetlink") : 0;
	if (r == 0 &&
	    mnl_socket_sendto(socket, mnl_nlmsg_batch_head(b.messages),
		mnl_nlmsg_batch_size(b.messages)) < 0)
		r = ward_err_sys(err, errno, "rtnetlink");
	if (r == 0)
		r = receive_answers(socket, b.n, err);
	if (socket != NULL)
		(void)mnl_socket_close(socket);
	mnl_nlmsg_batch_stop(b.messages);
	return r;
}

int
ward_routes_set(bool ipv6, struct err *err)
{
	return change(add_family, ipv6, err);
}

int
ward_routes_refuse_no_more(bool ipv6, struct err *err)
{
	return change(drop_refusal, ipv6, err);
}

/* A new network namespace has a loopback that is down. */
int
ward_loopback_raise(struct err *err)
{
	struct ifreq request = { .ifr_name = "lo" };
	_cleanup_fd_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return ward_err_sys(err, errno, "a socket for lo");
	request.ifr_flags = IFF_UP | IFF_RUNNING;
	if (ioctl(fd, SIOCSIFFLAGS, &request) != 0)
		return ward_err_sys(err, errno, "cannot bring lo up");
	return 0;
}
