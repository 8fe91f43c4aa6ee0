/* SPDX-License-Identifier: ISC */
/* A store of named things, for tests of what all stores share. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/things_store.h"

const char *const things_statements[N_STATEMENTS] = {
	[PUT] = "INSERT INTO things (name) VALUES (?)",
	[COUNT] = "SELECT count(*), max(name) FROM things",
	[BEGIN] = "BEGIN IMMEDIATE",
	[COMMIT] = "COMMIT",
	[ROLLBACK] = "ROLLBACK",
	[PUT_NOTE] = "INSERT INTO things (name, note) VALUES (?, ?)",
};

const char *const things_sql[3] = {
	"PRAGMA application_id = 77; PRAGMA user_version = 1;"
	"CREATE TABLE things (name TEXT PRIMARY KEY) STRICT;",
	"PRAGMA user_version = 2; ALTER TABLE things ADD COLUMN note TEXT;",
	"PRAGMA user_version = 3; CREATE TABLE more (id INTEGER) STRICT;",
};
static const struct ward_migrations one = { things_sql, 1 };
static const struct ward_migrations three = { things_sql, 3 };

const struct ward_sqlite_kind things_kind = { THINGS_ID, &one,
	"PRAGMA journal_mode = DELETE", NULL, things_statements, N_STATEMENTS };
const struct ward_sqlite_kind things_kind_new = { THINGS_ID, &three,
	"PRAGMA journal_mode = DELETE", NULL, things_statements, N_STATEMENTS };
const struct ward_sqlite_kind things_kind_wal = { THINGS_ID, &three,
	"PRAGMA journal_mode = WAL", NULL, things_statements, N_STATEMENTS };

int
things_put(struct ward_sqlite *store, const char *name, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store, PUT);
	ward_query_bind_text(&query, name);
	return ward_query_run(&query, NULL, err);
}

int64_t
things_count(struct ward_sqlite *store)
{
	struct ward_query query;
	struct err err = { 0 };
	int64_t n;

	ward_query_begin(&query, store, COUNT);
	check_error("count", ward_query_step(&query, &err) - 1, &err, 0, NULL);
	n = ward_query_take_int(&query);
	check_ok(ward_query_end(&query, &err), &err);
	return n;
}

void
things_make(const char *path, const struct ward_sqlite_kind *which)
{
	struct ward_sqlite *store = NULL;
	struct err err = { 0 };

	check_ok(ward_sqlite_open(which, path, true, 100, &store, &err), &err);
	check_ok(things_put(store, "first", &err), &err);
	ward_sqlite_close(store);
}
