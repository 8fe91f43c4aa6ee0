/* SPDX-License-Identifier: ISC */
/*
 * What the caller of a call that waits has in its memory for it.  A claim: it
 * can change that meanwhile. sandbox/ only.
 */
#ifndef WARD_SANDBOX_REMOTE_H
#define WARD_SANDBOX_REMOTE_H

#include <linux/limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profiles/seal_table.h"

/* A path with its end; false where there is none, or it cannot be read. */
bool ward_remote_path(pid_t tid, uint64_t address, char out[PATH_MAX]);

/*
 * Where /proc has what a relative path starts from: the descriptor of an
 * argument, or (-1) the working directory.  By thread, since with CLONE_FILES
 * unshared each has its own table.
 */
#define WARD_REMOTE_BASE_SIZE 64
void ward_remote_base(pid_t tid, int dirfd_arg,
    const unsigned long long args[6], char out[WARD_REMOTE_BASE_SIZE]);

/*
 * A path by its letters, from the root: .. is what it says, and where links
 * lead is not asked.  base_dfd: what it is relative to, -1 where it is not.  No
 * file system is asked, so that none that stalls holds up the caller.  False
 * where it has no such form.
 */
bool ward_remote_spelled(int base_dfd, const char *text, char out[PATH_MAX]);

/* The flags of a notified call, by its arguments; 0 where it has none. */
uint64_t ward_remote_flags(pid_t tid, const struct ward_seal_notified *call,
    const unsigned long long args[6]);

#endif
