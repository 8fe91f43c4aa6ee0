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

/* The flags of a notified call, by its arguments; 0 where it has none. */
uint64_t ward_remote_flags(pid_t tid, const struct ward_seal_notified *call,
    const unsigned long long args[6]);

#endif
