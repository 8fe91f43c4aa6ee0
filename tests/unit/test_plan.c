/* SPDX-License-Identifier: ISC */
/*
 * The plan: every case of plan_cases.c, with its rules in every order, and what
 * needs more than a table.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/path.h"
#include "profiles/plan.h"
#include "tests/unit/fake_fs.h"
#include "tests/unit/plan_cases.h"
#include "tests/unit/plan_setting.h"

static const struct ward_plan_account agent = { "agent", "/home/agent" };

static unsigned
line_of(const struct ward_rule *rule)
{
	assert_non_null(rule);
	if (rule->origin.line == 0)
		assert_string_equal(rule->origin.file, "built-in");
	else
		assert_string_equal(rule->origin.file, plan_setting_file);
	return rule->origin.line;
}

static char
letter(enum ward_state state)
{
	return "hrw"[state];
}

static char *
print_entries(const struct ward_plan *plan)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; i < plan->n_entries; i++)
		(void)fprintf(out, "%s%s=%c%s@%u", i == 0 ? "" : " ",
		    plan->entries[i].path, letter(plan->entries[i].state),
		    plan->entries[i].is_directory ? "" : "f",
		    line_of(plan->entries[i].rule));
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *
print_links(const struct ward_plan *plan)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; i < plan->n_links; i++)
		(void)fprintf(out, "%s%s>%s", i == 0 ? "" : " ",
		    plan->links[i].at, plan->links[i].text);
	assert_int_equal(fclose(out), 0);
	return text;
}

static char
socket_letter(enum ward_socket_state state)
{
	return "coa"[state];
}

/* All of the plan and its decisions: two equal texts are two equal plans. */
static char *
print_plan(const struct plan_setting *s, const struct ward_plan *plan)
{
	char *text = NULL, *part;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	part = print_entries(plan);
	(void)fprintf(out, "%s\n", part);
	free(part);
	part = print_links(plan);
	(void)fprintf(out, "%s\n", part);
	free(part);
	for (size_t i = 0; i < plan->n_notes; i++)
		(void)fprintf(out, "%u:%s\n", line_of(plan->notes[i].rule),
		    plan->notes[i].text);
	for (size_t i = 0; i < s->fs.n_nodes; i++) {
		struct ward_verdict v =
		    ward_plan_decide(plan, s->fs.nodes[i].path);

		struct ward_socket_verdict w =
		    ward_plan_decide_socket(plan, s->fs.nodes[i].path);

		(void)fprintf(out, "%s %c %u %u %u %c %u\n",
		    s->fs.nodes[i].path, letter(v.state), line_of(v.rule),
		    line_of(v.read), line_of(v.write), socket_letter(w.state),
		    line_of(w.rule));
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

static void
check_decides(const struct plan_case *c, const struct ward_plan *plan)
{
	char *copy = strdup(c->decides == NULL ? "" : c->decides);
	char *rest = copy, *word;

	while ((word = strsep(&rest, " ")) != NULL) {
		char *expected = strrchr(word, '=');
		struct ward_verdict v;
		char *got = NULL;

		if (expected == NULL)
			break;
		*expected++ = '\0';
		v = ward_plan_decide(plan, word);
		assert_true(asprintf(&got, "%c@%u", letter(v.state),
				line_of(v.rule)) > 0);
		if (strcmp(got, expected) != 0)
			fail_msg("%s:%d: %s: %s is %s, not %s", c->file,
			    c->line, c->name, word, got, expected);
		free(got);
	}
	free(copy);
}

static void
check_sockets(const struct plan_case *c, const struct ward_plan *plan)
{
	char *copy = strdup(c->sockets == NULL ? "" : c->sockets);
	char *rest = copy, *word;

	while ((word = strsep(&rest, " ")) != NULL) {
		char *expected = strrchr(word, '=');
		struct ward_socket_verdict v;
		char *got = NULL;

		if (expected == NULL)
			break;
		*expected++ = '\0';
		v = ward_plan_decide_socket(plan, word);
		assert_non_null(v.rule);
		assert_true(asprintf(&got, "%c@%u", socket_letter(v.state),
				line_of(v.rule)) > 0);
		if (strcmp(got, expected) != 0)
			fail_msg("%s:%d: %s: a socket at %s is %s, not %s",
			    c->file, c->line, c->name, word, got, expected);
		free(got);
	}
	free(copy);
}

static void
check_notes(const struct plan_case *c, const struct ward_plan *plan)
{
	char *copy = strdup(c->notes == NULL ? "" : c->notes);
	char *rest = copy, *word;
	size_t n = 0;

	while ((word = strsep(&rest, "|")) != NULL && word[0] != '\0') {
		char *part = strchr(word, ':');

		assert_non_null(part);
		*part++ = '\0';
		if (n >= plan->n_notes ||
		    strtoul(word, NULL, 10) != line_of(plan->notes[n].rule) ||
		    strstr(plan->notes[n].text, part) == NULL)
			fail_msg("%s:%d: %s: note %zu is not "
				 "\"%s:%s\" but \"%u:%s\"",
			    c->file, c->line, c->name, n + 1, word, part,
			    n < plan->n_notes ? line_of(plan->notes[n].rule)
					      : 0,
			    n < plan->n_notes ? plan->notes[n].text : "(none)");
		n++;
	}
	if (n < plan->n_notes)
		fail_msg("%s:%d: %s: one note too many: %s", c->file, c->line,
		    c->name, plan->notes[n].text);
	free(copy);
}

static void
check_text(const struct plan_case *c, const char *what, char *got,
    const char *expected)
{
	if (strcmp(got, expected) != 0)
		fail_msg("%s:%d: %s: %s:\n%s\nnot\n%s", c->file, c->line,
		    c->name, what, got, expected);
	free(got);
}

static void
check_consistent(const struct plan_case *c, const struct ward_plan *plan)
{
	for (size_t i = 0; i < plan->n_entries; i++) {
		const char *path = plan->entries[i].path;

		if (ward_plan_decide(plan, path).state !=
			plan->entries[i].state ||
		    ward_plan_is_private(path))
			fail_msg("%s:%d: %s: entry %s is not as "
				 "decided",
			    c->file, c->line, c->name, path);
	}
}

static void
swap_rules(struct plan_setting *s, size_t i, size_t j)
{
	struct ward_rule kept = s->rules[i];

	s->rules[i] = s->rules[j];
	s->rules[j] = kept;
}

static void
check_same(const struct plan_case *c, struct plan_setting *s, const char *first)
{
	struct ward_plan *plan;
	struct err err;
	char *text;

	assert_int_equal(plan_setting_compile(s, &agent, &plan, &err), 0);
	text = print_plan(s, plan);
	ward_plan_free(plan);
	check_text(c, "in another order", text, first);
}

/* Every order of the rules (Heap's algorithm, without recursion). */
static void
check_orders(
    const struct plan_case *c, struct plan_setting *s, const char *first)
{
	size_t counts[PLAN_SETTING_RULES] = { 0 };
	size_t i = 1;

	while (i < s->profile.n_rules) {
		if (counts[i] >= i) {
			counts[i++] = 0;
			continue;
		}
		swap_rules(s, i % 2 == 0 ? 0 : counts[i], i);
		check_same(c, s, first);
		counts[i]++;
		i = 1;
	}
}

static void
check_case(const struct plan_case *c)
{
	struct plan_setting s;
	struct ward_plan *plan;
	struct err err;
	char *text;
	int r;

	plan_setting_init(&s, c->fs, c->rules);
	r = plan_setting_compile(&s, &agent, &plan, &err);
	if (c->error != NULL) {
		if (r == 0 || strstr(err.text, c->error) == NULL)
			fail_msg("%s:%d: %s: no such error: %s", c->file,
			    c->line, c->name, err.text);
		assert_int_equal(r, -err.code);
		assert_null(plan);
		plan_setting_clear(&s);
		return;
	}
	if (r < 0)
		fail_msg("%s:%d: %s: %s", c->file, c->line, c->name, err.text);
	if (c->entries != NULL)
		check_text(c, "entries", print_entries(plan), c->entries);
	check_text(
	    c, "links", print_links(plan), c->links == NULL ? "" : c->links);
	check_decides(c, plan);
	check_sockets(c, plan);
	check_notes(c, plan);
	check_consistent(c, plan);
	text = print_plan(&s, plan);
	ward_plan_free(plan);
	check_orders(c, &s, text);
	free(text);
	plan_setting_clear(&s);
}

static void
test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_plan_cases; i++)
		check_case(&plan_cases[i]);
	for (size_t i = 0; i < n_plan_place_cases; i++)
		check_case(&plan_place_cases[i]);
}

struct account_case {
	const char *name, *home, *fs;
	const char *error; /* NULL: it compiles */
	const char *path;  /* and is the home, canonical */
};

static void
test_accounts(void **state)
{
	static const struct account_case cases[] = {
		{ "agent", "/home/agent", NULL, NULL, "/home/agent" },
		{ "agent", "/home/agent/", NULL, NULL, "/home/agent" },
		{ "agent", "/home/./none", NULL, NULL, "/home/none" },
		{ "a.b-c", "/home/agent", NULL, NULL, "/home/agent" },
		{ "agent", "/h/agent", "l /h home", NULL, "/home/agent" },
		{ "", "/home/agent", NULL, "cannot be part", NULL },
		{ ".", "/home/agent", NULL, "cannot be part", NULL },
		{ "..", "/home/agent", NULL, "cannot be part", NULL },
		{ "a/b", "/home/agent", NULL, "cannot be part", NULL },
		{ "a*", "/home/agent", NULL, "cannot be part", NULL },
		{ "agent", "", NULL, "no absolute path", NULL },
		{ "agent", "home", NULL, "no absolute path", NULL },
		{ "agent", "/home/*", NULL, "no absolute path", NULL },
		{ "agent", "/home/../etc", NULL, "no absolute path", NULL },
		{ "agent", "/home/..", NULL, "no absolute path", NULL },
		{ "agent", "/", NULL, "cannot be a home", NULL },
		{ "agent", "/l", "l /l /", "cannot be a home", NULL },
		{ "agent", "/tmp/x", NULL, "cannot be a home", NULL },
		{ "agent", "/run", NULL, "cannot be a home", NULL },
		{ "agent", "/l", "u /l /home/agent", "behind a link", NULL },
		{ "agent", "/l", "l /l l", "loop", NULL },
		{ "agent", "/etc/passwd", NULL, "no directory", NULL },
		{ "agent", "/home/p", "p /home/p", "no directory", NULL },
		{ "agent", "/x/y/z", "x /x/y", "cannot search /x/y", NULL },
		{ "agent", "/var/lib/ward/h", NULL, "never shown", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct account_case *c = &cases[i];
		const struct ward_plan_account account = { c->name, c->home };
		struct plan_setting s;
		struct ward_plan *plan;
		struct err err;

		plan_setting_init(&s, c->fs, "wa ~");
		int r = plan_setting_compile(&s, &account, &plan, &err);
		if (c->error == NULL && r == 0) {
			assert_string_equal(plan->home, c->path);
			assert_int_equal(ward_plan_decide(plan, c->path).state,
			    WARD_WRITABLE);
		} else if (c->error == NULL || r == 0 ||
		    strstr(err.text, c->error) == NULL) {
			fail_msg("\"%s\" with home \"%s\": %s", c->name,
			    c->home, err.text);
		}
		ward_plan_free(plan);
		plan_setting_clear(&s);
	}
}

/* ~ is where the home is: a link above it is no link in a rule. */
static void
test_home_behind_link(void **state)
{
	static const struct ward_plan_account account = { "agent", "/h/agent" };
	struct plan_setting s;
	struct ward_plan *plan;
	struct err err;
	char *text;

	(void)state;
	plan_setting_init(&s,
	    "l /h data/homes d /data/homes/agent d /data/homes/.ward",
	    "closed;rd /data;wa ~");
	assert_int_equal(plan_setting_compile(&s, &account, &plan, &err), 0);
	text = print_entries(plan);
	assert_string_equal(text, "/=h@99 /data/homes/agent=w@2");
	free(text);
	text = print_links(plan);
	assert_string_equal(text, "/h>data/homes");
	free(text);
	assert_int_equal(
	    line_of(ward_plan_decide(plan, "/data/homes/.ward/x").read), 0);
	ward_plan_free(plan);
	plan_setting_clear(&s);
}

/* What state alone does not tell: both reasons. */
static void
test_reasons(void **state)
{
	static const struct {
		const char *rules, *path;
		enum ward_state state;
		unsigned rule, read, write;
	} cases[] = {
		{ "rd /srv;wd /srv/a", "/srv/a", WARD_HIDDEN, 1, 1, 2 },
		{ "rd /srv;wd /", "/srv/a", WARD_HIDDEN, 1, 1, 2 },
		{ "rd /srv;wa /", "/srv/a", WARD_HIDDEN, 1, 1, 1 },
		{ "rd /srv", "/srv", WARD_HIDDEN, 1, 1, 1 },
		{ "rd /srv;ra /srv/a", "/srv/a", WARD_READABLE, 0, 2, 0 },
		{ "ra /srv;wd /", "/srv", WARD_READABLE, 2, 1, 2 },
		{ "wa ~;ra ~/work", "/home/agent/work", WARD_WRITABLE, 1, 2,
		    1 },
		{ "wa ~;wa ~", "/home/agent", WARD_WRITABLE, 1, 1, 1 },
		{ "closed", "/srv", WARD_HIDDEN, 99, 99, 99 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct plan_setting s;
		struct ward_plan *plan;
		struct ward_verdict v;
		struct err err;

		plan_setting_init(&s, NULL, cases[i].rules);
		assert_int_equal(
		    plan_setting_compile(&s, &agent, &plan, &err), 0);
		v = ward_plan_decide(plan, cases[i].path);
		if (v.state != cases[i].state ||
		    line_of(v.rule) != cases[i].rule ||
		    line_of(v.read) != cases[i].read ||
		    line_of(v.write) != cases[i].write)
			fail_msg("%s: %s is %c by %u, read %u, write %u",
			    cases[i].rules, cases[i].path, letter(v.state),
			    line_of(v.rule), line_of(v.read), line_of(v.write));
		ward_plan_free(plan);
		plan_setting_clear(&s);
	}
}

static void
test_outlives_profile(void **state)
{
	struct plan_setting s;
	struct ward_plan *plan;
	struct ward_verdict v;
	struct err err;

	(void)state;
	plan_setting_init(&s, NULL, "rd /srv/a");
	assert_int_equal(plan_setting_compile(&s, &agent, &plan, &err), 0);
	memset(s.text, 'x', strlen(s.text));
	plan_setting_clear(&s);
	v = ward_plan_decide(plan, "/srv/a/b");
	assert_int_equal(v.state, WARD_HIDDEN);
	assert_string_equal(v.rule->path, "/srv/a");
	ward_plan_free(plan);
	ward_plan_free(NULL);
}

static void
test_resolver_fails(void **state)
{
	struct plan_setting s;
	struct ward_plan *plan;
	struct err err;

	(void)state;
	plan_setting_init(&s, NULL, "rd /srv/*");
	s.fs.fail_list = EIO;
	assert_int_equal(plan_setting_compile(&s, &agent, &plan, &err), -EIO);
	assert_null(plan);
	assert_non_null(strstr(err.text, "t.conf:1: \"/srv/*\": fake"));
	s.fs.fail_list = 0;
	s.fs.fail_resolve = EIO;
	assert_int_equal(plan_setting_compile(&s, &agent, &plan, &err), -EIO);
	assert_null(plan);
	assert_int_equal(ward_plan_compile(&s.profile, &agent,
			     &(struct ward_resolver){ fake_fs_resolve,
				 fake_fs_list, fake_fs_protect, &s.fs },
			     &plan, NULL),
	    -EIO);
	plan_setting_clear(&s);
	plan_setting_init(&s, NULL, "wa /srv");
	s.fs.fail_protect = EIO;
	assert_int_equal(plan_setting_compile(&s, &agent, &plan, &err), -EIO);
	assert_null(plan);
	plan_setting_clear(&s);
}

static void
add_numbered(struct fake_fs *fs, const char *format, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char *path = NULL;

		assert_true(asprintf(&path, "%s%u", format, i) > 0);
		fake_fs_add_node(fs, FAKE_DIRECTORY, path, NULL);
		free(path);
	}
}

static void
test_bounded_expansion(void **state)
{
	struct plan_setting s;
	struct ward_plan *plan;
	struct err err;

	(void)state;
	plan_setting_init(&s, NULL, "wa /srv/many/*");
	add_numbered(&s.fs, "/srv/many/", WARD_PLAN_EXPANSIONS);
	assert_int_equal(plan_setting_compile(&s, &agent, &plan, &err), 0);
	assert_int_equal(plan->n_entries, 1 + WARD_PLAN_EXPANSIONS);
	ward_plan_free(plan);
	fake_fs_add(&s.fs, "d /srv/many/more");
	assert_int_equal(plan_setting_compile(&s, &agent, &plan, &err), -E2BIG);
	assert_null(plan);
	assert_non_null(
	    strstr(err.text, "t.conf:1: \"/srv/many/*\": matches too many"));
	plan_setting_clear(&s);
}

/* Several hundred rules, nested and side by side. */
static void
test_many_rules(void **state)
{
	enum { N = 600 };
	struct ward_rule *rules = calloc(N, sizeof(*rules));
	struct plan_setting s;
	struct ward_plan *plan;
	struct err err;

	(void)state;
	assert_non_null(rules);
	plan_setting_init(&s, NULL, NULL);
	add_numbered(&s.fs, "/srv/many/", N / 2);
	for (unsigned i = 0; i < N; i++) {
		rules[i].kind = i % 2 == 0 ? WARD_READ_DENY : WARD_WRITE_ALLOW;
		rules[i].origin =
		    (struct ward_origin){ plan_setting_file, i + 1 };
		assert_true(
		    asprintf(&rules[i].path,
			i % 2 == 0 ? "/srv/many/%u" : "/srv/many/%u/in/it",
			i / 2) > 0);
		fake_fs_add_node(&s.fs, FAKE_DIRECTORY, rules[i].path, NULL);
	}
	s.profile.rules = rules;
	s.profile.n_rules = N;
	assert_int_equal(plan_setting_compile(&s, &agent, &plan, &err), 0);
	assert_int_equal(plan->n_entries, 1 + N);
	assert_int_equal(
	    line_of(ward_plan_decide(plan, "/srv/many/299/in").rule), 599);
	assert_int_equal(
	    line_of(ward_plan_decide(plan, "/srv/many/7/in/it/x").rule), 16);
	ward_plan_free(plan);
	for (unsigned i = 0; i < N; i++)
		free(rules[i].path);
	free(rules);
	plan_setting_clear(&s);
}

static void
test_private(void **state)
{
	static const char *const private[] = { "/tmp", "/tmp/x", "/var/tmp",
		"/dev/null", "/proc/1", "/sys", "/run/user/1/x", "/run" };
	static const char *const shared[] = { "/", "/var", "/tmpx", "/var/tmpx",
		"/home/tmp", "/srv/run", "/runs", "/d" };

	(void)state;
	for (size_t i = 0; i < sizeof(private) / sizeof(private[0]); i++)
		if (!ward_plan_is_private(private[i]))
			fail_msg("%s is not private", private[i]);
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if (ward_plan_is_private(shared[i]))
			fail_msg("%s is private", shared[i]);
}

/* The rule of a refused write, where what leads to a closed place is meant. */
static void
test_refuses_write(void **state)
{
	static const struct {
		const char *path;
		unsigned line;
	} rows[] = {
		{ "/srv/a/b/c", 2 },
		{ "/srv/a/b/c/d", 2 },
		{ "/srv/a/b", 2 },
		{ "/srv/a", 3 },
		{ "/srv/a/.ci", 3 },
		{ "/srv/a/.ci/x", 3 },
		{ "/srv/a/b-c", 1 },
		{ "/srv/a/x", 1 },
		{ "/etc", 0 },
		{ "/", 0 },
	};
	struct plan_setting s;
	struct ward_plan *plan;
	struct err err;

	(void)state;
	plan_setting_init(&s, "d /srv/a/b/c d /srv/a/b-c f /srv/a/.ci/x",
	    "wa /srv/a;wd /srv/a/b/c;pr .ci/x");
	assert_int_equal(plan_setting_compile(&s, &agent, &plan, &err), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned line =
		    line_of(ward_plan_refuses_write(plan, rows[i].path));

		if (line != rows[i].line)
			fail_msg("%s: line %u, not %u", rows[i].path, line,
			    rows[i].line);
	}
	ward_plan_free(plan);
	plan_setting_clear(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_accounts),
		cmocka_unit_test(test_home_behind_link),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_outlives_profile),
		cmocka_unit_test(test_resolver_fails),
		cmocka_unit_test(test_bounded_expansion),
		cmocka_unit_test(test_many_rules),
		cmocka_unit_test(test_private),
		cmocka_unit_test(test_refuses_write),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
