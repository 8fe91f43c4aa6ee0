/* SPDX-License-Identifier: ISC */
/* Looks at a process that stands still.  Part of tests/seam/seam. */
#ifndef WARD_SEAM_WHERE_H
#define WARD_SEAM_WHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Writes what of the process is not as the session of an account's must be:
 * its own namespaces, its ids, its seal.  Nothing where all is.
 */
void seam_where_outside(pid_t pid, uid_t uid, char *out, size_t size);

/* The process' status, as proc(5) has it; "" where it is gone. */
void seam_where_status(pid_t pid, char *out, size_t size);

/* A string in the memory of a process; false: there is none. */
bool seam_where_string(pid_t pid, uint64_t at, char *out, size_t size);

#endif
