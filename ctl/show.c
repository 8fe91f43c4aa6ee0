/* SPDX-License-Identifier: ISC */
/* wardctl violations and sessions. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/number.h"
#include "common/text.h"
#include "ctl/ctl.h"
#include "ctl/follow.h"
#include "ctl/list.h"
#include "ctl/outside.h"
#include "ctl/show.h"
#include "ctl/stores.h"
#include "ctl/when.h"
#include "db/violations.h"

#define LIMIT 200

/* In the order of the options in commands.c. */
enum {
	VIOLATIONS_ACCOUNT,
	VIOLATIONS_SESSION,
	VIOLATIONS_SINCE,
	VIOLATIONS_KIND,
	VIOLATIONS_TARGET,
	VIOLATIONS_GROUP_BY,
	VIOLATIONS_FOLLOW,
	VIOLATIONS_LIMIT,
	VIOLATIONS_JSON,
};
enum {
	SESSIONS_ACCOUNT,
	SESSIONS_OPEN,
	SESSIONS_SINCE,
	SESSIONS_LIMIT,
	SESSIONS_JSON,
};

const struct ward_list_column ward_show_violation_columns[] = {
	{ "id", NULL, false },
	{ "first", NULL, true },
	{ "last", "TIME", true },
	{ "account", "ACCOUNT", false },
	{ "uid", NULL, false },
	{ "sandbox", NULL, false },
	{ "session", "SESSION", false },
	{ "kind", NULL, false },
	{ "operation", "OPERATION", false },
	{ "target", "TARGET", false },
	{ "count", "COUNT", false },
	{ "program", NULL, false },
	{ "pid", NULL, false },
	{ NULL, "PROGRAM(PID)", false },
	{ "confirmed", NULL, false },
	{ "error", "ERROR", false },
	{ "profile", NULL, false },
	{ "revision", NULL, false },
	{ NULL, "PROFILE", false },
	{ "rule", NULL, false },
	{ "rule_file", NULL, false },
	{ "rule_line", NULL, false },
	{ NULL, "RULE", false },
	{ "reason", NULL, false },
};
const size_t ward_show_n_violation_columns =
    sizeof(ward_show_violation_columns) /
    sizeof(ward_show_violation_columns[0]);

static const struct ward_list_column session_columns[] = {
	{ "started", "STARTED", true },
	{ "ended", "ENDED", true },
	{ "account", "ACCOUNT", false },
	{ "uid", NULL, false },
	{ "session", "SESSION", false },
	{ "sandbox", NULL, false },
	{ "service", "SERVICE", false },
	{ "tty", NULL, false },
	{ "rhost", "FROM", false },
	{ "ruser", NULL, false },
	{ "opener_pid", NULL, false },
	{ "audit_session", NULL, false },
	{ "profile", NULL, false },
	{ "revision", NULL, false },
	{ NULL, "PROFILE", false },
	{ "commands", "COMMANDS", false },
	{ "violations", "VIOLATIONS", false },
	{ "reason", "END", false },
	{ "refusal", "CODE", false },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
add_profile(struct ward_list *list, const char *profile, int64_t revision)
{
	ward_list_text(list, profile);
	if (profile == NULL) {
		ward_list_nothing(list);
		ward_list_nothing(list);
		return;
	}
	ward_list_number(list, revision);
	ward_list_format(list, "%s@%lld", profile, (long long)revision);
}

void
ward_show_program(struct ward_list *list, const char *program, int64_t pid)
{
	ward_list_text(list, program);
	if (pid == 0)
		ward_list_nothing(list);
	else
		ward_list_number(list, pid);
	if (pid == 0 && program == NULL)
		ward_list_nothing(list);
	else
		ward_list_format(list, "%s(%lld)",
		    program == NULL ? "?" : program, (long long)pid);
}

void
ward_show_rule(struct ward_list *list, const char *text, const char *file,
    unsigned line, const char *reason)
{
	const char *between = reason == NULL ? "" : ": ";

	if (reason == NULL)
		reason = "";
	ward_list_text(list, text);
	ward_list_text(list, file);
	ward_list_number(list, line);
	if (file != NULL && line != 0)
		ward_list_format(
		    list, "%s:%u%s%s", file, line, between, reason);
	else if (file != NULL || text != NULL)
		ward_list_format(list, "%s%s%s", file != NULL ? file : text,
		    between, reason);
	else if (reason[0] != '\0')
		ward_list_text(list, reason);
	else
		ward_list_nothing(list);
}

void
ward_show_violation(
    struct ward_list *list, const struct ward_violations_violation_row *row)
{
	const struct ward_violation *v = &row->violation;

	ward_list_number(list, row->id);
	ward_list_number(list, v->first);
	ward_list_number(list, v->last);
	ward_list_text(list, row->account);
	ward_list_number(list, row->uid);
	ward_list_text(list, v->sandbox);
	ward_list_text(list, v->session);
	ward_list_text(list, v->kind);
	ward_list_text(list, v->operation);
	ward_list_text(list, v->target);
	ward_list_number(list, v->count);
	ward_show_program(list, v->program, v->pid);
	ward_list_flag(list, v->confirmed);
	ward_list_text(
	    list, v->errnum == 0 ? NULL : strerrorname_np(v->errnum));
	add_profile(list, v->profile, v->revision);
	ward_show_rule(
	    list, v->rule_text, v->rule_file, v->rule_line, v->reason);
	ward_list_text(list, v->reason);
}

static int
on_violation(void *context, const struct ward_violations_violation_row *row)
{
	ward_show_violation(context, row);
	return 0;
}

/* What came in without a session: what is there now, whenever it began. */
static void
on_outside(void *context, pid_t pid, const char *name,
    const struct ward_account *account)
{
	struct ward_list *list = context;

	ward_list_nothing(list);
	ward_list_nothing(list);
	ward_list_text(list, account->name);
	ward_list_number(list, account->uid);
	ward_list_nothing(list);
	ward_list_nothing(list);
	ward_list_text(list, "outside");
	ward_list_nothing(list);
	ward_list_nothing(list);
	ward_list_nothing(list);
	ward_list_number(list, pid);
	ward_list_nothing(list);
	add_profile(list, NULL, 0);
	ward_list_number(list, 0);
	ward_list_number(list, 0);
	ward_list_format(list, "in no sandbox: %s(%d)", name, (int)pid);
	ward_list_nothing(list);
}

static int
add_outside(struct ward_list *list, const char *account, struct err *err)
{
	struct ward_accounts accounts = { 0 };
	struct ward_account one;
	int r;

	if (account == NULL) {
		r = ward_accounts_read(&accounts, err);
		if (r == 0)
			r = ward_outside_each(&accounts, on_outside, list, err);
		ward_accounts_clear(&accounts);
		return r;
	}
	/* one that is gone still has rows */
	if (ward_account_find(account, &one, NULL) != 0)
		return 0;
	accounts.list = &one;
	accounts.n = 1;
	r = ward_outside_each(&accounts, on_outside, list, err);
	ward_account_clear(&one);
	return r;
}

static int
on_session(void *context, const struct ward_violations_session_row *row)
{
	struct ward_list *list = context;
	const struct ward_violations_session *s = &row->session;

	ward_list_number(list, s->started);
	if (row->ended == 0)
		ward_list_nothing(list);
	else
		ward_list_number(list, row->ended);
	ward_list_text(list, s->account);
	ward_list_number(list, s->uid);
	ward_list_text(list, s->id);
	ward_list_text(list, s->sandbox);
	ward_list_text(list, s->service);
	ward_list_text(list, s->tty);
	ward_list_text(list, s->rhost);
	ward_list_text(list, s->ruser);
	ward_list_number(list, s->opener_pid);
	if (s->audit_session < 0)
		ward_list_nothing(list);
	else
		ward_list_number(list, s->audit_session);
	add_profile(list, row->profile, row->revision);
	ward_list_number(list, row->commands);
	ward_list_number(list, row->violations);
	ward_list_text(list, row->ended == 0 ? NULL : row->reason);
	ward_list_text(list, row->ended == 0 ? NULL : row->refusal);
	return 0;
}

int
ward_show_filter(
    const char *since, const char *limit, struct ward_violations_filter *filter)
{
	char visible[128];
	uint64_t number;

	filter->limit = LIMIT;
	/* the newest, and they are printed oldest first */
	filter->newest_first = true;
	if (since != NULL &&
	    ward_when_parse(since, ward_wall_now(), &filter->since) != 0)
		return ward_ctl_misuse("--since %s: neither a time such as 2h "
				       "nor a date such as 2026-05-04T12:30",
		    ward_text_visible(visible, sizeof(visible), since));
	if (limit == NULL)
		return WARD_EXIT_OK;
	if (ward_number_parse(limit, INT64_MAX, &number) != 0)
		return ward_ctl_misuse("--limit %s: not a number",
		    ward_text_visible(visible, sizeof(visible), limit));
	filter->limit = (int64_t)number;
	return WARD_EXIT_OK;
}

int
ward_show_end_take(
    struct ward_list *list, int r, const struct err *err, bool json)
{
	if (r == 0)
		return ward_list_end(list, json, true);
	ward_list_free(list);
	return ward_ctl_fail_err(err);
}

struct following {
	struct ward_violations_filter filter;
	struct ward_list *list;
	int64_t after;
	bool json;
	bool titled;
};

static int
on_new(void *context, const struct ward_violations_violation_row *row)
{
	struct following *f = context;

	f->after = row->id;
	return on_violation(f->list, row);
}

/* What is new, up to the limit, which keeps a flood from being held whole. */
static int
print_new(struct ward_violations *store, struct following *f, int *status,
    struct err *err)
{
	int64_t before;
	int r;

	do {
		before = f->after;
		r = ward_violations_after(
		    store, &f->filter, f->after, on_new, f, err);
		if (r != 0 || f->after == before)
			return r;
		*status = ward_list_lines(f->list, f->json, !f->titled);
		f->titled = true;
	} while (*status == WARD_EXIT_OK);
	return 0;
}

/* Its file may be made only later, by the first session. */
static int
follow(struct following *f, int follow_fd, int *status, struct err *err)
{
	struct ward_violations *store = NULL;
	int r = ward_stores_violations(WARD_VIOLATIONS_READ, &store, err);

	if (r == 0 && store != NULL)
		r = ward_violations_last_id(store, &f->after, err);
	while (
	    r == 0 && *status == WARD_EXIT_OK && ward_follow_wait(follow_fd)) {
		if (store == NULL)
			r = ward_stores_violations(
			    WARD_VIOLATIONS_READ, &store, err);
		if (r == 0 && store != NULL)
			r = print_new(store, f, status, err);
	}
	ward_violations_close(store);
	return r;
}

static int
follow_violations(const struct ward_violations_filter *filter, bool json)
{
	struct following f = { .filter = *filter, .json = json };
	struct err err = { 0 };
	int status = WARD_EXIT_OK;
	_cleanup_fd_ int follow_fd = ward_follow_open(&err);

	if (follow_fd < 0)
		return ward_ctl_fail_err(&err);
	f.list = ward_list_new(
	    ward_show_violation_columns, ward_show_n_violation_columns);
	if (f.list == NULL)
		return ward_ctl_fail("no memory");
	int r = follow(&f, follow_fd, &status, &err);
	ward_list_free(f.list);
	return r == 0 ? status : ward_ctl_fail_err(&err);
}

int
ward_ctl_violations(const struct ward_ctl_args *args)
{
	struct ward_violations_filter filter = {
		.account = args->values[VIOLATIONS_ACCOUNT],
		.session = args->values[VIOLATIONS_SESSION],
		.kind = args->values[VIOLATIONS_KIND],
		.target = args->values[VIOLATIONS_TARGET],
	};
	const char *by = args->values[VIOLATIONS_GROUP_BY];
	bool json = args->values[VIOLATIONS_JSON] != NULL;
	struct ward_violations *store;
	struct err err = { 0 };

	int status = ward_show_filter(args->values[VIOLATIONS_SINCE],
	    args->values[VIOLATIONS_LIMIT], &filter);
	if (status != WARD_EXIT_OK)
		return status;
	if (args->values[VIOLATIONS_FOLLOW] != NULL) {
		if (by != NULL || args->values[VIOLATIONS_SINCE] != NULL ||
		    args->values[VIOLATIONS_LIMIT] != NULL)
			return ward_ctl_misuse(
			    "--follow begins now, and has no end: --since, "
			    "--limit and --group-by are of what was");
		return follow_violations(&filter, json);
	}
	if (by != NULL)
		return ward_show_groups(&filter, by, json);
	struct ward_list *list = ward_list_new(
	    ward_show_violation_columns, ward_show_n_violation_columns);
	if (list == NULL)
		return ward_ctl_fail("no memory");
	int r = ward_stores_violations(WARD_VIOLATIONS_READ, &store, &err);
	if (r == 0 && store != NULL)
		r = ward_violations_each(
		    store, &filter, on_violation, list, &err);
	ward_violations_close(store);
	return ward_show_end_take(list, r, &err, json);
}

int
ward_ctl_sessions(const struct ward_ctl_args *args)
{
	struct ward_violations_filter filter = {
		.account = args->values[SESSIONS_ACCOUNT],
		.open_only = args->values[SESSIONS_OPEN] != NULL,
	};
	struct ward_violations *store = NULL;
	struct err err = { 0 };

	int status = ward_show_filter(args->values[SESSIONS_SINCE],
	    args->values[SESSIONS_LIMIT], &filter);
	if (status != WARD_EXIT_OK)
		return status;
	struct ward_list *list =
	    ward_list_new(session_columns, COUNT(session_columns));
	if (list == NULL)
		return ward_ctl_fail("no memory");
	/* the last row first: these come last */
	int r = add_outside(list, filter.account, &err);
	if (r == 0)
		r = ward_stores_violations(WARD_VIOLATIONS_READ, &store, &err);
	if (r == 0 && store != NULL)
		r = ward_violations_each_session(
		    store, &filter, on_session, list, &err);
	ward_violations_close(store);
	return ward_show_end_take(
	    list, r, &err, args->values[SESSIONS_JSON] != NULL);
}
