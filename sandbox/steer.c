/* SPDX-License-Identifier: ISC */
/* Steering: whichever way is to be had. */
#include "config.h"

#include <unistd.h>

#include "sandbox/steer.h"

int
ward_steer_start(const struct ward_listeners *listeners, int net_nsfd,
    struct ward_steer *steer, struct err *err)
{
	struct err lookup = { 0 }, redirect = { 0 };

	*steer = (struct ward_steer){ .how = WARD_STEERED_LOOKUP };
	steer->link_fd = ward_steer_lookup(listeners, net_nsfd, &lookup);
	if (steer->link_fd >= 0)
		return 0;
	steer->link_fd = -1;
	steer->how = WARD_STEERED_REDIRECT;
	int r = ward_steer_redirect(listeners, net_nsfd, &redirect);
	if (r == 0)
		return 0;
	steer->how = WARD_STEERED_NOT;
	return ward_err_set(
	    err, -r, "%.200s; %.200s", lookup.text, redirect.text);
}

void
ward_steer_stop(struct ward_steer *steer)
{
	if (steer->link_fd >= 0)
		(void)close(steer->link_fd);
	*steer = (struct ward_steer){ .link_fd = -1 };
}
