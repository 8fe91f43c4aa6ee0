/* SPDX-License-Identifier: ISC */
/* Errors: the first is kept, whole, and every call answers with its own. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/err.h"

static void
first_is_kept(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(ward_err_set(&err, EPERM, "one %d", 1), -EPERM);
	assert_int_equal(ward_err_set(&err, EIO, "two"), -EIO);
	assert_int_equal(ward_err_sys(&err, ENOENT, "three"), -ENOENT);
	assert_int_equal(err.code, EPERM);
	assert_string_equal(err.text, "one 1");
}

static void
system_error_is_named(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(ward_err_sys(&err, ENOENT, "%s", "/a"), -ENOENT);
	assert_string_equal(err.text, "/a: No such file or directory");
}

static void
nobody_listens(void **state)
{
	(void)state;
	assert_int_equal(ward_err_set(NULL, EPERM, "%s", "lost"), -EPERM);
	assert_int_equal(ward_err_sys(NULL, EIO, "%s", "lost"), -EIO);
}

/* Each length around the end of the text, with and without the errno. */
static void
long_text_is_cut(void **state)
{
	char text[700];

	(void)state;
	for (size_t n = sizeof(((struct err *)0)->text) - 40; n < 600; n++) {
		struct err set = { 0 }, sys = { 0 };

		memset(text, 'x', n);
		text[n] = '\0';
		(void)ward_err_set(&set, EIO, "%s", text);
		(void)ward_err_sys(&sys, EIO, "%s", text);
		size_t fits = n < sizeof(set.text) ? n : sizeof(set.text) - 1;
		if (strlen(set.text) != fits)
			fail_msg(
			    "set, %zu bytes: %zu stay", n, strlen(set.text));
		if (strncmp(sys.text, text, fits) != 0 ||
		    strlen(sys.text) >= sizeof(sys.text))
			fail_msg("sys, %zu bytes: another text", n);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_is_kept),
		cmocka_unit_test(system_error_is_named),
		cmocka_unit_test(nobody_listens),
		cmocka_unit_test(long_text_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
