/* SPDX-License-Identifier: ISC */
/* Grants: which of them live, and what is kept of the others. */
#include "config.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "db/grants.h"
#include "tests/unit/policy_sample.h"

#define S   INT64_C(1000000)
#define NOW (1000 * S)

static int64_t
add(struct ward_policy *policy, const char *account, const char *entry,
    int64_t until)
{
	const struct ward_policy_grant grant = {
		.account = account,
		.entry = entry,
		.until = until,
		.granted = NOW,
		.granter = "ann",
	};
	struct err err = { 0 };
	int64_t id = 0;

	check_ok(ward_policy_grant_add(policy, &grant, &id, &err), &err);
	return id;
}

/* How many live of an account, and that id is the first of them. */
static void
expect_live(struct ward_policy *policy, const char *account, int64_t now,
    size_t n, int64_t first)
{
	struct ward_grant *grants;
	struct err err = { 0 };
	size_t found;

	check_ok(
	    ward_policy_grants(policy, account, now, &grants, &found, &err),
	    &err);
	assert_int_equal(found, n);
	if (n > 0)
		assert_int_equal(grants[0].id, first);
	free(grants);
}

static int
note(void *context, const struct ward_policy_grant *row)
{
	struct lines *lines = context;
	size_t used = strlen(lines->text);

	(void)snprintf(lines->text + used, sizeof(lines->text) - used,
	    "%lld %s %s %lld %s %s %lld %lld %s\n", (long long)row->id,
	    row->account, row->entry, (long long)(row->until / S),
	    row->reason == NULL ? "-" : row->reason, row->granter,
	    (long long)row->request, (long long)(row->revoked / S),
	    row->revoker == NULL ? "-" : row->revoker);
	return 0;
}

static void
lives(void **state)
{
	struct scratch scratch;
	struct lines lines = { "" };
	struct err err = { 0 };
	struct ward_grant *grants;
	size_t n;

	(void)state;
	scratch_make(&scratch);
	struct ward_policy *policy = open_policy(&scratch, WARD_POLICY_WRITE);
	expect_live(policy, "bot", NOW, 0, 0);
	int64_t over = add(policy, "bot", "a.example", NOW);
	int64_t live = add(policy, "bot", "*.b.example:443", NOW + S);
	int64_t other = add(policy, "tob", "a.example", NOW + S);
	expect_live(policy, "bot", NOW, 1, live);
	expect_live(policy, "tob", NOW, 1, other);
	expect_live(policy, "bot", NOW - S, 2, over);
	expect_live(policy, "bot", NOW + S, 0, 0);
	expect_live(policy, "bo", NOW, 0, 0);

	/* what a decision reads */
	check_ok(
	    ward_policy_grants(policy, "bot", NOW, &grants, &n, &err), &err);
	assert_int_equal(grants[0].until, NOW / S + 1);
	assert_int_equal(grants[0].endpoint.kind, WARD_ENDPOINT_BELOW);
	assert_int_equal(grants[0].endpoint.port, 443);
	free(grants);

	check_error("over",
	    ward_policy_grant_revoke(policy, over, "bob", NOW, &err), &err,
	    EALREADY, "grant 1 is over already");
	err = (struct err){ 0 };
	check_error("absent",
	    ward_policy_grant_revoke(policy, 99, "bob", NOW, &err), &err,
	    ENOENT, "there is no grant 99");
	err = (struct err){ 0 };
	check_ok(
	    ward_policy_grant_revoke(policy, live, "bob", NOW, &err), &err);
	expect_live(policy, "bot", NOW, 0, 0);
	expect_live(policy, "tob", NOW, 1, other);
	err = (struct err){ 0 };
	check_error("twice",
	    ward_policy_grant_revoke(policy, live, "cid", NOW, &err), &err,
	    EALREADY, "grant 2 is over already");

	err = (struct err){ 0 };
	check_ok(
	    ward_policy_each_grant(policy, NULL, 0, note, &lines, &err), &err);
	assert_string_equal(lines.text,
	    "1 bot a.example 1000 - ann 0 0 -\n"
	    "2 bot *.b.example:443 1001 - ann 0 1000 bob\n"
	    "3 tob a.example 1001 - ann 0 0 -\n");
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* An account that goes takes its grants along: its name may be used again. */
static void
all_of_one(void **state)
{
	struct scratch scratch;
	struct err err = { 0 };
	size_t n = 0;

	(void)state;
	scratch_make(&scratch);
	struct ward_policy *policy = open_policy(&scratch, WARD_POLICY_WRITE);
	(void)add(policy, "bot", "a.example", NOW);
	(void)add(policy, "bot", "b.example", NOW + S);
	(void)add(policy, "bot", "c.example", NOW + S);
	int64_t other = add(policy, "tob", "a.example", NOW + S);
	check_ok(
	    ward_policy_grants_revoke_all(policy, "bot", "bob", NOW, &n, &err),
	    &err);
	assert_int_equal(n, 2);
	expect_live(policy, "bot", NOW, 0, 0);
	expect_live(policy, "tob", NOW, 1, other);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* A profile that is applied anew leaves them alone. */
static void
outlives_apply(void **state)
{
	struct scratch scratch;
	struct sample s;

	(void)state;
	scratch_make(&scratch);
	struct ward_policy *policy = open_policy(&scratch, WARD_POLICY_WRITE);
	int64_t id = add(policy, "bot", "a.example", NOW + S);
	make_sample(&s, "a");
	(void)apply_one(policy, &s);
	expect_live(policy, "bot", NOW, 1, id);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

static void
refused(void **state)
{
	static const char *const entries[] = { "", "*", "*:443", "a..b",
		"https://a.example", "10.0.0.0/8", "a.example:0" };
	struct scratch scratch;
	struct err err = { 0 };
	int64_t id = 0;

	(void)state;
	scratch_make(&scratch);
	struct ward_policy *policy = open_policy(&scratch, WARD_POLICY_WRITE);
	for (size_t i = 0; i < COUNT(entries); i++) {
		const struct ward_policy_grant grant = { .account = "bot",
			.entry = entries[i],
			.until = NOW + S,
			.granter = "ann" };
		err = (struct err){ 0 };
		if (ward_policy_grant_add(policy, &grant, &id, &err) != -EINVAL)
			fail_msg("%s is taken", entries[i]);
	}
	expect_live(policy, "bot", NOW, 0, 0);

	/* what got in some other way is damage, not everything */
	(void)add(policy, "bot", "a.example", NOW + S);
	assert_int_equal(sqlite3_exec(policy->sqlite->db,
			     "UPDATE grants SET entry = '*'", NULL, NULL, NULL),
	    SQLITE_OK);
	struct ward_grant *grants;
	size_t n;
	err = (struct err){ 0 };
	assert_int_equal(
	    ward_policy_grants(policy, "bot", NOW, &grants, &n, &err),
	    -EUCLEAN);
	assert_null(grants);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lives),
		cmocka_unit_test(all_of_one),
		cmocka_unit_test(outlives_apply),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
