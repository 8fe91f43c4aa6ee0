/* SPDX-License-Identifier: ISC */
/* The budget of what an account can make Ward keep, step by step. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sandbox/budget.h"

#define SECOND INT64_C(1000000)
#define START  (INT64_C(1800000000) * SECOND)
#define ALL    WARD_BUDGET_BYTES
#define MAX    INT64_MAX

static const struct {
	const char *name;
	struct {
		int64_t now, bytes;
		bool want;
	} steps[6];
} cases[] = {
	{ "all at once, and no more",
	    { { START, ALL, true }, { START, 1, false }, { START, 0, true } } },
	{ "more than all",
	    { { START, ALL + 1, false }, { START, ALL, true } } },
	{ "what was refused is not used",
	    { { START, ALL - 1, true }, { START, 2, false },
		{ START, 1, true } } },
	{ "a second gives some back",
	    { { START, ALL, true },
		{ START + SECOND, WARD_BUDGET_SECOND + 1, false },
		{ START + SECOND, WARD_BUDGET_SECOND, true },
		{ START + SECOND, 1, false } } },
	{ "never more than all",
	    { { START, 1, true }, { START + 3600 * SECOND, ALL + 1, false },
		{ START + 3600 * SECOND, ALL, true },
		{ START + 3600 * SECOND, 1, false } } },
	{ "less than a byte's time adds up",
	    { { START, ALL, true }, { START + 500, 1, false },
		{ START + 900, 1, false }, { START + 1000, 1, true } } },
	{ "a clock that went back",
	    { { START, ALL, true }, { START - SECOND, 1, false },
		{ START, WARD_BUDGET_SECOND, true }, { START, 1, false } } },
	{ "the ends of numbers",
	    { { -1, 1, false }, { 1, -1, false }, { 1, MAX, false },
		{ MAX, ALL, true }, { MAX, 1, false } } },
};

static void
table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ward_budget budget = { 0 };

		for (size_t k = 0; k < 6 && cases[i].steps[k].now != 0; k++)
			if (ward_budget_take(&budget, cases[i].steps[k].now,
				cases[i].steps[k].bytes) !=
			    cases[i].steps[k].want)
				fail_msg("%s: step %zu", cases[i].name, k + 1);
	}
}

static void
no_time(void **state)
{
	struct ward_budget budget = { 0 };

	(void)state;
	assert_false(ward_budget_take(&budget, 0, 1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
