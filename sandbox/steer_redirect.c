/* SPDX-License-Identifier: ISC */
/*
 * Steering by nftables: a program of its own, so that only a sandbox that
 * needs it loads the library.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/places.h"
#include "sandbox/steer.h"

/* 0: there is no such listener. */
static unsigned
port_of(int listener_fd)
{
	struct sockaddr_in6 address = { 0 };
	socklen_t size = sizeof(address);

	if (listener_fd < 0 ||
	    getsockname(listener_fd, (struct sockaddr *)&address, &size) != 0)
		return 0;
	/* both families have it at the same place */
	return ntohs(address.sin6_port);
}

static _Noreturn void
run_child(int net_nsfd, char *port4, char *port6)
{
	static char name[] = "redirect";
	char *const argv[] = { name, port4, port6, NULL };
	char *const environment[] = { NULL };
	sigset_t none;

	(void)sigemptyset(&none);
	/* what it says goes to the log */
	if (setns(net_nsfd, CLONE_NEWNET) == 0 &&
	    sigprocmask(SIG_SETMASK, &none, NULL) == 0 &&
	    close_range(3, ~0U, 0) == 0)
		(void)execve(WARD_REDIRECT, argv, environment);
	_exit(127);
}

/* It is root's own, and waits for the kernel only. */
static int
wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EOPNOTSUPP;
}

int
ward_steer_redirect(
    const struct ward_listeners *listeners, int net_nsfd, struct err *err)
{
	char port4[16], port6[16];

	(void)snprintf(port4, sizeof(port4), "%u",
	    port_of(listeners->fds[WARD_LISTENER_TCP4]));
	(void)snprintf(port6, sizeof(port6), "%u",
	    port_of(listeners->fds[WARD_LISTENER_TCP6]));
	pid_t pid = fork();
	if (pid == 0)
		run_child(net_nsfd, port4, port6);
	int r = pid < 0 ? -errno : wait_for(pid);
	return r == 0 ? 0
		      : ward_err_sys(err, -r,
			    "nftables redirects nothing in the sandbox (see "
			    "the log)");
}
