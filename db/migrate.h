/* SPDX-License-Identifier: ISC */
/*
 * Brings a database to the newest schema that this build knows.  For
 * db/sqlite.c and its tests only.
 */
#ifndef WARD_DB_MIGRATE_H
#define WARD_DB_MIGRATE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct sqlite3;

/*
 * The texts of the numbered .sql files, in order: number n leads from
 * user_version n - 1 to n, sets user_version and, the first, application_id.
 */
struct ward_migrations {
	const char *const *sql;
	size_t n;
};

/* Made by embed.awk. */
extern const struct ward_migrations ward_policy_migrations;
extern const struct ward_migrations ward_violations_migrations;

enum ward_migrate_state {
	WARD_MIGRATE_EMPTY,   /* a new file */
	WARD_MIGRATE_OLDER,   /* migrations are missing */
	WARD_MIGRATE_CURRENT, /* the one that is known, or a newer one: since
				 migrations only add, it is read and written
				 as if it were known */
};

/*
 * What is there?  -EUCLEAN for a database of something else.  As everything
 * here it returns -errno with the text in err; subject names the database.
 */
int ward_migrate_look(struct sqlite3 *db, const char *subject,
    int application_id, const struct ward_migrations *migrations,
    enum ward_migrate_state *state, struct err *err);

/*
 * Runs what is missing, each migration in a transaction of its own.  Several
 * processes may do so at the same time: -EBUSY means try again.
 */
int
ward_migrate_run(struct sqlite3 *db, const char *subject, int application_id,
    const struct ward_migrations *migrations, struct err *err);

#endif
