/* SPDX-License-Identifier: ISC */
/* Profiles that extend each other: what is merged, and what is refused. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profiles/compile.h"
#include "profiles/schema.h"
#include "tests/unit/profile_set.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct family_case {
	const char *name;
	const char *texts[FILES];
	const char *message; /* NULL: taken */
};

static const struct family_case family_cases[] = {
	{ "same name", { NAMED("x", ""), NAMED("y", ""), "\n" NAMED("x", "") },
	    "c.conf:2: a profile \"x\" is already in a.conf:1: give one of "
	    "them another name" },
	{ "slip in a parent",
	    { NAMED("base", ""), NAMED("x", "extends = ( \"bsae\" );") },
	    "b.conf:2: extends: there is no profile \"bsae\": did you mean "
	    "\"base\"?" },
	{ "circle of two",
	    { NAMED("x", "extends = ( \"y\" );"),
		NAMED("y", "\nextends = ( \"x\" );") },
	    "a.conf:2: extends: \"y\" comes back to \"x\" by b.conf:3: remove "
	    "one of the two" },
	{ "circle beside the way",
	    { NAMED("x", "extends = ( \"y\" );"),
		NAMED("y", "extends = ( \"z\" );"),
		NAMED("z", "extends = ( \"y\" );") },
	    "b.conf:2: extends: \"z\" comes back to \"y\" by c.conf:2: remove "
	    "one of the two" },
	{ "parents disagree",
	    { NAMED("x", "session: { shell = \"/bin/sh\"; };"),
		NAMED("y", "session: {\nshell = \"/bin/bash\"; };"),
		NAMED("z", "extends = ( \"x\", \"y\" );") },
	    "c.conf:2: extends: a.conf:2 and b.conf:3 disagree on "
	    "session.shell: set it in this profile" },
	{ "parents disagree on reads",
	    { NAMED("x", "filesystem: { read: { default = \"deny\"; }; };"),
		NAMED("y", "filesystem: { read: { default = \"allow\"; }; };"),
		NAMED("z", "extends = ( \"y\", \"x\" );") },
	    "c.conf:2: extends: a.conf:2 and b.conf:2 disagree on "
	    "filesystem.read.default: set it in this profile" },
	{ "parents agree",
	    { NAMED("x", "limits: { files = 512; };"),
		NAMED("y", "limits: { files = 512; };"),
		NAMED("z", "extends = ( \"x\", \"y\" );") },
	    NULL },
	{ "parents disagree on a variable",
	    { NAMED("x",
		  "environment: { set = ( { name = \"A\"; "
		  "value = \"1\"; } ); };"),
		NAMED("y",
		    "environment: { set = ( { name = \"A\"; "
		    "value = \"2\"; } ); };"),
		NAMED("z", "extends = ( \"x\", \"y\" );") },
	    "c.conf:2: extends: a.conf:2 and b.conf:2 disagree on "
	    "environment.set \"A\": set it in this profile" },
	{ "removal with a slip",
	    { NAMED("x", "filesystem: { read: { deny = ( \"/srv/a\" ); }; };"),
		NAMED("y",
		    "extends = ( \"x\" ); filesystem: {\nread: { deny "
		    "= ( \"!/srv/b\" ); }; };") },
	    "b.conf:3: filesystem.read.deny: \"!/srv/b\" removes nothing that "
	    "a parent gave: did you mean \"!/srv/a\"?" },
	{ "removal from another list",
	    { NAMED("x", "filesystem: { read: { deny = ( \"/srv/a\" ); }; };"),
		NAMED("y",
		    "extends = ( \"x\" ); filesystem: { read: { allow "
		    "= ( \"!/srv/a\" ); }; };") },
	    "b.conf:2: filesystem.read.allow: \"!/srv/a\" removes nothing "
	    "that a parent gave: remove it" },
	{ "removal of what a child gives",
	    { NAMED("x", "filesystem: { read: { deny = ( \"!/a\" ); }; };"),
		NAMED("y",
		    "extends = ( \"x\" ); filesystem: { read: { deny "
		    "= ( \"/a\" ); }; };") },
	    "a.conf:2: filesystem.read.deny: \"!/a\" removes nothing that a "
	    "parent gave: remove it" },
	{ "removal of a service that a parent does not give",
	    { NAMED("x", "services = ( \"sshd\" );"),
		NAMED("y", "extends = ( \"x\" ); services = ( \"!cron\" );") },
	    "b.conf:2: services: \"!cron\" removes nothing that a parent "
	    "gave: remove it" },
	{ "removal by another spelling",
	    { NAMED("x", "filesystem: { read: { deny = ( \"/srv/a\" ); }; };"),
		NAMED("y",
		    "extends = ( \"x\" ); filesystem: { read: { deny "
		    "= ( \"!//srv/./a/\" ); }; };") },
	    NULL },
	{ "a bad file fails the good ones",
	    { NAMED("x", ""), NAMED("y", "quux = 1;") },
	    "b.conf:2: unknown key quux: a profile has name, description, "
	    "extends, filesystem, network, unix_sockets, limits, session, "
	    "environment, "
	    "services, seal" },
};

static void
test_families(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(family_cases); i++) {
		const struct family_case *one = &family_cases[i];
		struct set set;
		size_t n = 0;

		while (n < FILES && one->texts[n] != NULL)
			n++;
		set = compile(one->texts, n);
		if (one->message == NULL)
			expect_taken(one->name, &set);
		else
			expect_error(one->name, &set, one->message);
		clear(&set);
	}
}

#define BASE                                                                   \
	NAMED("base",                                                          \
	    "limits: { files = 512; processes = 100; };\n"                     \
	    "filesystem: {\n"                                                  \
	    "read: { deny = ( \"/a\", \"/b\" ); };\n"                          \
	    "write: { allow = ( \"~/\" ); }; };\n"                             \
	    "environment: { pass = ( \"LANG\", \"LC_*\" );"                    \
	    " set = ( { name = \"A\"; value = \"1\"; },"                       \
	    " { name = \"B\"; value = \"1\"; } ); };\n")
#define LEFT                                                                   \
	NAMED("left",                                                          \
	    "extends = ( \"base\" );\n"                                        \
	    "limits: { files = 1024; };\n"                                     \
	    "filesystem: { read: { deny = ( \"!/a\", \"/l\" ); "               \
	    "}; };\n"                                                          \
	    "environment: { set = ( { name = \"A\"; value = \"2\"; "           \
	    "}, \"!B\" ); };\n")
#define RIGHT                                                                  \
	NAMED("right",                                                         \
	    "extends = ( \"base\" );\n"                                        \
	    "services = ( \"!atd\" );\n"                                       \
	    "filesystem: { read: { deny = ( \"/b\" ); }; };")
#define BOTH(parents) NAMED("both", "extends = ( " parents " );")

static void
check_both(const struct set *set, const char *base, const char *left,
    const char *right)
{
	const struct ward_profile *p =
	    ward_compiled_find(&set->compiled, "both");

	assert_non_null(p);
	/* left overrides base, though right has base's value */
	assert_int_equal(p->limits.files, 1024);
	assert_int_equal(p->limits.processes, 100);
	assert_int_equal(p->n_rules, 3);
	assert_null(find_rule(p, WARD_READ_DENY, "/a"));
	expect_rule(p, WARD_READ_DENY, "/b", right, 4);
	expect_rule(p, WARD_READ_DENY, "/l", left, 4);
	expect_rule(p, WARD_WRITE_ALLOW, "~", base, 5);
	assert_int_equal(p->n_env_pass, 2);
	assert_int_equal(p->n_env_set, 1);
	assert_string_equal(p->env_set[0].name, "A");
	assert_string_equal(p->env_set[0].value, "2");
	assert_int_equal(p->n_services, ward_n_services - 1);
	for (size_t i = 0; i < p->n_services; i++)
		assert_string_not_equal(p->services[i], "atd");
}

/* The order of files and of parents means nothing. */
static void
test_extends(void **state)
{
	static const struct {
		const char *texts[4];
		const char *base, *left, *right;
	} orders[] = {
		{ { BASE, LEFT, RIGHT, BOTH("\"left\", \"right\"") }, "a.conf",
		    "b.conf", "c.conf" },
		{ { BASE, LEFT, RIGHT, BOTH("\"right\", \"left\"") }, "a.conf",
		    "b.conf", "c.conf" },
		{ { BOTH("\"right\", \"left\""), RIGHT, LEFT, BASE }, "d.conf",
		    "c.conf", "b.conf" },
		{ { RIGHT, BOTH("\"left\", \"right\", \"base\""), BASE, LEFT },
		    "c.conf", "d.conf", "a.conf" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(orders); i++) {
		struct set set = compile(orders[i].texts, 4);

		expect_taken("extends", &set);
		check_both(
		    &set, orders[i].base, orders[i].left, orders[i].right);
		clear(&set);
	}
}

static void
test_sources(void **state)
{
	static const char *const texts[] = { RIGHT, NAMED("x", ""), LEFT,
		BASE };
	struct set set = compile(texts, 4);
	const struct ward_compiled_profile *all = set.compiled.profiles;

	(void)state;
	expect_taken("sources", &set);
	assert_int_equal(set.compiled.n, 4);
	assert_int_equal(all[0].n_sources, 2);
	assert_int_equal(all[0].sources[0], 0);
	assert_int_equal(all[0].sources[1], 3);
	assert_int_equal(all[1].n_sources, 1);
	assert_int_equal(all[1].sources[0], 1);
	assert_int_equal(all[2].n_sources, 2);
	assert_int_equal(all[3].n_sources, 1);
	assert_null(ward_compiled_find(&set.compiled, "nobody"));
	clear(&set);
}

static void
test_services(void **state)
{
	static const char *const texts[] = {
		NAMED("x", "services = ( \"sshd\" );"),
		NAMED("y", "extends = ( \"x\" ); services = ( \"cron\" );"),
		NAMED("z", "extends = ( \"y\" ); services = ( \"!sshd\" );"),
		NAMED("none", "services = ( );"),
	};
	static const size_t counts[] = { 1, 2, 1, 0 };
	struct set set = compile(texts, 4);

	(void)state;
	expect_taken("services", &set);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(
		    set.compiled.profiles[i].profile->n_services, counts[i]);
	assert_string_equal(
	    set.compiled.profiles[2].profile->services[0], "cron");
	clear(&set);
}

/* The list that is built in is everybody's parent. */
static void
test_protect(void **state)
{
	static const char *const texts[] = {
		NAMED("x",
		    "filesystem: { protect = ( \".Deploy.yml\", "
		    "\"!.envrc\", \"!.idea\" ); };"),
		NAMED("y",
		    "extends = ( \"x\" );\nfilesystem: { protect = ( "
		    "\"!.deploy.yml\", \".envrc\", \"!.vscode\" "
		    "); };"),
		NAMED("z",
		    "extends = ( \"y\" ); filesystem: { protect = ( "
		    "\"!.Envrc\", \"!.IDEA\" ); };"),
		NAMED("w", ""),
	};
	struct set set = compile(texts, 4);
	const struct ward_profile *p;

	(void)state;
	expect_taken("protect", &set);
	p = set.compiled.profiles[0].profile;
	assert_int_equal(p->n_rules, 3);
	expect_rule(p, WARD_PROTECT, ".deploy.yml", "a.conf", 2);
	expect_rule(p, WARD_UNPROTECT, ".envrc", "a.conf", 2);
	expect_rule(p, WARD_UNPROTECT, ".idea", "a.conf", 2);
	p = set.compiled.profiles[1].profile;
	assert_int_equal(p->n_rules, 3);
	expect_rule(p, WARD_PROTECT, ".envrc", "b.conf", 3);
	expect_rule(p, WARD_UNPROTECT, ".idea", "a.conf", 2);
	expect_rule(p, WARD_UNPROTECT, ".vscode", "b.conf", 3);
	p = set.compiled.profiles[2].profile;
	assert_int_equal(p->n_rules, 3);
	expect_rule(p, WARD_UNPROTECT, ".envrc", "c.conf", 2);
	expect_rule(p, WARD_UNPROTECT, ".idea", "c.conf", 2);
	expect_rule(p, WARD_UNPROTECT, ".vscode", "b.conf", 3);
	assert_int_equal(set.compiled.profiles[3].profile->n_rules, 0);
	clear(&set);
}

static void
test_line_of_parents(void **state)
{
	struct ward_profile_source sources[10];
	char texts[10][100], files[10][8];
	struct ward_compiled compiled;
	struct ward_diagnostics findings = { 0 };
	struct err err = { 0 };

	(void)state;
	for (int i = 0; i < 10; i++) {
		(void)snprintf(files[i], sizeof(files[i]), "%d.conf", i);
		(void)snprintf(texts[i], sizeof(texts[i]),
		    i == 0 ? "profile: { name = \"p%d\"; };"
			   : "profile: { name = \"p%d\"; extends = ( \"p%d\" "
			     "); };",
		    i, i - 1);
		sources[i] = (struct ward_profile_source){ files[i], texts[i],
			strlen(texts[i]) };
	}
	assert_int_equal(
	    ward_profiles_compile(sources, 8, &compiled, &findings, &err), 0);
	assert_int_equal(compiled.profiles[7].n_sources, 8);
	ward_compiled_clear(&compiled);
	assert_int_equal(
	    ward_profiles_compile(sources, 9, &compiled, &findings, &err),
	    -EINVAL);
	assert_string_equal(err.text,
	    "8.conf:1: extends: the line of parents is longer than 8: name "
	    "the ones that are needed directly");
	ward_diagnostics_clear(&findings);
}

/* What fits each file does not fit the record that wardsh gets. */
static void
environment_too_long(void **state)
{
	char texts[2][8192];
	const char *const both[] = { texts[0], texts[1] };

	(void)state;
	for (int i = 0; i < 2; i++)
		(void)snprintf(texts[i], sizeof(texts[i]),
		    "profile: { name = \"%c\"; %s environment: { set = ( { "
		    "name = \"%c\"; value = \"%03000d\"; } ); }; };",
		    'a' + i, i == 1 ? "extends = ( \"a\" );" : "", 'A' + i, 7);
	struct set one = compile(both, 1);
	assert_int_equal(one.r, 0);
	clear(&one);
	struct set set = compile(both, 2);
	expect_error("too long", &set,
	    "b.conf: environment: pass and set have 6006 bytes with the "
	    "parents', of 6000: shorten values, or set them in a file of the "
	    "home");
	clear(&set);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(environment_too_long),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_extends),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_services),
		cmocka_unit_test(test_protect),
		cmocka_unit_test(test_line_of_parents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
