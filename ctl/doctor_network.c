/* SPDX-License-Identifier: ISC */
/* What a filtered network needs of the machine, each tried. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/places.h"
#include "ctl/doctor.h"
#include "sandbox/listeners.h"
#include "sandbox/refuse.h"
#include "sandbox/routes.h"
#include "sandbox/steer.h"

#define LOOK_UP_S 5

/* What the child found, in a net namespace of its own. */
struct tried {
	struct err network; /* no filtered sandbox could begin */
	struct err routes, lookup, redirect, strays;
};

static void
try_network(struct tried *tried)
{
	struct ward_listeners listeners = WARD_LISTENERS_NONE;

	if (unshare(CLONE_NEWNET) != 0) {
		(void)ward_err_sys(&tried->network, errno, "a net namespace");
		return;
	}
	_cleanup_fd_ int net_nsfd =
	    open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (net_nsfd < 0)
		(void)ward_err_sys(&tried->network, errno, "/proc/self/ns/net");
	else if (ward_loopback_raise(&tried->network) == 0 &&
	    ward_listeners_make(&listeners, &tried->network) == 0 &&
	    ward_routes_set(
		listeners.fds[WARD_LISTENER_TCP6] >= 0, &tried->routes) == 0) {
		_cleanup_fd_ int link_fd =
		    ward_steer_lookup(&listeners, net_nsfd, &tried->lookup);
		(void)link_fd;
		(void)ward_steer_redirect(
		    &listeners, net_nsfd, &tried->redirect);
		(void)ward_refuse_strays(net_nsfd,
		    listeners.fds[WARD_LISTENER_TCP6] >= 0, &tried->strays);
	}
	ward_listeners_close(&listeners);
}

/* In a process of its own, which may become what it likes. */
static int
ask_child(struct tried *tried)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) != 0)
		return -errno;
	pid_t pid = fork();
	if (pid == 0) {
		try_network(tried);
		_exit(write(pair[1], tried, sizeof(*tried)) ==
			    (ssize_t)sizeof(*tried)
			? 0
			: 1);
	}
	int r = pid < 0 ? -errno : 0;
	(void)close(pair[1]);
	if (r == 0 &&
	    read(pair[0], tried, sizeof(*tried)) != (ssize_t)sizeof(*tried))
		r = -ECHILD;
	(void)close(pair[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return r;
}

static void
look_at_steering(struct ward_doctor *doctor)
{
	struct tried tried = { 0 };
	int r = ask_child(&tried);

	if (r != 0)
		(void)ward_err_sys(&tried.network, -r, "a process");
	if (tried.network.code != 0)
		ward_doctor_fail(doctor,
		    "without it, sessions of a filtered profile are refused",
		    "a sandbox has no network: %s", tried.network.text);
	else if (tried.routes.code != 0)
		ward_doctor_warn(doctor,
		    "a kernel with CONFIG_IP_MULTIPLE_TABLES has it",
		    "only programs that use the proxy reach anything: %s",
		    tried.routes.text);
	else if (tried.lookup.code != 0 && tried.redirect.code != 0)
		ward_doctor_warn(doctor,
		    "let root load BPF programs, or load nf_nat",
		    "only programs that use the proxy reach anything: %.200s; "
		    "%.200s",
		    tried.lookup.text, tried.redirect.text);
	else
		ward_doctor_pass(doctor, "TCP is steered by %s",
		    tried.lookup.code == 0 ? "BPF" : "nftables");
	if (tried.network.code == 0 && tried.routes.code == 0 &&
	    tried.strays.code != 0)
		ward_doctor_warn(doctor,
		    "load nf_tables, nft_log, nft_limit, nft_objref and "
		    "nfnetlink_log",
		    "what is not TCP is refused, and no row says so: %s",
		    tried.strays.text);
}

/*
 * By a name that nobody has (RFC 6761, 6.4): a resolver that answers says so.
 * It may wait long, so its process has a time to end.
 */
static bool
host_answers(void)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		(void)alarm(LOOK_UP_S);
		_exit(getaddrinfo("ward.invalid", NULL, &hints, &found) ==
			    EAI_AGAIN
			? 1
			: 0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool
is_filtered(const struct ward_account *account)
{
	struct ward_policy_found found = { 0 };
	struct err none = { 0 };
	/* one without a profile is told of by another check */
	bool filtered = ward_account_find_policy(account, &found, &none) == 0 &&
	    found.profile->network.filtered;

	ward_policy_found_clear(&found);
	return filtered;
}

void
ward_doctor_network(struct ward_doctor *doctor)
{
	bool filtered = false;

	for (size_t i = 0; !filtered && i < doctor->accounts.n; i++)
		filtered = is_filtered(&doctor->accounts.list[i]);
	look_at_steering(doctor);
	if (filtered && !host_answers())
		ward_doctor_warn(doctor,
		    "see resolv.conf(5) and nsswitch.conf(5) of the host: "
		    "egress "
		    "looks names up there",
		    "the host's resolver does not answer");
}
