/* SPDX-License-Identifier: ISC */
/* wardctl violations --group-by, and wardctl report. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/text.h"
#include "ctl/ctl.h"
#include "ctl/show.h"
#include "ctl/stores.h"

#define TOP         10
#define REPORT_DAYS 7

/* In the order of the options in commands.c. */
enum { REPORT_ACCOUNT, REPORT_SINCE };

/* In the order of enum ward_violations_column. */
static const struct {
	const char *name, *title;
} by[WARD_N_COLUMNS] = {
	[WARD_BY_ACCOUNT] = { "account", "ACCOUNT" },
	[WARD_BY_SESSION] = { "session", "SESSION" },
	[WARD_BY_SANDBOX] = { "sandbox", "SANDBOX" },
	[WARD_BY_KIND] = { "kind", "KIND" },
	[WARD_BY_OPERATION] = { "operation", "OPERATION" },
	[WARD_BY_TARGET] = { "target", "TARGET" },
	[WARD_BY_PROGRAM] = { "program", "PROGRAM" },
	[WARD_BY_PROFILE] = { "profile", "PROFILE" },
	[WARD_BY_RULE] = { "rule", "RULE" },
};

static int
on_group(void *context, const struct ward_violations_group_row *row)
{
	struct ward_list *list = context;

	ward_list_number(list, row->count);
	ward_list_number(list, row->rows);
	ward_list_number(list, row->last);
	ward_list_text(list, row->value);
	return 0;
}

/* A part of the report, below its title. */
static int
print_part_take(const char *title, struct ward_list *list, bool last_first)
{
	(void)printf("\n%s\n", title);
	if (!ward_list_is_empty(list))
		return ward_list_end(list, false, last_first);
	ward_list_free(list);
	(void)printf("none\n");
	return ward_ctl_flush();
}

/*
 * The value comes last: it is what may be long.  title: of a part of the
 * report; NULL for none.
 */
static int
print_groups(struct ward_violations *store,
    const struct ward_violations_filter *filter,
    enum ward_violations_column column, const char *title, bool json)
{
	const struct ward_list_column columns[] = {
		{ "count", "COUNT", false },
		{ "rows", "ROWS", false },
		{ "last", "LAST", true },
		{ by[column].name, by[column].title, false },
	};
	struct ward_list *list =
	    ward_list_new(columns, sizeof(columns) / sizeof(columns[0]));
	struct err err = { 0 };

	if (list == NULL)
		return ward_ctl_fail("no memory");
	if (store != NULL &&
	    ward_violations_each_group(
		store, filter, column, on_group, list, &err) != 0) {
		ward_list_free(list);
		return ward_ctl_fail_err(&err);
	}
	return title != NULL ? print_part_take(title, list, false)
			     : ward_list_end(list, json, false);
}

static int
no_column(const char *name)
{
	char visible[64], names[256] = "";
	size_t used = 0;

	for (size_t c = 0; c < WARD_N_COLUMNS; c++)
		used += (size_t)snprintf(
		    names + used, sizeof(names) - used, " %s", by[c].name);
	return ward_ctl_misuse("--group-by %s: no such column; there are%s",
	    ward_text_visible(visible, sizeof(visible), name), names);
}

int
ward_show_groups(
    const struct ward_violations_filter *filter, const char *column, bool json)
{
	struct ward_violations *store = NULL;
	struct err err = { 0 };
	size_t c = 0;

	while (c < WARD_N_COLUMNS && strcmp(by[c].name, column) != 0)
		c++;
	if (c == WARD_N_COLUMNS)
		return no_column(column);
	if (ward_stores_violations(WARD_VIOLATIONS_READ, &store, &err) != 0)
		return ward_ctl_fail_err(&err);
	int status = print_groups(
	    store, filter, (enum ward_violations_column)c, NULL, json);
	ward_violations_close(store);
	return status;
}

/* --- the report --- */

static int
on_sessions(void *context, const struct ward_violations_sessions_row *row)
{
	struct ward_list *list = context;

	ward_list_text(list, row->account);
	ward_list_number(list, row->sessions);
	ward_list_number(list, row->open);
	ward_list_number(list, row->refused);
	ward_list_number(list, row->last);
	return 0;
}

static int
print_sessions(
    struct ward_violations *store, const struct ward_violations_filter *filter)
{
	static const struct ward_list_column columns[] = {
		{ NULL, "ACCOUNT", false },
		{ NULL, "SESSIONS", false },
		{ NULL, "OPEN", false },
		{ NULL, "REFUSED", false },
		{ NULL, "LAST", true },
	};
	struct ward_list *list =
	    ward_list_new(columns, sizeof(columns) / sizeof(columns[0]));
	struct err err = { 0 };

	if (list == NULL)
		return ward_ctl_fail("no memory");
	if (ward_violations_count_sessions(store, filter->account,
		filter->since, on_sessions, list, &err) != 0) {
		ward_list_free(list);
		return ward_ctl_fail_err(&err);
	}
	return print_part_take("Sessions", list, false);
}

static int
on_gap(void *context, const struct ward_violations_gap_row *row)
{
	struct ward_list *list = context;

	ward_list_number(list, row->gap.from);
	ward_list_number(list, row->gap.to);
	ward_list_text(list, row->account);
	if (row->gap.count < 0)
		ward_list_nothing(list);
	else
		ward_list_number(list, row->gap.count);
	ward_list_text(list, row->gap.what);
	return 0;
}

static int
print_gaps(
    struct ward_violations *store, const struct ward_violations_filter *filter)
{
	static const struct ward_list_column columns[] = {
		{ NULL, "FROM", true },
		{ NULL, "TO", true },
		{ NULL, "ACCOUNT", false },
		{ NULL, "COUNT", false },
		{ NULL, "WHAT", false },
	};
	struct ward_list *list =
	    ward_list_new(columns, sizeof(columns) / sizeof(columns[0]));
	struct err err = { 0 };

	if (list == NULL)
		return ward_ctl_fail("no memory");
	if (ward_violations_each_gap(store, filter, on_gap, list, &err) != 0) {
		ward_list_free(list);
		return ward_ctl_fail_err(&err);
	}
	return print_part_take("What is not recorded", list, true);
}

static int
report(
    struct ward_violations *store, const struct ward_violations_filter *filter)
{
	static const struct {
		enum ward_violations_column column;
		const char *title;
	} parts[] = {
		{ WARD_BY_ACCOUNT, "Refusals by account" },
		{ WARD_BY_KIND, "Refusals by kind" },
		{ WARD_BY_TARGET, "What was refused most" },
		{ WARD_BY_RULE, "The rules that refused most" },
		{ WARD_BY_PROGRAM, "The programs that were refused most" },
	};
	int status = print_sessions(store, filter);

	for (size_t i = 0;
	     i < sizeof(parts) / sizeof(parts[0]) && status == WARD_EXIT_OK;
	     i++)
		status = print_groups(
		    store, filter, parts[i].column, parts[i].title, false);
	return status == WARD_EXIT_OK ? print_gaps(store, filter) : status;
}

int
ward_ctl_report(const struct ward_ctl_args *args)
{
	struct ward_violations_filter filter = {
		.account = args->values[REPORT_ACCOUNT],
	};
	struct ward_violations *store = NULL;
	struct err err = { 0 };
	int64_t now = ward_wall_now();
	char from[64], to[64];

	int status =
	    ward_show_filter(args->values[REPORT_SINCE], NULL, &filter);
	if (status != WARD_EXIT_OK)
		return status;
	if (args->values[REPORT_SINCE] == NULL)
		filter.since = now - REPORT_DAYS * INT64_C(86400000000);
	filter.limit = TOP;
	ward_list_time(from, sizeof(from), filter.since, true);
	ward_list_time(to, sizeof(to), now, true);
	if (ward_stores_violations(WARD_VIOLATIONS_READ, &store, &err) != 0)
		return ward_ctl_fail_err(&err);
	(void)printf("From %s to %s\n", from, to);
	if (store == NULL) {
		(void)printf("No agent account has had a session yet.\n");
		return ward_ctl_flush();
	}
	status = report(store, &filter);
	ward_violations_close(store);
	return status;
}
