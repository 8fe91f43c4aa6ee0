/* SPDX-License-Identifier: ISC */
/* A profile to be stored, and short ways to store and find it. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiles/network_pack.h"
#include "tests/unit/policy_sample.h"

/* Literals in structs that own their strings elsewhere. */
char *
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

void
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
		.grace = 600,
		.limits = { .processes = 1024,
		    .files = WARD_UNLIMITED,
		    .file_size = INT64_MAX,
		    .memory = 0,
		    .tmp = 1 << 30 },
		.annotate = WARD_ANNOTATE_ALWAYS,
		.landlock = 3,
		.seal = { .debug = true, .observe = true },
		.env_pass = s->pass,
		.n_env_pass = 3,
		.env_set = s->set,
		.n_env_set = 2,
		.services = s->services,
		.n_services = 3,
	};
}

struct ward_policy_item
item(const struct sample *s)
{
	return (struct ward_policy_item){ &s->profile, &s->seal, s->source };
}

struct ward_assignment
assign(enum ward_assignee kind, const char *name, const char *profile,
    unsigned line)
{
	return (struct ward_assignment){ kind, text(name), text(profile),
		{ text("/etc/ward/assignments.conf"), line } };
}

void
bend_shell(struct sample *s)
{
	s->profile.shell = text("/bin/sh");
}

struct ward_policy *
open_policy(const struct scratch *s, enum ward_policy_mode mode)
{
	struct ward_policy *policy = NULL;
	struct err err = { 0 };

	check_ok(ward_policy_open(s->path, mode, 1000, &policy, &err), &err);
	return policy;
}

/* One profile, given to everybody. */
struct ward_policy_result
apply_one(struct ward_policy *policy, const struct sample *s)
{
	const struct ward_policy_item items[] = { item(s) };
	const struct ward_assignment all =
	    assign(WARD_ASSIGNEE_DEFAULT, NULL, s->profile.name, 3);
	struct ward_policy_result result;
	struct err err = { 0 };

	check_ok(
	    ward_policy_apply(policy, items, 1, &all, 1, "root", &result, &err),
	    &err);
	return result;
}

int
in_none(void *context, const char *group)
{
	(void)context;
	(void)group;
	return 0;
}

struct ward_policy_found
find(struct ward_policy *policy, const char *user)
{
	struct ward_policy_found found;
	struct err err = { 0 };

	check_ok(
	    ward_policy_find(policy, user, in_none, NULL, &found, &err), &err);
	return found;
}

void
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

/* Packed they are one text, whatever is in them. */
static void
same_network(const struct ward_network *a, const struct ward_network *b)
{
	const struct ward_net_policy one = { .network = a },
				     two = { .network = b };
	uint8_t *packed[2];
	size_t sizes[2];

	assert_int_equal(ward_network_pack(&one, &packed[0], &sizes[0]), 0);
	assert_int_equal(ward_network_pack(&two, &packed[1], &sizes[1]), 0);
	assert_int_equal(sizes[0], sizes[1]);
	assert_memory_equal(packed[0], packed[1], sizes[0]);
	free(packed[0]);
	free(packed[1]);
}

void
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
	assert_int_equal(a->grace, b->grace);
	assert_int_equal(a->limits.processes, b->limits.processes);
	assert_int_equal(a->limits.files, b->limits.files);
	assert_int_equal(a->limits.file_size, b->limits.file_size);
	assert_int_equal(a->limits.memory, b->limits.memory);
	assert_int_equal(a->limits.tmp, b->limits.tmp);
	assert_int_equal(a->seal.multilib, b->seal.multilib);
	assert_int_equal(a->seal.nested_userns, b->seal.nested_userns);
	assert_int_equal(a->seal.debug, b->seal.debug);
	assert_int_equal(a->seal.observe, b->seal.observe);
	assert_int_equal(a->annotate, b->annotate);
	assert_int_equal(a->landlock, b->landlock);
	same_lists(a, b);
	same_network(&a->network, &b->network);
}

int
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

int
note_assignment(void *context, const struct ward_assignment *row)
{
	struct lines *lines = context;
	size_t used = strlen(lines->text);

	(void)snprintf(lines->text + used, sizeof(lines->text) - used,
	    "%s %s %s:%u\n", ward_policy_assignee_words[row->kind],
	    row->name[0] == '\0' ? "-" : row->name, row->profile,
	    row->origin.line);
	return 0;
}

void
check_profiles(struct ward_policy *policy, bool retired, const char *expected)
{
	struct lines lines = { "" };
	struct err err = { 0 };

	check_ok(ward_policy_each_profile(
		     policy, retired, note_revision, &lines, &err),
	    &err);
	assert_string_equal(lines.text, expected);
}
