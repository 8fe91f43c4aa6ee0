/* SPDX-License-Identifier: ISC */
/* The violation store: what is counted, and what a session did. */
#include "config.h"

#include "db/violations_store.h"

struct showing {
	void *context;
	ward_violations_on_group *on_group;
	ward_violations_on_sessions *on_sessions;
	ward_violations_on_event *on_event;
};

static int
show_group(struct ward_query *query, const void *context)
{
	const struct showing *showing = context;
	struct ward_violations_group_row row;

	row.value = ward_query_take_text(query);
	row.rows = ward_query_take_int(query);
	row.count = ward_query_take_int(query);
	row.last = ward_query_take_int(query);
	if (query->code != SQLITE_OK)
		return 0;
	return showing->on_group(showing->context, &row);
}

size_t
ward_violations_groups_for(const struct ward_violations_filter *filter,
    enum ward_violations_column column)
{
	bool is_all = column == WARD_BY_TARGET && filter->account == NULL &&
	    filter->session == NULL && filter->sandbox == NULL &&
	    filter->kind == NULL && filter->target == NULL &&
	    filter->since == 0;

	return is_all ? VIOLATIONS_ALL_TARGETS
		      : VIOLATIONS_GROUPS +
		ward_violations_way_of(filter) * WARD_N_COLUMNS + column;
}

int
ward_violations_each_group(struct ward_violations *store,
    const struct ward_violations_filter *filter,
    enum ward_violations_column column, ward_violations_on_group *on_row,
    void *context, struct err *err)
{
	const struct showing showing = {
		.context = context,
		.on_group = on_row,
	};
	size_t which = ward_violations_groups_for(filter, column);
	struct ward_target_range range;
	struct ward_query query;
	int r = ward_violations_range_of(filter, &range, err);

	if (r != 0)
		return r;
	ward_query_begin(&query, store->sqlite, which);
	ward_violations_bind(&query, filter);
	if (which != VIOLATIONS_ALL_TARGETS)
		ward_violations_bind_range(&query, &range);
	r = ward_query_each(&query, show_group, &showing, err);
	ward_violations_range_clear(&range);
	return r;
}

static int
show_sessions(struct ward_query *query, const void *context)
{
	const struct showing *showing = context;
	struct ward_violations_sessions_row row;

	row.account = ward_query_take_text(query);
	row.sessions = ward_query_take_int(query);
	row.open = ward_query_take_int(query);
	row.refused = ward_query_take_int(query);
	row.last = ward_query_take_int(query);
	if (query->code != SQLITE_OK)
		return 0;
	return showing->on_sessions(showing->context, &row);
}

int
ward_violations_count_sessions(struct ward_violations *store,
    const char *account, int64_t since, ward_violations_on_sessions *on_row,
    void *context, struct err *err)
{
	const struct showing showing = {
		.context = context,
		.on_sessions = on_row,
	};
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_SESSION_COUNTS);
	ward_query_bind_text(&query, account);
	ward_query_bind_int(&query, since);
	return ward_query_each(&query, show_sessions, &showing, err);
}

static int
show_event(struct ward_query *query, const void *context)
{
	const struct showing *showing = context;
	struct ward_violations_event event;

	event.what = ward_query_take_text(query);
	event.id = ward_query_take_int(query);
	event.from = ward_query_take_int(query);
	event.to = ward_query_take_int(query);
	event.text = ward_query_take_text(query);
	event.detail = ward_query_take_text(query);
	event.count = ward_query_take_int_or(query, -1);
	event.pid = ward_query_take_int(query);
	event.program = ward_query_take_text(query);
	event.errnum = (int)ward_query_take_int(query);
	event.rule_file = ward_query_take_text(query);
	event.rule_line = (unsigned)ward_query_take_int(query);
	event.rule_text = ward_query_take_text(query);
	event.reason = ward_query_take_text(query);
	event.status = (int)ward_query_take_int_or(query, -1);
	if (query->code != SQLITE_OK)
		return 0;
	return showing->on_event(showing->context, &event);
}

int
ward_violations_each_event(struct ward_violations *store, const char *session,
    ward_violations_on_event *on_event, void *context, struct err *err)
{
	const struct showing showing = {
		.context = context,
		.on_event = on_event,
	};
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_TIMELINE);
	ward_query_bind_text(&query, session);
	return ward_query_each(&query, show_event, &showing, err);
}
