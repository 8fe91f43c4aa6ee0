/* SPDX-License-Identifier: ISC */
/* The network decision, row by row of tests/tables/decision.table. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/decision.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define NOW      1000
#define MANY     64

/* The policy that the rows of a table are asked of. */
struct asked {
	struct ward_network network;
	struct ward_net_rule rules[MANY];
	struct ward_net_block blocks[MANY];
	struct ward_grant grants[MANY];
	struct in6_addr own[MANY];
	struct ward_net_policy policy;
};

static unsigned line_number, failed, rows;

static void
clear(struct asked *asked)
{
	for (size_t i = 0; i < asked->network.n_rules; i++)
		free(asked->rules[i].text);
	for (size_t i = 0; i < asked->network.n_denied; i++)
		free(asked->blocks[i].text);
	memset(asked, 0, sizeof(*asked));
	asked->network.filtered = true;
	asked->network.rules = asked->rules;
	asked->network.denied = asked->blocks;
	asked->policy.network = &asked->network;
	asked->policy.grants = asked->grants;
	asked->policy.own = asked->own;
}

static struct in6_addr
address_of(const char *text)
{
	struct ward_host host;
	const char *why;
	struct in6_addr address;

	/* not canonical: what is dialled is what was answered */
	if (inet_pton(AF_INET6, text, &address) == 1)
		return address;
	if (ward_host_read(text, strlen(text), &host, &why) != 0 ||
	    host.kind == WARD_HOST_NAME)
		fail_msg("line %u: %s is no address", line_number, text);
	return host.address;
}

static struct ward_endpoint
endpoint_of(const char *text, bool any)
{
	struct ward_endpoint endpoint;
	const char *why = "";

	if (ward_endpoint_read(text, strlen(text), any, &endpoint, &why) != 0)
		fail_msg("line %u: %s: %s", line_number, text, why);
	return endpoint;
}

/* A line of a policy. */
static void
add(struct asked *asked, const char *key, const char *value)
{
	struct ward_network *network = &asked->network;

	if (strcmp(key, "mode") == 0) {
		network->filtered = false;
	} else if (strcmp(key, "private") == 0) {
		network->allow_private = true;
	} else if (strcmp(key, "allow") == 0 || strcmp(key, "deny") == 0) {
		struct ward_net_rule *rule = &asked->rules[network->n_rules++];
		rule->list = key[0] == 'a' ? WARD_NET_ALLOW : WARD_NET_DENY;
		rule->text = strdup(value);
		rule->endpoint = endpoint_of(value, key[0] == 'd');
	} else if (strcmp(key, "grant") == 0 || strcmp(key, "expired") == 0) {
		struct ward_grant *grant =
		    &asked->grants[asked->policy.n_grants++];
		grant->endpoint = endpoint_of(value, false);
		grant->until = key[0] == 'g' ? NOW + 1 : NOW;
	} else if (strcmp(key, "block") == 0) {
		struct ward_net_block *block =
		    &asked->blocks[network->n_denied++];
		block->text = strdup(value);
		if (ward_block_read(value, strlen(value), &block->block) != 0)
			fail_msg("line %u: %s", line_number, value);
	} else if (strcmp(key, "own") == 0) {
		asked->own[asked->policy.n_own++] = address_of(value);
	} else {
		fail_msg("line %u: %s", line_number, key);
	}
}

/* A number of the table. */
static unsigned
number(const char *digits, int base)
{
	return (unsigned)strtoul(digits, NULL, base);
}

/* Undoes the escapes of the table; returns the size. */
static size_t
decode(const char *text, char *out, size_t size)
{
	size_t n = 0;

	if (strcmp(text, "\\0") == 0)
		return 0;
	while (*text != '\0' && n < size) {
		if (strncmp(text, "\\x", 2) == 0) {
			const char hex[3] = { text[2], text[3], '\0' };
			out[n++] = (char)number(hex, 16);
			text += 4;
		} else if (text[1] == '{') {
			unsigned times = number(text + 2, 10);
			for (; times > 0 && n < size; times--)
				out[n++] = text[0];
			text += strcspn(text, "}") + 1;
		} else {
			out[n++] = *text++;
		}
	}
	return n;
}

static const char *
class_word(const struct ward_decision *d)
{
	static const char *const words[WARD_ADDRESS_CLASSES] = {
		[WARD_ADDRESS_PUBLIC] = "public",
		[WARD_ADDRESS_PRIVATE] = "private",
		[WARD_ADDRESS_LOOPBACK] = "loopback",
		[WARD_ADDRESS_UNSPECIFIED] = "unspecified",
		[WARD_ADDRESS_LINK_LOCAL] = "link-local",
		[WARD_ADDRESS_MULTICAST] = "multicast",
		[WARD_ADDRESS_BROADCAST] = "broadcast",
		[WARD_ADDRESS_METADATA] = "metadata",
		[WARD_ADDRESS_RESERVED] = "reserved",
	};

	return d->own ? "own" : words[d->class];
}

static const char *
by(const struct ward_decision *d)
{
	switch (d->ground) {
	case WARD_GROUND_NO_NETWORK:
		return "none";
	case WARD_GROUND_MALFORMED:
		return d->why == NULL || d->host.text[0] != '\0' ? "?"
								 : "malformed";
	case WARD_GROUND_DENY:
	case WARD_GROUND_ALLOW:
		return d->rule->text;
	case WARD_GROUND_GRANT:
		return "grant";
	case WARD_GROUND_UNLISTED:
		return "unlisted";
	case WARD_GROUND_DENIED_BLOCK:
		return d->block->text;
	case WARD_GROUND_ADDRESS:
		return class_word(d);
	}
	return "?";
}

static void
ask(struct asked *asked, char *const field[5])
{
	char host[600];
	size_t size = decode(field[0], host, sizeof(host));
	struct ward_decision decision;

	rows++;
	ward_decide(&asked->policy, host, size, (uint16_t)number(field[1], 10),
	    NOW, &decision);
	if (decision.allowed && strcmp(field[2], "-") != 0) {
		struct in6_addr address = address_of(field[2]);
		ward_decide_address(&asked->policy, &address, NOW, &decision);
	}
	if (strcmp(decision.allowed ? "allowed" : "refused", field[3]) == 0 &&
	    strcmp(by(&decision), field[4]) == 0)
		return;
	failed++;
	print_error("decision.table:%u: %s %s %s: %s by %s\n", line_number,
	    field[0], field[1], field[2],
	    decision.allowed ? "allowed" : "refused", by(&decision));
}

/* Asks everything; with the rules of each policy turned round, if reversed. */
static void
run(bool reversed)
{
	static struct asked asked;
	const char *dir = getenv("srcdir");
	char path[4096], line[1024];
	bool turned = false;

	(void)snprintf(path, sizeof(path), "%s/tests/tables/decision.table",
	    dir == NULL ? "." : dir);
	FILE *table = fopen(path, "re");
	if (table == NULL)
		fail_msg("%s: %s", path, strerror(errno));
	line_number = failed = rows = 0;
	clear(&asked);
	while (fgets(line, sizeof(line), table) != NULL) {
		char *field[6], *rest = line;
		size_t n = 0;
		line_number++;
		while (n < N(field) &&
		    (field[n] = strtok_r(NULL, " \n", &rest)) != NULL)
			n++;
		if (n == 0 || field[0][0] == '#')
			continue;
		if (strcmp(field[0], "policy") == 0) {
			clear(&asked);
			turned = false;
		} else if (n < 5) {
			add(&asked, field[0], n > 1 ? field[1] : "");
		} else {
			size_t last = asked.network.n_rules;
			for (size_t i = 0; reversed && !turned && i < last / 2;
			     i++) {
				struct ward_net_rule rule = asked.rules[i];
				asked.rules[i] = asked.rules[last - 1 - i];
				asked.rules[last - 1 - i] = rule;
			}
			turned = true;
			ask(&asked, field);
		}
	}
	clear(&asked);
	assert_int_equal(fclose(table), 0);
	assert_true(rows > 250);
	assert_int_equal(failed, 0);
}

static void
table(void **state)
{
	(void)state;
	run(false);
}

static void
any_order(void **state)
{
	(void)state;
	run(true);
}

static void
grammar(void **state)
{
	static const struct {
		const char *text;
		bool any;
		const char *why; /* what the reason has in it; NULL: taken */
	} cases[] = {
		{ "example.com", false, NULL },
		{ "example.com:443", false, NULL },
		{ "*.example.com", false, NULL },
		{ "*.example.com:443", false, NULL },
		{ "localhost", false, NULL },
		{ "192.0.2.1", false, NULL },
		{ "192.0.2.1:22", false, NULL },
		{ "[2001:db8::1]", false, NULL },
		{ "[2001:db8::1]:22", false, NULL },
		{ "*", true, NULL },
		{ "*:25", true, NULL },
		{ "*", false, "deny only" },
		{ "*:25", false, "deny only" },
		{ "", false, "empty" },
		{ ":443", false, "empty" },
		{ "*.com", false, "two labels" },
		{ "*.", false, "beginning" },
		{ "*..com", false, "empty label" },
		{ "*.*.com", false, "no host name has" },
		{ "a.*.com", false, "beginning" },
		{ "*a.com", false, "beginning" },
		{ "a*", true, "beginning" },
		{ "*.192.0.2.1", false, "not an address" },
		{ "*.[2001:db8::1]", false, "not an address" },
		{ "2001:db8::1", false, "brackets" },
		{ "::1", false, "brackets" },
		{ "[2001:db8::1", false, "brackets" },
		{ "[2001:db8::1]x", false, "not closed" },
		{ "[::1]:", false, "from 1 to 65535" },
		{ "example.com:", false, "from 1 to 65535" },
		{ "example.com:0", false, "from 1 to 65535" },
		{ "example.com:65536", false, "from 1 to 65535" },
		{ "example.com:+80", false, "from 1 to 65535" },
		{ "example.com:http", false, "from 1 to 65535" },
		{ "https://example.com", false, "scheme" },
		{ "example.com/path", false, "path" },
		{ "10.0.0.0/8", false, "path" },
		{ "git@example.com", false, "user" },
		{ "exa mple.com", false, "space" },
		{ "example..com", false, "empty label" },
		{ "fe80::1%eth0", false, "brackets" },
		{ "[fe80::1%eth0]", false, "zone" },
		{ "1.2.3.4.5", false, "no IPv4 address" },
		{ "example!", false, "no host name has" },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct ward_endpoint endpoint;
		const char *why = NULL;
		int r = ward_endpoint_read(cases[i].text, strlen(cases[i].text),
		    cases[i].any, &endpoint, &why);
		if (cases[i].why == NULL
			? r != 0
			: r != -EINVAL || strstr(why, cases[i].why) == NULL)
			fail_msg("\"%s\": %d, %s", cases[i].text, r,
			    why == NULL ? "-" : why);
	}
}

static void
blocks(void **state)
{
	static const struct {
		const char *text;
		int bits; /* -1: refused */
	} cases[] = {
		{ "10.0.0.0/8", 104 },
		{ "0.0.0.0/0", 96 },
		{ "192.0.2.1", 128 },
		{ "192.0.2.1/32", 128 },
		{ "::/0", 0 },
		{ "2001:db8::/32", 32 },
		{ "2001:db8::1", 128 },
		{ "10.0.0.1/8", -1 },
		{ "10.0.0.0/33", -1 },
		{ "::/129", -1 },
		{ "10.0.0.0/", -1 },
		{ "10.0.0.0/-1", -1 },
		{ "10.0.0.0/8/8", -1 },
		{ "10.0/8", -1 },
		{ "", -1 },
		{ "/8", -1 },
		{ "example.com", -1 },
		{ "2001:db8::1/32", -1 },
		{ "fe80::1%lo", -1 },
		{ "1111:2222:3333:4444:5555:6666:7777:8888:9999/128", -1 },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct ward_block block;
		int r = ward_block_read(
		    cases[i].text, strlen(cases[i].text), &block);
		if ((r == 0 ? (int)block.bits : -1) != cases[i].bits)
			fail_msg("\"%s\": %d", cases[i].text, r);
	}
	assert_int_equal(
	    ward_block_read("10.0.0.0\0/8", 11, &(struct ward_block){ 0 }),
	    -EINVAL);
}

static void
reasons(void **state)
{
	static char say[] = "push over https", other[] = "not this";
	struct ward_net_reason list[] = {
		{ .match = endpoint_of("forge.example.com:22", false),
		    .say = say },
		{ .match = endpoint_of("*", true), .say = other },
	};
	struct ward_network network = { .filtered = true,
		.ask = true,
		.reasons = list,
		.n_reasons = N(list) };
	const struct ward_net_policy policy = { .network = &network };
	struct ward_decision d;

	(void)state;
	ward_decide(&policy, "forge.example.com", 17, 22, NOW, &d);
	assert_string_equal(d.reason, say);
	assert_true(d.ask);
	ward_decide(&policy, "forge.example.com", 17, 23, NOW, &d);
	assert_string_equal(d.reason, other);
	ward_decide(&policy, "a b", 3, 22, NOW, &d);
	assert_null(d.reason);
	assert_false(d.ask);
	network.ask = false;
	ward_decide(&policy, "forge.example.com", 17, 22, NOW, &d);
	assert_false(d.ask);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(any_order),
		cmocka_unit_test(grammar),
		cmocka_unit_test(blocks),
		cmocka_unit_test(reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
