/* SPDX-License-Identifier: ISC */
/* The violation store: reading. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/violations_store.h"

/* The parameters that every listing has, in the order of violations_sql.c. */
void
ward_violations_bind(
    struct ward_query *query, const struct ward_violations_filter *filter)
{
	ward_query_bind_text(query, filter->account);
	ward_query_bind_text(query, filter->session);
	ward_query_bind_text(query, filter->sandbox);
	ward_query_bind_text(query, filter->kind);
	ward_query_bind_int(query, filter->since);
	ward_query_bind_int(query, filter->limit > 0 ? filter->limit : -1);
	ward_query_bind_int(query, filter->open_only);
}

int
ward_violations_range_of(const struct ward_violations_filter *filter,
    struct ward_target_range *range, struct err *err)
{
	size_t n = filter->target == NULL ? 0 : strlen(filter->target);
	bool is_prefix = n > 0 && filter->target[n - 1] == '*';

	*range = (struct ward_target_range){ NULL, NULL };
	if (filter->target == NULL || strcmp(filter->target, "*") == 0)
		return 0;
	range->from = strndup(filter->target, is_prefix ? n - 1 : n);
	/* the next of all is the same with a byte more: there is no NUL */
	if (range->from == NULL ||
	    asprintf(&range->until, "%s\001", range->from) < 0) {
		range->until = NULL;
		ward_violations_range_clear(range);
		return ward_err_sys(err, ENOMEM, "a target");
	}
	if (!is_prefix)
		return 0;
	/* its last byte that can be is raised */
	for (n--; n > 0 && (unsigned char)range->from[n - 1] == 0xff; n--)
		;
	range->until[n] = '\0';
	if (n > 0) {
		range->until[n - 1]++;
	} else {
		free(range->until);
		range->until = NULL;
	}
	return 0;
}

void
ward_violations_bind_range(
    struct ward_query *query, const struct ward_target_range *range)
{
	ward_query_bind_text(query, range->from);
	/* to SQLite any text is less than any blob */
	if (range->from != NULL && range->until == NULL)
		ward_query_bind_blob(query, "", 0);
	else
		ward_query_bind_text(query, range->until);
}

void
ward_violations_range_clear(struct ward_target_range *range)
{
	free(range->from);
	free(range->until);
	*range = (struct ward_target_range){ NULL, NULL };
}

enum ward_violations_way
ward_violations_way_of(const struct ward_violations_filter *filter)
{
	if (filter->session != NULL)
		return WARD_WAY_SESSION;
	if (filter->target != NULL && strcmp(filter->target, "*") != 0)
		return WARD_WAY_TARGET;
	/* people ask for what is recent; an account or a kind may have all */
	if (filter->since != 0)
		return WARD_WAY_TIME;
	if (filter->account != NULL)
		return WARD_WAY_ACCOUNT;
	return filter->kind != NULL ? WARD_WAY_KIND : WARD_WAY_TIME;
}

/*
 * which is the first of a pair: oldest first, then newest first.  show turns
 * the row into the caller's struct and hands it to the caller's function.
 */
struct listing {
	struct ward_violations *store;
	enum ward_violations_statement which;
	const struct ward_violations_filter *filter;
	const struct ward_target_range *range; /* of violations */
	ward_query_on_row *show;               /* with the listing */
	void *context;
	ward_violations_on_violation *on_violation;
	ward_violations_on_session *on_session;
	ward_violations_on_command *on_command;
	ward_violations_on_gap *on_gap;
	ward_violations_on_connection *on_connection;
};

static const struct ward_violations_filter everything = { 0 };

static int
list(const struct listing *listing, struct err *err)
{
	const struct ward_violations_filter *filter =
	    listing->filter == NULL ? &everything : listing->filter;
	struct ward_query query;

	ward_query_begin(&query, listing->store->sqlite,
	    (size_t)listing->which + (filter->newest_first ? 1 : 0));
	ward_violations_bind(&query, filter);
	if (listing->range != NULL)
		ward_violations_bind_range(&query, listing->range);
	return ward_query_each(&query, listing->show, listing, err);
}

void
ward_violations_take(
    struct ward_query *query, struct ward_violations_violation_row *row)
{
	struct ward_violation *v = &row->violation;

	row->id = ward_query_take_int(query);
	row->account = ward_query_take_text(query);
	row->uid = (uint32_t)ward_query_take_int(query);
	v->sandbox = ward_query_take_text(query);
	v->session = ward_query_take_text(query);
	v->kind = ward_query_take_text(query);
	v->operation = ward_query_take_text(query);
	v->target = ward_query_take_text(query);
	v->pid = ward_query_take_int(query);
	v->program = ward_query_take_text(query);
	v->confirmed = ward_query_take_int(query) != 0;
	v->errnum = (int)ward_query_take_int(query);
	v->count = ward_query_take_int(query);
	v->first = ward_query_take_int(query);
	v->last = ward_query_take_int(query);
	v->profile = ward_query_take_text(query);
	v->revision = ward_query_take_int(query);
	v->rule_file = ward_query_take_text(query);
	v->rule_line = (unsigned)ward_query_take_int(query);
	v->rule_text = ward_query_take_text(query);
	v->reason = ward_query_take_text(query);
	row->sealed = 0;
}

static int
show_violation(struct ward_query *query, const void *context)
{
	const struct listing *listing = context;
	struct ward_violations_violation_row row;

	ward_violations_take(query, &row);
	if (query->code != SQLITE_OK)
		return 0;
	return listing->on_violation(listing->context, &row);
}

int
ward_violations_each(struct ward_violations *store,
    const struct ward_violations_filter *filter,
    ward_violations_on_violation *on_row, void *context, struct err *err)
{
	struct ward_target_range range;
	struct listing listing = { .store = store,
		.filter = filter == NULL ? &everything : filter,
		.range = &range,
		.show = show_violation,
		.context = context,
		.on_violation = on_row };
	int r = ward_violations_range_of(listing.filter, &range, err);

	listing.which =
	    VIOLATIONS_LIST + 2 * ward_violations_way_of(listing.filter);

	if (r == 0)
		r = list(&listing, err);
	ward_violations_range_clear(&range);
	return r;
}

int
ward_violations_after(struct ward_violations *store,
    const struct ward_violations_filter *filter, int64_t after,
    ward_violations_on_violation *on_row, void *context, struct err *err)
{
	struct ward_target_range range;
	const struct listing listing = { .context = context,
		.on_violation = on_row };
	struct ward_query query;
	int r = ward_violations_range_of(filter, &range, err);

	if (r == 0) {
		ward_query_begin(&query, store->sqlite, VIOLATIONS_AFTER);
		ward_violations_bind(&query, filter);
		ward_violations_bind_range(&query, &range);
		ward_query_bind_int(&query, after);
		r = ward_query_each(&query, show_violation, &listing, err);
	}
	ward_violations_range_clear(&range);
	return r;
}

static int
show_sealed(struct ward_query *query, const void *context)
{
	const struct listing *listing = context;
	struct ward_violations_violation_row row;

	ward_violations_take(query, &row);
	row.sealed = ward_query_take_int(query);
	if (query->code != SQLITE_OK)
		return 0;
	return listing->on_violation(listing->context, &row);
}

/* What has one number to go on from. */
static int
list_after(struct ward_violations *store, enum ward_violations_statement which,
    int64_t after, int64_t limit, const struct listing *listing,
    struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, which);
	ward_query_bind_int(&query, after);
	ward_query_bind_int(&query, limit);
	return ward_query_each(&query, listing->show, listing, err);
}

int
ward_violations_sealed_after(struct ward_violations *store, int64_t after,
    int64_t limit, ward_violations_on_violation *on_row, void *context,
    struct err *err)
{
	const struct listing listing = {
		.show = show_sealed, .context = context, .on_violation = on_row
	};

	return list_after(
	    store, VIOLATIONS_SEALED_AFTER, after, limit, &listing, err);
}

int
ward_violations_last_id(
    struct ward_violations *store, int64_t *last_id, struct err *err)
{
	struct ward_query query;

	*last_id = 0;
	ward_query_begin(&query, store->sqlite, VIOLATIONS_LAST_ID);
	int r = ward_query_step(&query, err);
	if (r <= 0)
		return r;
	*last_id = ward_query_take_int(&query);
	return ward_query_end(&query, err);
}

static int
show_session(struct ward_query *query, const void *context)
{
	const struct listing *listing = context;
	struct ward_violations_session_row row;
	struct ward_violations_session *session = &row.session;

	session->id = ward_query_take_text(query);
	session->sandbox = ward_query_take_text(query);
	session->account = ward_query_take_text(query);
	session->uid = (uint32_t)ward_query_take_int(query);
	session->service = ward_query_take_text(query);
	session->tty = ward_query_take_text(query);
	session->rhost = ward_query_take_text(query);
	session->ruser = ward_query_take_text(query);
	session->opener_pid = ward_query_take_int(query);
	session->audit_session = ward_query_take_int_or(query, -1);
	session->started = ward_query_take_int(query);
	row.ended = ward_query_take_int(query);
	row.reason = ward_query_take_text(query);
	row.refusal = ward_query_take_text(query);
	row.status = (int)ward_query_take_int_or(query, -1);
	row.profile = ward_query_take_text(query);
	row.revision = ward_query_take_int(query);
	row.commands = ward_query_take_int(query);
	row.violations = ward_query_take_int(query);
	if (query->code != SQLITE_OK)
		return 0;
	return listing->on_session(listing->context, &row);
}

int
ward_violations_each_session(struct ward_violations *store,
    const struct ward_violations_filter *filter,
    ward_violations_on_session *on_row, void *context, struct err *err)
{
	const struct listing listing = { .store = store,
		.which = VIOLATIONS_SESSIONS,
		.filter = filter,
		.show = show_session,
		.context = context,
		.on_session = on_row };

	return list(&listing, err);
}

static int
show_command(struct ward_query *query, const void *context)
{
	const struct listing *listing = context;
	struct ward_violations_command_row row;

	row.id = ward_query_take_int(query);
	row.session = ward_query_take_text(query);
	row.account = ward_query_take_text(query);
	row.pid = ward_query_take_int(query);
	row.argv = ward_query_take_text(query);
	row.started = ward_query_take_int(query);
	row.ended = ward_query_take_int(query);
	row.status = (int)ward_query_take_int_or(query, -1);
	if (query->code != SQLITE_OK)
		return 0;
	return listing->on_command(listing->context, &row);
}

int
ward_violations_each_command(struct ward_violations *store,
    const struct ward_violations_filter *filter,
    ward_violations_on_command *on_row, void *context, struct err *err)
{
	const struct listing listing = { .store = store,
		.which = VIOLATIONS_COMMANDS,
		.filter = filter,
		.show = show_command,
		.context = context,
		.on_command = on_row };

	return list(&listing, err);
}

static int
show_gap(struct ward_query *query, const void *context)
{
	const struct listing *listing = context;
	struct ward_violations_gap_row row;

	row.id = ward_query_take_int(query);
	row.account = ward_query_take_text(query);
	row.gap.sandbox = ward_query_take_text(query);
	row.gap.what = ward_query_take_text(query);
	row.gap.from = ward_query_take_int(query);
	row.gap.to = ward_query_take_int(query);
	row.gap.count = ward_query_take_int_or(query, -1);
	if (query->code != SQLITE_OK)
		return 0;
	return listing->on_gap(listing->context, &row);
}

int
ward_violations_each_gap(struct ward_violations *store,
    const struct ward_violations_filter *filter, ward_violations_on_gap *on_row,
    void *context, struct err *err)
{
	const struct listing listing = { .store = store,
		.which = VIOLATIONS_GAPS,
		.filter = filter,
		.show = show_gap,
		.context = context,
		.on_gap = on_row };

	return list(&listing, err);
}

int
ward_violations_gaps_after(struct ward_violations *store, int64_t after,
    int64_t limit, ward_violations_on_gap *on_row, void *context,
    struct err *err)
{
	const struct listing listing = {
		.show = show_gap, .context = context, .on_gap = on_row
	};

	return list_after(
	    store, VIOLATIONS_GAPS_AFTER, after, limit, &listing, err);
}

static int
show_connection(struct ward_query *query, const void *context)
{
	const struct listing *listing = context;
	struct ward_violations_connection_row row;
	struct ward_violations_connection *c = &row.connection;

	row.id = ward_query_take_int(query);
	row.account = ward_query_take_text(query);
	c->sandbox = ward_query_take_text(query);
	c->session = ward_query_take_text(query);
	c->front = ward_query_take_text(query);
	c->host = ward_query_take_text(query);
	c->port = ward_query_take_int(query);
	c->address = ward_query_take_text(query);
	c->verdict = ward_query_take_text(query);
	c->rule_file = ward_query_take_text(query);
	c->rule_line = (unsigned)ward_query_take_int(query);
	c->rule_text = ward_query_take_text(query);
	c->grant = ward_query_take_int(query);
	c->up = ward_query_take_int(query);
	c->down = ward_query_take_int(query);
	c->started = ward_query_take_int(query);
	c->duration = ward_query_take_int(query);
	c->errnum = (int)ward_query_take_int(query);
	c->pid = ward_query_take_int(query);
	c->program = ward_query_take_text(query);
	if (query->code != SQLITE_OK)
		return 0;
	return listing->on_connection(listing->context, &row);
}

int
ward_violations_each_connection(struct ward_violations *store,
    const struct ward_violations_filter *filter,
    ward_violations_on_connection *on_row, void *context, struct err *err)
{
	const struct listing listing = { .store = store,
		.which = filter != NULL && filter->session != NULL
		    ? VIOLATIONS_CONNECTIONS_OF_SESSION
		    : VIOLATIONS_CONNECTIONS,
		.filter = filter,
		.show = show_connection,
		.context = context,
		.on_connection = on_row };

	return list(&listing, err);
}
