/* SPDX-License-Identifier: ISC */
/*
 * Cleanup attributes: what a helper function owns is released when it leaves.
 * Everyone may use it.  A function uses these or one out: label, never both.
 */
#ifndef WARD_COMMON_CLEANUP_H
#define WARD_COMMON_CLEANUP_H

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static inline void
ward_cleanup_fd(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		(void)close(*fd);
	errno = saved;
}

static inline void
ward_cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

#define _cleanup_fd_   __attribute__((cleanup(ward_cleanup_fd)))
#define _cleanup_free_ __attribute__((cleanup(ward_cleanup_free)))

/* Hands an owned fd on: the variable no longer owns it. */
static inline int
ward_steal_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static inline void *
ward_steal_pointer_(void *pointer)
{
	void *taken = *(void **)pointer;

	*(void **)pointer = NULL;
	return taken;
}
#define ward_steal_pointer(p) ((__typeof__(*(p)))ward_steal_pointer_(p))

#endif
