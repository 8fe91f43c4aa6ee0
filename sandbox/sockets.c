/* SPDX-License-Identifier: ISC */
/* Refused sockets. */
#include "config.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#include "sandbox/notify.h"
#include "sandbox/process.h"
#include "sandbox/sockets.h"

/* A word for a row. */
static const char *
name_of(unsigned family, unsigned type, unsigned protocol)
{
	if (family == AF_PACKET)
		return "packet";
	if (type == SOCK_RAW)
		return "raw";
	if (protocol == IPPROTO_ICMP || protocol == IPPROTO_ICMPV6)
		return "icmp";
	return "socket";
}

/* What a kernel without these sockets says, and ping(8) goes by. */
static int
errno_of(unsigned family, unsigned type, unsigned protocol)
{
	if (family == AF_PACKET)
		return EAFNOSUPPORT;
	return type == SOCK_DGRAM &&
		(protocol == IPPROTO_ICMP || protocol == IPPROTO_ICMPV6)
	    ? EACCES
	    : EPERM;
}

void
ward_socket_refuse(struct ward_recorder *recorder, int listener_fd,
    const char *session, const struct seccomp_notif *request)
{
	static char text[] = "only TCP and UDP sockets";
	static const struct ward_rule rule = { .path = text };
	/* int, each of them */
	unsigned family = (unsigned)request->data.args[0];
	unsigned type = (unsigned)request->data.args[1] & 0xf;
	unsigned protocol = (unsigned)request->data.args[2];
	int error = errno_of(family, type, protocol);
	const struct seccomp_notif_resp response = {
		.id = request->id,
		.error = -error,
	};
	char target[64], program[32] = "";
	struct ward_refused_act act = {
		.kind = "network",
		.operation = name_of(family, type, protocol),
		.target = target,
		.program = program,
		.errnum = error,
		.confirmed = true,
		.rule = &rule,
	};

	ward_process_of_thread(
	    (pid_t)request->pid, &act.pid, program, sizeof(program));
	ward_notify_answer(listener_fd, &response);
	(void)snprintf(act.session, sizeof(act.session), "%s", session);
	if (family == AF_PACKET)
		(void)snprintf(target, sizeof(target), "every packet");
	else
		(void)snprintf(target, sizeof(target),
		    "%s, type %u, protocol %u",
		    family == AF_INET6 ? "IPv6" : "IPv4", type, protocol);
	ward_recorder_violation(recorder, &act);
}
