/* SPDX-License-Identifier: ISC */
/*
 * One SQLite database of Ward's: opened safely, with a fixed table of prepared
 * statements, and errors that people can act on.  For the stores in db/ only.
 */
#ifndef WARD_DB_SQLITE_H
#define WARD_DB_SQLITE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "db/migrate.h"

/* What distinguishes one store from another. */
struct ward_sqlite_kind {
	int application_id;
	const struct ward_migrations *migrations;
	const char *journal;    /* PRAGMA journal_mode = ..., for writers */
	const char *pragmas;    /* for everybody */
	const char *const *sql; /* the statements, by the store's own enum */
	size_t n_sql;
};

struct ward_sqlite {
	sqlite3 *db;
	char *path;
	const struct ward_sqlite_kind *kind;
	sqlite3_stmt **statements; /* prepared when first used */
};

/*
 * The directory must be the process's own (root's), 0700 and no link; the file
 * the same with 0600, regular, with one name.  A writer makes the file.  A
 * reader opens for writing too, so that it can roll back what a crash left,
 * and then forbids itself to change anything.
 */
int ward_sqlite_open(const struct ward_sqlite_kind *kind, const char *path,
    bool write, unsigned timeout_ms, struct ward_sqlite **out, struct err *err);
void ward_sqlite_close(struct ward_sqlite *store);

/* Has somebody moved or deleted the file under this handle? */
bool ward_sqlite_is_moved(const struct ward_sqlite *store);

/* What SQLite answered, as -errno, with a text that begins with the path. */
int ward_sqlite_error(sqlite3 *db, int code, const char *path, struct err *err);

/*
 * One run of a prepared statement.  Binding and taking go from left to right;
 * the first error is kept, and the next step or end returns it.  What is bound
 * is borrowed until the end.
 */
struct ward_query {
	struct ward_sqlite *store;
	sqlite3_stmt *statement;
	int code; /* SQLite's, SQLITE_OK so far */
	int next; /* parameter or column */
};

void ward_query_begin(
    struct ward_query *query, struct ward_sqlite *store, size_t which);
void ward_query_bind_int(struct ward_query *query, int64_t value);
void ward_query_bind_null(struct ward_query *query);
/* NULL binds NULL, for these two. */
void ward_query_bind_text(struct ward_query *query, const char *text);
void
ward_query_bind_blob(struct ward_query *query, const void *data, size_t size);

/* 1: a row; 0: no more, and the query is ended; -errno: the same. */
int ward_query_step(struct ward_query *query, struct err *err);

int64_t ward_query_take_int(struct ward_query *query);
/* The same, or absent for NULL. */
int64_t ward_query_take_int_or(struct ward_query *query, int64_t absent);
/* Borrowed until the next step; NULL for NULL. */
const char *ward_query_take_text(struct ward_query *query);
const void *ward_query_take_blob(struct ward_query *query, size_t *size);
/* malloc'd; NULL for NULL. */
char *ward_query_take_copy(struct ward_query *query);

/* Ends a query early; 0, or the error that was kept.  Twice is fine. */
int ward_query_end(struct ward_query *query, struct err *err);
/*
 * Hands the rows on until one says other than 0, which is returned; 0 after the
 * last; -errno, also where a row could not be taken.  Ended, in each case.
 */
typedef int ward_query_on_row(struct ward_query *query, const void *context);
int ward_query_each(struct ward_query *query, ward_query_on_row *on_row,
    const void *context, struct err *err);
/* A statement without rows: step and end; *changed may be NULL. */
int ward_query_run(struct ward_query *query, int64_t *changed, struct err *err);

/*
 * Transactions.  which is the store's statement for it, as for a query.
 */
int ward_sqlite_run(struct ward_sqlite *store, size_t which, struct err *err);
/* Whatever state a failure left; cannot fail. */
void ward_sqlite_rollback(struct ward_sqlite *store, size_t which);

#endif
