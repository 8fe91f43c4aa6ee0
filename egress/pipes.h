/* SPDX-License-Identifier: ISC */
/*
 * Pipes that bytes go through on their way from one socket to another
 * (splice(2)), lent only while some are in one.  For egress/relay.c.
 */
#ifndef WARD_EGRESS_PIPES_H
#define WARD_EGRESS_PIPES_H

#include "egress/egress.h"

struct ward_pipe {
	SLIST_ENTRY(ward_pipe) link;
	int read_fd, write_fd;
	size_t size; /* that it holds at the most */
};

/* NULL where there is none to be had. */
struct ward_pipe *ward_pipe_borrow(struct ward_egress *egress);
/* It is empty, else it is closed. */
void ward_pipe_return(
    struct ward_egress *egress, struct ward_pipe *pipe, bool empty);

#endif
