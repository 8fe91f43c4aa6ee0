/* SPDX-License-Identifier: ISC */
/*
 * Runs a program of Ward's own by its path, for so long and no longer: what
 * waits for it must not wait for ever.  Used by the warden and by wardctl.
 */
#ifndef WARD_SANDBOX_PROGRAM_H
#define WARD_SANDBOX_PROGRAM_H

#include <sys/types.h>

struct ward_program {
	const char *path;
	char *const *argv;
	char *const *environment;
	int net_nsfd; /* it starts in this net namespace; -1: in the caller's */
	int limit_ms;
};

/*
 * Starts it: no descriptor but /dev/null, no signal blocked or ignored, a
 * session of its own.  The limit is the caller's to keep.  Its pid or -errno.
 */
pid_t ward_program_start(const struct ward_program *program);

/*
 * Starts it and waits.  0; -EOPNOTSUPP: it failed; -ETIMEDOUT: its time was
 * over, and it was killed; or another -errno.
 */
int ward_program_run(const struct ward_program *program);

#endif
