/* SPDX-License-Identifier: ISC */
/* The violation store: what is refused, half done, full, locked or shared. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/unit/violations_sample.h"

static int
note_session(void *context, const struct ward_violations_session_row *row)
{
	note(context, row->session.id);
	return 0;
}

/* Writers that name what is not there, and announcing twice. */
static void
references(void **state)
{
	struct ward_violation violation = violation_of("none", NULL, "/x", 1);
	struct ward_violations_session session =
	    session_of("s9", "none", "bot", 1, 1);
	const struct ward_violations_gap gap = { "none", "dropped", 1, 2, 3 };
	struct ward_violations *store;
	struct lines lines = { "" };
	struct err err = { 0 };
	struct scratch scratch;
	int64_t command;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	fill(store);
	fill(store);
	check_error("violation",
	    ward_violations_add(store, &violation, NULL, &err), &err, ENOENT,
	    "what the row refers to is not there");
	err.code = 0;
	violation.sandbox = "b1";
	violation.session = "none";
	check_error("violation's session",
	    ward_violations_add(store, &violation, NULL, &err), &err, ENOENT,
	    "refers to");
	err.code = 0;
	violation.session = NULL;
	violation.target = NULL;
	check_error("violation's target",
	    ward_violations_add(store, &violation, NULL, &err), &err, EINVAL,
	    "target");
	err.code = 0;
	check_error("session",
	    ward_violations_session_start(store, &session, &err), &err, ENOENT,
	    "refers to");
	err.code = 0;
	check_error("gap", ward_violations_gap_add(store, &gap, &err), &err,
	    ENOENT, "refers to");
	err.code = 0;
	check_error("command",
	    ward_violations_command_start(
		store, "none", 1, "ls", 1, &command, &err),
	    &err, ENOENT, "refers to");
	err.code = 0;
	check_error("end of sandbox",
	    ward_violations_sandbox_end(store, "none", 1, "closed", &err), &err,
	    ENOENT, "no such sandbox");
	err.code = 0;
	check_error("end of session",
	    ward_violations_session_end(
		store, "none", 1, "closed", NULL, 0, &err),
	    &err, ENOENT, "no such session");
	err.code = 0;
	check_error("end of command",
	    ward_violations_command_end(store, 77, 1, 0, &err), &err, ENOENT,
	    "no such command");
	err.code = 0;
	/* ids stood for once only, and nothing of the failures stays */
	check_ok(ward_violations_each_session(
		     store, NULL, note_session, &lines, &err),
	    &err);
	assert_string_equal(lines.text, "s1 s2 s3 ");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static int
check_refused(void *context, const struct ward_violations_session_row *row)
{
	(void)context;
	assert_string_equal(row->session.id, "r1");
	assert_null(row->session.sandbox);
	assert_string_equal(row->session.account, "bot");
	assert_string_equal(row->session.service, "login");
	assert_null(row->session.ruser);
	assert_int_equal(row->session.opener_pid, 4242);
	assert_int_equal(row->session.audit_session, 0);
	assert_null(row->profile);
	assert_int_equal(row->ended, 5);
	assert_string_equal(row->reason, "refused");
	assert_string_equal(row->refusal, "W012");
	assert_int_equal(row->status, -1);
	return 0;
}

/* Refused before there was a sandbox; and the first end counts. */
static void
refused_session(void **state)
{
	struct ward_violations_session session =
	    session_of("r1", NULL, "bot", 1, 5);
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	session.service = "login";
	session.audit_session = 0;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	check_ok(ward_violations_session_start(store, &session, &err), &err);
	check_ok(ward_violations_session_end(
		     store, "r1", 5, "refused", "W012", -1, &err),
	    &err);
	check_ok(ward_violations_session_end(
		     store, "r1", 9, "closed", NULL, 0, &err),
	    &err);
	check_ok(ward_violations_each_session(
		     store, NULL, check_refused, NULL, &err),
	    &err);
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* A batch is there as a whole, for others too, or not at all. */
static void
batches(void **state)
{
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	start_sandbox(store, "b", "bot", 1, 1);
	check_ok(ward_violations_begin(store, &err), &err);
	(void)add(store, "b", NULL, "/a", 1);
	(void)add(store, "b", NULL, "/b", 2);
	check_targets(&scratch, "");
	check_ok(ward_violations_commit(store, &err), &err);
	check_targets(&scratch, "/a /b ");
	check_ok(ward_violations_begin(store, &err), &err);
	(void)add(store, "b", NULL, "/c", 3);
	ward_violations_rollback(store);
	ward_violations_rollback(store);
	check_targets(&scratch, "/a /b ");
	check_ok(ward_violations_begin(store, &err), &err);
	(void)add(store, "b", NULL, "/d", 4);
	ward_violations_close(store);
	check_targets(&scratch, "/a /b ");
	scratch_remove(&scratch);
}

static void
readers_do_not_write(void **state)
{
	struct ward_violation violation = violation_of("b1", NULL, "/x", 1);
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	fill(store);
	ward_violations_close(store);
	store = open_store(&scratch, WARD_VIOLATIONS_READ);
	check_error("add", ward_violations_add(store, &violation, NULL, &err),
	    &err, EROFS, "cannot be written");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static void
missing_and_moved(void **state)
{
	struct ward_violations *store = NULL;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	check_error("missing",
	    ward_violations_open(
		scratch.path, WARD_VIOLATIONS_READ, 100, &store, &err),
	    &err, ENOENT, scratch.path);
	assert_null(store);
	err.code = 0;
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	check_ok(ward_violations_begin(store, &err), &err);
	check_ok(ward_violations_commit(store, &err), &err);
	assert_int_equal(unlink(scratch.path), 0);
	check_error("moved", ward_violations_begin(store, &err), &err, ESTALE,
	    "was moved or deleted");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static void
full_disk(void **state)
{
	struct ward_violation violation;
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;
	char target[4000];
	int r = 0;

	(void)state;
	memset(target, 't', sizeof(target));
	target[sizeof(target) - 1] = '\0';
	violation = violation_of("b", NULL, target, 5);
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	start_sandbox(store, "b", "bot", 1, 1);
	(void)add(store, "b", NULL, "/a", 1);
	assert_int_equal(sqlite3_exec(store->sqlite->db,
			     "PRAGMA max_page_count = 40", NULL, NULL, NULL),
	    SQLITE_OK);
	check_ok(ward_violations_begin(store, &err), &err);
	for (int i = 0; i < 100 && r == 0; i++)
		r = ward_violations_add(store, &violation, NULL, &err);
	check_error("full", r, &err, ENOSPC, "no space left for it");
	ward_violations_rollback(store);
	check_targets(&scratch, "/a ");
	/* what there is room for still goes in */
	err.code = 0;
	check_ok(ward_violations_begin(store, &err), &err);
	(void)add(store, "b", NULL, "/b", 2);
	check_ok(ward_violations_commit(store, &err), &err);
	check_targets(&scratch, "/a /b ");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* One of several wardens, started on a fresh file: its rows, in batches. */
static int
be_warden(const struct scratch *scratch, int number)
{
	struct ward_violations *store = NULL;
	struct ward_violation violation;
	struct err err = { 0 };
	char id[] = { 'w', (char)('0' + number), '\0' };
	struct ward_violations_sandbox sandbox = { id, "bot", 1, "p", 1, NULL,
		1 };
	int r = ward_violations_open(
	    scratch->path, WARD_VIOLATIONS_WRITE, 10000, &store, &err);

	if (r == 0)
		r = ward_violations_sandbox_start(store, &sandbox, &err);
	violation = violation_of(id, NULL, "/x", 10);
	for (int batch = 0; batch < 5 && r == 0; batch++) {
		r = ward_violations_begin(store, &err);
		for (int i = 0; i < 10 && r == 0; i++)
			r = ward_violations_add(store, &violation, NULL, &err);
		if (r == 0)
			r = ward_violations_commit(store, &err);
	}
	ward_violations_close(store);
	if (r != 0)
		(void)fprintf(stderr, "warden %d: %s\n", number, err.text);
	return r == 0 ? 0 : 1;
}

static int
count_row(void *context, const struct ward_violations_violation_row *row)
{
	int *counts = context;

	counts[row->violation.sandbox[1] - '0']++;
	return 0;
}

static void
many_wardens(void **state)
{
	enum { WARDENS = 6 };
	pid_t children[WARDENS];
	int counts[WARDENS] = { 0 };
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	for (int i = 0; i < WARDENS; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i] == 0)
			_exit(be_warden(&scratch, i));
	}
	for (int i = 0; i < WARDENS; i++) {
		int status = -1;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	store = open_store(&scratch, WARD_VIOLATIONS_READ);
	check_ok(
	    ward_violations_each(store, NULL, count_row, counts, &err), &err);
	for (int i = 0; i < WARDENS; i++)
		assert_int_equal(counts[i], 50);
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* While one holds the writer's lock: readers read, a writer gives up in time.
 */
static void
busy(void **state)
{
	struct ward_violations *holder;
	struct ward_violations *store = NULL;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	holder = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	start_sandbox(holder, "b", "bot", 1, 1);
	(void)add(holder, "b", NULL, "/a", 1);
	check_ok(ward_violations_begin(holder, &err), &err);
	(void)add(holder, "b", NULL, "/b", 2);
	check_ok(ward_violations_open(
		     scratch.path, WARD_VIOLATIONS_WRITE, 20, &store, &err),
	    &err);
	check_error("begin", ward_violations_begin(store, &err), &err, EBUSY,
	    "another process holds its lock");
	err.code = 0;
	check_error("lost",
	    ward_violations_close_lost(store, 1, NULL, NULL, 9, NULL, &err),
	    &err, EBUSY, "lock");
	check_targets(&scratch, "/a ");
	check_ok(ward_violations_commit(holder, NULL), &(struct err){ 0 });
	err.code = 0;
	check_ok(ward_violations_begin(store, &err), &err);
	check_ok(ward_violations_commit(store, &err), &err);
	ward_violations_close(store);
	ward_violations_close(holder);
	scratch_remove(&scratch);
}

/* An old warden on a newer schema writes by column name. */
static void
newer_schema(void **state)
{
	struct ward_violations *store;
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	start_sandbox(store, "b", "bot", 1, 1);
	assert_int_equal(sqlite3_exec(store->sqlite->db,
			     "ALTER TABLE violations ADD COLUMN more BLOB;"
			     "ALTER TABLE sandboxes ADD COLUMN more BLOB;"
			     "CREATE TABLE later (id INTEGER) STRICT;"
			     "PRAGMA user_version = 9",
			     NULL, NULL, NULL),
	    SQLITE_OK);
	(void)add(store, "b", NULL, "/a", 1);
	ward_violations_close(store);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	(void)add(store, "b", NULL, "/b", 2);
	ward_violations_close(store);
	check_targets(&scratch, "/a /b ");
	scratch_remove(&scratch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(references),
		cmocka_unit_test(refused_session),
		cmocka_unit_test(batches),
		cmocka_unit_test(readers_do_not_write),
		cmocka_unit_test(missing_and_moved),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(many_wardens),
		cmocka_unit_test(busy),
		cmocka_unit_test(newer_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
