/* SPDX-License-Identifier: ISC */
/* Rows to be stored, and short ways to store and list them. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/violations_sample.h"

struct ward_violations *
open_store(const struct scratch *s, enum ward_violations_mode mode)
{
	struct ward_violations *store = NULL;
	struct err err = { 0 };

	check_ok(ward_violations_open(s->path, mode, 1000, &store, &err), &err);
	return store;
}

void
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

struct ward_violations_session
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

void
start_session(struct ward_violations *store, const char *id,
    const char *sandbox, const char *account, uint32_t uid, int64_t when)
{
	struct ward_violations_session session =
	    session_of(id, sandbox, account, uid, when);
	struct err err = { 0 };

	check_ok(ward_violations_session_start(store, &session, &err), &err);
}

struct ward_violation
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

int64_t
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
void
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

void
note(struct lines *lines, const char *word)
{
	size_t used = strlen(lines->text);

	(void)snprintf(
	    lines->text + used, sizeof(lines->text) - used, "%s ", word);
}

int
note_violation(void *context, const struct ward_violations_violation_row *row)
{
	note(context, row->violation.target);
	return 0;
}

void
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
