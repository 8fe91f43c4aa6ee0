/* SPDX-License-Identifier: ISC */
/* Which account has which profile: the file, and who wins. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profiles/assignments.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FILE_NAME    "assignments.conf"

struct result {
	struct ward_assignments assignments;
	struct ward_diagnostics findings;
	struct err err;
	int r;
};

static struct result
parse(const char *text)
{
	struct result result = { 0 };

	result.r = ward_assignments_parse(FILE_NAME, text, strlen(text),
	    &result.assignments, &result.findings, &result.err);
	return result;
}

static void
clear(struct result *result)
{
	ward_assignments_clear(&result->assignments);
	ward_diagnostics_clear(&result->findings);
}

struct refused_case {
	const char *text;
	const char *message; /* behind the file's name */
};

#define USER(name, profile)                                                    \
	"users: ( { name = \"" name "\"; profile = \"" profile "\"; } );"

static const struct refused_case refused_cases[] = {
	{ "usres: ( );", ":1: unknown key usres: did you mean users?" },
	{ "assignments: ( );",
	    ":1: unknown key assignments: the file has users, groups and "
	    "default" },
	{ "users: { builder = \"base\"; };",
	    ":1: users wants a list, such as users = ( { name = \"builder\"; "
	    "profile = \"base\"; } );" },
	{ "groups = \"agents\";",
	    ":1: groups wants a list, such as groups = ( { name = "
	    "\"builder\"; profile = \"base\"; } );" },
	{ "users: (\n\"builder\"\n);",
	    ":2: users: an entry is a group, such as { name = \"builder\"; "
	    "profile = \"base\"; }" },
	{ "users: ( ( \"builder\", \"base\" ) );",
	    ":1: users: an entry is a group, such as { name = \"builder\"; "
	    "profile = \"base\"; }" },
	{ "users: (\n{ name = \"builder\"; } );",
	    ":2: users: an entry wants both name and profile, such as { name "
	    "= \"builder\"; profile = \"base\"; }" },
	{ "groups: (\n{ } );",
	    ":2: groups: an entry wants both name and profile, such as { name "
	    "= \"builder\"; profile = \"base\"; }" },
	{ "users: (\n{ nmae = \"builder\";\nprofile = \"base\"; } );",
	    ":2: unknown key nmae: did you mean name?" },
	{ "users: ( { user = \"builder\"; profile = \"base\"; } );",
	    ":1: unknown key user: an assignment has name and profile" },
	{ "users: ( { name = 1000; profile = \"base\"; } );",
	    ":1: name wants a string, such as name = \"builder\";" },
	{ "users: ( { name = \"builder\";\nprofile = ( \"base\" ); } );",
	    ":2: profile wants a string, such as profile = \"base\";" },
	{ USER("", "base"),
	    ":1: \"\" is no name of a user: write one as getent passwd prints "
	    "it" },
	{ USER("*", "base"),
	    ":1: \"*\" is no name of a user: write one as getent passwd "
	    "prints it; what holds for all others is default = \"...\";" },
	{ USER("1000", "base"),
	    ":1: \"1000\" is no name of a user: write one as getent passwd "
	    "prints it" },
	{ USER("a:b", "base"),
	    ":1: \"a:b\" is no name of a user: write one as getent passwd "
	    "prints it" },
	{ USER("a\\nb", "base"),
	    ":1: \"a\\x0ab\" is no name of a user: write one as getent passwd "
	    "prints it" },
	{ "groups: ( { name = \"a/b\"; profile = \"base\"; } );",
	    ":1: \"a/b\" is no name of a group: write one as getent group "
	    "prints it" },
	{ USER("root", "base"),
	    ":1: users: root is never confined: remove it" },
	{ USER("builder", "Base"),
	    ":1: \"Base\" is no name of a profile: write a lower-case letter, "
	    "then up to 31 of a-z, 0-9 and -" },
	{ "users: (\n{ name = \"a\"; profile = \"base\"; },\n"
	  "{ name = \"a\"; profile = \"strict\"; } );",
	    ":3: users: \"a\" already has a profile on line 2: keep one" },
	{ "groups: (\n{ name = \"a\"; profile = \"base\"; },\n"
	  "{ name = \"a\"; profile = \"base\"; } );",
	    ":3: groups: \"a\" already has a profile on line 2: keep one" },
	{ "default = ( \"strict\" );",
	    ":1: default wants the name of a profile, such as default = "
	    "\"strict\";" },
	{ "default = \"\";",
	    ":1: \"\" is no name of a profile: write a lower-case letter, "
	    "then up to 31 of a-z, 0-9 and -" },
	{ "default = \"a\";\ndefault = \"b\";",
	    ":2: default is given twice, first on line 1: keep one" },
	{ "default = strict;", ":1: strict is not quoted: write \"strict\"" },
	{ "\n@include \"x\"",
	    ":2: @include and the like are not taken: a profile names others "
	    "with extends = ( \"name\" );" },
	{ "users: (\n{ name = \"a\"; profile = \"b\"; }\n"
	  "{ name = \"c\"; profile = \"d\"; } );",
	    ":3: { stands where a comma or ) should be" },
};

static void
test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refused_cases); i++) {
		const struct refused_case *one = &refused_cases[i];
		struct result result = parse(one->text);
		char message[600];

		(void)snprintf(
		    message, sizeof(message), FILE_NAME "%s", one->message);
		if (result.r != -EINVAL || result.assignments.n != 0)
			fail_msg("%s: %d", one->text, result.r);
		if (strcmp(result.err.text, message) != 0)
			fail_msg("%s:\n  is   %s\n  want %s", one->text,
			    result.err.text, message);
		clear(&result);
	}
}

/* One run shows all of it. */
static void
test_all_findings(void **state)
{
	struct result result = parse("quux = 1;\n"
				     "users: ( 1,\n2 );\n"
				     "groups: ( 3 );\n"
				     "default = 4;");

	(void)state;
	assert_int_equal(result.r, -EINVAL);
	assert_int_equal(result.findings.n, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(result.findings.items[i].line, i + 1);
	clear(&result);
}

#define SAMPLE                                                                 \
	"default = \"strict\";\n"                                              \
	"groups:\n(\n"                                                         \
	"  { name = \"domain users\"; profile = \"wide\"; },\n"                \
	"  { profile = \"narrow\"; name = \"agents\"; }\n"                     \
	");\n"                                                                 \
	"users: (\n  { name = \"builder\"; profile = \"base\"; },\n"           \
	"  { name = \"_x.y@example.org\"; profile = \"base\"; } );\n"

struct winner_case {
	const char *user;
	const char *groups[3];
	const char *profile;
	unsigned line;
};

static void
test_winner(void **state)
{
	static const struct winner_case cases[] = {
		{ "builder", { "agents" }, "base", 8 },
		{ "builder", { NULL }, "base", 8 },
		{ "_x.y@example.org", { NULL }, "base", 9 },
		{ "other", { "agents" }, "narrow", 5 },
		{ "other", { "agents", "domain users" }, "wide", 4 },
		{ "other", { "domain users", "agents" }, "wide", 4 },
		{ "other", { "builder" }, "strict", 1 },
		{ "agents", { NULL }, "strict", 1 },
		{ "", { NULL }, "strict", 1 },
	};
	struct result result = parse(SAMPLE);

	(void)state;
	assert_int_equal(result.r, 0);
	assert_int_equal(result.assignments.n, 5);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct winner_case *one = &cases[i];
		const struct ward_assignment *item;
		size_t n = 0;

		while (n < 3 && one->groups[n] != NULL)
			n++;
		item = ward_assignments_find(
		    &result.assignments, one->user, one->groups, n);
		if (item == NULL)
			fail_msg("case %zu: nobody", i);
		else if (strcmp(item->profile, one->profile) != 0 ||
		    item->origin.line != one->line ||
		    strcmp(item->origin.file, FILE_NAME) != 0)
			fail_msg("case %zu: %s of line %u", i, item->profile,
			    item->origin.line);
	}
	clear(&result);
}

static void
test_nobody(void **state)
{
	static const char *const groups[] = { "agents" };
	struct result empty = parse("# nothing yet\n");
	struct result others = parse(USER("builder", "base"));

	(void)state;
	assert_int_equal(empty.r, 0);
	assert_int_equal(empty.assignments.n, 0);
	assert_null(
	    ward_assignments_find(&empty.assignments, "builder", groups, 1));
	assert_int_equal(others.r, 0);
	assert_null(
	    ward_assignments_find(&others.assignments, "other", groups, 1));
	clear(&empty);
	clear(&others);
}

static void
test_check(void **state)
{
	static const char *const all[] = { "base", "strict", "wide", "narrow" };
	static const char *const some[] = { "base", "strcit", "narrow" };
	struct result result = parse(SAMPLE);

	(void)state;
	assert_int_equal(ward_assignments_check(&result.assignments, all, 4,
			     &result.findings, &result.err),
	    0);
	assert_int_equal(ward_assignments_check(&result.assignments, some, 3,
			     &result.findings, &result.err),
	    -EINVAL);
	assert_string_equal(result.err.text,
	    FILE_NAME ":4: there is no profile \"wide\": wardctl profile list "
		      "names them");
	assert_int_equal(result.findings.n, 2);
	assert_string_equal(result.findings.items[1].text,
	    "there is no profile \"strict\": did you mean \"strcit\"?");
	clear(&result);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_all_findings),
		cmocka_unit_test(test_winner),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
