/* SPDX-License-Identifier: ISC */
/*
 * The processes of the machine, as /proc lists them.  A number says little: it
 * may be another process's by the next call.  Everyone may use it.
 */
#ifndef WARD_COMMON_PIDS_H
#define WARD_COMMON_PIDS_H

#include <dirent.h>
#include <stddef.h>
#include <sys/types.h>

/* The next one of /proc, which the caller has opened; 0 at the end. */
pid_t ward_pids_next(DIR *proc);

/*
 * The path of a process's program (0: the caller's own), in size bytes.  One
 * that was replaced since it started is still that program: what proc(5) adds
 * is cut off.  0 or -errno.
 */
int ward_pids_program(pid_t pid, char *out, size_t size);

#endif
