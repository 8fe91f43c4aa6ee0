/* SPDX-License-Identifier: ISC */
/* The violation store: chains of rows, made and held against their rows. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "db/chain.h"
#include "db/violations_store.h"

#define FAULTS_MAX 64 /* of one sandbox; what is damaged beyond is damaged */

/* A hash, or what is none: false. */
static bool
take_hash(struct ward_query *query, unsigned char hash[WARD_SHA256_SIZE])
{
	size_t size;
	const void *data = ward_query_take_blob(query, &size);

	if (data == NULL || size != WARD_SHA256_SIZE)
		return false;
	memcpy(hash, data, WARD_SHA256_SIZE);
	return true;
}

static int
write_link(struct ward_violations *store, enum ward_violations_statement which,
    int64_t id, int64_t link, const unsigned char hash[WARD_SHA256_SIZE],
    struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, which);
	ward_query_bind_int(&query, id);
	ward_query_bind_int(&query, link);
	ward_query_bind_blob(&query, hash, WARD_SHA256_SIZE);
	return ward_query_run(&query, NULL, err);
}

int
ward_violations_seal(struct ward_violations *store, int64_t id, struct err *err)
{
	struct ward_violations_violation_row row;
	unsigned char hash[WARD_SHA256_SIZE] = { 0 };
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_UNSEALED);
	ward_query_bind_int(&query, id);
	int r = ward_query_step(&query, err);
	if (r <= 0)
		return r;
	ward_violations_take(&query, &row);
	int64_t link = ward_query_take_int(&query) + 1;
	/* the statement has none without: damage stops no recording */
	if (take_hash(&query, hash) && query.code == SQLITE_OK)
		ward_chain_add(link, row.id, &row.violation, hash);
	r = ward_query_end(&query, err);
	if (r == 0) {
		ward_query_begin(&query, store->sqlite, VIOLATIONS_COUNT_SEAL);
		r = ward_query_run(&query, NULL, err);
	}
	if (r == 0)
		r = write_link(store, VIOLATIONS_SEAL, id, link, hash, err);
	if (r == 0)
		r = write_link(store, VIOLATIONS_SEALED, id, link, hash, err);
	return r;
}

int
ward_violations_seal_open(
    struct ward_violations *store, const char *sandbox, struct err *err)
{
	struct ward_query query;
	int r;

	do {
		ward_query_begin(
		    &query, store->sqlite, VIOLATIONS_FIRST_UNSEALED);
		ward_query_bind_text(&query, sandbox);
		r = ward_query_step(&query, err);
		if (r <= 0)
			return r;
		int64_t id = ward_query_take_int(&query);
		r = ward_query_end(&query, err);
		if (r == 0)
			r = ward_violations_seal(store, id, err);
	} while (r == 0);
	return r;
}

int
ward_violations_chain(struct ward_violations *store, const char *sandbox,
    int64_t *length, unsigned char head[WARD_SHA256_SIZE], struct err *err)
{
	struct ward_query query;
	bool has_head = false;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_CHAIN);
	ward_query_bind_text(&query, sandbox);
	int r = ward_query_step(&query, err);
	if (r < 0)
		return r;
	if (r > 0) {
		*length = ward_query_take_int(&query);
		has_head = take_hash(&query, head);
		r = ward_query_end(&query, err);
	}
	if (r == 0 && !has_head)
		r = ward_err_set(err, ENOENT, "%s: sandbox %s has no chain",
		    store->sqlite->path, sandbox);
	return r;
}

/* --- against its rows --- */

struct walk {
	struct ward_violations *store;
	struct ward_violations_chain_row row;
	unsigned char head[WARD_SHA256_SIZE];
	int64_t at;                           /* the last link that was seen */
	unsigned char hash[WARD_SHA256_SIZE]; /* and its hash */
	bool is_known; /* nothing is missing before the next one */
	struct ward_violations_fault faults[FAULTS_MAX];
	size_t n_faults;
};

static void
find(struct walk *walk, enum ward_chain_fault fault, int64_t row, int64_t first,
    int64_t last)
{
	if (walk->n_faults < FAULTS_MAX)
		walk->faults[walk->n_faults++] = (struct ward_violations_fault){
			.fault = fault, .row = row, .first = first, .last = last
		};
}

static void
look_at_link(struct walk *walk, struct ward_query *query)
{
	struct ward_violations_violation_row row;
	unsigned char stored[WARD_SHA256_SIZE];

	ward_violations_take(query, &row);
	int64_t link = ward_query_take_int(query);
	bool has_hash = take_hash(query, stored);
	if (query->code != SQLITE_OK)
		return;
	walk->row.rows++;
	if (link > walk->at + 1) {
		find(walk, WARD_CHAIN_REMOVED, row.id, walk->at + 1, link - 1);
		walk->is_known = false;
	}
	/* without the hash before it, a row cannot be held against its own */
	if (walk->is_known || link <= walk->at) {
		ward_chain_add(link, row.id, &row.violation, walk->hash);
		if (!has_hash || link <= walk->at ||
		    memcmp(walk->hash, stored, sizeof(stored)) != 0)
			find(walk, WARD_CHAIN_CHANGED, row.id, link, link);
	}
	walk->is_known = has_hash;
	memcpy(walk->hash, stored, sizeof(stored));
	walk->at = link;
}

static int
walk_links(struct walk *walk, struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, walk->store->sqlite, VIOLATIONS_LINKS);
	ward_query_bind_text(&query, walk->row.sandbox);
	while ((r = ward_query_step(&query, err)) > 0) {
		look_at_link(walk, &query);
		if (query.code != SQLITE_OK)
			return ward_query_end(&query, err);
	}
	return r;
}

static int
count_unlinked(struct walk *walk, int64_t *first, struct err *err)
{
	struct ward_query query;

	ward_query_begin(
	    &query, walk->store->sqlite, VIOLATIONS_COUNT_UNLINKED);
	ward_query_bind_text(&query, walk->row.sandbox);
	int r = ward_query_step(&query, err);
	if (r <= 0)
		return r;
	walk->row.unlinked = ward_query_take_int(&query);
	*first = ward_query_take_int(&query);
	return ward_query_end(&query, err);
}

/* The sandbox's row, and where its chain begins. */
static void
take_chain(struct walk *walk, struct ward_query *query)
{
	struct ward_violations_sandbox s = { 0 };
	unsigned char revision_hash[WARD_SHA256_SIZE];

	s.id = ward_query_take_text(query);
	s.account = ward_query_take_text(query);
	s.uid = (uint32_t)ward_query_take_int(query);
	s.profile = ward_query_take_text(query);
	s.revision = ward_query_take_int(query);
	s.hash = take_hash(query, revision_hash) ? revision_hash : NULL;
	s.started = ward_query_take_int(query);
	walk->row.is_open = ward_query_take_int_or(query, -1) == -1;
	walk->row.sandbox = s.id;
	walk->row.account = s.account;
	walk->row.length = ward_query_take_int(query);
	walk->row.is_chained = take_hash(query, walk->head);
	walk->row.head = walk->head;
	walk->at = ward_query_take_int(query);
	walk->is_known = true;
	if (!take_hash(query, walk->hash)) {
		walk->is_known = walk->at == 0;
		ward_chain_start(&s, walk->hash);
	}
}

static void
look_at_end(struct walk *walk, int64_t first_unlinked)
{
	const struct ward_violations_chain_row *row = &walk->row;

	if (!row->is_chained) {
		/* one that has links was chained */
		if (row->rows > 0)
			find(walk, WARD_CHAIN_HEAD, 0, 1, walk->at);
		return;
	}
	if (walk->at < row->length)
		find(walk, WARD_CHAIN_CUT, 0, walk->at + 1, row->length);
	else if (walk->at > row->length || !walk->is_known ||
	    memcmp(walk->hash, walk->head, sizeof(walk->head)) != 0)
		find(walk, WARD_CHAIN_HEAD, 0, row->length, walk->at);
	if (row->unlinked > 0 && !row->is_open)
		find(walk, WARD_CHAIN_UNCHAINED, first_unlinked, 0, 0);
}

static int
verify_one(struct walk *walk, ward_violations_on_chain *on_chain, void *context,
    struct err *err)
{
	int64_t first_unlinked = 0;
	int r = walk_links(walk, err);

	if (r == 0)
		r = count_unlinked(walk, &first_unlinked, err);
	if (r != 0)
		return r;
	look_at_end(walk, first_unlinked);
	if (walk->n_faults == 0)
		return on_chain(context, &walk->row, NULL);
	for (size_t i = 0; r == 0 && i < walk->n_faults; i++)
		r = on_chain(context, &walk->row, &walk->faults[i]);
	return r;
}

static int
verify_all(struct ward_violations *store, int64_t since,
    ward_violations_on_chain *on_chain, void *context, struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_CHAINS);
	ward_query_bind_int(&query, since);
	while ((r = ward_query_step(&query, err)) > 0) {
		struct walk walk = { .store = store };
		take_chain(&walk, &query);
		if (query.code != SQLITE_OK)
			return ward_query_end(&query, err);
		r = verify_one(&walk, on_chain, context, err);
		if (r != 0) {
			(void)ward_query_end(&query, NULL);
			return r;
		}
	}
	return r;
}

int
ward_violations_verify(struct ward_violations *store, int64_t since,
    ward_violations_on_chain *on_chain, void *context, struct err *err)
{
	int r = ward_sqlite_run(store->sqlite, VIOLATIONS_BEGIN_READ, err);

	if (r != 0)
		return r;
	r = verify_all(store, since, on_chain, context, err);
	ward_violations_rollback(store);
	return r;
}

/* --- its beginning, removed --- */

/* Where the chain of the sandbox begins now; 0: it has none. */
static int
chain_of(struct walk *walk, const char *sandbox, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, walk->store->sqlite, VIOLATIONS_CHAIN_OF);
	ward_query_bind_text(&query, sandbox);
	int r = ward_query_step(&query, err);
	if (r <= 0)
		return r;
	take_chain(walk, &query);
	bool has = walk->row.is_chained && walk->is_known;
	r = ward_query_end(&query, err);
	return r != 0 ? r : (int)has;
}

/* As far as rows are old, and what was hashed: walk->at and hash tell. */
static int
walk_old(struct walk *walk, const char *sandbox, int64_t before, int64_t most,
    bool *damaged, struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, walk->store->sqlite, VIOLATIONS_NEXT_LINKS);
	ward_query_bind_text(&query, sandbox);
	ward_query_bind_int(&query, most);
	while ((r = ward_query_step(&query, err)) > 0) {
		struct ward_violations_violation_row row;
		unsigned char stored[WARD_SHA256_SIZE] = { 0 };
		unsigned char hash[WARD_SHA256_SIZE];

		ward_violations_take(&query, &row);
		int64_t link = ward_query_take_int(&query);
		(void)take_hash(&query, stored);
		if (query.code != SQLITE_OK || row.violation.last >= before)
			return ward_query_end(&query, err);
		memcpy(hash, walk->hash, sizeof(hash));
		ward_chain_add(link, row.id, &row.violation, hash);
		*damaged = link != walk->at + 1 ||
		    memcmp(hash, stored, sizeof(hash)) != 0;
		if (*damaged)
			return ward_query_end(&query, err);
		memcpy(walk->hash, hash, sizeof(hash));
		walk->at = link;
	}
	return r;
}

int
ward_violations_prune_chain(struct ward_violations *store, const char *sandbox,
    int64_t before, int64_t most, int64_t *removed, bool *damaged,
    struct err *err)
{
	struct walk walk = { .store = store };
	struct ward_query query;

	*removed = 0;
	*damaged = false;
	int r = chain_of(&walk, sandbox, err);
	if (r <= 0)
		return r;
	int64_t from = walk.at;
	r = walk_old(&walk, sandbox, before, most, damaged, err);
	if (r != 0 || walk.at == from)
		return r;
	ward_query_begin(&query, store->sqlite, VIOLATIONS_PRUNE_LINKS);
	ward_query_bind_text(&query, sandbox);
	ward_query_bind_int(&query, walk.at);
	r = ward_query_run(&query, removed, err);
	if (r != 0)
		return r;
	ward_query_begin(&query, store->sqlite, VIOLATIONS_PRUNED_TO);
	ward_query_bind_text(&query, sandbox);
	ward_query_bind_int(&query, walk.at);
	ward_query_bind_blob(&query, walk.hash, sizeof(walk.hash));
	return ward_query_run(&query, NULL, err);
}

int
ward_violations_was(struct ward_violations *store, const char *sandbox,
    int64_t length, const unsigned char head[WARD_SHA256_SIZE], struct err *err)
{
	unsigned char hash[WARD_SHA256_SIZE];
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_LINK);
	ward_query_bind_text(&query, sandbox);
	ward_query_bind_int(&query, length);
	int r = ward_query_step(&query, err);
	if (r <= 0)
		return r;
	bool same = (take_hash(&query, hash) &&
			memcmp(hash, head, WARD_SHA256_SIZE) == 0) ||
	    ward_query_take_int(&query) > length;
	r = ward_query_end(&query, err);
	return r != 0 ? r : (int)same;
}
