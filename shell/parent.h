/* SPDX-License-Identifier: ISC */
/*
 * Standing between a command and who started it, unseen: the command leads a
 * session with its terminal, as it would without, signals go down to it, and
 * its end comes up.  wardsh only.
 */
#ifndef WARD_SHELL_PARENT_H
#define WARD_SHELL_PARENT_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The caller leads its session, and so can hand it on whole; who does not is a
 * part of somebody's job, and has no room for another process.
 */
bool ward_parent_can(void);

/*
 * Forks.  0 in the child, which leads a session of its own, has the terminal
 * and dies with its parent; the parent has the child's pid, and neither signals
 * nor standard input and output.  -errno where there is no child: then all is
 * as it was.
 */
pid_t ward_parent_fork(void);

/* Until it has ended; as wait(2) says it. */
int ward_parent_wait(pid_t child);

/* Ends as the child did, by the same status or signal. */
void ward_parent_end(int status) __attribute__((noreturn));

#endif
