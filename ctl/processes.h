/* SPDX-License-Identifier: ISC */
/* Whether an account has a process, wherever that is.  ctl/ only. */
#ifndef WARD_CTL_PROCESSES_H
#define WARD_CTL_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

/* Ids from first on, n of them. */
struct ward_id_range {
	uint64_t first, n;
};

/*
 * -EBUSY, naming one, while there is a process with a thread of which any of
 * the four uids is in one of these ranges; the first of them is the account's
 * own.  Anything else but 0 where it cannot be told.
 */
int ward_processes_check_none(const char *account,
    const struct ward_id_range *ranges, size_t n, struct err *err);

#endif
