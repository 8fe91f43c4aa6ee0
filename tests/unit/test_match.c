/* SPDX-License-Identifier: ISC */
/* Patterns: what a * matches, and what it does not. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/match.h"

static void
test_match(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{ "a", "a", true },
		{ "a", "b", false },
		{ "a", "ab", false },
		{ "ab", "a", false },
		{ "*", "a", true },
		{ "*", ".a", true },
		{ "*", "*", true },
		{ "*a", "a", true },
		{ "*a", "ba", true },
		{ "*a", "ab", false },
		{ "a*", "a", true },
		{ "a*", "ba", false },
		{ "a*b", "ab", true },
		{ "a*b", "axxb", true },
		{ "a*b", "axbx", false },
		{ "a*b*c", "abbc", true },
		{ "a*b*c", "acb", false },
		{ "**", "x", true },
		{ "*.*", ".", true },
		{ "*.*", "x", false },
		{ "*ab", "aab", true },
		{ "*aab*", "aaab", true },
		{ "?", "a", false },
		{ "?", "?", true },
		{ "[a]", "a", false },
		{ "\\*", "*", false },
		{ "A", "a", false },
		{ "*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		    false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (ward_match_component(cases[i].pattern,
			strlen(cases[i].pattern), cases[i].name,
			strlen(cases[i].name)) != cases[i].matches)
			fail_msg("\"%s\" and \"%s\"", cases[i].pattern,
			    cases[i].name);
}

static void
test_pattern(void **state)
{
	static const struct {
		const char *prefix, *rest, *path;
		bool matches;
	} cases[] = {
		{ "/", "*", "/a", true },
		{ "/", "*", "/", false },
		{ "/", "*", "/a/b", false },
		{ "/", "*/b", "/a/b", true },
		{ "/a", "*", "/a/b", true },
		{ "/a", "*", "/a", false },
		{ "/a", "*", "/ab", false },
		{ "/a", "*", "/ab/c", false },
		{ "/a", "*", "/a/b/c", false },
		{ "/a", "b*/c", "/a/bb/c", true },
		{ "/a", "b*/c", "/a/bb", false },
		{ "/a", "b*/c", "/a/bb/c/d", false },
		{ "/*", "*", "/*/x", true },
		{ "/*", "*", "/y/x", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ward_pattern pattern;

		assert_int_equal(
		    ward_pattern_init(&pattern, cases[i].prefix, cases[i].rest),
		    0);
		if (ward_pattern_matches(&pattern, cases[i].path,
			strlen(cases[i].path)) != cases[i].matches)
			fail_msg("%s %s and %s", cases[i].prefix, cases[i].rest,
			    cases[i].path);
		ward_pattern_clear(&pattern);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_pattern),
	};

	return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
