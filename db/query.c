/* SPDX-License-Identifier: ISC */
/* One run of a prepared statement; declared in db/sqlite.h. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "db/sqlite.h"

void
ward_query_begin(
    struct ward_query *query, struct ward_sqlite *store, size_t which)
{
	sqlite3_stmt **cached = &store->statements[which];

	query->store = store;
	query->next = 1;
	query->code = SQLITE_OK;
	if (*cached == NULL)
		query->code =
		    sqlite3_prepare_v3(store->db, store->kind->sql[which], -1,
			SQLITE_PREPARE_PERSISTENT, cached, NULL);
	query->statement = *cached;
}

void
ward_query_bind_int(struct ward_query *query, int64_t value)
{
	if (query->code == SQLITE_OK)
		query->code =
		    sqlite3_bind_int64(query->statement, query->next++, value);
}

void
ward_query_bind_null(struct ward_query *query)
{
	if (query->code == SQLITE_OK)
		query->code =
		    sqlite3_bind_null(query->statement, query->next++);
}

void
ward_query_bind_text(struct ward_query *query, const char *text)
{
	if (query->code == SQLITE_OK)
		query->code = sqlite3_bind_text(
		    query->statement, query->next++, text, -1, SQLITE_STATIC);
}

void
ward_query_bind_blob(struct ward_query *query, const void *data, size_t size)
{
	if (query->code == SQLITE_OK)
		query->code = sqlite3_bind_blob64(
		    query->statement, query->next++, data, size, SQLITE_STATIC);
}

int
ward_query_end(struct ward_query *query, struct err *err)
{
	struct ward_sqlite *store = query->store;
	int r = 0;

	if (query->code != SQLITE_OK)
		r = ward_sqlite_error(store->db, query->code, store->path, err);
	if (query->statement != NULL) {
		(void)sqlite3_reset(query->statement);
		(void)sqlite3_clear_bindings(query->statement);
		query->statement = NULL;
	}
	return r;
}

int
ward_query_step(struct ward_query *query, struct err *err)
{
	if (query->code != SQLITE_OK)
		return ward_query_end(query, err);
	int code = sqlite3_step(query->statement);

	query->next = 0;
	if (code == SQLITE_ROW)
		return 1;
	if (code != SQLITE_DONE)
		query->code = code;
	return ward_query_end(query, err);
}

int
ward_query_run(struct ward_query *query, int64_t *changed, struct err *err)
{
	int r = ward_query_step(query, err);

	if (r > 0)
		r = ward_query_end(query, err);
	else if (r == 0 && changed != NULL)
		*changed = sqlite3_changes64(query->store->db);
	return r;
}

int
ward_query_each(struct ward_query *query, ward_query_on_row *on_row,
    const void *context, struct err *err)
{
	int r;

	while ((r = ward_query_step(query, err)) > 0) {
		r = on_row(query, context);
		if (query->code != SQLITE_OK)
			return ward_query_end(query, err);
		if (r != 0) {
			(void)ward_query_end(query, NULL);
			return r;
		}
	}
	return r;
}

int64_t
ward_query_take_int_or(struct ward_query *query, int64_t absent)
{
	int column = query->next++;

	if (sqlite3_column_type(query->statement, column) == SQLITE_NULL)
		return absent;
	return sqlite3_column_int64(query->statement, column);
}

int64_t
ward_query_take_int(struct ward_query *query)
{
	return ward_query_take_int_or(query, 0);
}

const char *
ward_query_take_text(struct ward_query *query)
{
	int column = query->next++;
	const void *text = sqlite3_column_text(query->statement, column);

	if (text == NULL &&
	    sqlite3_column_type(query->statement, column) != SQLITE_NULL)
		query->code = SQLITE_NOMEM;
	return text;
}

const void *
ward_query_take_blob(struct ward_query *query, size_t *size)
{
	int column = query->next++;
	const void *data = sqlite3_column_blob(query->statement, column);

	*size = (size_t)sqlite3_column_bytes(query->statement, column);
	return data;
}

char *
ward_query_take_copy(struct ward_query *query)
{
	const char *text = ward_query_take_text(query);
	char *copy = text == NULL ? NULL : strdup(text);

	if (text != NULL && copy == NULL)
		query->code = SQLITE_NOMEM;
	return copy;
}

int
ward_sqlite_run(struct ward_sqlite *store, size_t which, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store, which);
	return ward_query_run(&query, NULL, err);
}

void
ward_sqlite_rollback(struct ward_sqlite *store, size_t which)
{
	/* SQLite itself rolls back after some errors */
	if (sqlite3_get_autocommit(store->db) == 0)
		(void)ward_sqlite_run(store, which, NULL);
}
