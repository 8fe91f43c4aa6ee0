/* SPDX-License-Identifier: ISC */
/* Steering by BPF: the program of steer.bpf.c, in a net namespace. */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "sandbox/steer.h"

/*
 * A light skeleton, as bpftool writes one: the program and its map, and a
 * loader that the kernel runs.  Not our code, hence not our warnings.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wpointer-arith"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "sandbox/steer.skel.h"
#pragma GCC diagnostic pop

/* The listeners go into the map, at 0 and 1. */
static int
fill(int map_fd, const struct ward_listeners *listeners)
{
	const int fds[] = { listeners->fds[WARD_LISTENER_TCP4],
		listeners->fds[WARD_LISTENER_TCP6] };

	for (uint32_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		const uint64_t value = (uint64_t)fds[i];
		if (fds[i] >= 0 &&
		    skel_map_update_elem(map_fd, &i, &value, BPF_ANY) != 0)
			return -errno;
	}
	return 0;
}

int
ward_steer_lookup(
    const struct ward_listeners *listeners, int net_nsfd, struct err *err)
{
	errno = 0;
	struct steer *skeleton = steer__open_and_load();
	if (skeleton == NULL)
		return ward_err_sys(err, errno == 0 ? ENOMEM : errno,
		    "the kernel takes no BPF program of type sk_lookup");
	int r = fill(skeleton->maps.sockets.map_fd, listeners);
	int link_fd = -1;
	if (r == 0) {
		link_fd = skel_link_create(
		    skeleton->progs.steer.prog_fd, net_nsfd, BPF_SK_LOOKUP);
		r = link_fd < 0 ? -errno : 0;
	}
	/* the link holds the program, and that its map */
	steer__destroy(skeleton);
	return r == 0
	    ? link_fd
	    : ward_err_sys(err, -r, "the sk_lookup program cannot be attached");
}
