/* SPDX-License-Identifier: ISC */
/* Migrations: whole or not at all, by many processes, from old to new. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/unit/things_store.h"

static const char *const broken_sql[] = {
	"PRAGMA application_id = 77; PRAGMA user_version = 1;"
	"CREATE TABLE things (name TEXT PRIMARY KEY) STRICT;",
	"CREATE TABLE half (id INTEGER) STRICT; CREATE TABEL;",
};
static const char *const unnumbered_sql[] = {
	"PRAGMA application_id = 77; CREATE TABLE things (name TEXT) STRICT;",
};
static const char *const unnamed_sql[] = {
	"PRAGMA user_version = 1; CREATE TABLE things (name TEXT) STRICT;",
};
static const struct ward_migrations broken = { broken_sql, 2 };
static const struct ward_migrations unnumbered = { unnumbered_sql, 1 };
static const struct ward_migrations unnamed = { unnamed_sql, 1 };

static const struct ward_sqlite_kind kind_broken = { THINGS_ID, &broken,
	"PRAGMA journal_mode = DELETE", NULL, things_statements, N_STATEMENTS };
static const struct ward_sqlite_kind kind_unnumbered = { THINGS_ID, &unnumbered,
	"PRAGMA journal_mode = DELETE", NULL, things_statements, N_STATEMENTS };
static const struct ward_sqlite_kind kind_unnamed = { THINGS_ID, &unnamed,
	"PRAGMA journal_mode = DELETE", NULL, things_statements, N_STATEMENTS };

static int64_t
version(const char *path)
{
	sqlite3_stmt *statement = NULL;
	sqlite3 *db = NULL;
	int64_t found;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL),
	    SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	found = sqlite3_column_int64(statement, 0);
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return found;
}

/* Up by opening, by readers too; an old program goes on with a new schema. */
static void
older_and_newer(void **state)
{
	struct ward_sqlite *old = NULL;
	struct ward_sqlite *new = NULL;
	struct ward_query query;
	struct err err = { 0 };
	struct scratch s;

	(void)state;
	scratch_make(&s);
	things_make(s.path, &things_kind);
	check_ok(
	    ward_sqlite_open(&things_kind, s.path, true, 50, &old, &err), &err);
	assert_int_equal(version(s.path), 1);
	check_ok(
	    ward_sqlite_open(&things_kind_new, s.path, false, 50, &new, &err),
	    &err);
	assert_int_equal(version(s.path), 3);
	check_error("reader", things_put(new, "x", &err), &err, EROFS, NULL);
	ward_sqlite_close(new);
	err.code = 0;
	check_ok(things_put(old, "by the old one", &err), &err);
	ward_sqlite_close(old);
	check_ok(
	    ward_sqlite_open(&things_kind, s.path, true, 50, &old, &err), &err);
	check_ok(things_put(old, "by a new open of the old one", &err), &err);
	ward_sqlite_close(old);
	assert_int_equal(version(s.path), 3);
	check_ok(
	    ward_sqlite_open(&things_kind_new, s.path, true, 50, &new, &err),
	    &err);
	ward_query_begin(&query, new, PUT_NOTE);
	ward_query_bind_text(&query, "by the new one");
	ward_query_bind_text(&query, "noted");
	check_ok(ward_query_run(&query, NULL, &err), &err);
	assert_int_equal(things_count(new), 4);
	ward_sqlite_close(new);
	scratch_remove(&s);
}

struct bad_migration {
	const char *name;
	const struct ward_sqlite_kind *kind;
	int errnum;
	int64_t version; /* that stands afterwards */
	const char *fragment;
};

static const struct bad_migration bad_migrations[] = {
	{ "does not compile", &kind_broken, EIO, 1, "syntax error" },
	{ "sets no version", &kind_unnumbered, EINVAL, 0,
	    "migration 1 leads to version 0" },
	{ "sets no application_id", &kind_unnamed, EUCLEAN, 1,
	    "something else" },
};

/* Each migration is whole or not there. */
static void
migrations_that_fail(void **state)
{
	(void)state;
	for (size_t i = 0;
	     i < sizeof(bad_migrations) / sizeof(bad_migrations[0]); i++) {
		const struct bad_migration *bad = &bad_migrations[i];
		struct ward_sqlite *store = NULL;
		struct err err = { 0 };
		struct scratch s;
		sqlite3 *db = NULL;

		scratch_make(&s);
		check_error(bad->name,
		    ward_sqlite_open(bad->kind, s.path, true, 50, &store, &err),
		    &err, bad->errnum, bad->fragment);
		if (version(s.path) != bad->version)
			fail_msg("%s: version %lld", bad->name,
			    (long long)version(s.path));
		assert_int_equal(sqlite3_open(s.path, &db), SQLITE_OK);
		assert_int_equal(
		    sqlite3_exec(db, "SELECT * FROM half", NULL, NULL, NULL),
		    SQLITE_ERROR);
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
		scratch_remove(&s);
	}
}

/* Many processes find no file, and all of them get a whole store. */
static void
made_by_many(void **state)
{
	enum { ROUNDS = 20, PROCESSES = 12 };

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const struct ward_sqlite_kind *which =
		    round % 2 == 0 ? &things_kind_wal : &things_kind_new;
		pid_t children[PROCESSES];
		struct ward_sqlite *store = NULL;
		struct err err = { 0 };
		struct scratch s;
		int pipes[2];

		scratch_make(&s);
		assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
		for (int i = 0; i < PROCESSES; i++) {
			char name[] = { (char)('a' + i), '\0' };
			char byte;

			children[i] = fork();
			assert_true(children[i] >= 0);
			if (children[i] != 0)
				continue;
			/* all at once: when the pipe ends */
			(void)close(pipes[1]);
			if (read(pipes[0], &byte, 1) != 0 ||
			    ward_sqlite_open(which, s.path, true, 10000, &store,
				&err) != 0 ||
			    things_put(store, name, &err) != 0) {
				(void)fprintf(stderr, "%s\n", err.text);
				_exit(1);
			}
			ward_sqlite_close(store);
			_exit(0);
		}
		(void)close(pipes[0]);
		(void)close(pipes[1]);
		for (int i = 0; i < PROCESSES; i++) {
			int status = -1;

			assert_int_equal(
			    waitpid(children[i], &status, 0), children[i]);
			if (status != 0)
				fail_msg(
				    "round %d: process %d failed", round, i);
		}
		check_ok(
		    ward_sqlite_open(which, s.path, false, 100, &store, &err),
		    &err);
		assert_int_equal(things_count(store), PROCESSES);
		ward_sqlite_close(store);
		assert_int_equal(version(s.path), 3);
		scratch_remove(&s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(older_and_newer),
		cmocka_unit_test(migrations_that_fail),
		cmocka_unit_test(made_by_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
