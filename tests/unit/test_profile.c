/* SPDX-License-Identifier: ISC */
/* One profile from text: what is refused, and where rules come from. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/compile.h"
#include "profiles/nearest.h"
#include "profiles/schema.h"
#include "profiles/text.h"
#include "tests/unit/profile_cases.h"
#include "tests/unit/profile_set.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_profile_cases; i++) {
		const struct profile_case *one = &profile_cases[i];
		struct set set = compile_one(one->text);
		char message[700];

		(void)snprintf(message, sizeof(message), "a.conf:%u: %s",
		    one->line, one->message);
		expect_error(one->name, &set, message);
		clear(&set);
	}
}

/* What must not be mistaken for what is refused. */
static void
test_taken(void **state)
{
	static const char *const texts[] = {
		NAMED("p", "description = \"9999999999 @include // # /* \";"),
		NAMED("p", "# 9999999999 \\x00 ' @include \"x\"\n"),
		NAMED("p", "// \" unclosed\n"),
		NAMED("p", "/* \"\n ' \\x00 ( { @include \"x\" */"),
		NAMED("p", "/**//***//*/*/"),
		NAMED("p", "description = \"a \\\" \\\\\" \" b\"\n\" c\";"),
		NAMED("p", "description = \"\\x41\\X2f\";"),
		NAMED("p", "description = \"\xc3\xa9 \xe4\xb8\xad\";"),
		NAMED("p", "limits = { files : 2048, processes = 100 }"),
		NAMED("p", "seal: { debug = TRUE, multilib = fALSE; }"),
		NAMED("p", "services = [ \"sshd\", \"su\" ];"),
		NAMED("p", "services = ( ); extends = [ ];"),
		NAMED("p", "filesystem: { read: { deny = [ \"/\" ]; }; };"),
		NAMED("p", "filesystem: { write: { deny = ( \"/\" ); }; };"),
		NAMED("p",
		    "filesystem: { read: { allow = ( \"~\", "
		    "\"/srv/*/secrets\", \"~/.env*\", \"/a..b/...\" );"
		    " }; };"),
		NAMED("p",
		    "filesystem: { read: { deny = ( \"/tmpfoo\", "
		    "\"/proc2\" ); }; };"),
		NAMED("p",
		    "limits: { files = \"unlimited\"; processes = 16; "
		    "tmp = 1048576; file_size = \"4K\"; };"),
		NAMED("p", "session: { linger = 60; observe = \"none\"; };"),
		NAMED("p", "session: { grace = \"unlimited\"; };"),
		NAMED("p", "session: { grace = \"30d\"; };"),
		NAMED("a2345678901234567890123456789-12", ""),
		"profile={name=\"p\"}# no newline at the end",
		"\r\n\f\tprofile : { name = \"p\" }\r\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct set set = compile_one(texts[i]);

		expect_taken(texts[i], &set);
		assert_int_equal(set.findings.n, 0);
		clear(&set);
	}
}

static void
test_defaults(void **state)
{
	struct set set = compile_one(NAMED("p", ""));
	const struct ward_profile *p;

	(void)state;
	expect_taken("defaults", &set);
	assert_int_equal(set.compiled.n, 1);
	p = set.compiled.profiles[0].profile;
	assert_string_equal(p->name, "p");
	assert_string_equal(p->description, "");
	assert_true(p->read_default_allow);
	assert_string_equal(p->read_default_origin.file, "built-in");
	assert_int_equal(p->read_default_origin.line, 0);
	assert_int_equal(p->n_rules, 0);
	assert_string_equal(p->shell, "/bin/bash");
	assert_int_equal(p->scope, WARD_SCOPE_ACCOUNT);
	assert_int_equal(p->linger, 0);
	assert_true(p->grace == WARD_UNLIMITED);
	assert_int_equal(p->limits.processes, 4096);
	assert_true(p->limits.files == WARD_UNLIMITED);
	assert_true(p->limits.file_size == WARD_UNLIMITED);
	assert_true(p->limits.memory == WARD_UNLIMITED);
	assert_int_equal(p->limits.tmp, 1 << 30);
	assert_false(p->seal.multilib);
	assert_false(p->seal.nested_userns);
	assert_true(p->seal.debug);
	assert_true(p->seal.observe);
	assert_int_equal(p->n_env_pass, 0);
	assert_int_equal(p->n_env_set, 0);
	assert_int_equal(p->n_services, ward_n_services);
	for (size_t i = 0; i < ward_n_services; i++)
		assert_string_equal(p->services[i], ward_services[i]);
	clear(&set);
}

/* libconfig itself gives a string the line of the word behind it. */
static void
test_lines(void **state)
{
	struct set set = compile_one("profile: { name = \"p\"; filesystem: {\n"
				     "read: {\n"
				     "default =\n"
				     "\"deny\";\n"
				     "deny = (\n"
				     "\"/a\",\n"
				     "\"/b\"\n"
				     "\n"
				     ", \"/c\" # x\n"
				     "\n"
				     ");\n"
				     "allow = [ \"/d\"\n"
				     "]; }; }; };");
	const struct ward_profile *p;

	(void)state;
	expect_taken("lines", &set);
	p = set.compiled.profiles[0].profile;
	assert_false(p->read_default_allow);
	assert_string_equal(p->read_default_origin.file, "a.conf");
	assert_int_equal(p->read_default_origin.line, 3);
	assert_int_equal(p->n_rules, 4);
	expect_rule(p, WARD_READ_DENY, "/a", "a.conf", 6);
	expect_rule(p, WARD_READ_DENY, "/b", "a.conf", 7);
	expect_rule(p, WARD_READ_DENY, "/c", "a.conf", 9);
	expect_rule(p, WARD_READ_ALLOW, "/d", "a.conf", 12);
	clear(&set);
}

static void
test_warning(void **state)
{
	struct set set =
	    compile_one(NAMED("p", "limits: {\nmemory = \"4G\"; };"));

	(void)state;
	expect_taken("memory", &set);
	assert_int_equal(set.findings.n, 1);
	assert_int_equal(set.findings.n_errors, 0);
	assert_int_equal(set.findings.items[0].severity, WARD_WARNING);
	assert_int_equal(set.findings.items[0].line, 3);
	assert_string_equal(set.findings.items[0].text,
	    "limits.memory is not enforced by this version: processes can use "
	    "more");
	assert_true(set.compiled.profiles[0].profile->limits.memory ==
	    UINT64_C(4) << 30);
	clear(&set);
}

/* One run shows everything, in the order of files and lines. */
static void
test_all_findings(void **state)
{
	static const char *const texts[] = {
		"profile: { x = 1;\ny = 2;\nlimits: { files = 1; };\n"
		"filesystem: { read: { deny = ( \"a\",\n\"b\" ); }; }; };",
		"profile: {",
		NAMED("p", "services = 1;"),
	};
	static const unsigned lines[] = { 1, 2, 3, 4, 5, 1, 1, 2 };
	struct set set = compile(texts, 3);

	(void)state;
	assert_int_equal(set.r, -EINVAL);
	assert_int_equal(set.findings.n, COUNT(lines));
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_int_equal(set.findings.items[i].line, lines[i]);
	clear(&set);
}

/* A text of many equal parts. */
static char *
repeat(const char *before, const char *part, size_t n, const char *after)
{
	size_t size = strlen(before) + n * strlen(part) + strlen(after) + 1;
	char *text = malloc(size), *p = text;

	assert_non_null(text);
	p = stpcpy(p, before);
	for (size_t i = 0; i < n; i++)
		p = stpcpy(p, part);
	(void)stpcpy(p, after);
	return text;
}

static void
expect_repeated(const char *name, char *text, const char *message)
{
	struct set set = compile_one(text);

	if (message == NULL)
		expect_taken(name, &set);
	else
		expect_error(name, &set, message);
	clear(&set);
	free(text);
}

static void
test_limits(void **state)
{
	const char *path = "profile: { name = \"p\"; filesystem: { read: { "
			   "deny = ( \"/";
	const char *many = "a.conf:1: services has 1025 entries, and 1024 are "
			   "the limit: name directories rather than what is "
			   "in them";

	(void)state;
	expect_repeated("longest path",
	    repeat(path, "a", PATH_MAX - 2, "\" ); }; }; };"), NULL);
	expect_repeated("many entries",
	    repeat("profile: { services = ( 1", ", 1", 1024, " ); };"), many);
	expect_repeated("file too large", repeat("#", "x", WARD_TEXT_MAX, "\n"),
	    "a.conf: the file is too large: 1048578 bytes, and 1048576 are "
	    "the limit");
	expect_repeated("largest file",
	    repeat("profile: { name = \"p\" }", "#", WARD_TEXT_MAX - 23, ""),
	    NULL);
	/* as deep as the check lets pass: libconfig reads it */
	expect_repeated("deepest",
	    repeat("profile: { services = ", "(", 15, "1)))))))))))))));};"),
	    "a.conf:1: services: a list stands in the list: it wants strings, "
	    "such as ( \"sshd\", \"cron\" )");
}

static void
test_long_path(void **state)
{
	char *text =
	    repeat("profile: { name = \"p\"; filesystem: { read: { deny "
		   "= ( \"/",
		"a", PATH_MAX - 1, "\" ); }; }; };");
	struct set set = compile_one(text);

	(void)state;
	assert_int_equal(set.r, -EINVAL);
	assert_non_null(strstr(set.err.text, "filesystem.read.deny: \"/aaaa"));
	assert_non_null(strstr(set.err.text,
	    "aa...\" is longer than the kernel takes (4095 bytes)"));
	clear(&set);
	free(text);
}

static void
test_many_findings(void **state)
{
	char *text = repeat("profile: { services = ( 1", ", 1", 200, " ); };");
	struct set set = compile_one(text);

	(void)state;
	assert_int_equal(set.r, -EINVAL);
	assert_int_equal(set.findings.n, 100);
	assert_int_equal(set.findings.n_dropped, 102);
	clear(&set);
	free(text);
}

static void
test_nul(void **state)
{
	static const char text[] = "profile: {\n} \0 }";
	const struct ward_profile_source source = { "a.conf", text,
		sizeof(text) };
	struct set set = { 0 };

	(void)state;
	set.r = ward_profiles_compile(
	    &source, 1, &set.compiled, &set.findings, &set.err);
	expect_error("NUL", &set, "a.conf:2: NUL byte: this is no text file");
	clear(&set);
}

static char *
read_shipped(const char *name)
{
	const char *top = getenv("srcdir");
	char path[600];
	char *text = calloc(1, WARD_TEXT_MAX);
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/profiles/%s",
	    top != NULL ? top : ".", name);
	file = fopen(path, "re");
	if (file == NULL || text == NULL)
		fail_msg("%s: %s", path, strerror(errno));
	assert_true(fread(text, 1, WARD_TEXT_MAX - 1, file) > 0);
	(void)fclose(file);
	return text;
}

/* What is shipped holds, and says what its comments say. */
static void
test_shipped(void **state)
{
	char *base = read_shipped("base.conf"),
	     *strict = read_shipped("strict.conf");
	const char *texts[] = { base, strict };
	struct set set = compile(texts, 2);
	const struct ward_profile *p;

	(void)state;
	expect_taken("shipped", &set);
	assert_int_equal(set.findings.n, 0);
	p = ward_compiled_find(&set.compiled, "base");
	assert_non_null(p);
	assert_true(p->read_default_allow);
	assert_non_null(find_rule(p, WARD_READ_DENY, "/home"));
	assert_non_null(find_rule(p, WARD_READ_DENY, "/root"));
	assert_non_null(find_rule(p, WARD_WRITE_ALLOW, "~"));
	assert_int_equal(p->n_services, ward_n_services);
	p = ward_compiled_find(&set.compiled, "strict");
	assert_non_null(p);
	assert_false(p->read_default_allow);
	assert_non_null(find_rule(p, WARD_READ_ALLOW, "/usr"));
	assert_non_null(find_rule(p, WARD_READ_DENY, "/home"));
	assert_non_null(find_rule(p, WARD_WRITE_ALLOW, "~"));
	assert_true(p->n_env_pass > 0);
	clear(&set);
	free(base);
	free(strict);
}

/* The table itself: every default is a value, every row is whole. */
static void
test_schema(void **state)
{
	(void)state;
	for (size_t i = 0; i < WARD_KEY_COUNT; i++) {
		const struct ward_key *key = &ward_keys[i];
		enum ward_key_id id = (enum ward_key_id)i;
		uint64_t number;

		if (key->path == NULL || ward_key_find(key->path) != id)
			fail_msg("row %zu has no path of its own", i);
		if (key->help == NULL)
			fail_msg("%s has no help", key->path);
		if (key->type == WARD_TYPE_GROUP)
			continue;
		if (key->example == NULL)
			fail_msg("%s has no example", key->path);
		if (key->type >= WARD_TYPE_CHOICE &&
		    key->type <= WARD_TYPE_DURATION &&
		    ward_key_number(id, key->initial, &number) != 0)
			fail_msg("%s has no default", key->path);
	}
	assert_string_equal(
	    ward_keys[WARD_KEY_READ_DEFAULT].choices[WARD_CHOICE_DENY], "deny");
	assert_string_equal(
	    ward_keys[WARD_KEY_SCOPE].choices[WARD_CHOICE_SESSION], "session");
	assert_string_equal(
	    ward_keys[WARD_KEY_OBSERVE].choices[WARD_CHOICE_NOTHING], "none");
}

static void
test_nearest(void **state)
{
	static const char *const names[] = { "deny", NULL, "default",
		"description" };
	static const struct {
		const char *written, *near;
	} cases[] = {
		{ "deny", "deny" },
		{ "dney", "deny" },
		{ "den", "deny" },
		{ "desription", "description" },
		{ "descriptoin", "description" },
		{ "defualts", "default" },
		{ "allow", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *near =
		    ward_nearest(cases[i].written, names, COUNT(names));

		if ((near == NULL) != (cases[i].near == NULL) ||
		    (near != NULL && strcmp(near, cases[i].near) != 0))
			fail_msg("%s: %s", cases[i].written,
			    near == NULL ? "nothing" : near);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_warning),
		cmocka_unit_test(test_all_findings),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_long_path),
		cmocka_unit_test(test_many_findings),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_shipped),
		cmocka_unit_test(test_schema),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
