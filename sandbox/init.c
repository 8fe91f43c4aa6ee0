/* SPDX-License-Identifier: ISC */
/*
 * ward-init: pid 1 of a sandbox.  Holds its namespaces, reaps what is left
 * behind, and ends with its warden; the kernel then ends everything inside.
 * Runs as a user that owns nothing, without a capability; descriptor 3 is its
 * end of a socket whose other end only the warden has.  Linked statically: it
 * needs nothing of the view.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/contain.h"

#define LIFE_FD 3

static void
on_child(int number)
{
	(void)number;
}

int
main(void)
{
	struct sigaction action = { .sa_handler = on_child };
	struct pollfd life = { .fd = LIFE_FD, .events = POLLIN };
	const unsigned char stands = WARD_INIT_STANDS;
	sigset_t child, none;

	/* the account must not look into pid 1, whatever its uid */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return 1;
	/*
	 * For a stopped init: it cannot read the end of the socket.  That end
	 * comes, too, where the warden died before this line.
	 */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
		return 1;
	for (int fd = 0; fd < LIFE_FD; fd++)
		(void)close(fd);

	(void)sigemptyset(&none);
	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	/* SIGCHLD comes while ppoll waits, and then only: none is missed */
	if (sigprocmask(SIG_BLOCK, &child, NULL) != 0 ||
	    sigaction(SIGCHLD, &action, NULL) != 0)
		return 1;
	if (write(LIFE_FD, &stands, sizeof(stands)) != sizeof(stands))
		return 1;
	for (;;) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		int r = ppoll(&life, 1, NULL, &none);
		if (r > 0 || (r < 0 && errno != EINTR))
			return 0; /* the warden is gone */
	}
}
