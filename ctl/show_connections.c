/* SPDX-License-Identifier: ISC */
/* wardctl connections. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "ctl/ctl.h"
#include "ctl/show.h"
#include "ctl/stores.h"

/* In the order of the options in commands.c. */
enum { ACCOUNT, SESSION, SINCE, LIMIT, JSON };

static const struct ward_list_column columns[] = {
	{ "id", NULL, false },
	{ "started", "STARTED", true },
	{ "account", "ACCOUNT", false },
	{ "sandbox", NULL, false },
	{ "session", "SESSION", false },
	{ "front", "FRONT", false },
	{ "host", NULL, false },
	{ "port", NULL, false },
	{ NULL, "TARGET", false },
	{ "address", "ADDRESS", false },
	{ "verdict", "VERDICT", false },
	{ "error", "ERROR", false },
	{ "up", "UP", false },
	{ "down", "DOWN", false },
	{ "duration_us", NULL, false },
	{ NULL, "SECONDS", false },
	{ "program", NULL, false },
	{ "pid", NULL, false },
	{ NULL, "PROGRAM(PID)", false },
	{ "grant", NULL, false },
	{ "rule", NULL, false },
	{ "rule_file", NULL, false },
	{ "rule_line", NULL, false },
	{ NULL, "RULE", false },
};

static void
add_permission(
    struct ward_list *list, const struct ward_violations_connection *c)
{
	char grant[32] = "";

	if (c->grant == 0) {
		ward_list_nothing(list);
	} else {
		ward_list_number(list, c->grant);
		(void)snprintf(
		    grant, sizeof(grant), "grant %lld", (long long)c->grant);
	}
	ward_show_rule(list, c->grant == 0 ? c->rule_text : grant, c->rule_file,
	    c->rule_line, NULL);
}

static int
on_connection(void *context, const struct ward_violations_connection_row *row)
{
	struct ward_list *list = context;
	const struct ward_violations_connection *c = &row->connection;
	bool is_v6 = strchr(c->host, ':') != NULL;

	ward_list_number(list, row->id);
	ward_list_number(list, c->started);
	ward_list_text(list, row->account);
	ward_list_text(list, c->sandbox);
	ward_list_text(list, c->session);
	ward_list_text(list, c->front);
	ward_list_text(list, c->host);
	ward_list_number(list, c->port);
	ward_list_format(
	    list, is_v6 ? "[%s]:%lld" : "%s:%lld", c->host, (long long)c->port);
	ward_list_text(list, c->address);
	ward_list_text(list, c->verdict);
	ward_list_text(
	    list, c->errnum == 0 ? NULL : strerrorname_np(c->errnum));
	ward_list_number(list, c->up);
	ward_list_number(list, c->down);
	ward_list_number(list, c->duration);
	ward_list_format(list, "%.3f", (double)c->duration / 1e6);
	ward_show_program(list, c->program, c->pid);
	add_permission(list, c);
	return 0;
}

int
ward_ctl_connections(const struct ward_ctl_args *args)
{
	struct ward_violations_filter filter = {
		.account = args->values[ACCOUNT],
		.session = args->values[SESSION],
	};
	struct ward_violations *store;
	struct err err = { 0 };

	int status =
	    ward_show_filter(args->values[SINCE], args->values[LIMIT], &filter);
	if (status != WARD_EXIT_OK)
		return status;
	struct ward_list *list =
	    ward_list_new(columns, sizeof(columns) / sizeof(columns[0]));
	if (list == NULL)
		return ward_ctl_fail("no memory");
	int r = ward_stores_violations(WARD_VIOLATIONS_READ, &store, &err);
	if (r == 0 && store != NULL)
		r = ward_violations_each_connection(
		    store, &filter, on_connection, list, &err);
	ward_violations_close(store);
	return ward_show_end_take(list, r, &err, args->values[JSON] != NULL);
}
