/* SPDX-License-Identifier: ISC */
/* System calls that the warden refuses for the seal. */
#include "config.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "sandbox/notify.h"
#include "sandbox/process.h"
#include "sandbox/refused_call.h"

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

/*
 * What would be a way out of the network: raw sockets, ping's, other protocols,
 * packets.
 */
static void
describe_socket(const struct seccomp_notif *request,
    struct ward_refused_act *act, char *target, size_t size)
{
	static char text[] = "only TCP and UDP sockets";
	static const struct ward_rule rule = { .path = text };
	/* int, each of them */
	unsigned family = (unsigned)request->data.args[0];
	unsigned type = (unsigned)request->data.args[1] & 0xf;
	unsigned protocol = (unsigned)request->data.args[2];

	act->kind = "network";
	act->operation = name_of(family, type, protocol);
	act->errnum = errno_of(family, type, protocol);
	act->rule = &rule;
	if (family == AF_PACKET)
		(void)snprintf(target, size, "every packet");
	else
		(void)snprintf(target, size, "%s, type %u, protocol %u",
		    family == AF_INET6 ? "IPv6" : "IPv4", type, protocol);
}

/* By its name, and by the argument that its rule goes by, where there is one.
 */
static void
describe_call(const struct seccomp_notif *request,
    const struct ward_seal_rule *rule, struct ward_refused_act *act,
    char *target, size_t size)
{
	static char file[] = "built-in", text[] = "what the seal refuses";
	static const struct ward_rule seal = {
		.path = text,
		.origin.file = file,
	};
	const struct ward_seal_condition *when = &rule->when[0];

	act->kind = "syscall";
	act->operation = rule->name;
	act->errnum = rule->errnum;
	act->rule = &seal;
	if (when->test == WARD_SEAL_ALWAYS)
		(void)snprintf(target, size, "%s", rule->name);
	else
		(void)snprintf(target, size, "%s %#jx", rule->name,
		    (uintmax_t)request->data.args[when->arg]);
}

void
ward_refused_call(struct ward_recorder *recorder, int listener_fd,
    const char *session, const struct seccomp_notif *request,
    const struct ward_seal_rule *rule)
{
	char target[64], program[32] = "";
	struct ward_refused_act act = {
		.target = target,
		.program = program,
		.confirmed = true,
	};

	if (strcmp(rule->name, "socket") == 0)
		describe_socket(request, &act, target, sizeof(target));
	else
		describe_call(request, rule, &act, target, sizeof(target));
	const struct seccomp_notif_resp response = {
		.id = request->id,
		.error = -act.errnum,
	};
	ward_process_of_thread(
	    (pid_t)request->pid, &act.pid, program, sizeof(program));
	/* else nobody was refused: it is dead, or comes again */
	if (!ward_notify_answer(listener_fd, &response))
		return;
	(void)snprintf(act.session, sizeof(act.session), "%s", session);
	ward_recorder_violation(recorder, &act);
}
