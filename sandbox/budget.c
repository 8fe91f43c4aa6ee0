/* SPDX-License-Identifier: ISC */
/* A budget of bytes. */
#include "config.h"

#include "sandbox/budget.h"

#define SECOND INT64_C(1000000)
/* Behind this all of it is back; and the product below cannot overflow. */
#define WHOLE  ((WARD_BUDGET_BYTES / WARD_BUDGET_SECOND + 1) * SECOND)

bool
ward_budget_take(struct ward_budget *budget, int64_t now, int64_t bytes)
{
	if (now <= 0 || bytes < 0 || bytes > WARD_BUDGET_BYTES)
		return false;
	if (now > budget->at) {
		int64_t passed = now - budget->at;
		int64_t back = passed >= WHOLE
		    ? budget->used
		    : passed * WARD_BUDGET_SECOND / SECOND;
		if (back >= budget->used) {
			budget->used = 0;
			budget->at = now;
		} else {
			/* the time of less than a byte waits for more */
			budget->used -= back;
			budget->at += back * SECOND / WARD_BUDGET_SECOND;
		}
	} else {
		budget->at = now;
	}
	if (bytes > WARD_BUDGET_BYTES - budget->used)
		return false;
	budget->used += bytes;
	return true;
}
