/* SPDX-License-Identifier: ISC */
/* Answers to notified calls. */
#include "config.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "sandbox/notify.h"

/* Where it fails for another reason than the one that is known. */
#define TRIES 3

bool
ward_notify_answer(int listener_fd, const struct seccomp_notif_resp *response)
{
	struct seccomp_notif_resp copy = *response;

	for (int tries = 0; tries < TRIES;) {
		if (ioctl(listener_fd, SECCOMP_IOCTL_NOTIF_SEND, &copy) == 0)
			return true;
		if (errno == ENOENT)
			return false; /* the caller has died, or a signal has
					 taken it out of its call */
		/* a stop and SIGCONT while others hold the listener's lock */
		if (errno != EINTR)
			tries++;
	}
	return false;
}
