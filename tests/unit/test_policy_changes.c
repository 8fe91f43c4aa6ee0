/* SPDX-License-Identifier: ISC */
/* The policy store: what is a new revision, and what is not. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/policy_sample.h"

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
bend_grace(struct sample *s)
{
	s->profile.grace = WARD_UNLIMITED;
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
bend_annotate(struct sample *s)
{
	s->profile.annotate = WARD_ANNOTATE_NEVER;
}

static void
bend_landlock(struct sample *s)
{
	s->profile.landlock++;
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

/* cron sshd su, and the same letters in a row */
static void
bend_boundary(struct sample *s)
{
	s->services[0] = text("shd");
	s->services[2] = text("crons");
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
	{ "grace", bend_grace, WARD_POLICY_CHANGED },
	{ "processes", bend_processes, WARD_POLICY_CHANGED },
	{ "files", bend_files, WARD_POLICY_CHANGED },
	{ "file_size", bend_file_size, WARD_POLICY_CHANGED },
	{ "memory", bend_memory, WARD_POLICY_CHANGED },
	{ "tmp", bend_tmp, WARD_POLICY_CHANGED },
	{ "multilib", bend_multilib, WARD_POLICY_CHANGED },
	{ "nested_userns", bend_userns, WARD_POLICY_CHANGED },
	{ "debug", bend_debug, WARD_POLICY_CHANGED },
	{ "observe", bend_observe, WARD_POLICY_CHANGED },
	{ "annotate", bend_annotate, WARD_POLICY_CHANGED },
	{ "landlock", bend_landlock, WARD_POLICY_CHANGED },
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes),
		cmocka_unit_test(mentioned_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
