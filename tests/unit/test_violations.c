/* SPDX-License-Identifier: ISC */
/* The violation store: what is written is read back, by filter and order. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "db/violations_store.h"
#include "tests/unit/scratch.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static struct ward_violations *
open_store(const struct scratch *s, enum ward_violations_mode mode)
{
	struct ward_violations *store = NULL;
	struct err err = { 0 };

	check_ok(ward_violations_open(s->path, mode, 1000, &store, &err), &err);
	return store;
}

static void
start_sandbox(struct ward_violations *store, const char *id,
    const char *account, uint32_t uid, int64_t when)
{
	const struct ward_violations_sandbox sandbox = { .id = id,
		.account = account,
		.uid = uid,
		.profile = "builder",
		.revision = 3,
		.started = when };
	struct err err = { 0 };

	check_ok(ward_violations_sandbox_start(store, &sandbox, &err), &err);
}

static struct ward_violations_session
session_of(const char *id, const char *sandbox, const char *account,
    uint32_t uid, int64_t when)
{
	return (struct ward_violations_session){ .id = id,
		.sandbox = sandbox,
		.account = account,
		.uid = uid,
		.service = "sshd",
		.tty = "ssh",
		.rhost = "192.0.2.1",
		.opener_pid = 4242,
		.audit_session = -1,
		.started = when };
}

static void
start_session(struct ward_violations *store, const char *id,
    const char *sandbox, const char *account, uint32_t uid, int64_t when)
{
	struct ward_violations_session session =
	    session_of(id, sandbox, account, uid, when);
	struct err err = { 0 };

	check_ok(ward_violations_session_start(store, &session, &err), &err);
}

static struct ward_violation
violation_of(
    const char *sandbox, const char *session, const char *target, int64_t when)
{
	return (struct ward_violation){ .sandbox = sandbox,
		.session = session,
		.kind = "write",
		.operation = "openat",
		.target = target,
		.pid = 99,
		.program = "/usr/bin/touch",
		.errnum = EROFS,
		.count = 1,
		.first = when,
		.last = when,
		.profile = "builder",
		.revision = 3,
		.rule_file = "/etc/ward/profiles.d/builder.conf",
		.rule_line = 12,
		.rule_text = "~/work" };
}

static int64_t
add(struct ward_violations *store, const char *sandbox, const char *session,
    const char *target, int64_t when)
{
	struct ward_violation violation =
	    violation_of(sandbox, session, target, when);
	struct err err = { 0 };
	int64_t id = 0;

	check_ok(ward_violations_add(store, &violation, &id, &err), &err);
	assert_true(id > 0);
	return id;
}

/*
 * Two accounts, three sandboxes; bot's s3 is open, its sandbox b1 too:
 *   b1 bot: s1 (ended), s3 (open);  b2 amy: s2 (ended);  b3 bot: none
 */
static void
fill(struct ward_violations *store)
{
	struct ward_violation network =
	    violation_of("b1", "s3", "example.org:443", 60);
	struct err err = { 0 };

	start_sandbox(store, "b1", "bot", 1001, 1);
	start_sandbox(store, "b2", "amy", 1002, 2);
	start_sandbox(store, "b3", "bot", 1001, 3);
	start_session(store, "s1", "b1", "bot", 1001, 10);
	start_session(store, "s2", "b2", "amy", 1002, 20);
	start_session(store, "s3", "b1", "bot", 1001, 30);
	(void)add(store, "b1", "s1", "/one", 11);
	(void)add(store, "b2", "s2", "/two", 21);
	(void)add(store, "b1", "s3", "/three", 31);
	(void)add(store, "b3", NULL, "/four", 41);
	network.kind = "network";
	network.operation = "connect";
	check_ok(ward_violations_add(store, &network, NULL, &err), &err);
	check_ok(ward_violations_session_end(
		     store, "s1", 15, "closed", NULL, 0, &err),
	    &err);
	check_ok(ward_violations_session_end(
		     store, "s2", 25, "closed", NULL, 3, &err),
	    &err);
	check_ok(
	    ward_violations_sandbox_end(store, "b2", 26, "closed", &err), &err);
}

struct lines {
	char text[1024];
};

static void
note(struct lines *lines, const char *word)
{
	size_t used = strlen(lines->text);

	(void)snprintf(
	    lines->text + used, sizeof(lines->text) - used, "%s ", word);
}

static int
note_violation(void *context, const struct ward_violations_violation_row *row)
{
	note(context, row->violation.target);
	return 0;
}

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
	} else {
		assert_string_equal(got->session, want->session);
		assert_string_equal(got->program, want->program);
		assert_string_equal(got->rule_file, want->rule_file);
		assert_string_equal(got->rule_text, want->rule_text);
	}
	return 7;
}

static void
columns(void **state)
{
	const struct ward_violation rows[] = {
		{ "b", "s", "write", "openat2", "/a\x01\xff\xc3'\"\n b",
		    INT64_MAX, "/x y", true, ENOENT, INT64_MAX, 5, INT64_MAX,
		    "p", INT64_MAX, "f", UINT32_MAX, "/a*" },
		{ "b", NULL, "read", "look-up", "", 0, NULL, false, 0, 1, 0, 0,
		    "p", 1, NULL, 0, NULL },
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

/* Writers that name what is not there, and announcing twice. */
static void
references(void **state)
{
	struct ward_violation violation = violation_of("none", NULL, "/x", 1);
	struct ward_violations_session session =
	    session_of("s9", "none", "bot", 1, 1);
	const struct ward_violations_gap gap = { "none", "dropped", 1, 2, 3 };
	struct ward_violations *store;
	struct lines lines = { "" };
	struct err err = { 0 };
	struct scratch scratch;
	int64_t command;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	fill(store);
	fill(store);
	check_error("violation",
	    ward_violations_add(store, &violation, NULL, &err), &err, ENOENT,
	    "what the row refers to is not there");
	err.code = 0;
	violation.sandbox = "b1";
	violation.session = "none";
	check_error("violation's session",
	    ward_violations_add(store, &violation, NULL, &err), &err, ENOENT,
	    "refers to");
	err.code = 0;
	violation.session = NULL;
	violation.target = NULL;
	check_error("violation's target",
	    ward_violations_add(store, &violation, NULL, &err), &err, EINVAL,
	    "target");
	err.code = 0;
	check_error("session",
	    ward_violations_session_start(store, &session, &err), &err, ENOENT,
	    "refers to");
	err.code = 0;
	check_error("gap", ward_violations_gap_add(store, &gap, &err), &err,
	    ENOENT, "refers to");
	err.code = 0;
	check_error("command",
	    ward_violations_command_start(
		store, "none", 1, "ls", 1, &command, &err),
	    &err, ENOENT, "refers to");
	err.code = 0;
	check_error("end of sandbox",
	    ward_violations_sandbox_end(store, "none", 1, "closed", &err), &err,
	    ENOENT, "no such sandbox");
	err.code = 0;
	check_error("end of session",
	    ward_violations_session_end(
		store, "none", 1, "closed", NULL, 0, &err),
	    &err, ENOENT, "no such session");
	err.code = 0;
	check_error("end of command",
	    ward_violations_command_end(store, 77, 1, 0, &err), &err, ENOENT,
	    "no such command");
	err.code = 0;
	/* ids stood for once only, and nothing of the failures stays */
	check_ok(ward_violations_each_session(
		     store, NULL, note_session, &lines, &err),
	    &err);
	assert_string_equal(lines.text, "s1 s2 s3 ");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static int
check_refused(void *context, const struct ward_violations_session_row *row)
{
	(void)context;
	assert_string_equal(row->session.id, "r1");
	assert_null(row->session.sandbox);
	assert_string_equal(row->session.account, "bot");
	assert_string_equal(row->session.service, "login");
	assert_null(row->session.ruser);
	assert_int_equal(row->session.opener_pid, 4242);
	assert_int_equal(row->session.audit_session, 0);
	assert_null(row->profile);
	assert_int_equal(row->ended, 5);
	assert_string_equal(row->reason, "refused");
	assert_string_equal(row->refusal, "W012");
	assert_int_equal(row->status, -1);
	return 0;
}

/* Refused before there was a sandbox; and the first end counts. */
static void
refused_session(void **state)
{
	struct ward_violations_session session =
	    session_of("r1", NULL, "bot", 1, 5);
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	session.service = "login";
	session.audit_session = 0;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	check_ok(ward_violations_session_start(store, &session, &err), &err);
	check_ok(ward_violations_session_end(
		     store, "r1", 5, "refused", "W012", -1, &err),
	    &err);
	check_ok(ward_violations_session_end(
		     store, "r1", 9, "closed", NULL, 0, &err),
	    &err);
	check_ok(ward_violations_each_session(
		     store, NULL, check_refused, NULL, &err),
	    &err);
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

/* What a dead warden left open is closed, the living and others are not. */
static void
lost(void **state)
{
	static const char *const living[] = { "b3", "b7" };
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;
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
	check_ok(
	    ward_violations_close_lost(store, 1001, living, 2, 1000, &n, &err),
	    &err);
	assert_int_equal(n, 1);
	check_ends(store,
	    "s1 15 closed; s2 25 closed; s3 1000 lost; s4 0 -; s5 0 -; ");
	/* from the last that is known of it: the command */
	check_gaps(store, NULL, "bot b1 warden lost 65-1000 -1\n");
	check_commands(store, NULL, "bot s3 60 'sleep 9' 65-1000 -1\n");
	/* again: nothing is left to close, then the rest of this uid */
	check_ok(
	    ward_violations_close_lost(store, 1001, living, 2, 1001, &n, &err),
	    &err);
	assert_int_equal(n, 0);
	check_ok(
	    ward_violations_close_lost(store, 1001, NULL, 0, 7, NULL, &err),
	    &err);
	/* the clock was set back: no gap of negative length */
	check_gaps(store, NULL,
	    "bot b1 warden lost 65-1000 -1\nbot b3 warden lost 7-7 -1\n");
	check_ends(store,
	    "s1 15 closed; s2 25 closed; s3 1000 lost; s4 0 -; s5 7 lost; ");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static void
check_targets(const struct scratch *scratch, const char *expected)
{
	struct ward_violations *store =
	    open_store(scratch, WARD_VIOLATIONS_READ);
	struct lines lines = { "" };
	struct err err = { 0 };

	check_ok(
	    ward_violations_each(store, NULL, note_violation, &lines, &err),
	    &err);
	assert_string_equal(lines.text, expected);
	ward_violations_close(store);
}

/* A batch is there as a whole, for others too, or not at all. */
static void
batches(void **state)
{
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	start_sandbox(store, "b", "bot", 1, 1);
	check_ok(ward_violations_begin(store, &err), &err);
	(void)add(store, "b", NULL, "/a", 1);
	(void)add(store, "b", NULL, "/b", 2);
	check_targets(&scratch, "");
	check_ok(ward_violations_commit(store, &err), &err);
	check_targets(&scratch, "/a /b ");
	check_ok(ward_violations_begin(store, &err), &err);
	(void)add(store, "b", NULL, "/c", 3);
	ward_violations_rollback(store);
	ward_violations_rollback(store);
	check_targets(&scratch, "/a /b ");
	check_ok(ward_violations_begin(store, &err), &err);
	(void)add(store, "b", NULL, "/d", 4);
	ward_violations_close(store);
	check_targets(&scratch, "/a /b ");
	scratch_remove(&scratch);
}

static void
readers_do_not_write(void **state)
{
	struct ward_violation violation = violation_of("b1", NULL, "/x", 1);
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	fill(store);
	ward_violations_close(store);
	store = open_store(&scratch, WARD_VIOLATIONS_READ);
	check_error("add", ward_violations_add(store, &violation, NULL, &err),
	    &err, EROFS, "cannot be written");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static void
missing_and_moved(void **state)
{
	struct ward_violations *store = NULL;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	check_error("missing",
	    ward_violations_open(
		scratch.path, WARD_VIOLATIONS_READ, 100, &store, &err),
	    &err, ENOENT, scratch.path);
	assert_null(store);
	err.code = 0;
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	check_ok(ward_violations_begin(store, &err), &err);
	check_ok(ward_violations_commit(store, &err), &err);
	assert_int_equal(unlink(scratch.path), 0);
	check_error("moved", ward_violations_begin(store, &err), &err, ESTALE,
	    "was moved or deleted");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

static void
full_disk(void **state)
{
	struct ward_violation violation;
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;
	char target[4000];
	int r = 0;

	(void)state;
	memset(target, 't', sizeof(target));
	target[sizeof(target) - 1] = '\0';
	violation = violation_of("b", NULL, target, 5);
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	start_sandbox(store, "b", "bot", 1, 1);
	(void)add(store, "b", NULL, "/a", 1);
	assert_int_equal(sqlite3_exec(store->sqlite->db,
			     "PRAGMA max_page_count = 40", NULL, NULL, NULL),
	    SQLITE_OK);
	check_ok(ward_violations_begin(store, &err), &err);
	for (int i = 0; i < 100 && r == 0; i++)
		r = ward_violations_add(store, &violation, NULL, &err);
	check_error("full", r, &err, ENOSPC, "no space left for it");
	ward_violations_rollback(store);
	check_targets(&scratch, "/a ");
	/* what there is room for still goes in */
	err.code = 0;
	check_ok(ward_violations_begin(store, &err), &err);
	(void)add(store, "b", NULL, "/b", 2);
	check_ok(ward_violations_commit(store, &err), &err);
	check_targets(&scratch, "/a /b ");
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* One of several wardens, started on a fresh file: its rows, in batches. */
static int
be_warden(const struct scratch *scratch, int number)
{
	struct ward_violations *store = NULL;
	struct ward_violation violation;
	struct err err = { 0 };
	char id[] = { 'w', (char)('0' + number), '\0' };
	struct ward_violations_sandbox sandbox = { id, "bot", 1, "p", 1, NULL,
		1 };
	int r = ward_violations_open(
	    scratch->path, WARD_VIOLATIONS_WRITE, 10000, &store, &err);

	if (r == 0)
		r = ward_violations_sandbox_start(store, &sandbox, &err);
	violation = violation_of(id, NULL, "/x", 10);
	for (int batch = 0; batch < 5 && r == 0; batch++) {
		r = ward_violations_begin(store, &err);
		for (int i = 0; i < 10 && r == 0; i++)
			r = ward_violations_add(store, &violation, NULL, &err);
		if (r == 0)
			r = ward_violations_commit(store, &err);
	}
	ward_violations_close(store);
	if (r != 0)
		(void)fprintf(stderr, "warden %d: %s\n", number, err.text);
	return r == 0 ? 0 : 1;
}

static int
count_row(void *context, const struct ward_violations_violation_row *row)
{
	int *counts = context;

	counts[row->violation.sandbox[1] - '0']++;
	return 0;
}

static void
many_wardens(void **state)
{
	enum { WARDENS = 6 };
	pid_t children[WARDENS];
	int counts[WARDENS] = { 0 };
	struct ward_violations *store;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	for (int i = 0; i < WARDENS; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i] == 0)
			_exit(be_warden(&scratch, i));
	}
	for (int i = 0; i < WARDENS; i++) {
		int status = -1;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	store = open_store(&scratch, WARD_VIOLATIONS_READ);
	check_ok(
	    ward_violations_each(store, NULL, count_row, counts, &err), &err);
	for (int i = 0; i < WARDENS; i++)
		assert_int_equal(counts[i], 50);
	ward_violations_close(store);
	scratch_remove(&scratch);
}

/* While one holds the writer's lock: readers read, a writer gives up in time.
 */
static void
busy(void **state)
{
	struct ward_violations *holder;
	struct ward_violations *store = NULL;
	struct err err = { 0 };
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	holder = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	start_sandbox(holder, "b", "bot", 1, 1);
	(void)add(holder, "b", NULL, "/a", 1);
	check_ok(ward_violations_begin(holder, &err), &err);
	(void)add(holder, "b", NULL, "/b", 2);
	check_ok(ward_violations_open(
		     scratch.path, WARD_VIOLATIONS_WRITE, 20, &store, &err),
	    &err);
	check_error("begin", ward_violations_begin(store, &err), &err, EBUSY,
	    "another process holds its lock");
	err.code = 0;
	check_error("lost",
	    ward_violations_close_lost(store, 1, NULL, 0, 9, NULL, &err), &err,
	    EBUSY, "lock");
	check_targets(&scratch, "/a ");
	check_ok(ward_violations_commit(holder, NULL), &(struct err){ 0 });
	err.code = 0;
	check_ok(ward_violations_begin(store, &err), &err);
	check_ok(ward_violations_commit(store, &err), &err);
	ward_violations_close(store);
	ward_violations_close(holder);
	scratch_remove(&scratch);
}

/* An old warden on a newer schema writes by column name. */
static void
newer_schema(void **state)
{
	struct ward_violations *store;
	struct scratch scratch;

	(void)state;
	scratch_make(&scratch);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	start_sandbox(store, "b", "bot", 1, 1);
	assert_int_equal(sqlite3_exec(store->sqlite->db,
			     "ALTER TABLE violations ADD COLUMN link BLOB;"
			     "ALTER TABLE sandboxes ADD COLUMN head BLOB;"
			     "CREATE TABLE connections (id INTEGER) STRICT;"
			     "PRAGMA user_version = 9",
			     NULL, NULL, NULL),
	    SQLITE_OK);
	(void)add(store, "b", NULL, "/a", 1);
	ward_violations_close(store);
	store = open_store(&scratch, WARD_VIOLATIONS_WRITE);
	(void)add(store, "b", NULL, "/b", 2);
	ward_violations_close(store);
	check_targets(&scratch, "/a /b ");
	scratch_remove(&scratch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters),
		cmocka_unit_test(columns),
		cmocka_unit_test(repeats),
		cmocka_unit_test(count_overflow),
		cmocka_unit_test(references),
		cmocka_unit_test(refused_session),
		cmocka_unit_test(commands_and_gaps),
		cmocka_unit_test(lost),
		cmocka_unit_test(batches),
		cmocka_unit_test(readers_do_not_write),
		cmocka_unit_test(missing_and_moved),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(many_wardens),
		cmocka_unit_test(busy),
		cmocka_unit_test(newer_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
