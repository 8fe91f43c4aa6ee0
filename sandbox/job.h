/* SPDX-License-Identifier: ISC */
/*
 * A program (program.h) that the warden's loop does not wait for, and that is
 * killed when its time is over.  The warden only.
 */
#ifndef WARD_SANDBOX_JOB_H
#define WARD_SANDBOX_JOB_H

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/loop.h"
#include "sandbox/program.h"

/* 0, -EOPNOTSUPP or -ETIMEDOUT, as ward_program_run. */
typedef void ward_job_done(void *context, int result);

/* All zero: nothing runs. */
struct ward_job {
	struct ward_watch end; /* first: the callback casts back */
	struct ward_watch limit;
	struct ward_loop *loop; /* NULL: nothing runs */
	bool timed_out;
	pid_t pid;
	ward_job_done *done;
	void *context;
};

/* Calls done once it has ended; 0 or -errno, and done is not called. */
int ward_job_start(struct ward_job *job, const struct ward_program *program,
    struct ward_loop *loop, ward_job_done *done, void *context,
    struct err *err);

bool ward_job_runs(const struct ward_job *job);

/* For a warden that ends: what runs goes on by itself. */
void ward_job_forget(struct ward_job *job);

#endif
