/* SPDX-License-Identifier: ISC */
/*
 * PAM stacks: Debian's own, and each way in which an edited one lets a session
 * past Ward's lines or locks everybody else out.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/stack.h"
#include "profiles/schema.h"
#include "tests/unit/stack_files.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A file that stands in the place of the usual one. */
struct files {
	const struct stack_file *edited;
	size_t n;
};

static int
read_file(void *context, const char *name, char **text)
{
	const struct files *files = context;

	for (size_t i = 0; i < files->n; i++)
		if (strcmp(files->edited[i].name, name) == 0) {
			if (files->edited[i].text == NULL)
				return -ENOENT;
			*text = strdup(files->edited[i].text);
			return *text == NULL ? -ENOMEM : 0;
		}
	for (size_t i = 0; i < stack_n_files; i++)
		if (strcmp(stack_files[i].name, name) == 0) {
			*text = strdup(stack_files[i].text);
			return *text == NULL ? -ENOMEM : 0;
		}
	return -ENOENT;
}

/* All findings, a line each, or the error of loading; "" if all is well. */
static char *
judge(const char *service, const struct stack_file *edited, size_t n)
{
	struct files files = { .edited = edited, .n = n };
	struct ward_diagnostics findings = { 0 };
	struct ward_stack stack;
	struct err err = { 0 };
	char *said = NULL;
	size_t size;
	FILE *out = open_memstream(&said, &size);

	assert_non_null(out);
	int r = ward_stack_load(service, read_file, &files, &stack, &err);
	if (r != 0) {
		assert_int_equal(stack.n, 0);
		assert_int_equal(err.code, -r);
		(void)fputs(err.text, out);
	} else {
		r = ward_stack_check(&stack, service, STACK_SHELL, &findings);
		assert_int_equal(r, findings.n == 0 ? 0 : -EINVAL);
		assert_int_equal(ward_diagnostics_print(&findings, out), 0);
		ward_diagnostics_clear(&findings);
		ward_stack_clear(&stack);
	}
	assert_int_equal(fclose(out), 0);
	return said;
}

static void
test_enabled(void **state)
{
	(void)state;
	for (size_t i = 0; i < ward_n_services; i++) {
		char *said = judge(ward_services[i], NULL, 0);
		if (said[0] != '\0')
			fail_msg("%s: %s", ward_services[i], said);
		free(said);
	}
}

struct edit_case {
	const char *name;
	const char *service;
	struct stack_file edited[2];
	const char *finding; /* a part of what is said; NULL: nothing is */
	bool alone;          /* and only one line is said */
};

#define COMMON(additional)                                                     \
	{                                                                      \
		{                                                              \
			"common-session",                                      \
			    STACK_COMMON_HEAD additional STACK_COMMON_TAIL     \
		}                                                              \
	}
#define SERVICE(name, text)                                                    \
	{                                                                      \
		{                                                              \
			name, text                                             \
		}                                                              \
	}

static const struct edit_case cases[] = {
	/* lines that are missing */
	{ "pam-auth-update left an edited file alone", "sshd",
	    COMMON(STACK_COMMON_MIDDLE),
	    "/etc/pam.d/sshd: no session line 'required pam_ward.so' at all",
	    true },
	{ "open is missing", "su", COMMON(STACK_CLOSE STACK_COMMON_MIDDLE),
	    "/etc/pam.d/su: no session line 'required pam_ward.so open'",
	    true },
	{ "close is missing", "su-l", COMMON(STACK_COMMON_MIDDLE STACK_OPEN),
	    "/etc/pam.d/su-l: no session line 'required pam_ward.so close'",
	    true },
	{ "runuser without its own lines", "runuser",
	    SERVICE("runuser",
		"auth sufficient pam_rootok.so\n"
		"session required pam_unix.so\n"),
	    "/etc/pam.d/runuser: no session line 'required pam_ward.so'",
	    true },
	{ "and with it runuser-l", "runuser-l",
	    SERVICE("runuser", "session required pam_unix.so\n"),
	    "/etc/pam.d/runuser-l: no session line 'required pam_ward.so'",
	    true },
	{ "the lines are comments", "sshd",
	    COMMON("# session required pam_ward.so close\n"
		   "# session required pam_ward.so open\n"),
	    "'required pam_ward.so' at all", true },
	{ "the lines are of another type", "sshd",
	    COMMON("auth required pam_ward.so close\n"
		   "account required pam_ward.so open\n"),
	    "'required pam_ward.so' at all", true },
	{ "the service does not include them", "cron",
	    SERVICE("cron", "session required pam_unix.so\n"),
	    "'required pam_ward.so' at all", true },

	/* in the wrong order, twice, or not quite them */
	{ "open before close", "sshd",
	    COMMON(STACK_OPEN STACK_COMMON_MIDDLE STACK_CLOSE),
	    "common-session:10: sshd: 'pam_ward.so open' stands before "
	    "'close'",
	    true },
	{ "open twice", "sshd",
	    COMMON(STACK_CLOSE STACK_COMMON_MIDDLE STACK_OPEN STACK_OPEN),
	    "common-session:18: sshd: a second 'pam_ward.so open'", true },
	{ "included twice", "atd",
	    SERVICE(
		"atd", "@include common-session\n@include common-session\n"),
	    "a second 'pam_ward.so open'", false },
	{ "sudo has its own close before the common one", "sudo",
	    SERVICE("sudo",
		STACK_CLOSE "session required pam_limits.so\n"
			    "@include common-session\n"),
	    NULL, true },
	{ "such a close without its jumps", "sudo",
	    SERVICE("sudo",
		"session required pam_ward.so close\n"
		"@include common-session\n"),
	    "are not right before it", false },
	{ "a word too many", "sshd",
	    COMMON(STACK_CLOSE STACK_OPEN
		"session required pam_ward.so open debug\n"),
	    "pam_ward.so takes one word", true },
	{ "no word", "sshd",
	    COMMON(STACK_CLOSE STACK_OPEN "session required pam_ward.so\n"),
	    "pam_ward.so takes one word", true },
	{ "optional", "sshd",
	    COMMON(STACK_CLOSE STACK_ROOT STACK_OTHERS
		"session optional pam_ward.so open\n"),
	    "sshd: 'pam_ward.so open' must be 'required'", true },
	{ "sufficient", "sshd",
	    COMMON(STACK_ROOT STACK_OTHERS
		"session sufficient pam_ward.so close\n" STACK_OPEN),
	    "sshd: 'pam_ward.so close' must be 'required'", true },
	{ "by its whole path", "sshd",
	    COMMON(STACK_ROOT STACK_OTHERS
		"session required /usr/lib/x86_64-linux-gnu/security/"
		"pam_ward.so close\n" STACK_COMMON_MIDDLE STACK_OPEN),
	    NULL, false },

	/* the jumps of everybody else */
	{ "no jump for root", "sshd",
	    COMMON(
		STACK_OTHERS "session required pam_ward.so close\n" STACK_OPEN),
	    "keep everybody else away from 'pam_ward.so close'", true },
	{ "no jump for others", "sshd",
	    COMMON(
		STACK_CLOSE STACK_ROOT "session required pam_ward.so open\n"),
	    "keep everybody else away from 'pam_ward.so open'", true },
	{ "root jumps too short", "sshd",
	    COMMON("session [success=1 default=ignore] pam_succeed_if.so "
		   "quiet uid = 0\n" STACK_OTHERS
		   "session required pam_ward.so close\n" STACK_OPEN),
	    "away from 'pam_ward.so close'", true },
	{ "root jumps too far", "sshd",
	    COMMON("session [success=3 default=ignore] pam_succeed_if.so "
		   "quiet uid = 0\n" STACK_OTHERS
		   "session required pam_ward.so close\n" STACK_OPEN),
	    "away from 'pam_ward.so close'", true },
	{ "others jump too far", "sshd",
	    COMMON(STACK_CLOSE STACK_ROOT
		"session [success=2 default=ignore] pam_succeed_if.so quiet "
		"shell != " STACK_SHELL "\n"
		"session required pam_ward.so open\n"),
	    "away from 'pam_ward.so open'", true },
	{ "another shell", "sshd",
	    COMMON(STACK_CLOSE STACK_ROOT
		"session [success=1 default=ignore] pam_succeed_if.so quiet "
		"shell != /bin/bash\nsession required pam_ward.so open\n"),
	    "away from 'pam_ward.so open'", true },
	{ "the opposite test", "sshd",
	    COMMON(STACK_CLOSE STACK_ROOT
		"session [success=1 default=ignore] pam_succeed_if.so quiet "
		"shell = " STACK_SHELL "\nsession required pam_ward.so "
		"open\n"),
	    "away from 'pam_ward.so open'", true },
	{ "a failing jump is not ignored", "sshd",
	    COMMON(STACK_CLOSE "session [success=2 default=bad] "
			       "pam_succeed_if.so quiet uid = 0\n" STACK_OTHERS
			       "session required pam_ward.so open\n"),
	    "away from 'pam_ward.so open'", true },
	{ "a line between jump and module", "sshd",
	    COMMON(STACK_ROOT STACK_OTHERS
		"session optional pam_keyinit.so\n"
		"session required pam_ward.so close\n" STACK_OPEN),
	    "away from 'pam_ward.so close'", true },

	/* what ends the stack, or goes around */
	{ "sufficient before close", "sshd",
	    COMMON("session sufficient pam_permit.so\n" STACK_CLOSE STACK_OPEN),
	    "common-session:8: sshd: pam_permit.so (sufficient) can end the "
	    "stack before, or jump over or into, Ward's 'close' lines",
	    true },
	{ "sufficient between", "sshd",
	    COMMON(STACK_CLOSE "session sufficient pam_ldap.so\n" STACK_OPEN),
	    "common-session:11: sshd: pam_ldap.so (sufficient) can end the "
	    "stack before, or jump over or into, Ward's 'open' lines",
	    true },
	{ "sufficient behind open", "sshd",
	    COMMON(STACK_CLOSE STACK_COMMON_MIDDLE STACK_OPEN
		"session sufficient pam_permit.so\n"),
	    NULL, false },
	{ "requisite between", "sudo",
	    { { "common-session-noninteractive",
		STACK_COMMON_HEAD STACK_CLOSE
		"session requisite pam_limits.so\n" STACK_OPEN } },
	    "sudo: pam_limits.so (requisite) can end the stack", true },
	{ "requisite in the service's own file", "sudo",
	    SERVICE("sudo",
		"session requisite pam_limits.so\n"
		"@include common-session-noninteractive\n"),
	    "/etc/pam.d/sudo:1: sudo: pam_limits.so (requisite)", true },
	{ "done", "sshd",
	    COMMON(STACK_CLOSE
		"session [success=done default=ignore] pam_x.so\n" STACK_OPEN),
	    "pam_x.so (success=done default=ignore) can end the stack", true },
	{ "die on one value only", "sshd",
	    COMMON(STACK_CLOSE
		"session [default=ok session_err=die] pam_x.so\n" STACK_OPEN),
	    "pam_x.so (default=ok session_err=die) can end the stack", true },
	{ "a jump over open", "sshd",
	    COMMON(STACK_CLOSE
		"session [success=3 default=ignore] pam_x.so\n" STACK_OPEN),
	    "pam_x.so (success=3 default=ignore) can end", true },
	{ "a jump into Ward's lines", "sshd",
	    COMMON(STACK_CLOSE
		"session [success=2 default=ignore] pam_x.so\n" STACK_OPEN),
	    "pam_x.so (success=2 default=ignore) can end", true },
	{ "a jump to their beginning", "sshd",
	    COMMON(STACK_CLOSE "session [success=1 default=ignore] pam_x.so\n"
			       "session required pam_unix.so\n" STACK_OPEN),
	    NULL, false },
	{ "a jump off the stack", "sshd",
	    COMMON(STACK_CLOSE
		"session [success=99 default=ignore] pam_x.so\n" STACK_OPEN),
	    "pam_x.so (success=99 default=ignore) can end", true },
	{ "the fallback can be reached", "sshd",
	    { { "common-session",
		"session [success=1 default=ignore] pam_x.so\n"
		"session requisite pam_deny.so\n" STACK_CLOSE STACK_OPEN } },
	    "common-session:2: sshd: pam_deny.so (requisite)", true },
	{ "the fallback cannot be reached", "sshd",
	    { { "common-session",
		"session [default=1] pam_x.so\n"
		"session requisite pam_deny.so\n" STACK_CLOSE STACK_OPEN } },
	    NULL, false },

	/* substacks */
	{ "die in a substack ends only that", "sshd",
	    { { "common-session",
		  STACK_CLOSE "session substack mine\n" STACK_OPEN },
		{ "mine",
		    "session requisite pam_x.so\n"
		    "session sufficient pam_y.so\n" } },
	    NULL, false },
	{ "a substack is one for a jump", "sshd",
	    { { "common-session",
		  STACK_CLOSE "session [success=1 default=ignore] pam_x.so\n"
			      "session substack mine\n" STACK_OPEN },
		{ "mine",
		    "session required pam_y.so\n"
		    "session required pam_z.so\n" } },
	    NULL, false },
	{ "a jump over more than the substack", "sshd",
	    { { "common-session",
		  STACK_CLOSE "session [success=2 default=ignore] pam_x.so\n"
			      "session substack mine\n" STACK_OPEN },
		{ "mine", "session required pam_y.so\n" } },
	    "pam_x.so (success=2 default=ignore) can end", true },
	{ "an included file is many for a jump", "sshd",
	    { { "common-session",
		  STACK_CLOSE "session [success=1 default=ignore] pam_x.so\n"
			      "session include mine\n" STACK_OPEN },
		{ "mine",
		    "session required pam_y.so\n"
		    "session requisite pam_z.so\n" } },
	    "mine:2: sshd: pam_z.so (requisite) can end", true },
	{ "open in a substack that may end before", "sshd",
	    { { "common-session", STACK_CLOSE "session substack mine\n" },
		{ "mine", "session sufficient pam_x.so\n" STACK_OPEN } },
	    "mine:1: sshd: pam_x.so (sufficient) can end", true },
	{ "jumps in another substack than the module", "sshd",
	    { { "common-session",
		  STACK_CLOSE "session substack mine\n"
			      "session required pam_ward.so open\n" },
		{ "mine", STACK_ROOT STACK_OTHERS } },
	    "away from 'pam_ward.so open'", true },

	/* modules that belong on the host */
	{ "pam_systemd behind open", "sshd",
	    COMMON(STACK_CLOSE STACK_OPEN "-session optional pam_systemd.so\n"),
	    "pam_systemd.so must stand before 'pam_ward.so open'", true },
	{ "pam_unix behind open", "sshd",
	    COMMON(STACK_CLOSE STACK_OPEN "session required pam_unix.so\n"),
	    "pam_unix.so must stand before 'pam_ward.so open'", true },
	{ "pam_exec before close", "sshd",
	    COMMON("session optional pam_exec.so /x\n" STACK_CLOSE STACK_OPEN),
	    "pam_exec.so must stand behind 'pam_ward.so close'", true },
	{ "pam_exec between", "sshd",
	    COMMON(STACK_CLOSE "session optional pam_exec.so /x\n" STACK_OPEN),
	    NULL, false },

	/* how libpam reads a file */
	{ "a continued line", "sshd",
	    COMMON(STACK_CLOSE STACK_ROOT STACK_OTHERS
		"session \\\n\trequired \\  \n  pam_ward.so open\n"),
	    NULL, false },
	{ "a comment within a continued line", "sshd",
	    COMMON(STACK_CLOSE STACK_ROOT STACK_OTHERS
		"session \\\n# between\n\nrequired pam_ward.so open\n"),
	    NULL, false },
	{ "a comment hides the continuation", "sshd",
	    COMMON(STACK_CLOSE STACK_ROOT STACK_OTHERS
		"session required pam_ward.so open # \\\n"
		"session required pam_limits.so\n"),
	    NULL, false },
	{ "a continued comment line is none", "sshd",
	    COMMON("# x \\\n" STACK_CLOSE STACK_OPEN), NULL, false },
	{ "continued by the end of the file", "sshd",
	    SERVICE("common-session", STACK_CLOSE STACK_OPEN "session \\\n"),
	    "/etc/pam.d/common-session:7: a line that is too long", false },
	{ "upper case", "sshd",
	    COMMON(STACK_CLOSE STACK_ROOT STACK_OTHERS
		"SESSION Required pam_ward.so open\n"),
	    NULL, false },
	{ "blanks around =", "sshd",
	    COMMON(STACK_CLOSE "session [ success = 2  default= ignore ] "
			       "pam_succeed_if.so quiet uid = 0\n" STACK_OTHERS
			       "session required pam_ward.so open\n"),
	    NULL, false },
	{ "an action that is none", "sshd",
	    COMMON(STACK_CLOSE "session [success=maybe] pam_x.so\n" STACK_OPEN),
	    "common-session:11: sshd: a line that is none for PAM", true },
	{ "a control that is none", "sshd",
	    COMMON(STACK_CLOSE "session requird pam_x.so\n" STACK_OPEN),
	    "a line that is none for PAM", true },
	{ "a type that is none", "sshd",
	    COMMON(STACK_CLOSE "sesion required pam_x.so\n" STACK_OPEN),
	    "a line that is none for PAM", true },
	{ "no module", "sshd",
	    COMMON(STACK_CLOSE "session required\n" STACK_OPEN),
	    "a line that is none for PAM", true },
	{ "an included file is missing", "sshd",
	    SERVICE("sshd", "session include nothing\n"),
	    "nothing: No such file", true },
	{ "files include each other", "sshd",
	    SERVICE("sshd", "@include sshd\n"), "files include each other",
	    true },
	{ "no session line: other counts", "cron",
	    SERVICE("cron", "auth required pam_permit.so\n"), NULL, false },
	{ "and other without the lines", "cron",
	    { { "cron", "auth required pam_permit.so\n" },
		{ "other", "session required pam_permit.so\n" } },
	    "'required pam_ward.so' at all", true },
};

static size_t
count_lines(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += *text == '\n';
	return n;
}

static void
test_edited(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct edit_case *c = &cases[i];
		size_t n = c->edited[1].name == NULL ? 1 : 2;
		char *said = judge(c->service, c->edited, n);
		bool right = c->finding == NULL
		    ? said[0] == '\0'
		    : strstr(said, c->finding) != NULL &&
			(!c->alone || count_lines(said) <= 1);
		if (!right) {
			print_error("%s: said \"%s\", not \"%s\"\n", c->name,
			    said, c->finding == NULL ? "" : c->finding);
			failed++;
		}
		free(said);
	}
	assert_int_equal(failed, 0);
}

static void
test_long_line(void **state)
{
	char text[3000];
	struct stack_file edited = { "sshd", text };

	(void)state;
	(void)snprintf(
	    text, sizeof(text), "session required pam_x.so %*s\n", 2000, "x");
	char *said = judge("sshd", &edited, 1);
	assert_non_null(strstr(said, "/etc/pam.d/sshd:1: a line that is too"));
	free(said);
}

/* More lines than any stack has are refused, not held. */
static void
test_many_lines(void **state)
{
	struct stack_file edited = { "sshd", NULL };
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	for (int i = 0; i < 5000; i++)
		(void)fputs("session optional pam_x.so\n", out);
	assert_int_equal(fclose(out), 0);
	edited.text = text;
	char *said = judge("sshd", &edited, 1);
	assert_non_null(strstr(said, "a stack of more than"));
	free(said);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_enabled),
		cmocka_unit_test(test_edited),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_many_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
