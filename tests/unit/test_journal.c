/* SPDX-License-Identifier: ISC */
/* A violation as the host's log has it: whatever an agent named, it is one
 * entry with the fields that Ward gave it. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sandbox/journal.h"

static struct ward_violation
sample(void)
{
	return (struct ward_violation){
		.sandbox = "b1",
		.session = "s1",
		.kind = "write",
		.operation = "openat",
		.target = "/srv/x",
		.pid = 42,
		.program = "bash",
		.errnum = EROFS,
		.count = 1,
		.profile = "builder",
		.revision = 3,
		.rule_file = "/etc/ward/profiles.d/builder.conf",
		.rule_line = 12,
		.rule_text = "~/work",
		.reason = "why",
	};
}

static void
native(void **state)
{
	struct ward_violation v = sample();
	char text[WARD_JOURNAL_MAX];

	(void)state;
	size_t n = ward_journal_native(text, sizeof(text), 7, "bot", 1001, &v);
	assert_string_equal(text,
	    "MESSAGE=ward: violation of bot: write openat /srv/x, by bash\n"
	    "MESSAGE_ID=5b1e4e0a2d6f4c0f9e3a7c41d8b2a967\n"
	    "PRIORITY=5\nSYSLOG_FACILITY=10\nSYSLOG_IDENTIFIER=ward\n"
	    "WARD_ID=7\nWARD_ACCOUNT=bot\nWARD_UID=1001\nWARD_SANDBOX=b1\n"
	    "WARD_SESSION=s1\nWARD_KIND=write\nWARD_OPERATION=openat\n"
	    "WARD_TARGET=/srv/x\nWARD_PROGRAM=bash\nWARD_PID=42\n"
	    "WARD_CONFIRMED=0\nWARD_ERROR=EROFS\nWARD_PROFILE=builder\n"
	    "WARD_REVISION=3\nWARD_RULE=~/work\n"
	    "WARD_RULE_FILE=/etc/ward/profiles.d/builder.conf\n"
	    "WARD_RULE_LINE=12\nWARD_REASON=why\n");
	assert_int_equal(n, strlen(text));
}

static void
cee(void **state)
{
	struct ward_violation v = sample();
	char text[WARD_JOURNAL_MAX];

	(void)state;
	v.confirmed = true;
	v.session = NULL;
	v.reason = NULL;
	v.rule_file = NULL;
	v.rule_line = 0;
	size_t n = ward_journal_cee(text, sizeof(text), 7, "bot", 1001, &v);
	assert_string_equal(text,
	    "@cee:{\"event\":\"violation\",\"id\":7,\"account\":\"bot\","
	    "\"uid\":1001,\"sandbox\":\"b1\",\"kind\":\"write\","
	    "\"operation\":\"openat\",\"target\":\"/srv/x\","
	    "\"program\":\"bash\",\"pid\":42,\"confirmed\":true,"
	    "\"error\":\"EROFS\",\"profile\":\"builder\",\"revision\":3,"
	    "\"rule\":\"~/work\"}");
	assert_int_equal(n, strlen(text));
}

/* A line's end, a quote, a backslash and a byte that is no text. */
static void
named(void **state)
{
	struct ward_violation v = sample();
	char text[WARD_JOURNAL_MAX];

	(void)state;
	v.target = "/a\nPRIORITY=0\nWARD_ACCOUNT=root\"\\\xff\033[1m";
	(void)ward_journal_native(text, sizeof(text), 7, "bot", 1001, &v);
	assert_null(strstr(text, "\nPRIORITY=0"));
	assert_null(strstr(text, "\nWARD_ACCOUNT=root"));
	assert_non_null(strstr(text,
	    "\nWARD_TARGET=/a\\x0aPRIORITY=0\\x0aWARD_ACCOUNT=root\"\\\\"
	    "\\xff\\x1b[1m\n"));
	(void)ward_journal_cee(text, sizeof(text), 7, "bot", 1001, &v);
	assert_non_null(strstr(text,
	    "\"target\":\"/a\\\\x0aPRIORITY=0\\\\x0aWARD_ACCOUNT=root\\\""
	    "\\\\\\\\\\\\xff\\\\x1b[1m\","));
}

/* As long as each can be, and all of it to be escaped: both texts hold it,
 * and rsyslog's line of 8 KiB, too. */
static void
longest(void **state)
{
	static char path[5000], text[WARD_JOURNAL_MAX];
	struct ward_violation v = sample();

	(void)state;
	memset(path, '\\', sizeof(path) - 1);
	v.target = path;
	v.program = path;
	v.session = path;
	v.sandbox = path;
	v.profile = path;
	v.rule_file = path;
	v.rule_text = path;
	v.reason = path;
	size_t n = ward_journal_cee(text, sizeof(text), 7, path, 1001, &v);
	assert_string_equal(text + n - 5, "...\"}");
	assert_in_range(n, WARD_JOURNAL_TARGET, WARD_JOURNAL_MAX - 100);
	n = ward_journal_native(text, sizeof(text), 7, path, 1001, &v);
	assert_string_equal(text + n - 4, "...\n");
	assert_in_range(n, WARD_JOURNAL_TARGET, WARD_JOURNAL_MAX - 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(native),
		cmocka_unit_test(cee),
		cmocka_unit_test(named),
		cmocka_unit_test(longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
