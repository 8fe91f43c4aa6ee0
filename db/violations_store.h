/* SPDX-License-Identifier: ISC */
/* What the files of the violation store share; for db/violations*.c and
 * db/requests.c only. */
#ifndef WARD_DB_VIOLATIONS_STORE_H
#define WARD_DB_VIOLATIONS_STORE_H

#include "db/sqlite.h"
#include "db/violations.h"

struct ward_violations {
	struct ward_sqlite *sqlite;
};

/* The way to violations that leaves the fewest to look at; in the order of the
 * lists, and of the groups. */
enum ward_violations_way {
	WARD_WAY_TIME,
	WARD_WAY_ACCOUNT,
	WARD_WAY_SESSION,
	WARD_WAY_TARGET,
	WARD_WAY_KIND,
	WARD_N_WAYS,
};

/* In the order of the table in violations_sql.c. */
enum ward_violations_statement {
	VIOLATIONS_BEGIN,
	VIOLATIONS_BEGIN_READ,
	VIOLATIONS_COMMIT,
	VIOLATIONS_ROLLBACK,

	VIOLATIONS_SANDBOX_START,
	VIOLATIONS_SANDBOX_END,
	VIOLATIONS_SESSION_START,
	VIOLATIONS_SESSION_END,
	VIOLATIONS_COMMAND_START,
	VIOLATIONS_COMMAND_END,
	VIOLATIONS_ADD,
	VIOLATIONS_REPEAT,
	VIOLATIONS_GAP,

	VIOLATIONS_UNSEALED,
	VIOLATIONS_FIRST_UNSEALED,
	VIOLATIONS_SEAL,
	VIOLATIONS_COUNT_SEAL,
	VIOLATIONS_SEALED,
	VIOLATIONS_CHAIN,
	VIOLATIONS_CHAINS,
	VIOLATIONS_LINKS,
	VIOLATIONS_LINK,
	VIOLATIONS_COUNT_UNLINKED,
	VIOLATIONS_CONNECTION,

	VIOLATIONS_REQUEST_REPEAT,
	VIOLATIONS_REQUEST_ADD,
	VIOLATIONS_REQUEST_DROP,
	VIOLATIONS_REQUESTS,
	VIOLATIONS_REQUESTS_DROPPED,
	VIOLATIONS_REQUEST_HAS,
	VIOLATIONS_REQUEST_ANSWER,
	VIOLATIONS_REQUEST_ROOM,

	VIOLATIONS_OPEN_SANDBOXES,
	VIOLATIONS_LAST_KNOWN,
	VIOLATIONS_LOSE_COMMANDS,
	VIOLATIONS_LOSE_SESSIONS,

	/* each pair: oldest first, newest first */
	VIOLATIONS_LIST,
	VIOLATIONS_LIST_NEWEST,
	VIOLATIONS_LIST_OF_ACCOUNT,
	VIOLATIONS_LIST_OF_ACCOUNT_NEWEST,
	VIOLATIONS_LIST_OF_SESSION,
	VIOLATIONS_LIST_OF_SESSION_NEWEST,
	VIOLATIONS_LIST_OF_TARGET,
	VIOLATIONS_LIST_OF_TARGET_NEWEST,
	VIOLATIONS_LIST_OF_KIND,
	VIOLATIONS_LIST_OF_KIND_NEWEST,
	VIOLATIONS_SESSIONS,
	VIOLATIONS_SESSIONS_NEWEST,
	VIOLATIONS_COMMANDS,
	VIOLATIONS_COMMANDS_NEWEST,
	VIOLATIONS_GAPS,
	VIOLATIONS_GAPS_NEWEST,
	VIOLATIONS_CONNECTIONS,
	VIOLATIONS_CONNECTIONS_NEWEST,
	VIOLATIONS_CONNECTIONS_OF_SESSION,
	VIOLATIONS_CONNECTIONS_OF_SESSION_NEWEST,

	/* of each way, one for each column */
	VIOLATIONS_GROUPS,
	VIOLATIONS_ALL_TARGETS =
	    VIOLATIONS_GROUPS + WARD_N_WAYS * WARD_N_COLUMNS,
	/* beyond an id, and the last one */
	VIOLATIONS_AFTER,
	VIOLATIONS_SEALED_AFTER,
	VIOLATIONS_GAPS_AFTER,
	VIOLATIONS_LAST_ID,
	VIOLATIONS_SESSION_COUNTS,
	VIOLATIONS_TIMELINE,

	/* before, and how many at most */
	VIOLATIONS_OLD_SANDBOXES,
	VIOLATIONS_CHAIN_OF,
	VIOLATIONS_NEXT_LINKS,
	VIOLATIONS_PRUNE_LINKS,
	VIOLATIONS_PRUNED_TO,
	VIOLATIONS_PRUNE_UNCHAINED,
	VIOLATIONS_PRUNE_CONNECTIONS,
	VIOLATIONS_PRUNE_GAPS,
	VIOLATIONS_PRUNE_COMMANDS,
	VIOLATIONS_PRUNE_SESSIONS,
	VIOLATIONS_BYTES,
	VIOLATIONS_OLDEST,
	VIOLATIONS_PRUNED,
	VIOLATIONS_PRUNE_DUE,
	VIOLATIONS_N_STATEMENTS,
};

/* In violations.c: the sandboxes that a statement with one number finds. */
struct ward_violations_ids {
	char **list;
	size_t n;
};
int ward_violations_ids_read(struct ward_violations *store,
    enum ward_violations_statement which, int64_t parameter,
    struct ward_violations_ids *ids, struct err *err);
/* Also after a failure. */
void ward_violations_ids_clear(struct ward_violations_ids *ids);

/* In violations_read.c: the first parameters of every listing. */
void ward_violations_bind(
    struct ward_query *query, const struct ward_violations_filter *filter);

enum ward_violations_way
ward_violations_way_of(const struct ward_violations_filter *filter);

/* In violations_sum.c: the statement that groups by the column. */
size_t ward_violations_groups_for(const struct ward_violations_filter *filter,
    enum ward_violations_column column);

/* Targets from one up to another, or to the last; from is NULL for all. */
struct ward_target_range {
	char *from, *until;
};
int ward_violations_range_of(const struct ward_violations_filter *filter,
    struct ward_target_range *range, struct err *err);
void ward_violations_bind_range(
    struct ward_query *query, const struct ward_target_range *range);
void ward_violations_range_clear(struct ward_target_range *range);

/* In violations_read.c: takes the columns that every listing of them has. */
void ward_violations_take(
    struct ward_query *query, struct ward_violations_violation_row *row);

/*
 * In violations_chain.c: removes the rows at the beginning of a chain that are
 * older, as far as they are what was hashed, and at most so many; within a
 * batch.  *damaged: it ended at one that is not.
 */
int ward_violations_prune_chain(struct ward_violations *store,
    const char *sandbox, int64_t before, int64_t most, int64_t *removed,
    bool *damaged, struct err *err);

/* In violations_sql.c. */
extern const struct ward_sqlite_kind ward_violations_kind;

#endif
