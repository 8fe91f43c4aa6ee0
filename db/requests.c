/* SPDX-License-Identifier: ISC */
/* Requests in the violation store. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "db/requests.h"
#include "db/violations_store.h"

static int
put(struct ward_violations *store, enum ward_violations_statement which,
    const struct ward_violations_request *request, int64_t *changed,
    struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, which);
	ward_query_bind_text(&query, request->account);
	ward_query_bind_text(&query, request->host);
	ward_query_bind_int(&query, request->port);
	ward_query_bind_int(&query, request->count > 0 ? request->count : 1);
	ward_query_bind_int(&query, request->when);
	if (which != VIOLATIONS_REQUEST_DROP)
		ward_query_bind_text(&query, request->why);
	if (which == VIOLATIONS_REQUEST_ADD) {
		ward_query_bind_text(&query, request->sandbox);
		ward_query_bind_text(&query, request->session);
		ward_query_bind_int(&query, WARD_REQUESTS_OPEN_MAX);
	}
	return ward_query_run(&query, changed, err);
}

/*
 * Each statement is right by itself, whatever another warden of the account
 * writes between them.
 */
int
ward_violations_request_add(struct ward_violations *store,
    const struct ward_violations_request *request, struct err *err)
{
	static const enum ward_violations_statement ways[] = {
		VIOLATIONS_REQUEST_REPEAT,
		VIOLATIONS_REQUEST_ADD,
		VIOLATIONS_REQUEST_DROP,
	};
	int64_t changed = 0;
	int r = 0;

	for (size_t i = 0;
	     r == 0 && changed == 0 && i < sizeof(ways) / sizeof(ways[0]); i++)
		r = put(store, ways[i], request, &changed, err);
	return r;
}

static enum ward_answer
take_answer(struct ward_query *query)
{
	const char *word = ward_query_take_text(query);

	if (word == NULL)
		return WARD_ANSWER_NONE;
	return strcmp(word, "approved") == 0 ? WARD_ANSWER_APPROVED
					     : WARD_ANSWER_REFUSED;
}

int
ward_violations_each_request(struct ward_violations *store,
    const struct ward_violations_request_filter *filter,
    ward_violations_on_request *on_row, void *context, struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_REQUESTS);
	ward_query_bind_text(&query, filter->account);
	ward_query_bind_int(&query, filter->id);
	ward_query_bind_int(&query, filter->open_only);
	while ((r = ward_query_step(&query, err)) > 0) {
		struct ward_violations_request_row row;

		row.id = ward_query_take_int(&query);
		row.account = ward_query_take_text(&query);
		row.host = ward_query_take_text(&query);
		row.port = (uint16_t)ward_query_take_int(&query);
		row.count = ward_query_take_int(&query);
		row.first = ward_query_take_int(&query);
		row.last = ward_query_take_int(&query);
		row.sandbox = ward_query_take_text(&query);
		row.session = ward_query_take_text(&query);
		row.answer = take_answer(&query);
		row.answered = ward_query_take_int(&query);
		row.answerer = ward_query_take_text(&query);
		row.reason = ward_query_take_text(&query);
		row.grant = ward_query_take_int(&query);
		row.why = ward_query_take_text(&query);
		if (query.code != SQLITE_OK)
			return ward_query_end(&query, err);
		r = on_row(context, &row);
		if (r != 0) {
			(void)ward_query_end(&query, NULL);
			return r;
		}
	}
	return r;
}

int
ward_violations_requests_dropped(struct ward_violations *store,
    const char *account, int64_t *n, struct err *err)
{
	struct ward_query query;

	*n = 0;
	ward_query_begin(&query, store->sqlite, VIOLATIONS_REQUESTS_DROPPED);
	ward_query_bind_text(&query, account);
	int r = ward_query_step(&query, err);
	if (r <= 0)
		return r;
	*n = ward_query_take_int(&query);
	return ward_query_end(&query, err);
}

static int
check_there(struct ward_violations *store, int64_t id, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_REQUEST_HAS);
	ward_query_bind_int(&query, id);
	int r = ward_query_step(&query, err);
	if (r < 0)
		return r;
	if (r == 0)
		return ward_err_set(
		    err, ENOENT, "there is no request %lld", (long long)id);
	(void)ward_query_end(&query, NULL);
	return ward_err_set(
	    err, EALREADY, "request %lld is answered already", (long long)id);
}

int
ward_violations_request_answer(struct ward_violations *store,
    const struct ward_violations_answer *answer, struct err *err)
{
	bool approved = answer->answer == WARD_ANSWER_APPROVED;
	struct ward_query query;
	int64_t changed = 0;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_REQUEST_ANSWER);
	ward_query_bind_int(&query, answer->request);
	ward_query_bind_text(&query, approved ? "approved" : "refused");
	ward_query_bind_int(&query, answer->when);
	ward_query_bind_text(&query, answer->who);
	ward_query_bind_text(&query, answer->reason);
	if (answer->grant == 0)
		ward_query_bind_null(&query);
	else
		ward_query_bind_int(&query, answer->grant);
	int r = ward_query_run(&query, &changed, err);
	if (r != 0)
		return r;
	if (changed == 0)
		return check_there(store, answer->request, err);
	/* there is room again: what was dropped before has had its time */
	ward_query_begin(&query, store->sqlite, VIOLATIONS_REQUEST_ROOM);
	ward_query_bind_int(&query, answer->request);
	return ward_query_run(&query, NULL, err);
}
