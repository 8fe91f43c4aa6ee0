/* SPDX-License-Identifier: ISC */
/*
 * Runs another program: by absolute path, with an environment of wardctl's own
 * and no descriptor but 0 to 2, never through a shell.  ctl/ only.
 */
#ifndef WARD_CTL_RUN_H
#define WARD_CTL_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

#define WARD_RUN_OUTPUT ((size_t)1 << 16)

/* What it printed, both streams, the first part if it is more. */
struct ward_run {
	char output[WARD_RUN_OUTPUT];
	size_t n_output;
	int status; /* its exit status; 128 and the signal */
};

/* 0 if it ran, whatever its status.  argv[0] is the path; ends with NULL. */
int ward_run(const char *const argv[], struct ward_run *run, struct err *err);

/*
 * The same, and any status but 0 is -EIO, with the first line that it printed
 * in err.
 */
int ward_run_check(const char *const argv[], struct err *err);

bool ward_run_is_there(const char *program);

#endif
