/* SPDX-License-Identifier: ISC */
/* Pipes that are lent. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "egress/pipes.h"

/*
 * The kernel allows a user so much without asking (pipe(7)): 64 MiB, over the
 * sandboxes of all accounts.  Where it does not, a pipe is as it was made.
 */
#define PIPE_SIZE ((size_t)256 * 1024)
#define KEPT      8

struct ward_pipe *
ward_pipe_borrow(struct ward_egress *egress)
{
	struct ward_pipe *pipe = SLIST_FIRST(&egress->pipes);
	int fds[2];

	if (pipe != NULL) {
		SLIST_REMOVE_HEAD(&egress->pipes, link);
		egress->n_pipes--;
		return pipe;
	}
	pipe = calloc(1, sizeof(*pipe));
	if (pipe == NULL || pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0) {
		free(pipe);
		return NULL;
	}
	pipe->read_fd = fds[0];
	pipe->write_fd = fds[1];
	int size = fcntl(fds[1], F_SETPIPE_SZ, (int)PIPE_SIZE);
	if (size < 0)
		size = fcntl(fds[1], F_GETPIPE_SZ);
	pipe->size = size > 0 ? (size_t)size : 4096;
	return pipe;
}

void
ward_pipe_return(struct ward_egress *egress, struct ward_pipe *pipe, bool empty)
{
	if (empty && egress->n_pipes < KEPT) {
		SLIST_INSERT_HEAD(&egress->pipes, pipe, link);
		egress->n_pipes++;
		return;
	}
	(void)close(pipe->read_fd);
	(void)close(pipe->write_fd);
	free(pipe);
}
