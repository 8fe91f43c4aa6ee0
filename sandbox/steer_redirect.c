/* SPDX-License-Identifier: ISC */
/*
 * Steering by nftables: a program of its own, so that only a sandbox that
 * needs it loads the library.
 */
#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#include "common/places.h"
#include "sandbox/program.h"
#include "sandbox/steer.h"

/* A session waits for it. */
#define LIMIT_MS 3000

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

int
ward_steer_redirect(
    const struct ward_listeners *listeners, int net_nsfd, struct err *err)
{
	static char name[] = "redirect";
	char port4[16], port6[16];
	char *const argv[] = { name, port4, port6, NULL };
	char *const environment[] = { NULL };
	const struct ward_program run = {
		.path = WARD_REDIRECT,
		.argv = argv,
		.environment = environment,
		.net_nsfd = net_nsfd,
		.limit_ms = LIMIT_MS,
	};

	(void)snprintf(port4, sizeof(port4), "%u",
	    port_of(listeners->fds[WARD_LISTENER_TCP4]));
	(void)snprintf(port6, sizeof(port6), "%u",
	    port_of(listeners->fds[WARD_LISTENER_TCP6]));
	int r = ward_program_run(&run);
	return r == 0 ? 0
		      : ward_err_sys(err, -r,
			    "nftables redirects nothing in the sandbox (see "
			    "the log)");
}
