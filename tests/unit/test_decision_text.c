/* SPDX-License-Identifier: ISC */
/* What is said of each kind of decision. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/decision_text.h"

static char file[] = "/etc/ward/profiles.d/a.conf";
static char deny_text[] = "*.example.com";
static char block_text[] = "203.0.113.0/24";

static const struct ward_net_rule deny = {
	.list = WARD_NET_DENY,
	.text = deny_text,
	.origin = { file, 12 },
};
static const struct ward_net_rule allow = {
	.list = WARD_NET_ALLOW,
	.text = deny_text,
	.origin = { NULL, 0 },
};
static const struct ward_net_block block = {
	.text = block_text,
	.origin = { file, 13 },
};
static const struct ward_grant grant = { .id = 7 };

#define NAME                                                                   \
	{                                                                      \
		.kind = WARD_HOST_NAME, .text = "a.example.com"                \
	}
#define SIX                                                                    \
	{                                                                      \
		.kind = WARD_HOST_IPV6, .text = "2001:db8::1"                  \
	}

static const struct {
	struct ward_decision decision;
	const char *text, *rule;
} rows[] = {
	{ { .ground = WARD_GROUND_DENY,
	      .rule = &deny,
	      .host = NAME,
	      .port = 443 },
	    "a.example.com:443 is refused by \"deny *.example.com\" "
	    "(/etc/ward/profiles.d/a.conf:12); trying again will not succeed",
	    "/etc/ward/profiles.d/a.conf:12: deny *.example.com" },
	{ { .ground = WARD_GROUND_DENY,
	      .rule = &deny,
	      .host = NAME,
	      .port = 22,
	      .reason = "push over https" },
	    "a.example.com:22 is refused by \"deny *.example.com\" "
	    "(/etc/ward/profiles.d/a.conf:12): push over https; trying again "
	    "will not succeed",
	    "/etc/ward/profiles.d/a.conf:12: deny *.example.com" },
	{ { .allowed = true,
	      .ground = WARD_GROUND_ALLOW,
	      .rule = &allow,
	      .host = NAME,
	      .port = 443 },
	    "a.example.com:443 is allowed by \"allow *.example.com\" "
	    "(built-in)",
	    "built-in: allow *.example.com" },
	{ { .allowed = true,
	      .ground = WARD_GROUND_GRANT,
	      .grant = &grant,
	      .host = NAME,
	      .port = 443 },
	    "a.example.com:443 is allowed by grant 7", "grant 7" },
	{ { .ground = WARD_GROUND_UNLISTED, .host = SIX, .port = 80 },
	    "[2001:db8::1]:80 is refused: no rule allows it; trying again will "
	    "not succeed: ask the admin to allow it",
	    "unlisted" },
	{ { .ground = WARD_GROUND_UNLISTED,
	      .ask = true,
	      .host = NAME,
	      .port = 80 },
	    "a.example.com:80 is refused: no rule allows it; a request was "
	    "filed for it: try again once the admin has approved it",
	    "unlisted" },
	{ { .ground = WARD_GROUND_MALFORMED, .why = "it has an empty label" },
	    "this names no host and port: it has an empty label; correct the "
	    "spelling",
	    "malformed" },
	{ { .ground = WARD_GROUND_NO_NETWORK },
	    "this sandbox has no network: network.mode of its profile is none",
	    "network.mode none" },
	{ { .ground = WARD_GROUND_DENIED_BLOCK,
	      .block = &block,
	      .host = NAME,
	      .port = 80 },
	    "a.example.com:80 is refused: its address is in "
	    "\"deny_addresses 203.0.113.0/24\" "
	    "(/etc/ward/profiles.d/a.conf:13); trying again will not succeed",
	    "/etc/ward/profiles.d/a.conf:13: deny_addresses 203.0.113.0/24" },
	{ { .ground = WARD_GROUND_ADDRESS,
	      .class = WARD_ADDRESS_LOOPBACK,
	      .host = NAME,
	      .port = 80 },
	    "a.example.com:80 is refused: it is a loopback address; trying "
	    "again will not succeed: only a rule that names the address opens "
	    "it",
	    "a loopback address" },
	{ { .ground = WARD_GROUND_ADDRESS,
	      .own = true,
	      .host = NAME,
	      .port = 80 },
	    "a.example.com:80 is refused: it is an address of this machine's "
	    "own; trying again will not succeed: only a rule that names the "
	    "address opens it",
	    "an address of this machine's own" },
	/* what an admin wrote is shown as it can be shown */
	{ { .ground = WARD_GROUND_UNLISTED,
	      .host = NAME,
	      .port = 80,
	      .reason = "a\nb\xe2\x80\xae\xc3\xbc" },
	    "a.example.com:80 is refused: no rule allows it: "
	    "a\\x0ab\\u{202e}\xc3\xbc; trying again will not succeed: ask the "
	    "admin to allow it",
	    "unlisted" },
};

static void
table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[WARD_DECISION_TEXT_MAX], rule[WARD_DECISION_RULE_MAX];

		(void)ward_decision_text(&rows[i].decision, text, sizeof(text));
		(void)ward_decision_rule(&rows[i].decision, rule, sizeof(rule));
		if (strcmp(text, rows[i].text) != 0)
			fail_msg("row %zu: %s", i, text);
		if (strcmp(rule, rows[i].rule) != 0)
			fail_msg("row %zu: %s", i, rule);
	}
}

static void
cut_and_ascii(void **state)
{
	struct ward_net_rule rule = deny;
	struct ward_decision d = rows[0].decision;
	char long_text[6000], text[40], short_rule[64];

	(void)state;
	(void)ward_decision_text(&d, text, sizeof(text));
	assert_string_equal(text + strlen(text) - 3, "...");
	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	memcpy(long_text, "b\xc3\xbc", 3);
	rule.text = long_text;
	d.rule = &rule;
	(void)ward_decision_rule(&d, short_rule, sizeof(short_rule));
	assert_non_null(strstr(short_rule, "deny b??xxx"));
	assert_true(strlen(short_rule) < sizeof(short_rule));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(cut_and_ascii),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
