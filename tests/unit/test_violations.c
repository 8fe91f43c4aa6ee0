/* SPDX-License-Identifier: ISC */
/* The violation store: what is written is read back, by filter and order. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/violations_sample.h"

static int
note_session(void *context, const struct ward_violations_session_row *row)
{
	note(context, row->session.id);
	return 0;
}

struct listing {
	const char *name;
	struct ward_violations_filter filter;
	const char *violations;
	const char *sessions;
};

static const struct listing listings[] = {
	{ "all", { 0 }, "/one /two /three /four example.org:443 ",
	    "s1 s2 s3 " },
	{ "newest", { .newest_first = true },
	    "example.org:443 /four /three /two /one ", "s3 s2 s1 " },
	{ "two newest", { .newest_first = true, .limit = 2 },
	    "example.org:443 /four ", "s3 s2 " },
	{ "oldest", { .limit = 1 }, "/one ", "s1 " },
	{ "bot's", { .account = "bot" }, "/one /three /four example.org:443 ",
	    "s1 s3 " },
	{ "bot's newest", { .account = "bot", .newest_first = true },
	    "example.org:443 /four /three /one ", "s3 s1 " },
	{ "amy's", { .account = "amy" }, "/two ", "s2 " },
	{ "nobody's", { .account = "nobody" }, "", "" },
	{ "one session", { .session = "s3" }, "/three example.org:443 ",
	    "s3 " },
	{ "one session, newest", { .session = "s3", .newest_first = true },
	    "example.org:443 /three ", "s3 " },
	{ "session of another", { .session = "s3", .account = "amy" }, "", "" },
	{ "sandbox", { .sandbox = "b3" }, "/four ", "" },
	{ "kind", { .kind = "network" }, "example.org:443 ", "" },
	{ "kind and account", { .kind = "write", .account = "bot" },
	    "/one /three /four ", "" },
	{ "since", { .since = 31 }, "/three /four example.org:443 ", "s3 " },
	{ "since, sessions that ended", { .since = 20 },
	    "/two /three /four example.org:443 ", "s2 s3 " },
	{ "open", { .open_only = true },
	    "/one /two /three /four example.org:443 ", "s3 " },
	{ "open and amy's", { .open_only = true, .account = "amy" }, "/two ",
	    "" },
	{ "quoted", { .account = "' OR '1' = '1" }, "", "" },
};

static void
filters(void **state)
{
	struct ward_violations *store;
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	fill(store);
	ward_violations_close(store);
	store = open_store(&scratch, WARD_VIOLATIONS_READ);
	for (size_t i = 0; i < COUNT(listings); i++) {
		struct lines violations = { "" };
		struct lines sessions = { "" };
		struct err err = { 0 };

		check_error(listings[i].name,
		    ward_violations_each(store, &listings[i].filter,
			note_violation, &violations, &err),
		    &err, 0, NULL);
		check_error(listings[i].name,
		    ward_violations_each_session(store, &listings[i].filter,
			note_session, &sessions, &err),
		    &err, 0, NULL);
		if (strcmp(violations.text, listings[i].violations) != 0)
			fail_msg("%s: violations %s", listings[i].name,
			    violations.text);
		if (strcmp(sessions.text, listings[i].sessions) != 0)
			fail_msg(
			    "%s: sessions %s", listings[i].name, sessions.text);
	}
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* Every column, with what is absent and with bytes that are no text. */
static int
check_row(void *context, const struct ward_violations_violation_row *row)
{
	const struct ward_violation *want = context;
	const struct ward_violation *got = &row->violation;

	assert_string_equal(row->account, "bot");
	assert_int_equal(row->uid, 4294967294);
	assert_string_equal(got->sandbox, want->sandbox);
	assert_string_equal(got->kind, want->kind);
	assert_string_equal(got->operation, want->operation);
	assert_string_equal(got->target, want->target);
	assert_int_equal(got->pid, want->pid);
	assert_int_equal(got->confirmed, want->confirmed);
	assert_int_equal(got->errnum, want->errnum);
	assert_int_equal(got->count, want->count);
	assert_int_equal(got->first, want->first);
	assert_int_equal(got->last, want->last);
	assert_string_equal(got->profile, want->profile);
	assert_int_equal(got->revision, want->revision);
	assert_int_equal(got->rule_line, want->rule_line);
	if (want->session == NULL) {
		assert_null(got->session);
		assert_null(got->program);
		assert_null(got->rule_file);
		assert_null(got->rule_text);
		assert_null(got->reason);
	} else {
		assert_string_equal(got->session, want->session);
		assert_string_equal(got->program, want->program);
		assert_string_equal(got->rule_file, want->rule_file);
		assert_string_equal(got->rule_text, want->rule_text);
		assert_string_equal(got->reason, want->reason);
	}
	return 7;
}

static void
check_text(const char *got, const char *want)
{
	if (want == NULL)
		assert_null(got);
	else
		assert_string_equal(got, want);
}

static int
check_connection(
    void *context, const struct ward_violations_connection_row *row)
{
	const struct ward_violations_connection *want = context;
	const struct ward_violations_connection *got = &row->connection;

	assert_int_equal(row->id, 1);
	assert_string_equal(row->account, "bot");
	check_text(got->sandbox, want->sandbox);
	check_text(got->session, want->session);
	check_text(got->front, want->front);
	check_text(got->host, want->host);
	assert_int_equal(got->port, want->port);
	check_text(got->address, want->address);
	check_text(got->verdict, want->verdict);
	check_text(got->rule_file, want->rule_file);
	assert_int_equal(got->rule_line, want->rule_line);
	check_text(got->rule_text, want->rule_text);
	assert_int_equal(got->grant, want->grant);
	assert_int_equal(got->up, want->up);
	assert_int_equal(got->down, want->down);
	assert_int_equal(got->started, want->started);
	assert_int_equal(got->duration, want->duration);
	assert_int_equal(got->errnum, want->errnum);
	assert_int_equal(got->pid, want->pid);
	check_text(got->program, want->program);
	return 7;
}

/* Every column comes back; and the filters are those of other listings. */
static void
connections(void **state)
{
	static const struct ward_violations_connection rows[] = {
		{ "b", "s", "tcp", "a.example", 65535, "2001:db8::1", "allowed",
		    "f", UINT32_MAX, "a.example", INT64_MAX, INT64_MAX, 7, 5, 9,
		    ECONNRESET, 12, "/x y" },
		{ "b", NULL, "dns", "", 0, NULL, "lost", NULL, 0, NULL, 0, 0, 0,
		    100, 0, 0, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ward_violations_connection copy = rows[i];
		const struct ward_violations_filter others[] = {
			{ .account = "amy" },
			{ .session = "t" },
			{ .since = rows[i].started + rows[i].duration + 1 },
		};
		struct ward_violations *store;
		struct err err = { 0 };
		struct scratch scratch;

		scratch_make(&scratch);
		store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
		start_sandbox(store, "b", "bot", 1001, 1);
		start_session(store, "s", "b", "bot", 1001, 1);
		check_ok(ward_violations_connection_add(store, &rows[i], &err),
		    &err);
		assert_int_equal(ward_violations_each_connection(store, NULL,
				     check_connection, &copy, &err),
		    7);
		for (size_t k = 0; k < COUNT(others); k++)
			assert_int_equal(
			    ward_violations_each_connection(store, &others[k],
				check_connection, &copy, &err),
			    0);
		copy.sandbox = "gone";
		assert_int_equal(
		    ward_violations_connection_add(store, &copy, &err),
		    -ENOENT);
		ward_violations_close(store);
		scratch_remove(&scratch);
	}
}

static void
columns(void **state)
{
	const struct ward_violation rows[] = {
		{ "b", "s", "write", "openat2", "/a\x01\xff\xc3'\"\n b",
		    INT64_MAX, "/x y", true, ENOENT, INT64_MAX, 5, INT64_MAX,
		    "p", INT64_MAX, "f", UINT32_MAX, "/a*", "so" },
		{ "b", NULL, "read", "look-up", "", 0, NULL, false, 0, 1, 0, 0,
		    "p", 1, NULL, 0, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ward_violation copy = rows[i];
		struct ward_violations *store;
		struct err err = { 0 };
		struct scratch scratch;

		scratch_make(&scratch);
		store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
		start_sandbox(store, "b", "bot", 4294967294, 1);
		start_session(store, "s", "b", "bot", 4294967294, 1);
		check_ok(
		    ward_violations_add(store, &rows[i], NULL, &err), &err);
		assert_int_equal(
		    ward_violations_each(store, NULL, check_row, &copy, &err),
		    7);
		ward_violations_close(store);
		scratch_remove(&scratch);
	}
}

static int
keep_violation(void *context, const struct ward_violations_violation_row *row)
{
	struct ward_violation *kept = context;

	kept->count = row->violation.count;
	kept->first = row->violation.first;
	kept->last = row->violation.last;
	return 0;
}

static void
repeats(void **state)
{
	struct ward_violations *store;
	struct ward_violation kept = { 0 };
	struct err err = { 0 };
	struct scratch scratch;
	int64_t id;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	start_sandbox(store, "b", "bot", 1, 1);
	id = add(store, "b", NULL, "/x", 100);
	check_ok(ward_violations_repeat(store, id, 41, 200, &err), &err);
	/* late news does not move it back */
	check_ok(ward_violations_repeat(store, id, 1, 150, &err), &err);
	check_ok(ward_violations_each(store, NULL, keep_violation, &kept, &err),
	    &err);
	assert_int_equal(kept.count, 43);
	assert_int_equal(kept.first, 100);
	assert_int_equal(kept.last, 200);
	check_error("no such row",
	    ward_violations_repeat(store, id + 1, 1, 300, &err), &err, ENOENT,
	    "there is no such violation");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* A count beyond what an integer holds fails and leaves the row. */
static void
count_overflow(void **state)
{
	struct ward_violations *store;
	struct ward_violation kept = { 0 };
	struct err err = { 0 };
	struct scratch scratch;
	int64_t id;
	int r;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	start_sandbox(store, "b", "bot", 1, 1);
	id = add(store, "b", NULL, "/x", 100);
	r = ward_violations_repeat(store, id, INT64_MAX, 100, &err);
	assert_true(r < 0);
	check_ok(ward_violations_each(store, NULL, keep_violation, &kept, NULL),
	    &(struct err){ 0 });
	assert_int_equal(kept.count, 1);
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static int
note_command(void *context, const struct ward_violations_command_row *row)
{
	struct lines *lines = context;
	size_t used = strlen(lines->text);

	(void)snprintf(lines->text + used, sizeof(lines->text) - used,
	    "%s %s %lld '%s' %lld-%lld %d\n", row->account, row->session,
	    (long long)row->pid, row->argv, (long long)row->started,
	    (long long)row->ended, row->status);
	return 0;
}

static int
note_gap(void *context, const struct ward_violations_gap_row *row)
{
	struct lines *lines = context;
	size_t used = strlen(lines->text);

	(void)snprintf(lines->text + used, sizeof(lines->text) - used,
	    "%s %s %s %lld-%lld %lld\n", row->account, row->gap.sandbox,
	    row->gap.what, (long long)row->gap.from, (long long)row->gap.to,
	    (long long)row->gap.count);
	return 0;
}

static void
check_commands(struct ward_violations *store,
    const struct ward_violations_filter *filter, const char *expected)
{
	struct lines lines = { "" };
	struct err err = { 0 };

	check_ok(ward_violations_each_command(
		     store, filter, note_command, &lines, &err),
	    &err);
	assert_string_equal(lines.text, expected);
}

static void
check_gaps(struct ward_violations *store,
    const struct ward_violations_filter *filter, const char *expected)
{
	struct lines lines = { "" };
	struct err err = { 0 };

	check_ok(
	    ward_violations_each_gap(store, filter, note_gap, &lines, &err),
	    &err);
	assert_string_equal(lines.text, expected);
}

static void
commands_and_gaps(void **state)
{
	const struct ward_violations_filter bot = { .account = "bot" };
	const struct ward_violations_filter open = { .open_only = true };
	const struct ward_violations_filter newest = { .newest_first = true,
		.limit = 1 };
	const struct ward_violations_gap gap = { "b2", "dropped", 21, 24,
		1000 };
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;
	int64_t one = 0;
	int64_t two = 0;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	fill(store);
	check_ok(ward_violations_command_start(
		     store, "s1", 50, "ls -l", 12, &one, &err),
	    &err);
	check_ok(
	    ward_violations_command_start(store, "s2", 51, "", 22, &two, &err),
	    &err);
	check_ok(ward_violations_command_end(store, one, 13, 2, &err), &err);
	check_ok(ward_violations_command_end(store, one, 19, 5, &err), &err);
	check_ok(ward_violations_gap_add(store, &gap, &err), &err);
	check_commands(
	    store, NULL, "bot s1 50 'ls -l' 12-13 2\namy s2 51 '' 22-0 -1\n");
	check_commands(store, &bot, "bot s1 50 'ls -l' 12-13 2\n");
	check_commands(store, &open, "amy s2 51 '' 22-0 -1\n");
	check_commands(store, &newest, "amy s2 51 '' 22-0 -1\n");
	check_gaps(store, NULL, "amy b2 dropped 21-24 1000\n");
	check_gaps(store, &bot, "");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static int
note_end(void *context, const struct ward_violations_session_row *row)
{
	struct lines *lines = context;
	size_t used = strlen(lines->text);

	(void)snprintf(lines->text + used, sizeof(lines->text) - used,
	    "%s %lld %s; ", row->session.id, (long long)row->ended,
	    row->reason == NULL ? "-" : row->reason);
	return 0;
}

static void
check_ends(struct ward_violations *store, const char *expected)
{
	struct lines lines = { "" };
	struct err err = { 0 };

	check_ok(
	    ward_violations_each_session(store, NULL, note_end, &lines, &err),
	    &err);
	assert_string_equal(lines.text, expected);
}

static bool
one_lives(void *context, const char *sandbox)
{
	return strcmp(sandbox, context) == 0;
}

/* What a dead warden left open is closed, the living and others are not. */
static void
lost(void **state)
{
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;
	char b3[] = "b3", none[] = "";
	int64_t command = 0;
	size_t n = 99;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	fill(store);
	start_sandbox(store, "b4", "amy", 1002, 50);
	start_session(store, "s4", "b4", "amy", 1002, 50);
	start_session(store, "s5", "b3", "bot", 1001, 51);
	check_ok(ward_violations_command_start(
		     store, "s3", 60, "sleep 9", 65, &command, &err),
	    &err);
	check_ok(ward_violations_close_lost(
		     store, 1001, one_lives, b3, 1000, &n, &err),
	    &err);
	assert_int_equal(n, 1);
	check_ends(store,
	    "s1 15 closed; s2 25 closed; s3 1000 lost; s4 0 -; s5 0 -; ");
	/* from the last that is known of it: the command */
	check_gaps(store, NULL, "bot b1 warden lost 65-1000 -1\n");
	check_commands(store, NULL, "bot s3 60 'sleep 9' 65-1000 -1\n");
	/* again: nothing is left to close, then the rest of this uid */
	check_ok(ward_violations_close_lost(
		     store, 1001, one_lives, b3, 1001, &n, &err),
	    &err);
	assert_int_equal(n, 0);
	check_ok(ward_violations_close_lost(
		     store, 1001, one_lives, none, 7, NULL, &err),
	    &err);
	/* the clock was set back: no gap of negative length */
	check_gaps(store, NULL,
	    "bot b3 warden lost 7-7 -1\nbot b1 warden lost 65-1000 -1\n");
	check_ends(store,
	    "s1 15 closed; s2 25 closed; s3 1000 lost; s4 0 -; s5 7 lost; ");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters),
		cmocka_unit_test(columns),
		cmocka_unit_test(connections),
		cmocka_unit_test(repeats),
		cmocka_unit_test(count_overflow),
		cmocka_unit_test(commands_and_gaps),
		cmocka_unit_test(lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
