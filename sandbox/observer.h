/* SPDX-License-Identifier: ISC */
/*
 * The observer: sees refused writes and reports them.  It never decides: the
 * kernel does, by the mounts of the view.  One interface, whatever the means;
 * the backend here is the seccomp listener of each sealed process tree
 * (seccomp_unotify(2)).  Used by the warden.
 */
#ifndef WARD_SANDBOX_OBSERVER_H
#define WARD_SANDBOX_OBSERVER_H

#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "profiles/plan.h"
#include "sandbox/connects.h"
#include "sandbox/loop.h"
#include "sandbox/recorder.h"

struct ward_observer;

/* All that it points to is borrowed, and alive until ward_observer_stop. */
struct ward_observer_setup {
	struct ward_loop *loop;
	struct ward_recorder *recorder;
	struct ward_connects *connects; /* what is no observation goes there */
	const struct ward_plan *plan;
	pid_t init; /* the view is that of this process; a child of ours */
	uid_t uid;  /* the account */
	gid_t gid;
	const gid_t *groups;
	size_t n_groups;
};

int ward_observer_start(const struct ward_observer_setup *setup,
    struct ward_observer **observer, struct err *err);
/* Before the loop and the recorder go. */
void ward_observer_stop(struct ward_observer *observer);

/*
 * A sealed process tree of a session: takes its listener, also on failure.  The
 * observer lets it go when nobody of the tree is left.
 */
int ward_observer_add_take(struct ward_observer *observer, int listener_fd,
    const char *session, struct err *err);

/* As ward_judge_progress. */
void ward_observer_progress(
    struct ward_observer *observer, uint64_t *seen, uint64_t *judged);

#endif
