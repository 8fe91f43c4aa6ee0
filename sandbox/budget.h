/* SPDX-License-Identifier: ISC */
/*
 * A budget of bytes that the account can make others keep: so much at once,
 * and what has been used comes back slowly.  Pure; for sandbox/rows.c.
 */
#ifndef WARD_SANDBOX_BUDGET_H
#define WARD_SANDBOX_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define WARD_BUDGET_BYTES  (INT64_C(1) << 20)
#define WARD_BUDGET_SECOND INT64_C(1024)

/* All zero: full. */
struct ward_budget {
	int64_t used; /* at the time below, in microseconds */
	int64_t at;
};

/*
 * False, and nothing is used, where there is not enough left.  A clock that
 * went back gives nothing back.
 */
bool ward_budget_take(struct ward_budget *budget, int64_t now, int64_t bytes);

#endif
