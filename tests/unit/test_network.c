/* SPDX-License-Identifier: ISC */
/*
 * The network part of a profile: what comes of families, which rules can never
 * count, and which endpoint is the wider of two.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/profile_set.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define FILTERED(lists) "network: { mode = \"filtered\"; " lists " };"
#define NET(lists)      "network: { " lists " };"

static const struct ward_network *
network_of(const struct set *set, const char *name)
{
	const struct ward_profile *p = ward_compiled_find(&set->compiled, name);

	assert_non_null(p);
	return &p->network;
}

static const struct ward_net_rule *
find(const struct ward_network *network, enum ward_net_list list,
    const char *text)
{
	for (size_t i = 0; i < network->n_rules; i++)
		if (network->rules[i].list == list &&
		    strcmp(network->rules[i].text, text) == 0)
			return &network->rules[i];
	return NULL;
}

/* The same, which is there, at its place. */
static const struct ward_endpoint *
expect(const struct ward_network *network, enum ward_net_list list,
    const char *text, const char *file, unsigned line)
{
	const struct ward_net_rule *rule = find(network, list, text);

	if (rule == NULL || strcmp(rule->origin.file, file) != 0 ||
	    rule->origin.line != line) {
		fail_msg("%s is not from %s:%u", text, file, line);
		return NULL;
	}
	return &rule->endpoint;
}

static void
nothing_said(void **state)
{
	struct set set = compile_one(NAMED("p", ""));
	const struct ward_network *network = network_of(&set, "p");

	(void)state;
	assert_false(network->filtered);
	assert_false(network->ask);
	assert_false(network->allow_private);
	assert_int_equal(network->n_rules, 0);
	assert_null(network->upstream.host);
	assert_int_equal(set.findings.n, 0);
	clear(&set);
}

static void
everything_said(void **state)
{
	struct set set = compile_one(NAMED("p",
	    FILTERED("unlisted = \"ask\"; allow_private = true;"
		     "allow = ( \"Example.COM.\", \"*.x.example:443\" );\n"
		     "deny = ( \"*:25\" );\n"
		     "reasons = ( { match = \"*\"; say = \"ask Bj\xc3\xb6rn\"; "
		     "} );"
		     "deny_addresses = ( \"10.20.0.0/16\", \"::1\" );"
		     "upstream = \"http://[2001:DB8::1]:3128\";"
		     "no_proxy = ( \"*.corp.example\" );")));
	char upstream[WARD_UPSTREAM_TEXT_MAX];

	(void)state;
	expect_taken("everything", &set);
	assert_int_equal(set.findings.n, 0);
	const struct ward_network *network = network_of(&set, "p");
	assert_true(network->filtered);
	assert_true(network->ask);
	assert_true(network->allow_private);
	assert_int_equal(network->n_rules, 3);
	const struct ward_endpoint *rule =
	    expect(network, WARD_NET_ALLOW, "Example.COM.", "a.conf", 2);
	assert_string_equal(rule->host.text, "example.com");
	rule = expect(network, WARD_NET_DENY, "*:25", "a.conf", 3);
	assert_int_equal(rule->kind, WARD_ENDPOINT_ANY);
	assert_int_equal(rule->port, 25);
	assert_int_equal(network->n_reasons, 1);
	assert_string_equal(network->reasons[0].say, "ask Bj\xc3\xb6rn");
	assert_int_equal(network->reasons[0].origin.line, 4);
	assert_int_equal(network->n_denied, 2);
	assert_int_equal(network->denied[0].block.bits, 112);
	assert_string_equal(network->upstream.host, "2001:db8::1");
	assert_int_equal(network->upstream.port, 3128);
	assert_int_equal(network->upstream.origin.line, 4);
	assert_string_equal(ward_upstream_text(&network->upstream, upstream),
	    "http://[2001:db8::1]:3128");
	assert_int_equal(network->n_no_proxy, 1);
	clear(&set);
}

/* Five hundred characters are, whatever bytes they take. */
static void
long_reason(void **state)
{
	char say[1001] = "", text[1200];

	(void)state;
	for (size_t i = 0; i < 500; i++)
		memcpy(say + 2 * i, "\xc3\xb6", 3);
	(void)snprintf(text, sizeof(text),
	    NAMED("p",
		FILTERED("reasons = ( { match = \"a.example\"; "
			 "say = \"%s\"; } );")),
	    say);
	struct set set = compile_one(text);
	expect_taken("500 characters", &set);
	clear(&set);
}

static void
family(void **state)
{
	static const char *const texts[] = {
		NAMED("base",
		    FILTERED("allow = ( \"a.example\", \"b.example\" );"
			     "upstream = \"http://up.example:1\";"
			     "reasons = ( { match = \"*\"; say = \"base\"; },"
			     "{ match = \"a.example\"; say = \"base\"; } );")),
		NAMED("p",
		    "extends = ( \"base\" );\n"
		    "network: { allow = ( \"!a.example\", \"c.example\" );"
		    "deny = ( \"d.example\" ); upstream = \"none\";"
		    "reasons = ( { match = \"*.b.example\"; say = \"p\"; },"
		    "{ match = \"a.example\"; say = \"p\"; } ); };"),
		NAMED("off",
		    "extends = ( \"base\" ); network: { mode = \"none\"; };"),
	};
	struct set set = compile(texts, COUNT(texts));
	const struct ward_network *network;

	(void)state;
	expect_taken("family", &set);
	network = network_of(&set, "p");
	assert_true(network->filtered);
	assert_int_equal(network->n_rules, 3);
	assert_null(find(network, WARD_NET_ALLOW, "a.example"));
	assert_non_null(find(network, WARD_NET_ALLOW, "b.example"));
	(void)expect(network, WARD_NET_ALLOW, "c.example", "b.conf", 3);
	assert_non_null(find(network, WARD_NET_DENY, "d.example"));
	assert_null(network->upstream.host);
	/* the narrowest first, the child's words for the same match */
	assert_int_equal(network->n_reasons, 3);
	assert_string_equal(network->reasons[0].text, "a.example");
	assert_string_equal(network->reasons[0].say, "p");
	assert_string_equal(network->reasons[1].text, "*.b.example");
	assert_string_equal(network->reasons[2].text, "*");
	assert_false(network_of(&set, "off")->filtered);
	/* what is off in one profile counts in another */
	assert_int_equal(set.findings.n, 0);
	clear(&set);
}

static void
disagreement(void **state)
{
	static const char *const modes[] = {
		NAMED("x", FILTERED("")),
		NAMED("y", NET("mode = \"none\";")),
		NAMED("z", "extends = ( \"x\", \"y\" );"),
	};
	static const char *const words[] = {
		NAMED("x",
		    FILTERED("reasons = ( { match = \"a.example\"; say = "
			     "\"1\"; } );")),
		NAMED("y",
		    FILTERED("reasons = ( { match = \"a.example\"; say = "
			     "\"2\"; } );")),
		NAMED("z", "extends = ( \"x\", \"y\" );"),
	};
	struct set set = compile(modes, 3);

	(void)state;
	expect_error("modes", &set,
	    "c.conf:2: extends: a.conf:2 and b.conf:2 disagree on "
	    "network.mode: set it in this profile");
	clear(&set);
	set = compile(words, 3);
	expect_error("words", &set,
	    "c.conf:2: extends: a.conf:2 and b.conf:2 disagree on "
	    "network.reasons \"a.example\": set it in this profile");
	clear(&set);
}

/* Rules that can never count; NULL: all of them can. */
static const struct {
	const char *name;
	const char *texts[3];
	const char *finding;
} never[] = {
	{ "an allow without a network",
	    { NAMED("p", NET("allow = ( \"a.example\" );")) },
	    "a.conf:2: network.allow \"a.example\" never counts: network.mode "
	    "is none; write mode = \"filtered\"" },
	{ "a deny without a network",
	    { NAMED("p", NET("deny = ( \"a.example\" );")) },
	    "a.conf:2: network.deny \"a.example\" never counts: network.mode "
	    "is none; write mode = \"filtered\"" },
	{ "a proxy without a network",
	    { NAMED("p", NET("upstream = \"http://up.example:1\";")) },
	    "a.conf:2: network.upstream \"up.example\" never counts: "
	    "network.mode is none; write mode = \"filtered\"" },
	{ "a part of others, one of which has a network",
	    { NAMED("part", NET("allow = ( \"a.example\" );")),
		NAMED("p", "extends = ( \"part\" ); " FILTERED("")),
		NAMED("q", "extends = ( \"part\" );") },
	    NULL },
	{ "a part of others, none of which has a network",
	    { NAMED("part", NET("allow = ( \"a.example\" );")),
		NAMED("p", "extends = ( \"part\" );") },
	    "a.conf:2: network.allow \"a.example\" never counts: network.mode "
	    "is none; write mode = \"filtered\"" },
	{ "denied by name",
	    { NAMED("p",
		FILTERED("allow = ( \"a.example:443\" );\n"
			 "deny = ( \"A.example\" );")) },
	    "a.conf:2: network.allow \"a.example:443\" never counts: "
	    "network.deny \"A.example\" (a.conf:3) stands against it" },
	{ "denied by zone",
	    { NAMED("p",
		FILTERED("deny = ( \"*.x.example\" );\n"
			 "allow = ( \"*.b.x.example\" );")) },
	    "a.conf:3: network.allow \"*.b.x.example\" never counts: "
	    "network.deny \"*.x.example\" (a.conf:2) stands against it" },
	{ "denied by everything",
	    { NAMED("p",
		FILTERED("allow = ( \"a.example\" ); deny = ( \"*\" );")) },
	    "a.conf:2: network.allow \"a.example\" never counts: network.deny "
	    "\"*\" (a.conf:2) stands against it" },
	{ "denied at one port",
	    { NAMED("p",
		FILTERED("allow = ( \"a.example\", \"b.example:22\" ); "
			 "deny = ( \"a.example:25\", \"*:25\" );")) },
	    NULL },
	{ "denied in part",
	    { NAMED("p",
		FILTERED("allow = ( \"*.x.example\" ); deny = ( "
			 "\"a.x.example\", \"x.example\" );")) },
	    NULL },
	{ "denied in a child alone",
	    { NAMED("p", FILTERED("allow = ( \"a.example\" );")),
		NAMED("q",
		    "extends = ( \"p\" ); network: { deny = ( \"a.example\" ); "
		    "};") },
	    NULL },
	{ "an address in a denied block",
	    { NAMED("p",
		FILTERED("allow = ( \"[::ffff:10.1.2.3]:443\", \"11.1.2.3\" );"
			 "\ndeny_addresses = ( \"10.0.0.0/8\" );")) },
	    "a.conf:2: network.allow \"[::ffff:10.1.2.3]:443\" never counts: "
	    "network.deny_addresses \"10.0.0.0/8\" (a.conf:3) stands against "
	    "it" },
	{ "no_proxy without a proxy",
	    { NAMED("p", FILTERED("no_proxy = ( \"a.example\" );")) },
	    "a.conf:2: network.no_proxy \"a.example\" never counts: there is "
	    "no network.upstream" },
};

static void
never_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(never); i++) {
		size_t n = 0;
		while (n < 3 && never[i].texts[n] != NULL)
			n++;
		struct set set = compile(never[i].texts, n);
		expect_taken(never[i].name, &set);
		if (set.findings.n != (never[i].finding != NULL))
			fail_msg(
			    "%s: %zu findings", never[i].name, set.findings.n);
		if (never[i].finding != NULL) {
			const struct ward_diagnostic *one =
			    &set.findings.items[0];
			char line[500];
			(void)snprintf(line, sizeof(line), "%s:%u: %s",
			    one->file, one->line, one->text);
			assert_int_equal(one->severity, WARD_WARNING);
			assert_string_equal(line, never[i].finding);
		}
		clear(&set);
	}
}

static struct ward_endpoint
endpoint(const char *text)
{
	struct ward_endpoint made;
	const char *why = "";

	if (ward_endpoint_read(text, strlen(text), true, &made, &why) != 0)
		fail_msg("%s: %s", text, why);
	return made;
}

/* From the narrowest to the widest. */
static const char *const widths[] = {
	"a.b.x.example:22",
	"a.b.x.example",
	"b.x.example",
	"192.0.2.1:1",
	"192.0.2.1",
	"*.a.b.x.example",
	"*.b.x.example:443",
	"*.b.x.example",
	"*.x.example",
	"*:25",
	"*",
};

static void
compare(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(widths); i++)
		for (size_t j = 0; j < COUNT(widths); j++) {
			struct ward_endpoint a = endpoint(widths[i]);
			struct ward_endpoint b = endpoint(widths[j]);
			int r = ward_endpoint_compare(&a, &b);
			int want = i == j ? 0 : i < j ? -1 : 1;
			if ((r > 0) - (r < 0) != want)
				fail_msg("%s, %s: %d", widths[i], widths[j], r);
		}
}

static void
covers(void **state)
{
	static const struct {
		const char *outer, *inner;
		bool covers;
	} cases[] = {
		{ "*", "*", true },
		{ "*", "a.example:1", true },
		{ "*", "*.x.example", true },
		{ "*:1", "*", false },
		{ "*:1", "a.example", false },
		{ "*:1", "a.example:1", true },
		{ "a.example", "*", false },
		{ "a.example", "A.Example.:1", true },
		{ "a.example:1", "a.example", false },
		{ "a.example", "*.a.example", false },
		{ "*.x.example", "x.example", false },
		{ "*.x.example", "ax.example", false },
		{ "*.x.example", "a.x.example", true },
		{ "*.x.example", "*.x.example", true },
		{ "*.x.example", "*.a.x.example:1", true },
		{ "*.a.x.example", "*.x.example", false },
		{ "*.x.example:1", "*.x.example", false },
		{ "192.0.2.1", "[::ffff:192.0.2.1]:1", true },
		{ "192.0.2.1", "192.0.2.2", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ward_endpoint outer = endpoint(cases[i].outer);
		struct ward_endpoint inner = endpoint(cases[i].inner);
		if (ward_endpoint_covers(&outer, &inner) != cases[i].covers)
			fail_msg("%s, %s", cases[i].outer, cases[i].inner);
	}
}

static void
upstream_text(void **state)
{
	static const char *const texts[] = { "none", "http://up.example:3128",
		"http://192.0.2.1:1", "http://[2001:db8::1]:65535" };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct ward_net_upstream upstream = { 0 };
		char out[WARD_UPSTREAM_TEXT_MAX];
		const char *why = "";
		assert_int_equal(
		    ward_upstream_read(texts[i], &upstream, &why), 0);
		assert_string_equal(
		    ward_upstream_text(&upstream, out), texts[i]);
		free(upstream.host);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_said),
		cmocka_unit_test(everything_said),
		cmocka_unit_test(long_reason),
		cmocka_unit_test(family),
		cmocka_unit_test(disagreement),
		cmocka_unit_test(never_counts),
		cmocka_unit_test(compare),
		cmocka_unit_test(covers),
		cmocka_unit_test(upstream_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
