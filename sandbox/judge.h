/* SPDX-License-Identifier: ISC */
/*
 * The judge: was a write-intent call refused by Ward?  A thread inside the
 * view, with the account's ids and no capability, so that it resolves paths as
 * the account's processes do, and a file system that stalls holds up nobody
 * else.  It judges after the call went on: a path that the caller changes
 * meanwhile makes a wrong row, never a wrong permission.
 * Used by sandbox/observer_notify.c.
 */
#ifndef WARD_SANDBOX_JUDGE_H
#define WARD_SANDBOX_JUDGE_H

#include <linux/limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "profiles/seal_table.h"
#include "sandbox/observer.h"

/* One path of a call, as the caller gave it. */
struct ward_act_path {
	char *text;   /* malloc'd; NULL: the call has no such path */
	int base_dfd; /* what it is relative to; -1: absolute, or not known */
};

/* A call that was seen.  Owned by whom it is handed to. */
struct ward_act {
	struct ward_act *next;
	const struct ward_seal_notified *call;
	uint64_t flags; /* of the call, 0 if it has none */
	struct ward_act_path path, path2;
	char session[32];
	pid_t tid;        /* the caller's thread */
	pid_t pid;        /* 0: not looked for yet */
	char program[64]; /* as pid */
};

void ward_act_free(struct ward_act *act);

struct ward_judge;

/* setup is borrowed until ward_judge_stop. */
int ward_judge_start(const struct ward_observer_setup *setup,
    struct ward_judge **judge, struct err *err);
/* Judges what waits, then ends. */
void ward_judge_stop(struct ward_judge *judge);

/* How many it has ever taken, and how many of those it is done with. */
void
ward_judge_progress(struct ward_judge *judge, uint64_t *seen, uint64_t *judged);

/*
 * Takes act, for the next ward_judge_wake.  Never waits: where the queue is
 * full, it is counted and freed.
 */
void ward_judge_take(struct ward_judge *judge, struct ward_act *act);
/* What was taken is judged now. */
void ward_judge_wake(struct ward_judge *judge);

#endif
