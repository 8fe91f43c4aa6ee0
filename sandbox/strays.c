/* SPDX-License-Identifier: ISC */
/* What a sandbox could not send, as rows. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <syslog.h>
#include <unistd.h>

#include "common/places.h"
#include "sandbox/job.h"
#include "sandbox/peer.h"
#include "sandbox/refuse.h"
#include "sandbox/stray.h"
#include "sandbox/strays.h"

#define ROUND_MAX 16 /* messages in one round of the loop */
#define LAST_MAX  1024
#define COUNT_MS  1000

struct ward_strays {
	struct ward_watch log;   /* first: the callback casts back */
	struct ward_watch count; /* a timer */
	struct ward_job refuse;  /* the program that sets nf_tables up */
	struct ward_strays_setup setup;
	struct ward_peers peers;
	/* the kernel's count, and how much of it rows have, or are known of */
	uint64_t counted, told;
	bool counting;
};

/* --- what is asked of the kernel; it answers on the same socket --- */

static struct nlmsghdr *
begin(char *buffer, uint16_t type, uint8_t family, uint16_t id)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(buffer);
	struct nfgenmsg *m = mnl_nlmsg_put_extra_header(h, sizeof(*m));

	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST;
	m->nfgen_family = family;
	m->version = NFNETLINK_V0;
	m->res_id = htons(id);
	return h;
}

static int
ask(const struct ward_strays *s, const struct nlmsghdr *h)
{
	return send(s->log.fd, h, h->nlmsg_len, MSG_DONTWAIT) < 0 ? -errno : 0;
}

/* Each packet at once: what waits to be told would be counted as untold. */
static int
bind_log(const struct ward_strays *s)
{
	const struct nfulnl_msg_config_cmd command = {
		.command = NFULNL_CFG_CMD_BIND,
	};
	const struct nfulnl_msg_config_mode mode = {
		.copy_range = htonl(WARD_STRAYS_BYTES),
		.copy_mode = NFULNL_COPY_PACKET,
	};
	_Alignas(struct nlmsghdr) char buffer[512];
	struct nlmsghdr *h =
	    begin(buffer, NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG, AF_UNSPEC,
		WARD_STRAYS_GROUP);

	mnl_attr_put(h, NFULA_CFG_CMD, sizeof(command), &command);
	mnl_attr_put(h, NFULA_CFG_MODE, sizeof(mode), &mode);
	mnl_attr_put_u32(h, NFULA_CFG_QTHRESH, htonl(1));
	return ask(s, h);
}

static int
ask_count(const struct ward_strays *s)
{
	_Alignas(struct nlmsghdr) char buffer[512];
	struct nlmsghdr *h = begin(buffer,
	    NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETOBJ, NFPROTO_INET, 0);

	mnl_attr_put_strz(h, NFTA_OBJ_TABLE, WARD_STRAYS_TABLE);
	mnl_attr_put_strz(h, NFTA_OBJ_NAME, WARD_STRAYS_COUNTER);
	mnl_attr_put_u32(h, NFTA_OBJ_TYPE, htonl(NFT_OBJECT_COUNTER));
	return ask(s, h);
}

static void
set_counting(struct ward_strays *s, bool on)
{
	const struct itimerspec when = {
		.it_value.tv_sec = on ? COUNT_MS / 1000 : 0,
	};

	if (s->counting != on &&
	    timerfd_settime(s->count.fd, 0, &when, NULL) == 0)
		s->counting = on;
}

/* --- what it tells --- */

static void
target_text(const struct ward_stray *stray, char *text, size_t size)
{
	char address[INET6_ADDRSTRLEN] = "";
	struct in6_addr in6;

	memcpy(&in6, stray->to.address, sizeof(in6));
	bool is_v4 = IN6_IS_ADDR_V4MAPPED(&in6);
	if (is_v4)
		(void)inet_ntop(
		    AF_INET, &in6.s6_addr[12], address, sizeof(address));
	else
		(void)inet_ntop(AF_INET6, &in6, address, sizeof(address));
	if (stray->to.port == 0)
		(void)snprintf(text, size, "%s", address);
	else
		(void)snprintf(text, size, is_v4 ? "%s:%u" : "[%s]:%u", address,
		    (unsigned)stray->to.port);
}

static void
take_packet(struct ward_strays *s, const struct ward_stray *stray)
{
	static char text[] = "only TCP and the sandbox's DNS";
	static const struct ward_rule rule = { .path = text };
	char target[INET6_ADDRSTRLEN + 16], program[32];
	const struct ward_peer_socket socket = {
		.from = &stray->from,
		.to = &stray->to,
		.udp = true,
	};
	struct ward_refused_act act = {
		.kind = "network",
		.operation = ward_stray_name(stray->protocol),
		.target = target,
		.program = program,
		.errnum = EPERM,
		.confirmed = true,
		.rule = &rule,
		.reason = "only TCP leaves this sandbox",
	};

	s->told++;
	act.pid = ward_peers_find(&s->peers, &socket, program, sizeof(program));
	const char *session = act.pid <= 0
	    ? NULL
	    : s->setup.session_of(s->setup.context, act.pid);
	if (session != NULL)
		(void)snprintf(act.session, sizeof(act.session), "%s", session);
	target_text(stray, target, sizeof(target));
	ward_recorder_violation(s->setup.recorder, &act);
}

/* What is counted and was not told: more than the kernel tells in a second. */
static void
take_count(struct ward_strays *s, uint64_t count)
{
	if (count > s->told) {
		ward_recorder_dropped(
		    s->setup.recorder, (int64_t)(count - s->told));
		s->told = count;
	}
	/* until there are no more */
	if (count != s->counted)
		set_counting(s, true);
	s->counted = count;
}

/* So many datagrams at most; false: there are none now. */
static bool
take(struct ward_strays *s, unsigned most)
{
	_Alignas(struct nlmsghdr) char buffer[8192];
	struct ward_stray stray;

	while (most-- > 0) {
		ssize_t n =
		    recv(s->log.fd, buffer, sizeof(buffer), MSG_DONTWAIT);
		/* there were too many: the counter has them */
		if (n < 0 && errno == ENOBUFS)
			continue;
		if (n <= 0)
			return false;
		const void *at = buffer;
		size_t left = (size_t)n;
		while (ward_stray_next(&at, &left, &stray)) {
			if (stray.kind == WARD_STRAY_PACKET)
				take_packet(s, &stray);
			else if (stray.kind == WARD_STRAY_COUNT)
				take_count(s, stray.count);
		}
	}
	return true;
}

static void
on_log(struct ward_watch *watch, uint32_t events)
{
	/* the watch is the first member */
	struct ward_strays *s = (struct ward_strays *)(void *)watch;

	(void)events;
	(void)take(s, ROUND_MAX);
	if (s->told != s->counted)
		set_counting(s, true);
}

static void
on_count(struct ward_watch *watch, uint32_t events)
{
	struct ward_strays *s = (struct ward_strays *)((char *)watch -
	    offsetof(struct ward_strays, count));
	uint64_t ticks;

	(void)events;
	(void)!read(watch->fd, &ticks, sizeof(ticks));
	s->counting = false;
	(void)ask_count(s);
}

/* --- its start and its end --- */

static void
say_missing(const struct ward_strays *s)
{
	syslog(LOG_NOTICE,
	    "ward: sandbox of %s: what it sends that is not TCP is refused, "
	    "and no row says so; see '" WARD_CTL " doctor'",
	    s->setup.account);
}

static void
on_refused(void *context, int result)
{
	if (result != 0)
		say_missing(context);
}

static int
start(struct ward_strays *s, struct err *err)
{
	struct ward_program program;

	s->count.fd =
	    timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->count.fd < 0)
		return ward_err_sys(err, errno, "timerfd");
	int r = ward_loop_add(s->setup.loop, &s->count, EPOLLIN, err);
	if (r != 0)
		return r;
	if (s->log.fd < 0 || bind_log(s) != 0) {
		say_missing(s);
		return 0;
	}
	r = ward_loop_add(s->setup.loop, &s->log, EPOLLIN, err);
	if (r != 0)
		return r;
	ward_refuse_program(&program, s->setup.net_nsfd, s->setup.ipv6);
	struct err why = { 0 };
	/* as on a machine that has no more processes: no reason to end */
	if (ward_job_start(
		&s->refuse, &program, s->setup.loop, on_refused, s, &why) != 0)
		say_missing(s);
	return 0;
}

int
ward_strays_start(const struct ward_strays_setup *setup,
    struct ward_strays **strays, struct err *err)
{
	struct ward_strays *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return ward_err_sys(err, ENOMEM, "the strays");
	s->setup = *setup;
	s->log = (struct ward_watch){ setup->log_fd, on_log };
	s->count = (struct ward_watch){ -1, on_count };
	s->peers = (struct ward_peers){
		.diag_fd = setup->diag_fd,
		.init = setup->init,
	};
	int r = start(s, err);
	if (r != 0) {
		ward_strays_stop(s);
		return r;
	}
	*strays = s;
	return 0;
}

void
ward_strays_stop(struct ward_strays *strays)
{
	if (strays == NULL)
		return;
	ward_job_forget(&strays->refuse);
	if (strays->log.fd >= 0) {
		/* the kernel answers in the call that asks */
		(void)ask_count(strays);
		(void)take(strays, LAST_MAX);
		ward_loop_remove(strays->setup.loop, &strays->log);
	}
	if (strays->count.fd >= 0) {
		ward_loop_remove(strays->setup.loop, &strays->count);
		(void)close(strays->count.fd);
	}
	free(strays);
}
