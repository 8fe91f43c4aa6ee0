/* SPDX-License-Identifier: ISC */
/* The violation store: what is too old, or too much, is removed. */
#include "config.h"

#include "db/violations_store.h"

#define BATCH 1000 /* rows: others wait for the writer's lock */

/* One transaction; what is removed is counted once it is. */
static int
prune_links(struct ward_violations *store, const char *sandbox, int64_t before,
    int64_t *removed, bool *damaged, struct err *err)
{
	int r = ward_violations_begin(store, err);

	if (r != 0)
		return r;
	r = ward_violations_prune_chain(
	    store, sandbox, before, BATCH, removed, damaged, err);
	if (r == 0)
		r = ward_violations_commit(store, err);
	ward_violations_rollback(store);
	return r;
}

static int
prune_chains(struct ward_violations *store, int64_t before,
    struct ward_violations_pruned *pruned, struct err *err)
{
	struct ward_violations_ids ids = { NULL, 0 };
	int r = ward_violations_ids_read(
	    store, VIOLATIONS_OLD_SANDBOXES, before, &ids, err);

	pruned->damaged = 0;
	for (size_t i = 0; r == 0 && i < ids.n; i++) {
		int64_t removed = 0;
		bool damaged = false;

		do {
			r = prune_links(store, ids.list[i], before, &removed,
			    &damaged, err);
			if (r == 0)
				pruned->rows += removed;
		} while (r == 0 && removed > 0);
		pruned->damaged += damaged;
	}
	ward_violations_ids_clear(&ids);
	return r;
}

/* The statements take a time, and how many. */
static int
prune_rest(struct ward_violations *store, int64_t before,
    struct ward_violations_pruned *pruned, struct err *err)
{
	static const enum ward_violations_statement which[] = {
		VIOLATIONS_PRUNE_UNCHAINED,
		VIOLATIONS_PRUNE_CONNECTIONS,
		VIOLATIONS_PRUNE_GAPS,
		VIOLATIONS_PRUNE_COMMANDS,
		VIOLATIONS_PRUNE_SESSIONS,
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(which) / sizeof(which[0]);
	     i++) {
		int64_t removed = 0;

		do {
			struct ward_query query;

			ward_query_begin(&query, store->sqlite, which[i]);
			ward_query_bind_int(&query, before);
			ward_query_bind_int(&query, BATCH);
			r = ward_query_run(&query, &removed, err);
			if (r == 0)
				pruned->rows += removed;
		} while (r == 0 && removed > 0);
	}
	return r;
}

/* The one number of a statement. */
static int
ask(struct ward_violations *store, enum ward_violations_statement which,
    int64_t parameter, bool has_parameter, int64_t *number, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, which);
	if (has_parameter)
		ward_query_bind_int(&query, parameter);
	int r = ward_query_step(&query, err);
	if (r <= 0)
		return r;
	*number = ward_query_take_int(&query);
	r = ward_query_end(&query, err);
	return r != 0 ? r : 1;
}

static int
prune_before(struct ward_violations *store, int64_t before,
    struct ward_violations_pruned *pruned, struct err *err)
{
	int r = prune_chains(store, before, pruned, err);

	return r != 0 ? r : prune_rest(store, before, pruned, err);
}

/* What cannot go, such as rows that do not verify, is stepped over. */
static int
prune_to_size(struct ward_violations *store, int64_t bytes,
    struct ward_violations_pruned *pruned, struct err *err)
{
	int64_t offset = BATCH - 1;
	int r = 1;

	while (r > 0) {
		int64_t before = INT64_MAX, had = pruned->rows;

		r = ask(store, VIOLATIONS_BYTES, 0, false, &pruned->bytes, err);
		if (r <= 0 || bytes == 0 || pruned->bytes <= bytes)
			break;
		r = ask(store, VIOLATIONS_OLDEST, offset, true, &before, err);
		if (r <= 0)
			break;
		/* there are fewer: these stay */
		if (before == INT64_MAX)
			break;
		r = prune_before(store, before, pruned, err);
		if (r != 0)
			break;
		offset = pruned->rows > had ? BATCH - 1 : 2 * offset + 1;
		r = 1;
	}
	if (r < 0)
		return r;
	r = ask(store, VIOLATIONS_BYTES, 0, false, &pruned->bytes, err);
	return r < 0 ? r : 0;
}

int
ward_violations_prune(struct ward_violations *store,
    const struct ward_violations_limits *limits, int64_t now,
    struct ward_violations_pruned *pruned, struct err *err)
{
	struct ward_query query;
	int r = 0;

	*pruned = (struct ward_violations_pruned){ 0 };
	if (limits->before > 0)
		r = prune_before(store, limits->before, pruned, err);
	if (r == 0)
		r = prune_to_size(store, limits->bytes, pruned, err);
	if (r != 0)
		return r;
	ward_query_begin(&query, store->sqlite, VIOLATIONS_PRUNED);
	ward_query_bind_int(&query, now);
	ward_query_bind_int(&query, pruned->rows);
	ward_query_bind_int(&query, pruned->bytes);
	return ward_query_run(&query, NULL, err);
}

int
ward_violations_prune_due(
    struct ward_violations *store, int64_t before, struct err *err)
{
	int64_t due = 0;

	return ask(store, VIOLATIONS_PRUNE_DUE, before, true, &due, err);
}
