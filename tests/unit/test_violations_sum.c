/* SPDX-License-Identifier: ISC */
/* The violation store: targets, groups, what a session did, and the plans of
 * the very statements that the program runs. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/violations_sample.h"

static struct ward_violations *
filled(struct scratch *scratch)
{
	struct ward_violations *store;

	scratch_make(scratch);
	store = open_store(scratch, WARD_VIOLATIONS_WRITE);
	fill(store);
	return store;
}

/* --- targets --- */

static const struct {
	const char *target, *found;
} targets[] = {
	{ "/two", "/two " },
	{ "/tw", "" },
	{ "/t*", "/two /three " },
	{ "/three*", "/three " },
	{ "*", "/one /two /three /four example.org:443 \xff\xff " },
	{ "", "" },
	{ "example.org:443", "example.org:443 " },
	{ "/four\001", "" },
	{ "\xff*", "\xff\xff " },
	{ "\xff\xff", "\xff\xff " },
	{ "/'*", "" },
};

static void
by_target(void **state)
{
	struct scratch scratch = { 0 };
	struct ward_violations *store = filled(&scratch);

	(void)state;
	(void)add(store, "b3", NULL, "\xff\xff", 70);
	for (size_t i = 0; i < COUNT(targets); i++) {
		const struct ward_violations_filter filter = {
			.target = targets[i].target,
		};
		struct lines lines = { "" };
		struct err err = { 0 };

		check_error(targets[i].target,
		    ward_violations_each(
			store, &filter, note_violation, &lines, &err),
		    &err, 0, NULL);
		if (strcmp(lines.text, targets[i].found) != 0)
			fail_msg("%s: %s", targets[i].target, lines.text);
	}
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* --- groups --- */

static int
note_group(void *context, const struct ward_violations_group_row *row)
{
	char text[256];

	(void)snprintf(text, sizeof(text), "%s=%lld/%lld@%lld",
	    row->value == NULL ? "-" : row->value, (long long)row->count,
	    (long long)row->rows, (long long)row->last);
	note(context, text);
	return 0;
}

static const struct {
	enum ward_violations_column column;
	struct ward_violations_filter filter;
	const char *found;
} groups[] = {
	{ WARD_BY_ACCOUNT, { 0 }, "bot=13/4@60 amy=1/1@21 " },
	{ WARD_BY_SESSION, { 0 }, "s3=11/2@60 -=1/1@41 s1=1/1@11 s2=1/1@21 " },
	{ WARD_BY_SANDBOX, { 0 }, "b1=12/3@60 b2=1/1@21 b3=1/1@41 " },
	{ WARD_BY_KIND, { 0 }, "write=13/4@41 network=1/1@60 " },
	{ WARD_BY_OPERATION, { 0 }, "openat=13/4@41 connect=1/1@60 " },
	{ WARD_BY_TARGET, { 0 },
	    "/three=10/1@40 /four=1/1@41 /one=1/1@11 /two=1/1@21 "
	    "example.org:443=1/1@60 " },
	{ WARD_BY_TARGET, { .limit = 1 }, "/three=10/1@40 " },
	{ WARD_BY_TARGET, { .since = 40 },
	    "/three=10/1@40 /four=1/1@41 example.org:443=1/1@60 " },
	{ WARD_BY_TARGET, { .account = "amy" }, "/two=1/1@21 " },
	{ WARD_BY_TARGET, { .kind = "network" }, "example.org:443=1/1@60 " },
	{ WARD_BY_KIND, { .kind = "network", .since = 61 }, "" },
	{ WARD_BY_KIND, { .session = "s3" }, "write=10/1@40 network=1/1@60 " },
	{ WARD_BY_KIND, { .target = "/t*" }, "write=11/2@40 " },
	{ WARD_BY_PROGRAM, { 0 }, "/usr/bin/touch=14/5@60 " },
	{ WARD_BY_PROFILE, { 0 }, "builder=14/5@60 " },
	{ WARD_BY_RULE, { 0 },
	    "/etc/ward/profiles.d/builder.conf:12=14/5@60 " },
};

static void
by_column(void **state)
{
	struct scratch scratch = { 0 };
	struct ward_violations *store = filled(&scratch);
	struct err err = { 0 };

	(void)state;
	/* the third row, "/three" */
	check_ok(ward_violations_repeat(store, 3, 9, 40, &err), &err);
	for (size_t i = 0; i < COUNT(groups); i++) {
		struct lines lines = { "" };

		check_error("group",
		    ward_violations_each_group(store, &groups[i].filter,
			groups[i].column, note_group, &lines, &err),
		    &err, 0, NULL);
		if (strcmp(lines.text, groups[i].found) != 0)
			fail_msg("groups %zu: %s", i, lines.text);
	}
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static int
note_sessions(void *context, const struct ward_violations_sessions_row *row)
{
	char text[128];

	(void)snprintf(text, sizeof(text), "%s=%lld,%lld,%lld@%lld",
	    row->account, (long long)row->sessions, (long long)row->open,
	    (long long)row->refused, (long long)row->last);
	note(context, text);
	return 0;
}

static void
check_sessions(struct ward_violations *store, const char *account,
    int64_t since, const char *want)
{
	struct lines lines = { "" };
	struct err err = { 0 };

	check_ok(ward_violations_count_sessions(
		     store, account, since, note_sessions, &lines, &err),
	    &err);
	assert_string_equal(lines.text, want);
}

static void
sessions(void **state)
{
	struct scratch scratch = { 0 };
	struct ward_violations *store = filled(&scratch);
	struct err err = { 0 };

	(void)state;
	start_session(store, "s4", NULL, "amy", 1002, 50);
	check_ok(ward_violations_session_end(
		     store, "s4", 50, "refused", "W012", -1, &err),
	    &err);
	check_sessions(store, NULL, 0, "amy=2,0,1@50 bot=2,1,0@30 ");
	check_sessions(store, "bot", 0, "bot=2,1,0@30 ");
	check_sessions(store, NULL, 21, "amy=1,0,1@50 bot=1,1,0@30 ");
	check_sessions(store, NULL, 51, "");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* --- what a session did --- */

static int
note_event(void *context, const struct ward_violations_event *e)
{
	char text[256];

	(void)snprintf(text, sizeof(text), "%s:%s:%s:%lld-%lld", e->what,
	    e->text, e->detail == NULL ? "-" : e->detail, (long long)e->from,
	    (long long)e->to);
	note(context, text);
	return 0;
}

static void
check_events(
    struct ward_violations *store, const char *session, const char *want)
{
	struct lines lines = { "" };
	struct err err = { 0 };

	check_ok(ward_violations_each_event(
		     store, session, note_event, &lines, &err),
	    &err);
	assert_string_equal(lines.text, want);
}

static void
events(void **state)
{
	struct scratch scratch = { 0 };
	struct ward_violations *store = filled(&scratch);
	const struct ward_violations_connection connection = {
		.sandbox = "b1",
		.session = "s3",
		.front = "http",
		.host = "::1",
		.port = 80,
		.verdict = "allowed",
		.rule_text = "::1",
		.started = 32,
		.duration = 5,
	};
	/* of the time of s1, of s3, and of another sandbox */
	const struct ward_violations_gap lost[] = {
		{ "b1", "lost", 10, 14, -1 },
		{ "b1", "dropped", 33, 34, 7 },
		{ "b2", "lost", 33, 34, 7 },
	};
	struct err err = { 0 };
	int64_t command;

	(void)state;
	check_ok(ward_violations_command_start(
		     store, "s3", 7, "-c x", 30, &command, &err),
	    &err);
	check_ok(
	    ward_violations_connection_add(store, &connection, &err), &err);
	for (size_t i = 0; i < COUNT(lost); i++)
		check_ok(ward_violations_gap_add(store, &lost[i], &err), &err);
	check_events(store, "s3",
	    "command:-c x:-:30-0 violation:/three:openat:31-31 "
	    "connection:[::1]:80:allowed:32-37 gap:dropped:-:33-34 "
	    "violation:example.org:443:connect:60-60 ");
	check_events(
	    store, "s1", "gap:lost:-:10-14 violation:/one:openat:11-11 ");
	check_events(store, "none", "");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* --- plans --- */

/* A line that reads a whole table, row by row. */
static bool
is_slow(const char *line)
{
	return strncmp(line, "SCAN ", 5) == 0 &&
	    strstr(line, " INDEX ") == NULL;
}

/* What the planner says of a statement, as one text; counts slow lines. */
static unsigned
explain(struct ward_violations *store, const char *sql, char *plan, size_t size)
{
	sqlite3_stmt *statement = NULL;
	char *text = NULL;
	unsigned slow = 0;

	assert_true(asprintf(&text, "EXPLAIN QUERY PLAN %s", sql) > 0);
	assert_int_equal(
	    sqlite3_prepare_v2(store->sqlite->db, text, -1, &statement, NULL),
	    SQLITE_OK);
	free(text);
	plan[0] = '\0';
	while (sqlite3_step(statement) == SQLITE_ROW) {
		const char *line =
		    (const char *)sqlite3_column_text(statement, 3);
		size_t used = strlen(plan);

		slow += is_slow(line);
		(void)snprintf(plan + used, size - used, "%s; ", line);
	}
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
	return slow;
}

static void
check_plan(struct ward_violations *store, size_t which, const char *index)
{
	char plan[4096];

	if (explain(store, ward_violations_kind.sql[which], plan,
		sizeof(plan)) > 0 ||
	    strstr(plan, index) == NULL)
		fail_msg("%zu: %s", which, plan);
}

static size_t
list_of(const struct ward_violations_filter *filter)
{
	return VIOLATIONS_LIST + 2 * ward_violations_way_of(filter);
}

static void
plans(void **state)
{
	const struct ward_violations_filter since = { .since = 1 };
	const struct ward_violations_filter all = { 0 };
	const struct {
		struct ward_violations_filter filter;
		const char *index;
	} ways[] = {
		{ { .since = 1 }, "violations_by_time (last_at>?)" },
		{ { .since = 1, .kind = "write", .account = "bot" },
		    "violations_by_time (last_at>?)" },
		{ { .kind = "write" }, "violations_by_kind (kind=?" },
		{ { .account = "bot" }, "sandboxes_by_account (account=?" },
		{ { .account = "bot" }, "violations_by_sandbox (sandbox=?" },
		{ { .account = "bot", .target = "/x" },
		    "violations_by_target (target>? AND target<?" },
		{ { .session = "s", .target = "/x" },
		    "violations_by_session (session=?" },
	};
	struct scratch scratch = { 0 };
	struct ward_violations *store = filled(&scratch);

	(void)state;
	for (size_t i = 0; i < COUNT(ways); i++) {
		size_t list = list_of(&ways[i].filter);

		check_plan(store, list, ways[i].index);
		check_plan(store, list + 1, ways[i].index);
		for (size_t c = 0; c < WARD_N_COLUMNS; c++)
			check_plan(store,
			    ward_violations_groups_for(&ways[i].filter,
				(enum ward_violations_column)c),
			    ways[i].index);
	}
	/* violations --group-by target, with a time and without */
	check_plan(store, ward_violations_groups_for(&since, WARD_BY_TARGET),
	    "violations_by_time (last_at>?)");
	check_plan(store, ward_violations_groups_for(&all, WARD_BY_TARGET),
	    "SCAN v USING COVERING INDEX violations_by_target");
	/* what else report reads */
	check_plan(
	    store, VIOLATIONS_SESSION_COUNTS, "sessions_by_time (started>?)");
	check_plan(
	    store, VIOLATIONS_AFTER, "v USING INTEGER PRIMARY KEY (rowid>?)");
	check_plan(
	    store, VIOLATIONS_SEALED_AFTER, "violations_by_seal (sealed>?)");
	check_plan(store, VIOLATIONS_GAPS_AFTER,
	    "g USING INTEGER PRIMARY KEY (rowid>?)");
	check_plan(store, VIOLATIONS_GAPS, "gaps_by_time (to_at>?)");
	check_plan(store, VIOLATIONS_GAPS_NEWEST, "gaps_by_time (to_at>?)");
	/* session show */
	check_plan(
	    store, VIOLATIONS_TIMELINE, "commands_by_session (session=?)");
	check_plan(
	    store, VIOLATIONS_CONNECTIONS, "connections_by_end (<expr>>?");
	check_plan(store, VIOLATIONS_CONNECTIONS_OF_SESSION,
	    "connections_by_session (session=?)");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* Were a plan of that kind bad, it would be found. */
static void
bad_plan(void **state)
{
	struct scratch scratch = { 0 };
	struct ward_violations *store = filled(&scratch);
	char plan[4096];

	(void)state;
	assert_int_equal(
	    explain(store, "SELECT * FROM violations WHERE program = 'x'", plan,
		sizeof(plan)),
	    1);
	ward_violations_close(store);
	scratch_remove(&scratch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_target),
		cmocka_unit_test(by_column),
		cmocka_unit_test(sessions),
		cmocka_unit_test(events),
		cmocka_unit_test(plans),
		cmocka_unit_test(bad_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
