/* SPDX-License-Identifier: ISC */
/* wardctl's small texts: a PAM file's own lines, sshd's includes, times. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/fence.h"
#include "ctl/pam_lines.h"
#include "ctl/sshd.h"
#include "ctl/when.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- a PAM file's own lines --- */

#define SHELL_PATH "/s"
#define BLOCK(place)                                                           \
	"# begin ward: made by 'wardctl enable'\n"                             \
	"session\t[success=2 default=ignore]\tpam_succeed_if.so quiet uid = "  \
	"0\n"                                                                  \
	"session\t[success=1 default=ignore]\tpam_succeed_if.so quiet shell "  \
	"!= " SHELL_PATH "\n"                                                  \
	"session\trequired\tpam_ward.so " place "\n"                           \
	"# end ward\n"

struct lines_case {
	const char *name;
	const char *without;
	const char *with;
	bool close_only;
};

static const struct lines_case lines_cases[] = {
	{ "before the first session line",
	    "#%PAM-1.0\nauth sufficient x\nsession required y\n",
	    "#%PAM-1.0\nauth sufficient x\n" BLOCK(
		"close") "session required y\n" BLOCK("open"),
	    false },
	{ "one that may be missing", "auth x\n-session optional y\n",
	    "auth x\n" BLOCK("close") "-session optional y\n" BLOCK("open"),
	    false },
	{ "before what is included", "@include common-auth\n",
	    BLOCK("close") "@include common-auth\n" BLOCK("open"), false },
	{ "no session line", "auth x\n",
	    "auth x\n" BLOCK("close") BLOCK("open"), false },
	{ "an empty file", "", BLOCK("close") BLOCK("open"), false },
	{ "a comment that begins alike",
	    "# begin ward: mine\nsession required y\n",
	    "# begin ward: mine\n" BLOCK("close") "session required y\n" BLOCK(
		"open"),
	    false },
	{ .name = "Debian's sudo, which includes a common one",
	    .without = "session required pam_limits.so\n"
		       "@include common-session-noninteractive\n",
	    .with = BLOCK("close") "session required pam_limits.so\n"
				   "@include common-session-noninteractive\n",
	    .close_only = true },
	{ "a block without end stays",
	    "# begin ward: made by 'wardctl enable'\nsession required y\n",
	    "# begin ward: made by 'wardctl enable'\n" BLOCK(
		"close") "session required y\n" BLOCK("open"),
	    false },
};

static size_t
lines_differ(const char *name, const char *what, char *got, const char *want)
{
	size_t differ = got == NULL || strcmp(got, want) != 0;

	if (differ)
		print_error("%s, %s: \"%s\", not \"%s\"\n", name, what,
		    got == NULL ? "(null)" : got, want);
	free(got);
	return differ;
}

static void
test_pam_lines(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(lines_cases); i++) {
		const struct lines_case *c = &lines_cases[i];
		failed += lines_differ(c->name, "added",
		    ward_pam_lines_add(c->without, SHELL_PATH, !c->close_only),
		    c->with);
		if (strstr(c->without, "made by") != NULL)
			continue;
		failed += lines_differ(c->name, "added again",
		    ward_pam_lines_add(c->with, SHELL_PATH, !c->close_only),
		    c->with);
		failed += lines_differ(c->name, "removed",
		    ward_pam_lines_remove(c->with), c->without);
		failed += lines_differ(c->name, "removed again",
		    ward_pam_lines_remove(c->without), c->without);
	}
	assert_int_equal(failed, 0);
}

/* A last line without its end gets one: a block must not be glued to it. */
static void
test_pam_lines_unended(void **state)
{
	(void)state;
	assert_int_equal(lines_differ("no newline", "added",
			     ward_pam_lines_add("session x", SHELL_PATH, true),
			     BLOCK("close") "session x\n" BLOCK("open")),
	    0);
}

/* --- sshd's includes --- */

struct include_case {
	const char *text;
	bool includes;
};

static const struct include_case include_cases[] = {
	{ "Include /etc/ssh/sshd_config.d/*.conf\n", true },
	{ "\t include \t/etc/ssh/sshd_config.d/*.conf\n", true },
	{ "Include=/etc/ssh/sshd_config.d/*.conf", true },
	{ "Include \"/etc/ssh/sshd_config.d/*.conf\"\n", true },
	{ "Include sshd_config.d/*\n", true },
	{ "Include /x /etc/ssh/sshd_config.d/ward.conf\n", true },
	{ "UsePAM yes\nInclude sshd_config.d/*.conf\n", true },
	{ "", false },
	{ "#Include /etc/ssh/sshd_config.d/*.conf\n", false },
	{ "Include # /etc/ssh/sshd_config.d/*.conf\n", false },
	{ "Include /etc/ssh/*.conf\n", false },
	{ "Include /etc/ssh/sshd_config.d/*.cnf\n", false },
	{ "Includes /etc/ssh/sshd_config.d/*.conf\n", false },
	{ "Match User x\nInclude /etc/ssh/sshd_config.d/*.conf\n", false },
	{ "match all\nInclude /etc/ssh/sshd_config.d/*.conf\n", false },
};

static void
test_sshd_includes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(include_cases); i++)
		if (ward_sshd_includes(include_cases[i].text,
			WARD_SSHD_SNIPPET) != include_cases[i].includes)
			fail_msg("\"%s\": not %d", include_cases[i].text,
			    include_cases[i].includes);
}

/* --- times --- */

#define NOW INT64_C(1777898096123456) /* 2026-05-04T12:34:56.123456Z */
#define S   INT64_C(1000000)

struct when_case {
	const char *text;
	int64_t when; /* -1: refused */
};

static const struct when_case when_cases[] = {
	{ "0s", NOW },
	{ "90s", NOW - 90 * S },
	{ "30m", NOW - 1800 * S },
	{ "2h", NOW - 7200 * S },
	{ "7d", NOW - 604800 * S },
	{ "2026-05-04", INT64_C(1777852800) * S },
	{ "2026-05-04T12:30", INT64_C(1777897800) * S },
	{ "2026-05-04 12:30", INT64_C(1777897800) * S },
	{ "2026-05-04T12:30:59", INT64_C(1777897859) * S },
	{ "", -1 },
	{ "2", -1 },
	{ "h", -1 },
	{ "-2h", -1 },
	{ "2hours", -1 },
	{ "2026", -1 },
	{ "2026-05", -1 },
	{ "2026-13-01", -1 },
	{ "2026-02-31", -1 },
	{ "2026-05-04T", -1 },
	{ "2026-05-04T25:00", -1 },
	{ "2026-05-04x", -1 },
	{ " 2026-05-04", -1 },
	{ "999999999d", -1 },
	{ "18446744073709551615d", -1 },
};

static void
test_when(void **state)
{
	(void)state;
	assert_int_equal(setenv("TZ", "UTC0", 1), 0);
	tzset();
	for (size_t i = 0; i < COUNT(when_cases); i++) {
		const struct when_case *c = &when_cases[i];
		int64_t when = -1;
		int r = ward_when_parse(c->text, NOW, &when);
		if (r != (c->when < 0 ? -EINVAL : 0) ||
		    (r == 0 && when != c->when))
			fail_msg("%s: %d, %lld, not %lld", c->text, r,
			    (long long)when, (long long)c->when);
	}
}

/* --- what sshd -T tells --- */

static void
values_of_sshd_are_found(void **state)
{
	static const char output[] = "port 22\n"
				     "usepam yes\n"
				     "acceptenv LANG\n"
				     "acceptenv LC_*\n"
				     "usepamx no\n"
				     "forcecommand none\n";
	static const struct {
		const char *keyword;
		unsigned n;
		const char *value; /* NULL: there is none */
	} cases[] = {
		{ "usepam", 0, "yes" },
		{ "usepam", 1, NULL },
		{ "acceptenv", 0, "LANG" },
		{ "acceptenv", 1, "LC_*" },
		{ "acceptenv", 2, NULL },
		{ "env", 0, NULL },
		{ "forcecommand", 0, "none" },
		{ "none", 0, NULL },
	};
	char value[8];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		bool found = ward_sshd_value(
		    output, cases[i].keyword, cases[i].n, value, sizeof(value));
		if (found != (cases[i].value != NULL) ||
		    (found && strcmp(value, cases[i].value) != 0))
			fail_msg("%s %u: %s", cases[i].keyword, cases[i].n,
			    found ? value : "nothing");
	}
	/* cut, never beyond its place */
	assert_true(ward_sshd_value(output, "forcecommand", 0, value, 3));
	assert_string_equal(value, "no");
	assert_false(ward_sshd_value("", "port", 0, value, sizeof(value)));
}

/* --- the uid fence --- */

static void
the_fence_is_replaced_in_one(void **state)
{
	static const char none[] = "add table inet ward\n"
				   "delete table inet ward\n";
	static const struct {
		uid_t uids[3];
		size_t n;
		const char *elements; /* NULL: no table */
	} cases[] = {
		{ { 0 }, 0, NULL },
		{ { 1000 }, 1, "elements = { 1000 }\n" },
		{ { 1000, 4294967294U, 7 }, 3,
		    "elements = { 1000, 4294967294, 7 }\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = ward_fence_text(cases[i].uids, cases[i].n);
		assert_non_null(text);
		assert_memory_equal(text, none, strlen(none));
		const char *rest = text + strlen(none);
		if (cases[i].elements == NULL)
			assert_string_equal(rest, "");
		else if (strstr(rest, cases[i].elements) == NULL ||
		    strstr(rest, "hook output") == NULL)
			fail_msg("case %zu: %s", i, rest);
		free(text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_sshd_are_found),
		cmocka_unit_test(the_fence_is_replaced_in_one),
		cmocka_unit_test(test_pam_lines),
		cmocka_unit_test(test_pam_lines_unended),
		cmocka_unit_test(test_sshd_includes),
		cmocka_unit_test(test_when),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
