/* SPDX-License-Identifier: ISC */
/* Which process inside has a connection. */
#include "config.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "sandbox/inside.h"
#include "sandbox/peer.h"
#include "sandbox/process.h"

#define FDS_MAX   512 /* descriptors that are looked at for one connection */
#define LOOKS_MAX 200 /* connections that are looked for in a second */

/* --- the socket --- */

static bool
is_mapped(const struct ward_wire_end_point *point)
{
	static const unsigned char prefix[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(point->address, prefix, sizeof(prefix)) == 0;
}

static void
put_address(__be32 out[4], const struct ward_wire_end_point *point)
{
	if (is_mapped(point))
		memcpy(out, point->address + 12, 4);
	else
		memcpy(out, point->address, 16);
}

/* That of the socket, which the kernel tells root (inet_diag.h). */
static uint32_t
mark_of(const struct nlmsghdr *h)
{
	const struct nlattr *attr;

	mnl_attr_for_each (attr, h, sizeof(struct inet_diag_msg))
		if (mnl_attr_get_type(attr) == INET_DIAG_MARK &&
		    mnl_attr_validate(attr, MNL_TYPE_U32) == 0)
			return mnl_attr_get_u32(attr);
	return 0;
}

/*
 * The answer's inode, if it is about that very connection; 0: it is not, or
 * another one has taken its port.
 */
static uint64_t
inode_of(const char *buffer, ssize_t size, const struct inet_diag_req_v2 *asked,
    uint32_t mark)
{
	const struct nlmsghdr *h = (const void *)buffer;

	if (size <= 0 || !mnl_nlmsg_ok(h, (int)size) ||
	    h->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    mnl_nlmsg_get_payload_len(h) < sizeof(struct inet_diag_msg))
		return 0;
	const struct inet_diag_msg *m = mnl_nlmsg_get_payload(h);
	/* a listener answers where nobody else does */
	if (m->idiag_state == TCP_LISTEN ||
	    m->id.idiag_sport != asked->id.idiag_sport ||
	    (asked->sdiag_protocol == IPPROTO_TCP &&
		m->id.idiag_dport != asked->id.idiag_dport) ||
	    (mark != 0 && mark_of(h) != mark))
		return 0;
	return m->idiag_inode;
}

static uint64_t
find_inode(int diag_fd, uint8_t protocol, const struct ward_peer_socket *socket)
{
	const struct ward_wire_end_point *from = socket->from, *to = socket->to;
	char buffer[1024] = { 0 };
	struct nlmsghdr *h = mnl_nlmsg_put_header(buffer);
	struct inet_diag_req_v2 *r = mnl_nlmsg_put_extra_header(h, sizeof(*r));

	h->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	h->nlmsg_flags = NLM_F_REQUEST;
	r->sdiag_family = is_mapped(from) ? AF_INET : AF_INET6;
	r->sdiag_protocol = protocol;
	r->idiag_states = ~0U;
	r->id.idiag_sport = htons((uint16_t)from->port);
	r->id.idiag_dport = htons((uint16_t)to->port);
	r->id.idiag_cookie[0] = r->id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	put_address(r->id.idiag_src, from);
	put_address(r->id.idiag_dst, to);
	const struct inet_diag_req_v2 asked = *r;
	/* what an earlier question left */
	while (recv(diag_fd, buffer + 512, 512, MSG_DONTWAIT) > 0)
		;
	if (send(diag_fd, buffer, h->nlmsg_len, MSG_DONTWAIT) < 0)
		return 0;
	/* the kernel answers in the call that asks */
	ssize_t n = recv(diag_fd, buffer, sizeof(buffer), MSG_DONTWAIT);
	return inode_of(buffer, n, &asked, socket->mark);
}

/* --- who has it open --- */

struct search {
	char name[40]; /* of the link */
	unsigned left;
	pid_t found;
};

static void
look_at(void *context, pid_t pid)
{
	struct search *s = context;
	char path[32], text[sizeof(s->name) + 1];
	const struct dirent *entry;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	if (s->found != 0 || s->left == 0)
		return;
	DIR *fds = opendir(path);
	if (fds == NULL)
		return;
	while (s->left > 0 && s->found == 0 && (entry = readdir(fds)) != NULL) {
		ssize_t n = readlinkat(
		    dirfd(fds), entry->d_name, text, sizeof(text) - 1);
		s->left--;
		if (n <= 0)
			continue;
		text[n] = '\0';
		if (strcmp(text, s->name) == 0)
			s->found = pid;
	}
	(void)closedir(fds);
}

static bool
may_look(struct ward_peers *peers)
{
	int64_t now = ward_now_ms();

	if (now - peers->second_ms >= 1000) {
		peers->second_ms = now;
		peers->looks = 0;
	}
	return peers->looks++ < LOOKS_MAX;
}

pid_t
ward_peers_find(struct ward_peers *peers, const struct ward_peer_socket *socket,
    char *program, size_t size)
{
	struct search s = { .left = FDS_MAX };
	uint64_t inode = 0;

	program[0] = '\0';
	if (socket->from->port == 0 || !may_look(peers))
		return 0;
	if (socket->udp)
		inode = find_inode(peers->diag_fd, IPPROTO_UDP, socket);
	if (inode == 0)
		inode = find_inode(peers->diag_fd, IPPROTO_TCP, socket);
	if (inode == 0)
		return 0;
	(void)snprintf(
	    s.name, sizeof(s.name), "socket:[%ju]", (uintmax_t)inode);
	if (peers->last != 0 &&
	    ward_process_same_namespace(peers->last, peers->init))
		look_at(&s, peers->last);
	if (s.found == 0)
		ward_inside_each(peers->init, look_at, &s);
	if (s.found == 0)
		return 0;
	peers->last = s.found;
	ward_process_of_thread(s.found, &s.found, program, size);
	return s.found;
}

bool
ward_peer_is_sshd(pid_t pid)
{
	static const char *const programs[] = { "/usr/sbin/sshd",
		"/usr/lib/openssh/sshd-session" };
	char path[32], text[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(path, text, sizeof(text) - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strcmp(text, programs[i]) == 0)
			return true;
	return false;
}
