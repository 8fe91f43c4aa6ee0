/* SPDX-License-Identifier: ISC */
/* Refusals: every code has its text, and its line is one line for eyes. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/refusal.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* No default: a code that is new and not here is an error of -Wswitch. */
static const char *
cause(enum ward_refusal code)
{
	switch (code) {
	case WARD_REFUSED_NONE:
		return NULL;
	case WARD_REFUSED_STACK:
		return "stack";
	case WARD_REFUSED_SERVICE:
		return "service";
	case WARD_REFUSED_CALLER:
		return "caller";
	case WARD_REFUSED_DESCRIPTOR:
		return "descriptor";
	case WARD_REFUSED_ACCOUNT:
		return "account";
	case WARD_REFUSED_LOCKED:
		return "locked";
	case WARD_REFUSED_NO_WARDEN:
	case WARD_REFUSED_TIMEOUT:
		return "warden";
	case WARD_REFUSED_RUN:
		return "/run/ward";
	case WARD_REFUSED_PROTOCOL:
		return "version";
	case WARD_REFUSED_ENDED:
		return "ended";
	case WARD_REFUSED_POLICY:
		return "policy database";
	case WARD_REFUSED_UNASSIGNED:
		return "assigned";
	case WARD_REFUSED_PLAN:
		return "profile";
	case WARD_REFUSED_VIEW:
		return "view";
	case WARD_REFUSED_HOME:
		return "home";
	case WARD_REFUSED_KERNEL:
		return "kernel";
	case WARD_REFUSED_ARM:
		return "armed";
	case WARD_REFUSED_SEAL:
		return "sealed";
	case WARD_REFUSED_OUTSIDE:
		return "inside";
	case WARD_REFUSED_SHELL:
		return "shell";
	case WARD_REFUSED_FENCE:
		return "fence";
	}
	return NULL;
}

/* All numbers that fit in three digits, and some that do not. */
static void
every_code_has_a_text(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned code = 0; code < 1100; code++) {
		const struct ward_refusal_text *text = ward_refusal_find(code);
		const char *word = cause((enum ward_refusal)code);

		if ((text == NULL) != (word == NULL))
			fail_msg("W%03u: %s text", code,
			    text == NULL ? "no" : "a stray");
		if (text == NULL)
			continue;
		n++;
		if ((unsigned)text->code != code)
			fail_msg("W%03u: text of another code", code);
		if (strstr(text->meaning, word) == NULL)
			fail_msg("W%03u: \"%s\" does not speak of the %s", code,
			    text->meaning, word);
		if (text->remedy[0] == '\0')
			fail_msg("W%03u: no remedy", code);
	}
	assert_true(n > 0);
	assert_null(ward_refusal_find(~0U));
}

static void
one_meaning_each(void **state)
{
	(void)state;
	for (unsigned a = 1; a < 1000; a++)
		for (unsigned b = 1; b < a; b++) {
			const struct ward_refusal_text *x =
			    ward_refusal_find(a);
			const struct ward_refusal_text *y =
			    ward_refusal_find(b);

			if (x != NULL && y != NULL &&
			    strcmp(x->meaning, y->meaning) == 0)
				fail_msg("W%03u says the same as W%03u", a, b);
		}
}

static void
lines(void **state)
{
	static const struct {
		enum ward_refusal code;
		const char *account, *detail, *line;
	} rows[] = {
		{ WARD_REFUSED_RUN, "agent", "no room",
		    "ward: W012: session for agent refused: /run/ward cannot "
		    "be used: no room; see that /run is writable, has room and "
		    "is root's" },
		{ WARD_REFUSED_POLICY, "agent", NULL,
		    "ward: W020: session for agent refused: the policy "
		    "database cannot be read; run 'wardctl profile apply'" },
		{ WARD_REFUSED_POLICY, "agent", "",
		    "ward: W020: session for agent refused: the policy "
		    "database cannot be read; run 'wardctl profile apply'" },
		{ (enum ward_refusal)777, "agent", NULL,
		    "ward: W777: session for agent refused: unknown reason; "
		    "see ward(7)" },
		{ WARD_REFUSED_POLICY, "a\nb\x1b[2J", "x\ny\r\xe2\x80\xae",
		    "ward: W020: session for a\\x0ab\\x1b[2J refused: the "
		    "policy database cannot be read: x\\x0ay\\x0d\\u{202e}; "
		    "run 'wardctl profile apply'" },
	};
	char line[1024];

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		ward_refusal_line(line, sizeof(line), rows[i].code,
		    rows[i].account, rows[i].detail);
		if (strcmp(line, rows[i].line) != 0)
			fail_msg("row %zu: %s", i, line);
	}
}

/* Whatever comes in, and however little room there is. */
static void
always_one_visible_line(void **state)
{
	char hostile[600], line[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) - 1; i++)
		hostile[i] = (char)(i % 255 + 1);
	hostile[sizeof(hostile) - 1] = '\0';
	for (size_t size = 1; size <= sizeof(line); size++) {
		memset(line, 'x', sizeof(line));
		ward_refusal_line(
		    line, size, WARD_REFUSED_PLAN, hostile, hostile);
		size_t n = strnlen(line, size);
		if (n == size)
			fail_msg("%zu bytes: not ended", size);
		for (size_t i = 0; i < n; i++)
			if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
				fail_msg("%zu bytes: %02x at %zu", size,
				    (unsigned char)line[i], i);
	}
	/* the remedy is there where the line has the room of the module's */
	assert_non_null(strstr(line, "; run 'wardctl explain'"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_has_a_text),
		cmocka_unit_test(one_meaning_each),
		cmocka_unit_test(lines),
		cmocka_unit_test(always_one_visible_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
