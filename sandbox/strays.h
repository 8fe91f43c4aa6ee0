/* SPDX-License-Identifier: ISC */
/*
 * Strays: what a filtered sandbox sends that is not TCP.  Its routing refuses
 * all of that (sandbox/routes.h), and nobody hears of it; here nf_tables takes
 * that over, refuses it in the same call (EPERM), and tells the warden, which
 * makes rows of it.  The kernel tells so many a second, and counts the rest.
 * Where a kernel has none of this the routing goes on refusing.
 */
#ifndef WARD_SANDBOX_STRAYS_H
#define WARD_SANDBOX_STRAYS_H

#include <sys/types.h>

#include "common/err.h"
#include "sandbox/loop.h"
#include "sandbox/recorder.h"

struct ward_strays;

/* All that it points to is borrowed, and alive until ward_strays_stop. */
struct ward_strays_setup {
	struct ward_loop *loop;
	struct ward_recorder *recorder;
	const char *account;
	int log_fd, diag_fd; /* sandbox/listeners.h */
	int net_nsfd;
	bool ipv6;
	pid_t init;
	/* the session that a process descends from, or NULL */
	const char *(*session_of)(void *context, pid_t pid);
	void *context;
};

/*
 * Begins with it, and does not wait.  0, also where the kernel has it not (the
 * log says so), or -errno.
 */
int ward_strays_start(const struct ward_strays_setup *setup,
    struct ward_strays **strays, struct err *err);
/* With the last count; NULL is fine. */
void ward_strays_stop(struct ward_strays *strays);

#endif
