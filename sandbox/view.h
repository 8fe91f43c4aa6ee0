/* SPDX-License-Identifier: ISC */
/*
 * Builds the view: from a layout to a mount tree that is the root of the
 * calling process.  Runs in the sandbox's init, as root, in new mount, network,
 * ipc, uts and pid namespaces, before it gives up everything.
 */
#ifndef WARD_SANDBOX_VIEW_H
#define WARD_SANDBOX_VIEW_H

#include <stdint.h>

#include "common/err.h"
#include "sandbox/layout.h"
#include "sandbox/walk.h"

struct ward_view_request {
	const struct ward_layout *layout;
	const struct ward_walk_account *account;
	uint64_t tmp_bytes;
	int looks_fd; /* the masks, attached nowhere; -1: they are the frame's
		       */
	const char *staging; /* a directory of root's that nothing else uses */
};

struct ward_view {
	int ruleset_fd; /* Landlock: WRITE_FILE and REFER where it is writable
			 */
	int agent_fd;   /* listening at WARD_AGENT_SOCKET */
};

/* 0 with *view filled (the fds are the caller's), or -errno. */
int ward_view_build(const struct ward_view_request *request,
    struct ward_view *view, struct err *err);

#endif
