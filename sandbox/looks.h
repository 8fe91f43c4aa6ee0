/* SPDX-License-Identifier: ISC */
/*
 * Looks into hidden places, as the warden of their sandbox sees them: one file
 * system (FUSE) whose server, sandbox/masks.c, is a process of its own, and a
 * row for each look that the server tells of.  Without its server nothing of it
 * can be looked at, and the sandbox ends.
 * The warden only: setup.c starts it before the view is built, its loop hears
 * it.
 */
#ifndef WARD_SANDBOX_LOOKS_H
#define WARD_SANDBOX_LOOKS_H

#include <sys/types.h>

#include "common/err.h"
#include "profiles/plan.h"
#include "sandbox/layout.h"
#include "sandbox/loop.h"
#include "sandbox/recorder.h"

struct ward_looks;

/* All that it points to is borrowed, and alive until ward_looks_stop. */
struct ward_looks_setup {
	struct ward_loop *loop;
	struct ward_recorder *recorder;
	const struct ward_plan *plan;
	const struct ward_layout *layout;
	const char *home;    /* the account's */
	const char **ending; /* why the sandbox ends is put there */
	/* the session that a process descends from, or NULL */
	const char *(*session_of)(void *context, pid_t pid);
	void *context;
};

/*
 * Makes the file system for a layout's masks, and its server, as that user.
 * *looks is NULL where this kernel has no FUSE: then masks are plain.  0 or
 * -errno.
 */
int ward_looks_start(const struct ward_layout *layout, uid_t uid, gid_t gid,
    struct ward_looks **looks, struct err *err);

/* Waits until it is served, three seconds at most.  0 or -errno. */
int ward_looks_await(struct ward_looks *looks, struct err *err);

/* The file system, attached nowhere; borrowed.  -1 for NULL. */
int ward_looks_mount(const struct ward_looks *looks);

/*
 * Kills this process unless it is called again, with 0, within so many
 * milliseconds.  Who builds the view waits in the kernel for the server, and
 * this process stands still meanwhile: a server that is stopped then would keep
 * both for ever.  NULL is fine.
 */
void ward_looks_limit(struct ward_looks *looks, int ms);

/* Its device, as "0:57", once it is served; NULL for NULL. */
const char *ward_looks_device(const struct ward_looks *looks);

/* The view is built: lets the mount go, and hears what is told. */
int ward_looks_hear(struct ward_looks *looks,
    const struct ward_looks_setup *setup, struct err *err);

/* A child of the warden's was stopped, perhaps this one; NULL is fine. */
void ward_looks_look(struct ward_looks *looks);

/*
 * Ends the server, with what it had to tell: what waits for it goes on, and
 * finds nothing.  Before the container's end, which would wait for those.  NULL
 * is fine.
 */
void ward_looks_stop(struct ward_looks *looks);

#endif
