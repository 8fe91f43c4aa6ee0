/* SPDX-License-Identifier: ISC */
/* Statements of a store: what fails, and how it is said. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/things_store.h"

static void
readers_do_not_write(void **state)
{
	struct ward_sqlite *store = NULL;
	struct err err = { 0 };
	struct scratch s;

	(void)state;
	scratch_make(&s);
	things_make(s.path, &things_kind);
	check_ok(
	    ward_sqlite_open(&things_kind, s.path, false, 100, &store, &err),
	    &err);
	check_error("put", things_put(store, "second", &err), &err, EROFS,
	    "cannot be written");
	assert_int_equal(things_count(store), 1);
	ward_sqlite_close(store);
	scratch_remove(&s);
}

static int64_t
now_ms(void)
{
	struct timespec ts;

	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &ts), 0);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void
locked(void **state)
{
	struct ward_sqlite *store = NULL;
	struct ward_sqlite *other = NULL;
	struct err err = { 0 };
	struct scratch s;
	sqlite3 *db = NULL;
	int64_t begun;

	(void)state;
	scratch_make(&s);
	things_make(s.path, &things_kind);
	check_ok(ward_sqlite_open(&things_kind, s.path, true, 50, &store, &err),
	    &err);
	assert_int_equal(sqlite3_open(s.path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	begun = now_ms();
	check_error("write", things_put(store, "x", &err), &err, EBUSY,
	    "another process holds its lock");
	err.code = 0;
	check_error("open",
	    ward_sqlite_open(&things_kind, s.path, false, 50, &other, &err),
	    &err, EBUSY, "another process holds its lock");
	if (now_ms() - begun < 80 || now_ms() - begun > 5000)
		fail_msg("waited %lld ms, not twice 50",
		    (long long)(now_ms() - begun));
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	err.code = 0;
	check_ok(things_put(store, "x", &err), &err);
	assert_int_equal(things_count(store), 2);
	ward_sqlite_close(store);
	scratch_remove(&s);
}

/* Writes until the pages are used up: an error, and nothing half there. */
static void
full(void **state)
{
	struct ward_sqlite *store = NULL;
	struct err err = { 0 };
	struct scratch s;
	char name[2048];
	int r = 0;
	int n = 0;

	(void)state;
	scratch_make(&s);
	things_make(s.path, &things_kind);
	check_ok(ward_sqlite_open(&things_kind, s.path, true, 50, &store, &err),
	    &err);
	assert_int_equal(sqlite3_exec(store->db, "PRAGMA max_page_count = 20",
			     NULL, NULL, NULL),
	    SQLITE_OK);
	check_ok(ward_sqlite_run(store, BEGIN, &err), &err);
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	while (r == 0 && n < 1000) {
		name[0] = (char)('a' + n % 26);
		name[1] = (char)('a' + n / 26);
		r = things_put(store, name, &err);
		n++;
	}
	check_error("full", r, &err, ENOSPC, "no space left for it");
	ward_sqlite_rollback(store, ROLLBACK);
	ward_sqlite_rollback(store, ROLLBACK);
	assert_int_equal(things_count(store), 1);
	ward_sqlite_close(store);
	scratch_remove(&s);
}

static void
query_errors(void **state)
{
	struct ward_sqlite *store = NULL;
	struct ward_query query;
	struct err err = { 0 };
	struct scratch s;

	(void)state;
	scratch_make(&s);
	things_make(s.path, &things_kind);
	check_ok(ward_sqlite_open(&things_kind, s.path, true, 50, &store, &err),
	    &err);
	check_error(
	    "twice", things_put(store, "first", &err), &err, EINVAL, "UNIQUE");
	err.code = 0;
	check_error("no such column", ward_sqlite_run(store, PUT_NOTE, &err),
	    &err, EIO, "note");
	err.code = 0;
	/* one parameter too many: kept until the step */
	ward_query_begin(&query, store, PUT);
	ward_query_bind_text(&query, "a");
	ward_query_bind_int(&query, 1);
	check_error("too many", ward_query_run(&query, NULL, &err), &err, EIO,
	    "store.db");
	err.code = 0;
	check_ok(things_put(store, "a", &err), &err);
	assert_int_equal(things_count(store), 2);
	ward_sqlite_close(store);
	scratch_remove(&s);
}

static void
moved(void **state)
{
	struct ward_sqlite *store = NULL;
	struct err err = { 0 };
	struct scratch s;

	(void)state;
	scratch_make(&s);
	check_ok(ward_sqlite_open(&things_kind, s.path, true, 50, &store, &err),
	    &err);
	assert_false(ward_sqlite_is_moved(store));
	assert_int_equal(unlink(s.path), 0);
	assert_true(ward_sqlite_is_moved(store));
	ward_sqlite_close(store);
	scratch_remove(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_do_not_write),
		cmocka_unit_test(locked),
		cmocka_unit_test(full),
		cmocka_unit_test(query_errors),
		cmocka_unit_test(moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
