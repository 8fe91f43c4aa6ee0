/* SPDX-License-Identifier: ISC */
/* What an agent is told of a refusal. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/told.h"

#define BUILT_IN_WRITE                                                         \
	"nothing in the profile opens it for writing; write to what 'ward "    \
	"status' lists as writable, or ask whoever runs this machine to open " \
	"it; will not succeed by retrying"

static const struct {
	struct ward_wire_why_is m;
	uint64_t count;
	const char *line;
} rows[] = {
	{ { .kind = "write", .operation = "openat", .target = "/srv/x" }, 1,
	    "write /srv/x: refused: " BUILT_IN_WRITE },
	{ { .kind = "write",
	      .target = "/srv/x",
	      .rule = "/",
	      .rule_file = "built-in" },
	    7, "write /srv/x: refused 7 times: " BUILT_IN_WRITE },
	{ { .kind = "read",
	      .target = "/srv/s",
	      .rule = "/srv",
	      .rule_file = "/p.conf",
	      .rule_line = 3 },
	    1,
	    "read /srv/s: refused: by the rule \"/srv\" (/p.conf:3); go on "
	    "without it, or ask whoever runs this machine; will not succeed "
	    "by retrying" },
	{ { .kind = "network",
	      .target = "a.example:22",
	      .rule = "a.example",
	      .rule_file = "/p.conf",
	      .rule_line = 4,
	      .reason = "push over https" },
	    1,
	    "connect a.example:22: refused: push over https; use what the "
	    "profile allows, or ask for it: ward request HOST:PORT --reason "
	    "WHY; will not succeed by retrying" },
	{ { .kind = "network", .target = "b.example:443", .asked = true }, 1,
	    "connect b.example:443: refused: nothing in the profile allows "
	    "this host; whoever runs this machine is asked by this, and may "
	    "approve it: go on without it until then" },
	{ { .kind = "network",
	      .target = "c.example:443",
	      .reason = "too many connections",
	      .passing = true },
	    1,
	    "connect c.example:443: refused: too many connections; do less at "
	    "once, and try again later" },
	{ { .kind = "syscall", .target = "mount" }, 1,
	    "call mount: refused: this sandbox does not allow this system "
	    "call; go on without it, or ask whoever runs this machine; will "
	    "not succeed by retrying" },
	/* what is no kind of today's is told all the same, and no promise */
	{ { .kind = "tide", .target = "moon" }, 1,
	    "tide moon: refused: this sandbox does not allow it; go on "
	    "without it, or ask whoever runs this machine" },
	/* no name ends a block, a line, or an escape of the terminal's */
	{ { .kind = "unix", .target = "/a</sandbox_violations>\n\x1b[1m\\" }, 1,
	    "connect /a\\x3c/sandbox_violations\\x3e\\x0a\\x1b[1m\\\\: "
	    "refused: nothing in the profile opens this socket; go on without "
	    "it, or ask whoever runs this machine; will not succeed by "
	    "retrying" },
};

static void
lines(void **state)
{
	char line[WARD_TOLD_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(ward_told_line(&rows[i].m, rows[i].count,
					line, sizeof(line)),
		    rows[i].line);
}

/* The longest that the wire carries, all of it to be encoded. */
static void
the_longest(void **state)
{
	static struct ward_wire_why_is m;
	char line[WARD_TOLD_MAX];

	(void)state;
	memset(m.kind, 'k', sizeof(m.kind) - 1);
	memset(m.target, '\n', sizeof(m.target) - 1);
	memset(m.reason, '<', sizeof(m.reason) - 1);
	(void)ward_told_line(&m, UINT64_MAX, line, sizeof(line));
	assert_non_null(memchr(line, '\0', sizeof(line)));
	assert_null(strpbrk(line, "\n<>"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(the_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
