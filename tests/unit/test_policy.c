/* SPDX-License-Identifier: ISC */
/* The policy store: what is applied comes back, by name and number. */
#include "config.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/landlock.h"
#include "tests/unit/policy_sample.h"

static void
round_trip(void **state)
{
	struct ward_policy_found found;
	struct ward_policy *policy;
	struct err err = { 0 };
	struct scratch scratch;
	struct sample s;
	struct ward_policy_now now = { 0 };

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
	check_ok(ward_policy_current(policy, "bot", in_none, NULL, &now, &err),
	    &err);
	assert_int_equal(now.revision_id, found.revision_id);
	assert_int_equal(now.grace, s.profile.grace);
	ward_policy_found_clear(&found);
	ward_policy_found_clear(&found);

	check_ok(ward_policy_load(policy, "a", 1, &found, &err), &err);
	same_profile(found.profile, &s.profile);
	same_text("source", found.source, s.source);
	ward_policy_found_clear(&found);
	ward_policy_close(policy);
	scratch_remove(&scratch);
}

/* A store of before there were other rules than those for files. */
static const char older[] =
    "PRAGMA user_version = 1;"
    "DROP TABLE grants;"
    "DROP TABLE network_rules;"
    "ALTER TABLE revisions DROP COLUMN network;"
    "ALTER TABLE revisions DROP COLUMN unlisted;"
    "ALTER TABLE revisions DROP COLUMN allow_private;"
    "ALTER TABLE revisions DROP COLUMN rest;"
    "ALTER TABLE revisions DROP COLUMN annotate;"
    "ALTER TABLE revisions DROP COLUMN landlock;"
    "CREATE TABLE older (revision INTEGER NOT NULL REFERENCES revisions (id),"
    "    position INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN"
    "    ('read-allow', 'read-deny', 'write-allow', 'write-deny')),"
    "    path TEXT NOT NULL, file TEXT, line INTEGER NOT NULL,"
    "    PRIMARY KEY (revision, position)) STRICT, WITHOUT ROWID;"
    "INSERT INTO older SELECT * FROM rules;"
    "DROP TABLE rules;"
    "ALTER TABLE older RENAME TO rules;"
    "ALTER TABLE revisions DROP COLUMN grace;";

static void
older_store(void **state)
{
	struct ward_policy_found found;
	struct ward_policy *policy;
	struct scratch scratch;
	struct sample s;
	sqlite3 *db = NULL;

	(void)state;
	scratch_make(&scratch);
	make_sample(&s, "a");
	/* what there was no key for */
	s.profile.grace = WARD_UNLIMITED;
	s.profile.annotate = WARD_ANNOTATE_ON_FAILURE;
	s.profile.landlock = WARD_LANDLOCK_LEAST;
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	(void)apply_one(policy, &s);
	ward_policy_close(policy);
	assert_int_equal(sqlite3_open(scratch.path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, older, NULL, NULL, NULL), SQLITE_OK);
	/* the control: it takes no other kind */
	assert_int_equal(
	    sqlite3_exec(
		db, "UPDATE rules SET kind = 'socket-allow'", NULL, NULL, NULL),
	    SQLITE_CONSTRAINT);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);

	/* by who only reads, too: a login may come first */
	policy = open_policy(&scratch, WARD_POLICY_READ);
	found = find(policy, "bot");
	same_profile(found.profile, &s.profile);
	/* sandboxes of then are as current as before */
	assert_memory_equal(found.rest, found.hash, sizeof(found.rest));
	ward_policy_found_clear(&found);
	ward_policy_close(policy);

	s.rules[0].kind = WARD_SOCKET_ALLOW;
	policy = open_policy(&scratch, WARD_POLICY_WRITE);
	assert_int_equal(apply_one(policy, &s).change, WARD_POLICY_CHANGED);
	found = find(policy, "bot");
	same_profile(found.profile, &s.profile);
	assert_int_equal(found.number, 2);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(older_store),
		cmocka_unit_test(bare_profile),
		cmocka_unit_test(retired_and_back),
		cmocka_unit_test(stopped_listing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
