/* SPDX-License-Identifier: ISC */
/* The policy store: who gets which profile. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/policy_sample.h"

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

static int
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
	struct ward_policy_now now = { 0 };
	int r = ward_policy_find(
	    policy, row->user, in_listed, &groups, &found, &err);

	if (row->profile == NULL) {
		check_error(row->user, r, &err, ENOENT, "no profile is");
		assert_null(found.profile);
		err.code = 0;
		check_error(row->user,
		    ward_policy_current(
			policy, row->user, in_none, NULL, &now, &err),
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
		     policy, row->user, in_listed, &groups, &now, &err),
	    &err);
	assert_int_equal(now.revision_id, found.revision_id);
	same_text(row->user, groups.asked, row->asked);
	ward_policy_found_clear(&found);
}

static void
governed(void **state)
{
	/* the order of kinds in the file does not count, within one it does */
	const struct ward_assignment assignments[] = {
		assign(WARD_ASSIGNEE_GROUP, "agents", "a", 9),
		assign(WARD_ASSIGNEE_GROUP, "builders", "b", 10),
		assign(WARD_ASSIGNEE_USER, "amy", "a", 12),
		assign(WARD_ASSIGNEE_DEFAULT, NULL, "c", 11),
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

static int
in_nobody_knows(void *context, const char *group)
{
	(void)context;
	return strcmp(group, "builders") == 0 ? -EIO : 0;
}

/* What would be the default's is nobody's while a group cannot be looked up. */
static void
group_unknown(void **state)
{
	const struct ward_assignment assignments[] = {
		assign(WARD_ASSIGNEE_GROUP, "agents", "a", 9),
		assign(WARD_ASSIGNEE_GROUP, "builders", "a", 10),
		assign(WARD_ASSIGNEE_DEFAULT, NULL, "a", 11),
	};
	struct ward_policy_result result;
	struct ward_policy_found found;
	struct ward_policy_item items[1];
	struct ward_policy *policy;
	struct err err = { 0 };
	struct scratch scratch;
	struct sample s;
	struct ward_policy_now now;

	(void)state;
	scratch_make(&scratch);
	make_sample(&s, "a");
	items[0] = item(&s);
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	check_ok(ward_policy_apply(
		     policy, items, 1, assignments, 3, "ann", &result, &err),
	    &err);
	check_error("find",
	    ward_policy_find(
		policy, "bot", in_nobody_knows, NULL, &found, &err),
	    &err, EIO, "group builders");
	assert_null(found.profile);
	err.code = 0;
	check_error("current",
	    ward_policy_current(
		policy, "bot", in_nobody_knows, NULL, &now, &err),
	    &err, EIO, "group builders");
	err.code = 0;
	/* control: with an answer it is the default's */
	check_ok(
	    ward_policy_find(policy, "bot", in_none, NULL, &found, &err), &err);
	assert_int_equal(found.assigned.line, 11);
	ward_policy_found_clear(&found);
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

static int
meddle(void *context, const char *group)
{
	struct meddler *meddler = context;

	(void)group;
	bend_shell(meddler->sample);
	assert_int_equal(apply_one(meddler->policy, meddler->sample).number, 2);
	return 1;
}

static void
changed_meanwhile(void **state)
{
	struct ward_assignment group = assign(WARD_ASSIGNEE_GROUP, "g", "a", 1);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(governed),
		cmocka_unit_test(group_unknown),
		cmocka_unit_test(nothing_applied),
		cmocka_unit_test(changed_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
