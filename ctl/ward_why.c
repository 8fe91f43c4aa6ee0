/* SPDX-License-Identifier: ISC */
/* ward why. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/ask.h"
#include "common/cleanup.h"
#include "common/told.h"
#include "ctl/ctl.h"
#include "ctl/list.h"

#define WAIT_MS 2000

enum { WHY_SESSION, WHY_JSON };

/* As those of wardctl violations, as far as they are the account's to know. */
static const struct ward_list_column columns[] = {
	{ "first", NULL, true },
	{ "last", NULL, true },
	{ "session", NULL, false },
	{ "kind", NULL, false },
	{ "operation", NULL, false },
	{ "target", NULL, false },
	{ "count", NULL, false },
	{ "program", NULL, false },
	{ "confirmed", NULL, false },
	{ "error", NULL, false },
	{ "profile", NULL, false },
	{ "revision", NULL, false },
	{ "rule", NULL, false },
	{ "rule_file", NULL, false },
	{ "rule_line", NULL, false },
	{ "reason", NULL, false },
	{ "retry", NULL, false },
	{ "instead", NULL, false },
};

struct context {
	struct ward_list *list; /* NULL: for people */
	unsigned n;
};

static void
add_text(struct ward_list *list, const char *text)
{
	ward_list_text(list, text[0] == '\0' ? NULL : text);
}

static void
add_row(struct ward_list *list, const struct ward_wire_why_is *m)
{
	ward_list_number(list, (int64_t)m->first);
	ward_list_number(list, (int64_t)m->last);
	add_text(list, m->session);
	ward_list_text(list, m->kind);
	ward_list_text(list, m->operation);
	ward_list_text(list, m->target);
	ward_list_number(list, (int64_t)m->count);
	add_text(list, m->program);
	ward_list_flag(list, m->confirmed);
	ward_list_text(
	    list, m->error == 0 ? NULL : strerrorname_np((int)m->error));
	ward_list_text(list, m->profile);
	ward_list_number(list, (int64_t)m->revision);
	add_text(list, m->rule);
	add_text(list, m->rule_file);
	ward_list_number(list, m->rule_line);
	add_text(list, m->reason);
	ward_list_flag(list, !ward_told_stands(m));
	ward_list_text(list, ward_told_instead(m));
}

static int
on_refusal(void *context, const struct ward_wire_why_is *m)
{
	struct context *c = context;
	char line[WARD_TOLD_MAX], when[64];

	c->n++;
	if (c->list != NULL) {
		add_row(c->list, m);
		return 0;
	}
	ward_list_time(when, sizeof(when), (int64_t)m->last, true);
	ward_ctl_say(
	    "%s  %s", when, ward_told_line(m, m->count, line, sizeof(line)));
	return 0;
}

int
ward_ctl_why(const struct ward_ctl_args *args)
{
	const struct ward_wire_why question = {
		.own = args->values[WHY_SESSION] != NULL,
	};
	struct context context = { 0 };
	struct err err = { 0 };
	_cleanup_fd_ int fd = ward_ask_open(&err);

	if (fd < 0)
		return ward_ctl_fail_err(&err);
	if (args->values[WHY_JSON] != NULL) {
		context.list = ward_list_new(
		    columns, sizeof(columns) / sizeof(columns[0]));
		if (context.list == NULL)
			return ward_ctl_fail("no memory");
	}
	int r =
	    ward_ask_why(fd, &question, WAIT_MS, on_refusal, &context, &err);
	if (r != 0) {
		ward_list_free(context.list);
		return ward_ctl_fail_err(&err);
	}
	if (context.list != NULL)
		return ward_list_end(context.list, true, false);
	if (context.n == 0)
		ward_ctl_say("nothing was refused lately");
	return ward_ctl_flush();
}
