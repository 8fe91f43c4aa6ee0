/* SPDX-License-Identifier: ISC */
/* Brings a database to the newest schema that this build knows. */
#include "config.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdint.h>

#include "db/migrate.h"
#include "db/sqlite.h"

/* The one number that sql gives. */
static int
ask(sqlite3 *db, const char *subject, const char *sql, int64_t *value,
    struct err *err)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
	int r = 0;

	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		*value = sqlite3_column_int64(statement, 0);
	else
		r = ward_sqlite_error(db, code, subject, err);
	(void)sqlite3_finalize(statement);
	return r;
}

static int
execute(sqlite3 *db, const char *subject, const char *sql, struct err *err)
{
	int code = sqlite3_exec(db, sql, NULL, NULL, NULL);

	if (code != SQLITE_OK)
		return ward_sqlite_error(db, code, subject, err);
	return 0;
}

/* Inside a transaction, or another process's migration comes in between. */
static int
look(sqlite3 *db, const char *subject, int application_id,
    const struct ward_migrations *migrations, enum ward_migrate_state *state,
    struct err *err)
{
	int64_t id = 0;
	int64_t version = 0;
	int64_t objects = 0;
	int r = ask(db, subject, "PRAGMA application_id", &id, err);

	if (r == 0)
		r = ask(db, subject, "PRAGMA user_version", &version, err);
	/* reads the schema: damage to it shows now, not in the midst of work */
	if (r == 0)
		r = ask(db, subject, "SELECT count(*) FROM sqlite_schema",
		    &objects, err);
	if (r != 0)
		return r;
	if (id == 0 && version == 0 && objects == 0)
		*state = WARD_MIGRATE_EMPTY;
	else if (id != application_id || version <= 0)
		return ward_err_set(err, EUCLEAN,
		    "%s: is a database of something else than this store of "
		    "Ward's (application_id %lld, expected %d); move it away",
		    subject, (long long)id, application_id);
	else if ((uint64_t)version < migrations->n)
		*state = WARD_MIGRATE_OLDER;
	else
		*state = WARD_MIGRATE_CURRENT;
	return 0;
}

int
ward_migrate_look(sqlite3 *db, const char *subject, int application_id,
    const struct ward_migrations *migrations, enum ward_migrate_state *state,
    struct err *err)
{
	int r = execute(db, subject, "BEGIN", err);

	if (r != 0)
		return r;
	r = look(db, subject, application_id, migrations, state, err);
	if (r == 0)
		r = execute(db, subject, "COMMIT", err);
	if (sqlite3_get_autocommit(db) == 0)
		(void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return r;
}

/* Inside the transaction: what another process did meanwhile is not redone. */
static int
run_next(sqlite3 *db, const char *subject,
    const struct ward_migrations *migrations, bool *done, struct err *err)
{
	int64_t before = 0;
	int64_t after = 0;
	int r = ask(db, subject, "PRAGMA user_version", &before, err);

	if (r != 0)
		return r;
	if (before < 0 || (uint64_t)before >= migrations->n) {
		*done = true;
		return 0;
	}
	r = execute(db, subject, migrations->sql[before], err);
	if (r == 0)
		r = ask(db, subject, "PRAGMA user_version", &after, err);
	if (r == 0 && after != before + 1)
		r = ward_err_set(err, EINVAL,
		    "%s: migration %lld leads to version %lld", subject,
		    (long long)before + 1, (long long)after);
	return r;
}

int
ward_migrate_run(sqlite3 *db, const char *subject, int application_id,
    const struct ward_migrations *migrations, struct err *err)
{
	enum ward_migrate_state state = WARD_MIGRATE_EMPTY;
	bool done = false;
	int r = 0;

	while (r == 0 && !done) {
		r = execute(db, subject, "BEGIN IMMEDIATE", err);
		if (r != 0)
			break;
		r = run_next(db, subject, migrations, &done, err);
		if (r == 0)
			r = execute(db, subject, "COMMIT", err);
		if (sqlite3_get_autocommit(db) == 0)
			(void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	}
	if (r != 0)
		return r;
	r = ward_migrate_look(
	    db, subject, application_id, migrations, &state, err);
	if (r == 0 && state != WARD_MIGRATE_CURRENT)
		r = ward_err_set(err, EINVAL,
		    "%s: the migrations do not name this store", subject);
	return r;
}
