/* SPDX-License-Identifier: ISC */
/* wardctl requests, approve and refuse. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/number.h"
#include "common/text.h"
#include "ctl/ctl.h"
#include "ctl/grants.h"
#include "ctl/list.h"
#include "ctl/sandboxes.h"
#include "ctl/stores.h"
#include "db/requests.h"

/* In the order of the options in commands.c. */
enum { REQUESTS_ACCOUNT, REQUESTS_ALL, REQUESTS_JSON };
enum { APPROVE_FOR, APPROVE_REASON };
enum { REFUSE_REASON };

static const struct ward_list_column columns[] = {
	{ "id", "ID", false },
	{ "account", "ACCOUNT", false },
	{ "host", NULL, false },
	{ "port", NULL, false },
	{ NULL, "HOST", false },
	{ "why", "WHY", false },
	{ "count", "COUNT", false },
	{ "first", "FIRST", true },
	{ "last", "LAST", true },
	{ "sandbox", NULL, false },
	{ "session", "SESSION", false },
	{ "answer", "ANSWER", false },
	{ "answered", "ANSWERED", true },
	{ "answerer", "BY", false },
	{ "grant", "GRANT", false },
	{ "reason", "REASON", false },
};

static const char *const answers[] = {
	[WARD_ANSWER_NONE] = NULL,
	[WARD_ANSWER_APPROVED] = "approved",
	[WARD_ANSWER_REFUSED] = "refused",
};

/* host:port as network.allow takes it; malloc'd. */
static char *
entry_of(const char *host, uint16_t port)
{
	bool six = strchr(host, ':') != NULL;
	char *entry;

	if (asprintf(&entry, "%s%s%s:%u", six ? "[" : "", host, six ? "]" : "",
		port) < 0)
		return NULL;
	return entry;
}

static void
add_number(struct ward_list *list, int64_t number)
{
	if (number == 0)
		ward_list_nothing(list);
	else
		ward_list_number(list, number);
}

static int
on_request(void *context, const struct ward_violations_request_row *row)
{
	struct ward_list *list = context;
	char *entry = entry_of(row->host, row->port);

	if (entry == NULL)
		return -ENOMEM;
	ward_list_number(list, row->id);
	ward_list_text(list, row->account);
	ward_list_text(list, row->host);
	ward_list_number(list, row->port);
	ward_list_text(list, entry);
	free(entry);
	ward_list_text(list, row->why);
	ward_list_number(list, row->count);
	ward_list_number(list, row->first);
	ward_list_number(list, row->last);
	ward_list_text(list, row->sandbox);
	ward_list_text(list, row->session);
	ward_list_text(list, answers[row->answer]);
	add_number(list, row->answered);
	ward_list_text(list, row->answerer);
	add_number(list, row->grant);
	ward_list_text(list, row->reason);
	return 0;
}

int
ward_ctl_requests(const struct ward_ctl_args *args)
{
	const struct ward_violations_request_filter filter = {
		.account = args->values[REQUESTS_ACCOUNT],
		.open_only = args->values[REQUESTS_ALL] == NULL,
	};
	struct ward_list *list =
	    ward_list_new(columns, sizeof(columns) / sizeof(columns[0]));
	struct ward_violations *store = NULL;
	struct err err = { 0 };
	int64_t dropped = 0;

	if (list == NULL)
		return ward_ctl_fail("no memory");
	int r = ward_stores_violations(WARD_VIOLATIONS_READ, &store, &err);
	if (r == 0 && store != NULL)
		r = ward_violations_each_request(
		    store, &filter, on_request, list, &err);
	if (r == 0 && store != NULL)
		r = ward_violations_requests_dropped(
		    store, filter.account, &dropped, &err);
	ward_violations_close(store);
	if (r != 0) {
		ward_list_free(list);
		return ward_ctl_fail_err(&err);
	}
	int status =
	    ward_list_end(list, args->values[REQUESTS_JSON] != NULL, false);
	/* beside the list, whatever its form */
	if (status == WARD_EXIT_OK && dropped > 0)
		(void)ward_ctl_fail("%" PRId64 " more were not kept, since %d "
				    "of an account are: answer those first",
		    dropped, WARD_REQUESTS_OPEN_MAX);
	return status;
}

/* --- answers --- */

/* What an answer has to know of its request; owned. */
struct asked {
	char *account;
	char *entry;
	enum ward_answer answer;
	bool no_memory;
};

static void
asked_clear(struct asked *asked)
{
	free(asked->account);
	free(asked->entry);
}

static int
on_asked(void *context, const struct ward_violations_request_row *row)
{
	struct asked *asked = context;

	asked->account = strdup(row->account);
	asked->entry = entry_of(row->host, row->port);
	asked->answer = row->answer;
	asked->no_memory = asked->account == NULL || asked->entry == NULL;
	return 0;
}

static int
find_asked(struct ward_violations *store, int64_t id, struct asked *asked,
    struct err *err)
{
	const struct ward_violations_request_filter filter = { .id = id };
	int r = store == NULL || id == 0 ? 0
					 : ward_violations_each_request(store,
					       &filter, on_asked, asked, err);

	if (r == 0 && asked->no_memory)
		return ward_err_sys(err, ENOMEM, "request");
	if (r == 0 && asked->account == NULL)
		return ward_err_set(
		    err, ENOENT, "there is no request %" PRId64, id);
	return r;
}

static int
parse_id(const struct ward_ctl_args *args, const char *command, int64_t *id)
{
	char visible[64];
	uint64_t number;

	if (ward_number_parse(args->operands[0], INT64_MAX, &number) != 0)
		return ward_ctl_misuse("%s %s: not a number", command,
		    ward_text_visible(
			visible, sizeof(visible), args->operands[0]));
	*id = (int64_t)number;
	return WARD_EXIT_OK;
}

/*
 * The grant first: should the second store fail, the account has what was
 * decided, and the request is still there to be answered.
 */
static int
approve(struct ward_violations *store, struct ward_violations_answer *answer,
    int64_t until, struct err *err)
{
	struct ward_policy_grant grant = {
		.until = until,
		.reason = answer->reason,
		.granted = answer->when,
		.request = answer->request,
	};
	struct ward_account account = { 0 };
	struct asked asked = { 0 };

	int r = find_asked(store, answer->request, &asked, err);
	if (r == 0 && asked.answer == WARD_ANSWER_APPROVED)
		r = ward_err_set(err, EALREADY,
		    "request %" PRId64 " is answered already; to allow it "
		    "again: wardctl grant add %s %s --for %s",
		    answer->request, asked.account, asked.entry,
		    WARD_GRANT_DEFAULT);
	if (r == 0)
		r = ward_account_find(asked.account, &account, err);
	grant.entry = asked.entry;
	if (r == 0)
		r = ward_grants_make(&account, &grant, &answer->grant, err);
	if (r == 0)
		r = ward_violations_request_answer(store, answer, err);
	ward_account_clear(&account);
	asked_clear(&asked);
	return r;
}

int
ward_ctl_approve(const struct ward_ctl_args *args)
{
	struct ward_violations *store = NULL;
	struct err err = { 0 };
	char who[64];
	struct ward_violations_answer answer = {
		.answer = WARD_ANSWER_APPROVED,
		.when = ward_wall_now(),
		.who = ward_stores_author(who, sizeof(who)),
		.reason = args->values[APPROVE_REASON],
	};
	int64_t until;

	int status = parse_id(args, "approve", &answer.request);
	if (status == WARD_EXIT_OK)
		status = ward_grants_until(
		    args->values[APPROVE_FOR], answer.when, &until);
	if (status != WARD_EXIT_OK)
		return status;
	int r = ward_stores_violations(WARD_VIOLATIONS_WRITE, &store, &err);
	if (r == 0)
		r = approve(store, &answer, until, &err);
	ward_violations_close(store);
	/* a grant that could be made holds, whatever came after it */
	if (answer.grant != 0)
		ward_live_tell_policy();
	return r == 0 ? ward_ctl_flush() : ward_ctl_fail_err(&err);
}

int
ward_ctl_refuse(const struct ward_ctl_args *args)
{
	struct ward_violations *store = NULL;
	struct asked asked = { 0 };
	struct err err = { 0 };
	char who[64], entry[600];
	struct ward_violations_answer answer = {
		.answer = WARD_ANSWER_REFUSED,
		.when = ward_wall_now(),
		.who = ward_stores_author(who, sizeof(who)),
		.reason = args->values[REFUSE_REASON],
	};

	int status = parse_id(args, "refuse", &answer.request);
	if (status != WARD_EXIT_OK)
		return status;
	int r = ward_stores_violations(WARD_VIOLATIONS_WRITE, &store, &err);
	if (r == 0)
		r = find_asked(store, answer.request, &asked, &err);
	if (r == 0)
		r = ward_violations_request_answer(store, &answer, &err);
	ward_violations_close(store);
	if (r == 0)
		ward_ctl_say("request %" PRId64 ": %s of %s is refused, and "
			     "asking again opens no new one",
		    answer.request,
		    ward_text_visible(entry, sizeof(entry), asked.entry),
		    asked.account);
	asked_clear(&asked);
	return r == 0 ? ward_ctl_flush() : ward_ctl_fail_err(&err);
}
