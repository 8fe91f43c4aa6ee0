/* SPDX-License-Identifier: ISC */
/* Programs that end, fail, hang and stop, waited for and in the loop. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/clock.h"
#include "sandbox/job.h"
#include "sandbox/program.h"

#define SOON_MS  200
#define LATER_MS 60000 /* what ends by itself has ended by then */

static char shell[] = "/bin/sh", option[] = "-c";

static const struct {
	const char *name;
	char *script; /* NULL: there is no such program */
	int limit_ms;
	int want;
} cases[] = {
	{ "ends", (char[]){ "exit 0" }, LATER_MS, 0 },
	{ "fails", (char[]){ "exit 3" }, LATER_MS, -EOPNOTSUPP },
	{ "is killed", (char[]){ "kill -TERM $$" }, LATER_MS, -EOPNOTSUPP },
	{ "is not there", NULL, LATER_MS, -EOPNOTSUPP },
	{ "hangs", (char[]){ "exec sleep 600" }, SOON_MS, -ETIMEDOUT },
	{ "hangs, and heeds no signal",
	    (char[]){ "trap '' TERM INT HUP; while :; do sleep 1; done" },
	    SOON_MS, -ETIMEDOUT },
	{ "stops", (char[]){ "kill -STOP $$" }, SOON_MS, -ETIMEDOUT },
	/* but for 32 and 33, which the C library keeps for itself */
	{ "has three descriptors, and no signal ignored",
	    (char[]){ "test -e /proc/self/fd/2 && ! test -e /proc/$$/fd/3 && "
		      "grep -Eq '^SigIgn:.[01]{8}[08]0{7}$' /proc/$$/status" },
	    LATER_MS, 0 },
};
#define N_CASES (sizeof(cases) / sizeof(cases[0]))

static struct ward_program
program_of(size_t i, char *argv[4])
{
	static char *none[] = { NULL };

	argv[0] = shell;
	argv[1] = option;
	argv[2] = cases[i].script;
	argv[3] = NULL;
	return (struct ward_program){
		.path = cases[i].script == NULL ? "/nowhere" : shell,
		.argv = argv,
		.environment = none,
		.net_nsfd = -1,
		.limit_ms = cases[i].limit_ms,
	};
}

static void
waited_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_CASES; i++) {
		char *argv[4];
		const struct ward_program program = program_of(i, argv);
		int64_t began = ward_now_ms();
		int r = ward_program_run(&program);

		if (r != cases[i].want)
			fail_msg("%s: %d", cases[i].name, r);
		/* a program that hangs does so for ten minutes */
		if (ward_now_ms() - began >= LATER_MS)
			fail_msg("%s: is waited for", cases[i].name);
	}
}

static void
take(void *context, int result)
{
	int *into = context;

	*into = result;
}

static void
in_the_loop(void **state)
{
	struct ward_loop loop;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(ward_loop_init(&loop, &err), 0);
	for (size_t i = 0; i < N_CASES; i++) {
		char *argv[4];
		const struct ward_program program = program_of(i, argv);
		struct ward_job job = { 0 };
		int result = 1;
		int64_t began = ward_now_ms();

		assert_false(ward_job_runs(&job));
		assert_int_equal(
		    ward_job_start(&job, &program, &loop, take, &result, &err),
		    0);
		assert_true(ward_job_runs(&job));
		while (result == 1 && ward_now_ms() - began < LATER_MS)
			assert_int_equal(
			    ward_loop_run_once(&loop, SOON_MS, &err), 0);
		if (result != cases[i].want)
			fail_msg("%s: %d", cases[i].name, result);
		assert_false(ward_job_runs(&job));
	}
}

static void
is_forgotten(void **state)
{
	struct ward_loop loop;
	struct ward_job job = { 0 };
	struct err err = { 0 };
	char *argv[4];
	int result = 1;
	const struct ward_program program = program_of(0, argv);

	(void)state;
	ward_job_forget(&job);
	assert_int_equal(ward_loop_init(&loop, &err), 0);
	assert_int_equal(
	    ward_job_start(&job, &program, &loop, take, &result, &err), 0);
	ward_job_forget(&job);
	assert_false(ward_job_runs(&job));
	assert_int_equal(ward_loop_run_once(&loop, SOON_MS, &err), 0);
	assert_int_equal(result, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waited_for),
		cmocka_unit_test(in_the_loop),
		cmocka_unit_test(is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
