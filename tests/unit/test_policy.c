/* SPDX-License-Identifier: ISC */
/* The policy store: what is applied comes back, and who gets which profile. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "db/policy_store.h"
#include "tests/unit/scratch.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/*
 * A profile to be bent by the cases.  Its strings are literals: what a test
 * makes is never freed as a profile.
 */
struct sample {
	struct ward_profile profile;
	struct ward_rule rules[4];
	char *pass[3];
	struct ward_env set[2];
	char *services[3];
	struct sock_filter code[3];
	struct ward_seal seal;
	const char *source;
};

/* Literals in structs that own their strings elsewhere. */
static char *
text(const char *literal)
{
	union {
		const char *in;
		char *out;
	} both = { literal };

	return both.out;
}

static struct ward_rule
rule(enum ward_rule_kind kind, const char *path, unsigned line)
{
	return (struct ward_rule){ kind, text(path),
		{ text("/etc/ward/profiles.d/a.conf"), line } };
}

static void
make_sample(struct sample *s, const char *name)
{
	static const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 42, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0x7fff0000),
	};

	memset(s, 0, sizeof(*s));
	s->rules[0] = rule(WARD_READ_ALLOW, "/srv/build/${user}", 7);
	s->rules[1] = rule(WARD_READ_DENY, "/srv", 8);
	s->rules[2] = rule(WARD_WRITE_ALLOW, "~", 9);
	s->rules[3] = rule(WARD_WRITE_DENY, "~/inf\xff\n'ra", 10);
	s->pass[0] = text("LANG");
	s->pass[1] = text("LC_*");
	s->pass[2] = text("TERM");
	s->set[0] = (struct ward_env){ text("CI"), text("1") };
	s->set[1] = (struct ward_env){ text("EMPTY"), text("") };
	s->services[0] = text("sshd");
	s->services[1] = text("su");
	s->services[2] = text("cron");
	memcpy(s->code, code, sizeof(code));
	s->seal = (struct ward_seal){ s->code, 3 };
	s->source = "profile: { };\n";
	s->profile = (struct ward_profile){
		.name = text(name),
		.description = text("for tests"),
		.read_default_allow = true,
		.read_default_origin = { text("built-in"), 0 },
		.rules = s->rules,
		.n_rules = 4,
		.shell = text("/bin/bash"),
		.scope = WARD_SCOPE_SESSION,
		.linger = 28800,
		.limits = { .processes = 1024,
		    .files = WARD_UNLIMITED,
		    .file_size = INT64_MAX,
		    .memory = 0,
		    .tmp = 1 << 30 },
		.seal = { .debug = true, .observe = true },
		.env_pass = s->pass,
		.n_env_pass = 3,
		.env_set = s->set,
		.n_env_set = 2,
		.services = s->services,
		.n_services = 3,
	};
}

static struct ward_policy_item
item(const struct sample *s)
{
	return (struct ward_policy_item){ &s->profile, &s->seal, s->source };
}

static struct ward_policy_assignment
assign(enum ward_policy_subject subject, const char *name, const char *profile,
    unsigned line)
{
	return (struct ward_policy_assignment){ subject, name, profile,
		"/etc/ward/assignments.conf", line };
}

static struct ward_policy *
open_policy(const struct scratch *s, enum ward_policy_mode mode)
{
	struct ward_policy *policy = NULL;
	struct err err = { 0 };

	check_ok(ward_policy_open(s->path, mode, 1000, &policy, &err), &err);
	return policy;
}

/* One profile, given to everybody. */
static struct ward_policy_result
apply_one(struct ward_policy *policy, const struct sample *s)
{
	const struct ward_policy_item items[] = { item(s) };
	const struct ward_policy_assignment all =
	    assign(WARD_POLICY_DEFAULT, NULL, s->profile.name, 3);
	struct ward_policy_result result;
	struct err err = { 0 };

	check_ok(
	    ward_policy_apply(policy, items, 1, &all, 1, "root", &result, &err),
	    &err);
	return result;
}

static bool
in_none(void *context, const char *group)
{
	(void)context;
	(void)group;
	return false;
}

static struct ward_policy_found
find(struct ward_policy *policy, const char *user)
{
	struct ward_policy_found found;
	struct err err = { 0 };

	check_ok(
	    ward_policy_find(policy, user, in_none, NULL, &found, &err), &err);
	return found;
}

static void
same_text(const char *what, const char *a, const char *b)
{
	if (a == NULL && b == NULL)
		return;
	if (a == NULL || b == NULL || strcmp(a, b) != 0)
		fail_msg("%s: %s, not %s", what, a == NULL ? "NULL" : a,
		    b == NULL ? "NULL" : b);
}

static void
same_lists(const struct ward_profile *a, const struct ward_profile *b)
{
	assert_int_equal(a->n_rules, b->n_rules);
	for (size_t i = 0; i < a->n_rules; i++) {
		assert_int_equal(a->rules[i].kind, b->rules[i].kind);
		same_text("path", a->rules[i].path, b->rules[i].path);
		same_text(
		    "file", a->rules[i].origin.file, b->rules[i].origin.file);
		assert_int_equal(
		    a->rules[i].origin.line, b->rules[i].origin.line);
	}
	assert_int_equal(a->n_env_pass, b->n_env_pass);
	for (size_t i = 0; i < a->n_env_pass; i++)
		same_text("pass", a->env_pass[i], b->env_pass[i]);
	assert_int_equal(a->n_env_set, b->n_env_set);
	for (size_t i = 0; i < a->n_env_set; i++) {
		same_text("set", a->env_set[i].name, b->env_set[i].name);
		same_text("to", a->env_set[i].value, b->env_set[i].value);
	}
	assert_int_equal(a->n_services, b->n_services);
	for (size_t i = 0; i < a->n_services; i++)
		same_text("service", a->services[i], b->services[i]);
}

static void
same_profile(const struct ward_profile *a, const struct ward_profile *b)
{
	same_text("name", a->name, b->name);
	same_text("description", a->description, b->description);
	same_text("shell", a->shell, b->shell);
	same_text("default", a->read_default_origin.file,
	    b->read_default_origin.file);
	assert_int_equal(
	    a->read_default_origin.line, b->read_default_origin.line);
	assert_int_equal(a->read_default_allow, b->read_default_allow);
	assert_int_equal(a->scope, b->scope);
	assert_int_equal(a->linger, b->linger);
	assert_int_equal(a->limits.processes, b->limits.processes);
	assert_int_equal(a->limits.files, b->limits.files);
	assert_int_equal(a->limits.file_size, b->limits.file_size);
	assert_int_equal(a->limits.memory, b->limits.memory);
	assert_int_equal(a->limits.tmp, b->limits.tmp);
	assert_int_equal(a->seal.multilib, b->seal.multilib);
	assert_int_equal(a->seal.nested_userns, b->seal.nested_userns);
	assert_int_equal(a->seal.debug, b->seal.debug);
	assert_int_equal(a->seal.observe, b->seal.observe);
	same_lists(a, b);
}

static void
round_trip(void **state)
{
	struct ward_policy_found found;
	struct ward_policy *policy;
	struct err err = { 0 };
	struct scratch scratch;
	struct sample s;
	int64_t current = 0;

	(void)state;
	scratch_make(&scratch);
	make_sample(&s, "a");
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	assert_int_equal(apply_one(policy, &s).change, WARD_POLICY_ADDED);
	ward_policy_close(policy);

	policy = open_policy(&scratch, WARD_POLICY_READ);
	found = find(policy, "bot");
	same_profile(found.profile, &s.profile);
	assert_int_equal(found.number, 1);
	assert_int_equal(found.seal.n_code, 3);
	assert_memory_equal(found.seal.code, s.code, sizeof(s.code));
	same_text(
	    "assigned", found.assigned.file, "/etc/ward/assignments.conf");
	assert_int_equal(found.assigned.line, 3);
	assert_null(found.source);
	check_ok(
	    ward_policy_current(policy, "bot", in_none, NULL, &current, &err),
	    &err);
	assert_int_equal(current, found.revision_id);
	ward_policy_found_clear(&found);
	ward_policy_found_clear(&found);

	check_ok(ward_policy_load(policy, "a", 1, &found, &err), &err);
	same_profile(found.profile, &s.profile);
	same_text("source", found.source, s.source);
	ward_policy_found_clear(&found);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* Nothing but a name and a seal: every list empty, every text absent. */
static void
bare_profile(void **state)
{
	struct ward_policy_found found;
	struct ward_policy *policy;
	struct scratch scratch;
	struct sample s;

	(void)state;
	scratch_make(&scratch);
	make_sample(&s, "bare");
	s.profile = (struct ward_profile){ .name = text("bare") };
	s.source = NULL;
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	(void)apply_one(policy, &s);
	found = find(policy, "bot");
	same_profile(found.profile, &s.profile);
	ward_policy_found_clear(&found);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* Changes to a sample: does it still do the same? */
static void
bend_nothing(struct sample *s)
{
	(void)s;
}

static void
bend_order(struct sample *s)
{
	struct ward_rule first = s->rules[0];
	char *name = s->services[0];

	s->rules[0] = s->rules[3];
	s->rules[3] = first;
	s->services[0] = s->services[2];
	s->services[2] = name;
	name = s->pass[0];
	s->pass[0] = s->pass[1];
	s->pass[1] = name;
}

static void
bend_twice(struct sample *s)
{
	s->rules[3] = s->rules[2];
	s->profile.n_rules = 4;
}

static void
bend_once(struct sample *s)
{
	s->profile.n_rules = 3;
}

static void
bend_lines(struct sample *s)
{
	s->rules[1].origin = (struct ward_origin){ text("other.conf"), 99 };
	s->profile.read_default_origin =
	    (struct ward_origin){ text("other.conf"), 98 };
	s->source = "# a comment\nprofile: { };\n";
}

static void
bend_description(struct sample *s)
{
	s->profile.description = text("for better tests");
}

static void
bend_kind(struct sample *s)
{
	s->rules[1].kind = WARD_READ_ALLOW;
}

static void
bend_path(struct sample *s)
{
	s->rules[1].path = text("/srv2");
}

static void
bend_default(struct sample *s)
{
	s->profile.read_default_allow = false;
}

static void
bend_shell(struct sample *s)
{
	s->profile.shell = text("/bin/sh");
}

static void
bend_scope(struct sample *s)
{
	s->profile.scope = WARD_SCOPE_ACCOUNT;
}

static void
bend_linger(struct sample *s)
{
	s->profile.linger = 0;
}

static void
bend_processes(struct sample *s)
{
	s->profile.limits.processes++;
}

static void
bend_files(struct sample *s)
{
	s->profile.limits.files = 20;
}

static void
bend_file_size(struct sample *s)
{
	s->profile.limits.file_size = WARD_UNLIMITED;
}

static void
bend_memory(struct sample *s)
{
	s->profile.limits.memory = 1;
}

static void
bend_tmp(struct sample *s)
{
	s->profile.limits.tmp++;
}

static void
bend_multilib(struct sample *s)
{
	s->profile.seal.multilib = true;
}

static void
bend_userns(struct sample *s)
{
	s->profile.seal.nested_userns = true;
}

static void
bend_debug(struct sample *s)
{
	s->profile.seal.debug = false;
}

static void
bend_observe(struct sample *s)
{
	s->profile.seal.observe = false;
}

static void
bend_pass(struct sample *s)
{
	s->profile.n_env_pass--;
}

static void
bend_value(struct sample *s)
{
	s->set[0].value = text("2");
}

static void
bend_set_order(struct sample *s)
{
	struct ward_env first = s->set[0];

	s->set[0] = s->set[1];
	s->set[1] = first;
}

static void
bend_services(struct sample *s)
{
	s->services[1] = text("sudo");
}

/* "ab", "c" is not "a", "bc" */
static void
bend_boundary(struct sample *s)
{
	s->services[1] = text("suc");
	s->services[2] = text("ron");
}

static void
bend_seal(struct sample *s)
{
	s->code[1].jf = 2;
}

static void
bend_seal_length(struct sample *s)
{
	s->seal.n_code = 2;
}

struct bent {
	const char *name;
	void (*bend)(struct sample *);
	enum ward_policy_change change;
};

static const struct bent bents[] = {
	{ "nothing", bend_nothing, WARD_POLICY_UNCHANGED },
	{ "order", bend_order, WARD_POLICY_UNCHANGED },
	{ "lines and text", bend_lines, WARD_POLICY_UNCHANGED },
	{ "description", bend_description, WARD_POLICY_UNCHANGED },
	{ "kind of a rule", bend_kind, WARD_POLICY_CHANGED },
	{ "path of a rule", bend_path, WARD_POLICY_CHANGED },
	{ "one rule less", bend_once, WARD_POLICY_CHANGED },
	{ "read.default", bend_default, WARD_POLICY_CHANGED },
	{ "shell", bend_shell, WARD_POLICY_CHANGED },
	{ "scope", bend_scope, WARD_POLICY_CHANGED },
	{ "linger", bend_linger, WARD_POLICY_CHANGED },
	{ "processes", bend_processes, WARD_POLICY_CHANGED },
	{ "files", bend_files, WARD_POLICY_CHANGED },
	{ "file_size", bend_file_size, WARD_POLICY_CHANGED },
	{ "memory", bend_memory, WARD_POLICY_CHANGED },
	{ "tmp", bend_tmp, WARD_POLICY_CHANGED },
	{ "multilib", bend_multilib, WARD_POLICY_CHANGED },
	{ "nested_userns", bend_userns, WARD_POLICY_CHANGED },
	{ "debug", bend_debug, WARD_POLICY_CHANGED },
	{ "observe", bend_observe, WARD_POLICY_CHANGED },
	{ "pass", bend_pass, WARD_POLICY_CHANGED },
	{ "value", bend_value, WARD_POLICY_CHANGED },
	{ "order of what is set", bend_set_order, WARD_POLICY_CHANGED },
	{ "services", bend_services, WARD_POLICY_CHANGED },
	{ "where one service ends", bend_boundary, WARD_POLICY_CHANGED },
	{ "seal", bend_seal, WARD_POLICY_CHANGED },
	{ "length of the seal", bend_seal_length, WARD_POLICY_CHANGED },
};

static void
changes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bents); i++) {
		bool same = bents[i].change == WARD_POLICY_UNCHANGED;
		struct ward_policy_result result;
		struct ward_policy_found found;
		struct ward_policy *policy;
		struct scratch scratch;
		struct sample s;

		scratch_make(&scratch);
		make_sample(&s, "a");
		policy = open_policy(&scratch, WARD_POLICY_WRITE);
		(void)apply_one(policy, &s);
		bents[i].bend(&s);
		result = apply_one(policy, &s);
		if (result.change != bents[i].change ||
		    result.number != (same ? 1 : 2))
			fail_msg("%s: change %d, revision %lld", bents[i].name,
			    result.change, (long long)result.number);
		/* same or not, what comes back is the newest text's; services
		 * and pass are sets, whose order an unchanged one keeps */
		found = find(policy, "bot");
		if (bents[i].bend != bend_order)
			same_profile(found.profile, &s.profile);
		ward_policy_found_clear(&found);
		/* and once more changes nothing, whatever went before */
		result = apply_one(policy, &s);
		if (result.change != WARD_POLICY_UNCHANGED)
			fail_msg("%s: again: change %d", bents[i].name,
			    result.change);
		ward_policy_close(policy);
		scratch_remove(&scratch);
	}
}

/* A second mention of a rule does nothing, so it is no revision. */
static void
mentioned_twice(void **state)
{
	struct ward_policy *policy;
	struct scratch scratch;
	struct sample s;

	(void)state;
	scratch_make(&scratch);
	make_sample(&s, "a");
	bend_once(&s);
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	(void)apply_one(policy, &s);
	bend_twice(&s);
	assert_int_equal(apply_one(policy, &s).change, WARD_POLICY_UNCHANGED);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* What a listing said, one line a row. */
struct lines {
	char text[1024];
};

static int
note_revision(void *context, const struct ward_policy_revision *row)
{
	struct lines *lines = context;
	size_t used = strlen(lines->text);

	assert_non_null(row->hash);
	assert_true(row->created > 1000000LL * 1000000000);
	(void)snprintf(lines->text + used, sizeof(lines->text) - used,
	    "%s %lld%s%s %s\n", row->profile, (long long)row->number,
	    row->current ? " current" : "", row->retired ? " retired" : "",
	    row->author);
	return 0;
}

static int
note_assignment(void *context, const struct ward_policy_assignment *row)
{
	struct lines *lines = context;
	size_t used = strlen(lines->text);

	(void)snprintf(lines->text + used, sizeof(lines->text) - used,
	    "%s %s %s:%u\n", ward_policy_subject_words[row->subject],
	    row->name == NULL ? "-" : row->name, row->profile, row->line);
	return 0;
}

static void
check_profiles(struct ward_policy *policy, bool retired, const char *expected)
{
	struct lines lines = { "" };
	struct err err = { 0 };

	check_ok(ward_policy_each_profile(
		     policy, retired, note_revision, &lines, &err),
	    &err);
	assert_string_equal(lines.text, expected);
}

static void
retired_and_back(void **state)
{
	struct ward_policy_result results[2];
	struct ward_policy_found found;
	struct ward_policy_item items[2];
	struct ward_policy *policy;
	struct lines lines = { "" };
	struct err err = { 0 };
	struct scratch scratch;
	struct sample a, b;

	(void)state;
	scratch_make(&scratch);
	make_sample(&a, "a");
	make_sample(&b, "b");
	items[0] = item(&b);
	items[1] = item(&a);
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	check_profiles(policy, true, "");
	check_ok(
	    ward_policy_apply(policy, items, 2, NULL, 0, "ann", results, &err),
	    &err);
	assert_int_equal(results[0].number, 1);
	assert_int_equal(results[1].number, 1);
	check_profiles(policy, false, "a 1 current ann\nb 1 current ann\n");

	bend_shell(&a);
	check_ok(ward_policy_apply(
		     policy, items + 1, 1, NULL, 0, "bob", results, &err),
	    &err);
	assert_int_equal(results[0].change, WARD_POLICY_CHANGED);
	check_profiles(policy, false, "a 2 current bob\n");
	check_profiles(
	    policy, true, "a 2 current bob\nb 1 current retired ann\n");
	check_ok(ward_policy_load(policy, "b", 0, &found, &err), &err);
	same_text("retired", found.profile->name, "b");
	ward_policy_found_clear(&found);

	/* back as it was: the revision is the one of then */
	check_ok(
	    ward_policy_apply(policy, items, 2, NULL, 0, "cid", results, &err),
	    &err);
	assert_int_equal(results[0].change, WARD_POLICY_ADDED);
	assert_int_equal(results[0].number, 1);
	assert_int_equal(results[1].change, WARD_POLICY_UNCHANGED);
	assert_int_equal(results[1].number, 2);

	/* an old text again is a new revision: numbers only rise */
	make_sample(&a, "a");
	check_ok(
	    ward_policy_apply(policy, items, 2, NULL, 0, "dan", results, &err),
	    &err);
	assert_int_equal(results[1].number, 3);
	check_ok(
	    ward_policy_each_revision(policy, "a", note_revision, &lines, &err),
	    &err);
	assert_string_equal(lines.text, "a 3 current dan\na 2 bob\na 1 ann\n");
	check_ok(ward_policy_load(policy, "a", 2, &found, &err), &err);
	same_text("old shell", found.profile->shell, "/bin/sh");
	ward_policy_found_clear(&found);

	check_error("load none", ward_policy_load(policy, "c", 0, &found, &err),
	    &err, ENOENT, "there is no profile c");
	assert_null(found.profile);
	err.code = 0;
	check_error("load 9", ward_policy_load(policy, "a", 9, &found, &err),
	    &err, ENOENT, "profile a has no revision 9");
	err.code = 0;
	check_error("list none",
	    ward_policy_each_revision(policy, "c", note_revision, &lines, &err),
	    &err, ENOENT, "there is no profile c");
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* What is refused, and that it changed nothing. */
struct refused {
	const char *name;
	int n_items; /* of a, b, b again */
	int n_assignments;
	struct ward_policy_assignment assignments[2];
	int errnum;
	const char *fragment;
};

#define CONF "/etc/ward/assignments.conf"

static const struct refused refused_table[] = {
	{ "profile twice", 3, 0, { { 0 } }, EINVAL,
	    "profile b: is there twice" },
	{ "no such profile", 2, 1,
	    { { WARD_POLICY_USER, "u", "nope", CONF, 4 } }, EINVAL,
	    CONF ":4: there is no profile nope" },
	{ "retired profile", 1, 1, { { WARD_POLICY_USER, "u", "b", CONF, 4 } },
	    EINVAL, CONF ":4: there is no profile b" },
	{ "user twice", 2, 2,
	    { { WARD_POLICY_USER, "u", "a", CONF, 4 },
		{ WARD_POLICY_USER, "u", "b", CONF, 5 } },
	    EINVAL, CONF ":5: user u has a profile already, by " CONF ":4" },
	{ "default twice", 2, 2,
	    { { WARD_POLICY_DEFAULT, NULL, "a", CONF, 4 },
		{ WARD_POLICY_DEFAULT, "x", "a", CONF, 5 } },
	    EINVAL, CONF ":5: default" },
	{ "nameless group", 2, 1, { { WARD_POLICY_GROUP, "", "a", CONF, 6 } },
	    EINVAL, CONF ":6: a group without a name" },
	{ "no profile at all", 2, 1,
	    { { WARD_POLICY_USER, "u", NULL, CONF, 7 } }, EINVAL,
	    CONF ":7: there is no profile" },
};

static void
refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refused_table); i++) {
		const struct refused *row = &refused_table[i];
		struct ward_policy_result results[3];
		struct ward_policy_item items[3];
		struct ward_policy *policy;
		struct lines lines = { "" };
		struct err err = { 0 };
		struct scratch scratch;
		struct sample a, b;

		scratch_make(&scratch);
		make_sample(&a, "a");
		make_sample(&b, "b");
		policy = open_policy(&scratch, WARD_POLICY_WRITE);
		items[0] = item(&b);
		check_ok(ward_policy_apply(
			     policy, items, 1, NULL, 0, "ann", results, &err),
		    &err);
		items[0] = item(&a);
		items[1] = item(&b);
		items[2] = item(&b);
		check_error(row->name,
		    ward_policy_apply(policy, items, (size_t)row->n_items,
			row->assignments, (size_t)row->n_assignments, "eve",
			results, &err),
		    &err, row->errnum, row->fragment);
		check_profiles(policy, true, "b 1 current ann\n");
		err.code = 0;
		check_ok(ward_policy_each_assignment(
			     policy, note_assignment, &lines, &err),
		    &err);
		assert_string_equal(lines.text, "");
		ward_policy_close(policy);
		scratch_remove(&scratch);
	}
}

/* Found only while it is written: the transaction takes all of it back. */
static void
refused_half_way(void **state)
{
	struct ward_policy_result results[2];
	struct ward_policy_item items[2];
	struct ward_policy *policy;
	struct err err = { 0 };
	struct scratch scratch;
	struct sample a, b;

	(void)state;
	scratch_make(&scratch);
	make_sample(&a, "a");
	make_sample(&b, "b");
	items[0] = item(&a);
	items[1] = item(&b);
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	b.profile.limits.tmp = (uint64_t)INT64_MAX + 1;
	check_error("too large",
	    ward_policy_apply(policy, items, 2, NULL, 0, "eve", results, &err),
	    &err, ERANGE, "profile b: tmp is too large");
	check_profiles(policy, true, "");
	err.code = 0;
	b.profile.limits.tmp = 1;
	b.seal.n_code = 0;
	check_error("no seal",
	    ward_policy_apply(policy, items, 2, NULL, 0, "eve", results, &err),
	    &err, EINVAL, "profile b: its seal has 0 instructions");
	err.code = 0;
	b.seal.n_code = 3;
	b.rules[2].path = NULL;
	check_error("no path",
	    ward_policy_apply(policy, items, 2, NULL, 0, "eve", results, &err),
	    &err, EINVAL, "NOT NULL");
	check_profiles(policy, true, "");
	err.code = 0;
	b.rules[2].path = text("~");
	check_ok(
	    ward_policy_apply(policy, items, 2, NULL, 0, "ann", results, &err),
	    &err);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* Who gets what. */
struct governed {
	const char *user;
	const char *groups;  /* that it is in, each with a space behind */
	const char *profile; /* NULL: none */
	unsigned line;
	const char *asked; /* groups that were looked up */
};

static const struct governed with_default[] = {
	{ "amy", "", "a", 12, "" },
	{ "amy", "builders agents ", "a", 12, "" },
	{ "bot", "builders ", "b", 10, "agents builders " },
	{ "bot", "builders agents ", "a", 9, "agents " },
	{ "bot", "others ", "c", 11, "agents builders " },
	{ "am", "", "c", 11, "agents builders " },
	{ "agents", "", "c", 11, "agents builders " },
	{ "", "", "c", 11, "agents builders " },
	{ "' OR 1=1 --", "", "c", 11, "agents builders " },
};
static const struct governed without_default[] = {
	{ "amy", "", "a", 12, "" },
	{ "bot", "agents ", "a", 9, "agents " },
	{ "bot", "", NULL, 0, "agents builders " },
};

struct groups {
	const char *in;
	char asked[200];
};

static bool
in_listed(void *context, const char *group)
{
	struct groups *groups = context;
	size_t used = strlen(groups->asked);
	char word[64];

	(void)snprintf(word, sizeof(word), "%s ", group);
	(void)snprintf(
	    groups->asked + used, sizeof(groups->asked) - used, "%s", word);
	return strstr(groups->in, word) != NULL;
}

static void
check_governed(struct ward_policy *policy, const struct governed *row)
{
	struct groups groups = { row->groups, "" };
	struct ward_policy_found found;
	struct err err = { 0 };
	int64_t current = 0;
	int r = ward_policy_find(
	    policy, row->user, in_listed, &groups, &found, &err);

	if (row->profile == NULL) {
		check_error(row->user, r, &err, ENOENT, "no profile is");
		assert_null(found.profile);
		err.code = 0;
		check_error(row->user,
		    ward_policy_current(
			policy, row->user, in_none, NULL, &current, &err),
		    &err, ENOENT, row->user);
		return;
	}
	check_error(row->user, r, &err, 0, NULL);
	same_text(row->user, found.profile->name, row->profile);
	same_text(row->user, groups.asked, row->asked);
	if (found.assigned.line != row->line)
		fail_msg("%s (%s): by line %u, not %u", row->user, row->groups,
		    found.assigned.line, row->line);
	groups.asked[0] = '\0';
	check_ok(ward_policy_current(
		     policy, row->user, in_listed, &groups, &current, &err),
	    &err);
	assert_int_equal(current, found.revision_id);
	same_text(row->user, groups.asked, row->asked);
	ward_policy_found_clear(&found);
}

static void
governed(void **state)
{
	/* the order of kinds in the file does not count, within one it does */
	const struct ward_policy_assignment assignments[] = {
		assign(WARD_POLICY_GROUP, "agents", "a", 9),
		assign(WARD_POLICY_GROUP, "builders", "b", 10),
		assign(WARD_POLICY_USER, "amy", "a", 12),
		assign(WARD_POLICY_DEFAULT, NULL, "c", 11),
	};
	struct ward_policy_result results[3];
	struct ward_policy_item items[3];
	struct ward_policy *policy;
	struct lines lines = { "" };
	struct err err = { 0 };
	struct scratch scratch;
	struct sample a, b, c;

	(void)state;
	scratch_make(&scratch);
	make_sample(&a, "a");
	make_sample(&b, "b");
	make_sample(&c, "c");
	items[0] = item(&a);
	items[1] = item(&b);
	items[2] = item(&c);
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	check_ok(ward_policy_apply(
		     policy, items, 3, assignments, 4, "ann", results, &err),
	    &err);
	check_ok(
	    ward_policy_each_assignment(policy, note_assignment, &lines, &err),
	    &err);
	assert_string_equal(lines.text,
	    "user amy a:12\ngroup agents a:9\ngroup builders b:10\n"
	    "default - c:11\n");
	for (size_t i = 0; i < COUNT(with_default); i++)
		check_governed(policy, &with_default[i]);
	check_ok(ward_policy_apply(
		     policy, items, 3, assignments, 3, "ann", results, &err),
	    &err);
	for (size_t i = 0; i < COUNT(without_default); i++)
		check_governed(policy, &without_default[i]);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* An empty store governs nobody, and says so. */
static void
nothing_applied(void **state)
{
	static const struct governed nobody = { "amy", "", NULL, 0, "" };
	struct ward_policy *policy;
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	check_governed(policy, &nobody);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* While groups are asked, another process applies: no lock is held, and what
 * is found is the policy of the moment when it was asked. */
struct meddler {
	struct ward_policy *policy;
	struct sample *sample;
};

static bool
meddle(void *context, const char *group)
{
	struct meddler *meddler = context;

	(void)group;
	bend_shell(meddler->sample);
	assert_int_equal(apply_one(meddler->policy, meddler->sample).number, 2);
	return true;
}

static void
changed_meanwhile(void **state)
{
	struct ward_policy_assignment group =
	    assign(WARD_POLICY_GROUP, "g", "a", 1);
	struct ward_policy_result result;
	struct ward_policy_found found;
	struct ward_policy_item items[1];
	struct meddler meddler;
	struct ward_policy *policy;
	struct err err = { 0 };
	struct scratch scratch;
	struct sample s;

	(void)state;
	scratch_make(&scratch);
	make_sample(&s, "a");
	items[0] = item(&s);
	meddler.sample = &s;
	meddler.policy = open_policy(&scratch, WARD_POLICY_WRITE);
	check_ok(ward_policy_apply(
		     meddler.policy, items, 1, &group, 1, "ann", &result, &err),
	    &err);
	policy = open_policy(&scratch, WARD_POLICY_READ);
	check_ok(
	    ward_policy_find(policy, "bot", meddle, &meddler, &found, &err),
	    &err);
	assert_int_equal(found.number, 1);
	same_text("shell", found.profile->shell, "/bin/bash");
	ward_policy_found_clear(&found);
	found = find(policy, "bot");
	assert_int_equal(found.number, 2);
	ward_policy_found_clear(&found);
	ward_policy_close(policy);
	ward_policy_close(meddler.policy);
	scratch_remove(&scratch);
}

static int
stop_at_once(void *context, const struct ward_policy_revision *row)
{
	int *calls = context;

	(void)row;
	(*calls)++;
	return 7;
}

static void
stopped_listing(void **state)
{
	struct ward_policy_result results[2];
	struct ward_policy_item items[2];
	struct ward_policy *policy;
	struct err err = { 0 };
	struct scratch scratch;
	struct sample a, b;
	int calls = 0;

	(void)state;
	scratch_make(&scratch);
	make_sample(&a, "a");
	make_sample(&b, "b");
	items[0] = item(&a);
	items[1] = item(&b);
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	check_ok(
	    ward_policy_apply(policy, items, 2, NULL, 0, "ann", results, &err),
	    &err);
	assert_int_equal(
	    ward_policy_each_profile(policy, true, stop_at_once, &calls, &err),
	    7);
	assert_int_equal(calls, 1);
	/* the listing holds nothing: the next apply goes through */
	check_ok(
	    ward_policy_apply(policy, items, 1, NULL, 0, "ann", results, &err),
	    &err);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

static void
full_disk(void **state)
{
	struct ward_policy_result result;
	struct ward_policy_item items[1];
	struct ward_policy *policy;
	struct err err = { 0 };
	struct scratch scratch;
	struct sample s;
	char *long_source = malloc(1 << 20);

	(void)state;
	assert_non_null(long_source);
	memset(long_source, '#', 1 << 20);
	long_source[(1 << 20) - 1] = '\0';
	scratch_make(&scratch);
	make_sample(&s, "a");
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	(void)apply_one(policy, &s);
	assert_int_equal(sqlite3_exec(policy->sqlite->db,
			     "PRAGMA max_page_count = 40", NULL, NULL, NULL),
	    SQLITE_OK);
	bend_shell(&s);
	s.source = long_source;
	items[0] = item(&s);
	check_error("full",
	    ward_policy_apply(policy, items, 1, NULL, 0, "eve", &result, &err),
	    &err, ENOSPC, "no space left for it");
	check_profiles(policy, true, "a 1 current root\n");
	/* and it works again when there is room */
	s.source = "short";
	assert_int_equal(apply_one(policy, &s).number, 2);
	ward_policy_close(policy);
	free(long_source);
	scratch_remove(&scratch);
}

struct damage {
	const char *name;
	const char *sql;
};

static const struct damage damages[] = {
	{ "seal's length", "UPDATE revisions SET seal = x'00112233'" },
	{ "no seal", "UPDATE revisions SET seal = x''" },
	{ "hash", "UPDATE revisions SET hash = x'00'" },
	{ "scope", "UPDATE revisions SET scope = 'galaxy'" },
	{ "read_default", "UPDATE revisions SET read_default = ''" },
	{ "kind", "UPDATE rules SET kind = 'read-perhaps'" },
	{ "line", "UPDATE rules SET line = -1" },
	{ "line beyond", "UPDATE rules SET line = 4294967296" },
};

/* What Ward would not have written is no profile. */
static void
damaged_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(damages); i++) {
		struct ward_policy_found found;
		struct ward_policy *policy;
		struct err err = { 0 };
		struct scratch scratch;
		struct sample s;

		scratch_make(&scratch);
		make_sample(&s, "a");
		policy = open_policy(&scratch, WARD_POLICY_WRITE);
		(void)apply_one(policy, &s);
		assert_int_equal(sqlite3_exec(policy->sqlite->db,
				     "PRAGMA ignore_check_constraints = ON",
				     NULL, NULL, NULL),
		    SQLITE_OK);
		assert_int_equal(sqlite3_exec(policy->sqlite->db,
				     damages[i].sql, NULL, NULL, NULL),
		    SQLITE_OK);
		check_error(damages[i].name,
		    ward_policy_find(
			policy, "bot", in_none, NULL, &found, &err),
		    &err, EUCLEAN, "is damaged");
		assert_null(found.profile);
		assert_null(found.seal.code);
		ward_policy_close(policy);
		scratch_remove(&scratch);
	}
}

/* Every page but the first is junk: an answer, no crash, no profile. */
static void
damaged_pages(void **state)
{
	struct ward_policy_found found;
	struct ward_policy *policy = NULL;
	struct err err = { 0 };
	struct scratch scratch;
	struct sample s;
	struct stat st;
	int fd;
	int r;

	(void)state;
	scratch_make(&scratch);
	make_sample(&s, "a");
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	(void)apply_one(policy, &s);
	ward_policy_close(policy);
	fd = open(scratch.path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 4096; at < st.st_size; at += 4)
		assert_int_equal(pwrite(fd, "\xde\xad\xbe\xef", 4, at), 4);
	assert_int_equal(close(fd), 0);
	policy = NULL;
	r = ward_policy_open(
	    scratch.path, WARD_POLICY_READ, 100, &policy, &err);
	if (r == 0)
		r = ward_policy_find(
		    policy, "bot", in_none, NULL, &found, &err);
	check_error("junk", r, &err, EUCLEAN, "is damaged");
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* A writer that died in the middle leaves a journal: the next reader rolls it
 * back, since it may be a login. */
static void
crashed_writer(void **state)
{
	struct ward_policy_found found;
	struct ward_policy *policy;
	struct scratch scratch;
	struct stat st;
	struct sample s;
	char journal[320];
	int status = -1;
	pid_t child;

	(void)state;
	scratch_make(&scratch);
	make_sample(&s, "a");
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	(void)apply_one(policy, &s);
	ward_policy_close(policy);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		sqlite3 *db = NULL;

		/* more than the cache holds, so that pages are written */
		if (sqlite3_open(scratch.path, &db) != SQLITE_OK ||
		    sqlite3_exec(db,
			"PRAGMA cache_size = 1; PRAGMA cache_spill = 1;"
			"BEGIN; UPDATE revisions SET shell = '/bad';"
			"DELETE FROM rules; DELETE FROM assignments;"
			"UPDATE sources SET source = "
			"hex(zeroblob(500000));",
			NULL, NULL, NULL) != SQLITE_OK)
			_exit(1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	(void)snprintf(journal, sizeof(journal), "%s-journal", scratch.path);
	assert_int_equal(stat(journal, &st), 0);
	assert_true(st.st_size > 512);
	policy = open_policy(&scratch, WARD_POLICY_READ);
	found = find(policy, "bot");
	same_profile(found.profile, &s.profile);
	ward_policy_found_clear(&found);
	assert_int_not_equal(stat(journal, &st), 0);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* A schema from the future: it has more, and what is known is there. */
static void
newer_schema(void **state)
{
	struct ward_policy_found found;
	struct ward_policy *policy;
	struct scratch scratch;
	struct sample s;

	(void)state;
	scratch_make(&scratch);
	make_sample(&s, "a");
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	(void)apply_one(policy, &s);
	assert_int_equal(sqlite3_exec(policy->sqlite->db,
			     "ALTER TABLE rules ADD COLUMN reason TEXT;"
			     "ALTER TABLE revisions ADD COLUMN signature BLOB;"
			     "CREATE TABLE grants (id INTEGER) STRICT;"
			     "PRAGMA user_version = 9",
			     NULL, NULL, NULL),
	    SQLITE_OK);
	ward_policy_close(policy);
	policy = open_policy(&scratch, WARD_POLICY_READ);
	found = find(policy, "bot");
	same_profile(found.profile, &s.profile);
	ward_policy_found_clear(&found);
	ward_policy_close(policy);
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	bend_shell(&s);
	assert_int_equal(apply_one(policy, &s).number, 2);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

static void
not_there(void **state)
{
	struct ward_policy *policy = NULL;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	check_error("missing",
	    ward_policy_open(
		scratch.path, WARD_POLICY_READ, 100, &policy, &err),
	    &err, ENOENT, scratch.path);
	assert_null(policy);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(bare_profile),
		cmocka_unit_test(changes),
		cmocka_unit_test(mentioned_twice),
		cmocka_unit_test(retired_and_back),
		cmocka_unit_test(refused),
		cmocka_unit_test(refused_half_way),
		cmocka_unit_test(governed),
		cmocka_unit_test(nothing_applied),
		cmocka_unit_test(changed_meanwhile),
		cmocka_unit_test(stopped_listing),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(damaged_rows),
		cmocka_unit_test(damaged_pages),
		cmocka_unit_test(crashed_writer),
		cmocka_unit_test(newer_schema),
		cmocka_unit_test(not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
