/* SPDX-License-Identifier: ISC */
/* wardctl session show. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "ctl/ctl.h"
#include "ctl/show.h"
#include "ctl/stores.h"

/* In the order of the options in commands.c. */
enum { SHOW_JSON };

static const struct ward_list_column columns[] = {
	{ "from", "TIME", true },
	{ "to", NULL, true },
	{ "event", "WHAT", false },
	{ "id", NULL, false },
	{ "detail", "HOW", false },
	{ "text", "OF", false },
	{ "count", "COUNT", false },
	{ "status", NULL, false },
	{ "error", "ERROR", false },
	{ "program", NULL, false },
	{ "pid", NULL, false },
	{ NULL, "PROGRAM(PID)", false },
	{ "rule", NULL, false },
	{ "rule_file", NULL, false },
	{ "rule_line", NULL, false },
	{ NULL, "RULE", false },
	{ "reason", NULL, false },
};

struct shown {
	struct ward_list *list;
	bool found;
};

static void
add_number(struct ward_list *list, int64_t number, int64_t absent)
{
	if (number == absent)
		ward_list_nothing(list);
	else
		ward_list_number(list, number);
}

static int
on_event(void *context, const struct ward_violations_event *e)
{
	struct ward_list *list = ((struct shown *)context)->list;

	ward_list_number(list, e->from);
	add_number(list, e->to, 0);
	ward_list_text(list, e->what);
	add_number(list, e->id, 0);
	ward_list_text(list, e->detail);
	ward_list_text(list, e->text);
	add_number(list, e->count, -1);
	add_number(list, e->status, -1);
	ward_list_text(
	    list, e->errnum == 0 ? NULL : strerrorname_np(e->errnum));
	ward_show_program(list, e->program, e->pid);
	ward_show_rule(
	    list, e->rule_text, e->rule_file, e->rule_line, e->reason);
	ward_list_text(list, e->reason);
	return 0;
}

/* Its beginning, which the other events follow. */
static int
on_session(void *context, const struct ward_violations_session_row *row)
{
	const struct ward_violations_session *s = &row->session;
	struct shown *shown = context;
	struct ward_violations_event begins = {
		.what = "session",
		.from = s->started,
		.to = row->ended,
		.detail = s->service,
		.count = -1,
		.pid = s->opener_pid,
		.status = row->ended == 0 ? -1 : row->status,
		.reason = row->ended == 0 ? NULL : row->reason,
	};
	char text[1024], profile[256];

	(void)snprintf(profile, sizeof(profile), ", %s@%lld",
	    row->profile == NULL ? "" : row->profile, (long long)row->revision);
	(void)snprintf(text, sizeof(text), "%s%s%s%s", s->account,
	    s->rhost == NULL ? "" : " from ", s->rhost == NULL ? "" : s->rhost,
	    row->profile == NULL ? "" : profile);
	begins.text = text;
	shown->found = true;
	return on_event(shown, &begins);
}

static int
show(struct ward_violations *store, const char *id, struct shown *shown,
    struct err *err)
{
	const struct ward_violations_filter filter = { .session = id };
	int r = ward_violations_each_session(
	    store, &filter, on_session, shown, err);

	if (r == 0 && shown->found)
		r = ward_violations_each_event(store, id, on_event, shown, err);
	return r;
}

int
ward_ctl_session_show(const struct ward_ctl_args *args)
{
	const char *id = args->operands[0];
	struct shown shown = { 0 };
	struct ward_violations *store = NULL;
	struct err err = { 0 };
	char visible[128];

	shown.list =
	    ward_list_new(columns, sizeof(columns) / sizeof(columns[0]));
	if (shown.list == NULL)
		return ward_ctl_fail("no memory");
	int r = ward_stores_violations(WARD_VIOLATIONS_READ, &store, &err);
	if (r == 0 && store != NULL)
		r = show(store, id, &shown, &err);
	ward_violations_close(store);
	if (r != 0 || !shown.found) {
		ward_list_free(shown.list);
		return r != 0
		    ? ward_ctl_fail_err(&err)
		    : ward_ctl_fail("there is no session %s",
			  ward_text_visible(visible, sizeof(visible), id));
	}
	return ward_list_end(
	    shown.list, args->values[SHOW_JSON] != NULL, false);
}
