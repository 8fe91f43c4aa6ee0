/* SPDX-License-Identifier: ISC */
/*
 * A store of named things, for tests of what all stores share.  For tests/unit
 * only; include after cmocka.h.
 */
#ifndef WARD_TESTS_UNIT_THINGS_STORE_H
#define WARD_TESTS_UNIT_THINGS_STORE_H

#include "db/sqlite.h"
#include "tests/unit/scratch.h"

enum {
	PUT,
	COUNT,
	BEGIN,
	COMMIT,
	ROLLBACK,
	PUT_NOTE, /* from the second schema on */
	N_STATEMENTS,
};

#define THINGS_ID 77

/* The first schema: one table.  The third: a column and a table more. */
extern const char *const things_sql[3];
extern const char *const things_statements[N_STATEMENTS];
extern const struct ward_sqlite_kind things_kind;
extern const struct ward_sqlite_kind things_kind_new;
extern const struct ward_sqlite_kind things_kind_wal; /* and new */

int things_put(struct ward_sqlite *store, const char *name, struct err *err);
int64_t things_count(struct ward_sqlite *store);
/* A store with one row. */
void things_make(const char *path, const struct ward_sqlite_kind *which);

#endif
