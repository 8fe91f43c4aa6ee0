/* SPDX-License-Identifier: ISC */
/* The violation store: what is old goes, and what stays verifies as before. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/violations_sample.h"

#define ROWS 20

static void
raw(struct ward_violations *store, const char *sql)
{
	assert_int_equal(
	    sqlite3_exec(store->sqlite->db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static int64_t
number(struct ward_violations *store, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	assert_int_equal(
	    sqlite3_prepare_v2(store->sqlite->db, sql, -1, &statement, NULL),
	    SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	int64_t value = sqlite3_column_int64(statement, 0);
	(void)sqlite3_finalize(statement);
	return value;
}

/* Two sandboxes with ROWS sealed rows each, at 100, 101 ...; b1 is open. */
static struct ward_violations *
chained(struct scratch *scratch)
{
	struct ward_violations *store;
	struct err err = { 0 };
	char target[32];

	scratch_make(scratch);
	store = open_store(scratch, WARD_VIOLATIONS_WRITE);
	start_sandbox(store, "b1", "bot", 1001, 1);
	start_sandbox(store, "b2", "amy", 1002, 2);
	start_session(store, "s1", "b1", "bot", 1001, 10);
	start_session(store, "s2", "b2", "amy", 1002, 20);
	for (int i = 0; i < ROWS; i++) {
		(void)snprintf(target, sizeof(target), "/%d", i);
		(void)add(store, "b1", "s1", target, 100 + i);
		(void)add(store, "b2", "s2", target, 100 + i);
	}
	check_ok(ward_violations_seal_open(store, "b1", &err), &err);
	check_ok(ward_violations_seal_open(store, "b2", &err), &err);
	check_ok(ward_violations_session_end(
		     store, "s2", 130, "closed", NULL, 0, &err),
	    &err);
	check_ok(ward_violations_sandbox_end(store, "b2", 131, "closed", &err),
	    &err);
	return store;
}

static void
prune(struct ward_violations *store, int64_t before, int64_t bytes,
    int64_t rows, int64_t damaged)
{
	const struct ward_violations_limits limits = { before, bytes };
	struct ward_violations_pruned pruned;
	struct err err = { 0 };

	check_ok(
	    ward_violations_prune(store, &limits, 1000, &pruned, &err), &err);
	assert_int_equal(pruned.rows, rows);
	assert_int_equal(pruned.damaged, damaged);
	assert_true(pruned.bytes > 0);
}

static int
count_fault(void *context, const struct ward_violations_chain_row *row,
    const struct ward_violations_fault *fault)
{
	(void)row;
	if (fault != NULL)
		(*(int *)context)++;
	return 0;
}

static int
faults(struct ward_violations *store)
{
	struct err err = { 0 };
	int n = 0;

	check_ok(ward_violations_verify(store, 0, count_fault, &n, &err), &err);
	return n;
}

static void
by_age(void **state)
{
	struct scratch scratch = { 0 };
	struct ward_violations *store = chained(&scratch);
	unsigned char first[WARD_SHA256_SIZE], head[WARD_SHA256_SIZE];
	struct err err = { 0 };
	int64_t length;

	(void)state;
	check_ok(ward_violations_chain(store, "b1", &length, head, &err), &err);
	assert_int_equal(length, ROWS);
	memset(first, 1, sizeof(first));
	assert_int_equal(faults(store), 0);
	prune(store, 100, 0, 0, 0);
	prune(store, 105, 0, 10, 0);
	assert_int_equal(faults(store), 0);
	assert_int_equal(
	    number(store, "SELECT min(last_at) FROM violations"), 105);
	/* what the log says of the chain's end still holds, what it says of
	 * what is gone cannot be held against anything, and a lie is one */
	assert_int_equal(ward_violations_was(store, "b1", ROWS, head, &err), 1);
	assert_int_equal(ward_violations_was(store, "b1", 2, first, &err), 1);
	assert_int_equal(ward_violations_was(store, "b1", 5, first, &err), 0);
	assert_int_equal(ward_violations_was(store, "b1", 6, first, &err), 0);
	/* all of it, and the session that has ended */
	prune(store, 500, 0, 2 * (ROWS - 5) + 1, 0);
	assert_int_equal(faults(store), 0);
	assert_int_equal(ward_violations_was(store, "b1", ROWS, head, &err), 1);
	assert_int_equal(number(store, "SELECT count(*) FROM sessions"), 1);
	/* the chain goes on behind what went */
	(void)add(store, "b1", "s1", "/more", 600);
	check_ok(ward_violations_seal_open(store, "b1", &err), &err);
	assert_int_equal(faults(store), 0);
	raw(store, "UPDATE violations SET target = '/less'");
	assert_int_equal(faults(store), 1);
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* An edited row stays, with all behind it, as what was edited. */
static void
edited(void **state)
{
	struct scratch scratch = { 0 };
	struct ward_violations *store = chained(&scratch);

	(void)state;
	raw(store,
	    "UPDATE violations SET target = '/x' WHERE sandbox = 'b1' "
	    "AND link = 4");
	assert_int_equal(faults(store), 1);
	prune(store, 110, 0, 3 + 10, 1);
	assert_int_equal(faults(store), 1);
	assert_int_equal(
	    number(
		store, "SELECT min(link) FROM violations WHERE sandbox = 'b1'"),
	    4);
	ward_violations_close(store);
	/* one that was removed */
	scratch_remove(&scratch);
	store = chained(&scratch);
	raw(store, "DELETE FROM violations WHERE sandbox = 'b2' AND link = 2");
	assert_int_equal(faults(store), 1);
	prune(store, 110, 0, 10 + 1, 1);
	assert_int_equal(faults(store), 1);
	/* and the one that a pruned chain begins with */
	raw(store,
	    "UPDATE sandboxes SET chain_base = zeroblob(32) "
	    "WHERE id = 'b1'");
	assert_int_equal(faults(store), 2);
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* Rows whose repeats are counted are in no chain, and stay; those of an older
 * version never are, and go. */
static void
unlinked(void **state)
{
	struct scratch scratch = { 0 };
	struct ward_violations *store = chained(&scratch);

	(void)state;
	(void)add(store, "b1", "s1", "/open", 99);
	start_sandbox(store, "b3", "old", 1003, 3);
	raw(store, "UPDATE sandboxes SET chain_head = NULL WHERE id = 'b3'");
	(void)add(store, "b3", NULL, "/older", 99);
	prune(store, 100, 0, 1, 0);
	assert_int_equal(number(store,
			     "SELECT count(*) FROM violations "
			     "WHERE target = '/open'"),
	    1);
	assert_int_equal(faults(store), 0);
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* The rest of what is old; and sessions as long as something is of them. */
static void
others(void **state)
{
	struct scratch scratch = { 0 };
	struct ward_violations *store = chained(&scratch);
	struct ward_violations_connection connection = {
		.sandbox = "b2",
		.session = "s2",
		.front = "http",
		.host = "h",
		.port = 80,
		.verdict = "allowed",
		.started = 140,
		.duration = 10,
	};
	const struct ward_violations_gap gap = { "b2", "lost", 10, 120, -1 };
	struct err err = { 0 };
	int64_t command;

	(void)state;
	check_ok(
	    ward_violations_connection_add(store, &connection, &err), &err);
	check_ok(ward_violations_gap_add(store, &gap, &err), &err);
	check_ok(ward_violations_command_start(
		     store, "s2", 1, "x", 21, &command, &err),
	    &err);
	check_ok(ward_violations_command_start(
		     store, "s1", 1, "x", 21, &command, &err),
	    &err);
	/* all violations, the gap and the command of the session that ended */
	prune(store, 150, 0, 2 * ROWS + 2, 0);
	assert_int_equal(number(store, "SELECT count(*) FROM connections"), 1);
	assert_int_equal(number(store, "SELECT count(*) FROM sessions"), 2);
	assert_int_equal(number(store, "SELECT count(*) FROM commands"), 1);
	prune(store, 151, 0, 2, 0);
	assert_int_equal(number(store, "SELECT count(*) FROM connections"), 0);
	assert_int_equal(number(store, "SELECT count(*) FROM sessions"), 1);
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static void
by_size(void **state)
{
	struct scratch scratch = { 0 };
	struct ward_violations *store = chained(&scratch);
	struct err err = { 0 };

	(void)state;
	/* few rows stay, whatever they take */
	prune(store, 0, 1, 0, 0);
	check_ok(ward_violations_begin(store, &err), &err);
	for (int i = 0; i < 5000; i++)
		(void)add(
		    store, "b1", "s1", "/a/longer/path/of/a/file", 200 + i);
	check_ok(ward_violations_seal_open(store, "b1", &err), &err);
	check_ok(ward_violations_commit(store, &err), &err);
	const char bytes[] = "SELECT (page_count - freelist_count) * page_size "
			     "FROM pragma_page_count, pragma_freelist_count, "
			     "pragma_page_size";
	int64_t before = number(store, bytes);
	const struct ward_violations_limits limits = { 0, before * 2 / 3 };
	struct ward_violations_pruned pruned;
	check_ok(
	    ward_violations_prune(store, &limits, 9999, &pruned, &err), &err);
	assert_true(pruned.bytes <= before * 2 / 3);
	assert_true(pruned.rows >= 1000 && pruned.rows < 4000);
	assert_int_equal(pruned.bytes, number(store, bytes));
	/* the newest are there */
	assert_int_equal(
	    number(store, "SELECT max(last_at) FROM violations"), 5199);
	assert_int_equal(faults(store), 0);
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static void
due(void **state)
{
	struct scratch scratch = { 0 };
	struct ward_violations *store = chained(&scratch);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(ward_violations_prune_due(store, 1, &err), 0);
	assert_int_equal(ward_violations_prune_due(store, 2, &err), 1);
	prune(store, 1, 0, 0, 0);
	/* that was at 1000 */
	assert_int_equal(ward_violations_prune_due(store, 1000, &err), 0);
	assert_int_equal(ward_violations_prune_due(store, 1001, &err), 1);
	ward_violations_close(store);
	scratch_remove(&scratch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_age),
		cmocka_unit_test(edited),
		cmocka_unit_test(unlinked),
		cmocka_unit_test(others),
		cmocka_unit_test(by_size),
		cmocka_unit_test(due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
