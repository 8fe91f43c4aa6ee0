/* SPDX-License-Identifier: ISC */
/* Edits of assignments.conf: what is the admin's in it stays. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/assign.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define B            "{ name = \"b\"; profile = \"base\"; }"
#define C            "{ name = \"c\"; profile = \"base\"; }"
#define A(profile)   "{ name = \"a\"; profile = \"" profile "\"; }"

struct edit_case {
	const char *name;
	const char *text;
	const char *profile; /* for a; NULL: none */
	const char *made;    /* NULL: refused */
};

static const struct edit_case cases[] = {
	{ "nothing there", "", "base", "users:\n(\n\t" A("base") "\n);\n" },
	{ "only comments", "# users: ( );\n", "base",
	    "# users: ( );\nusers:\n(\n\t" A("base") "\n);\n" },
	{ "no newline at the end", "default = \"base\";", "strict",
	    "default = \"base\";\nusers:\n(\n\t" A("strict") "\n);\n" },
	{ "an empty list", "users: ( );\n", "base",
	    "users: (\n\t" A("base") "\n );\n" },
	{ "the empty list that an edit leaves", "users:\n(\n);\n", "base",
	    "users:\n(\n\t" A("base") "\n);\n" },
	{ "which it leaves again", "users:\n(\n\t" A("base") "\n);\n", NULL,
	    "users:\n(\n);\n" },
	{ "an array cannot hold it", "users = [];", "base", NULL },
	{ "one is there", "users: ( " B " );", "base",
	    "users: (\n\t" A("base") ", " B " );" },
	{ "the only one is replaced", "users: ( " A("base") " );", "strict",
	    "users: (\n\t" A("strict") "\n );" },
	{ "the first is replaced", "users: ( " A("base") ", " B " );", "strict",
	    "users: (\n\t" A("strict") ", " B " );" },
	{ "the last is replaced", "users: ( " B ", " A("base") " );", "strict",
	    "users: (\n\t" A("strict") ", " B " );" },
	{ "a list of the same name elsewhere",
	    "groups: ( { name = \"users\"; profile = \"base\"; } );\n", "base",
	    "groups: ( { name = \"users\"; profile = \"base\"; } );\n"
	    "users:\n(\n\t" A("base") "\n);\n" },
	{ "a group of that name stays",
	    "groups: ( " A("base") " );\nusers: ( );\n", "strict",
	    "groups: ( " A("base") " );\nusers: (\n\t" A("strict") "\n );\n" },
	{ "brackets in comments and strings",
	    "/* users: ( */ default = \"base\"; # ( {\nusers: ( " B " );",
	    "base",
	    "/* users: ( */ default = \"base\"; # ( {\nusers: (\n\t" A(
		"base") ", " B " );" },
	{ "taken out: a line of its own",
	    "users:\n(\n\t" A("base") ",\n\t" B "\n);\n", NULL,
	    "users:\n(\n\t" B "\n);\n" },
	{ "taken out: the last, with its comma",
	    "users:\n(\n\t" B ",\n\t" A("base") "\n);\n", NULL,
	    "users:\n(\n\t" B "\n);\n" },
	{ "taken out: between", "users: ( " B ", " A("base") ", " C " );", NULL,
	    "users: ( " B ", " C " );" },
	{ "taken out: not there", "users: ( " B " );", NULL,
	    "users: ( " B " );" },
	{ "taken out: no list", "# nothing\n", NULL, "# nothing\n" },
	{ "keys in the other order",
	    "users: ( { profile = \"base\"; name = \"a\"; } );", NULL,
	    "users: ( );" },
	{ "what is no assignments file is not edited", "users: ( { );", "base",
	    NULL },
	{ "nor one with an error", "usres: ( );", "base", NULL },
	{ "nor with a profile that cannot be", "", "No Profile", NULL },
};

static void
test_edits(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct edit_case *c = &cases[i];
		struct err err = { 0 };
		char *made = NULL;
		int r = ward_assign_edit(c->text, "a", c->profile, &made, &err);
		bool right = c->made == NULL
		    ? r != 0 && made == NULL && err.text[0] != '\0'
		    : r == 0 && strcmp(made, c->made) == 0;
		if (!right) {
			print_error("%s: %d, %s, \"%s\"\n", c->name, r,
			    err.text, made == NULL ? "(null)" : made);
			failed++;
		}
		free(made);
	}
	assert_int_equal(failed, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
