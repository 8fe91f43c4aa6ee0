/* SPDX-License-Identifier: ISC */
/*
 * The packed network rules: what comes back decides as what went, and no blob
 * that is cut, longer or of another kind is taken.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/network_pack.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static char file[] = "/etc/ward/profiles.d/a.conf";
static char no_file[] = "";

/* Every kind of endpoint, as a profile writes it. */
static char spelt[][40] = { "example.com", "*.Example.org:443", "127.1:80",
	"[2001:DB8::1]", "[::ffff:10.0.0.1]:22", "b\303\274cher.example",
	"*:25", "*" };

static struct ward_net_rule rules[N(spelt)], no_proxy[1];
static struct ward_net_reason reasons[1];
static struct ward_net_block blocks[1];
static struct ward_grant grants[2];
static struct ward_network network;
static const struct ward_net_policy policy = {
	.network = &network,
	.grants = grants,
	.n_grants = N(grants),
};

static void
endpoint(const char *text, struct ward_endpoint *out)
{
	const char *why;

	assert_int_equal(
	    ward_endpoint_read(text, strlen(text), true, out, &why), 0);
}

static int
set_up(void **state)
{
	static char say[] = "not from here \xe2\x82\xac", net[] = "10.0.0.0/8";
	static char proxy[] = "proxy.example";

	(void)state;
	for (size_t i = 0; i < N(spelt); i++) {
		rules[i].list = i % 2 == 0 ? WARD_NET_ALLOW : WARD_NET_DENY;
		rules[i].text = spelt[i];
		rules[i].origin.file = file;
		rules[i].origin.line = (unsigned)i;
		endpoint(spelt[i], &rules[i].endpoint);
	}
	no_proxy[0] = rules[0];
	reasons[0].text = spelt[1];
	reasons[0].match = rules[1].endpoint;
	reasons[0].say = say;
	reasons[0].origin.file = no_file;
	blocks[0].text = net;
	assert_int_equal(
	    ward_block_read(net, strlen(net), &blocks[0].block), 0);
	blocks[0].origin.file = file;
	grants[0] = (struct ward_grant){ .id = 1, .until = INT64_MAX };
	grants[1] = (struct ward_grant){ .id = INT64_MAX, .until = -1 };
	endpoint("*.granted.example:443", &grants[0].endpoint);
	endpoint("192.0.2.1", &grants[1].endpoint);
	network = (struct ward_network){
		.filtered = true,
		.allow_private = true,
		.rules = rules,
		.n_rules = N(rules),
		.reasons = reasons,
		.n_reasons = N(reasons),
		.denied = blocks,
		.n_denied = N(blocks),
		.upstream = { .host = proxy,
		    .port = 3128,
		    .origin = { file, 3 } },
		.no_proxy = no_proxy,
		.n_no_proxy = N(no_proxy),
	};
	return 0;
}

static void
expect_rule(const struct ward_net_rule *a, const struct ward_net_rule *b)
{
	assert_int_equal(a->list, b->list);
	assert_string_equal(a->text, b->text);
	assert_int_equal(a->endpoint.kind, b->endpoint.kind);
	assert_int_equal(a->endpoint.port, b->endpoint.port);
	assert_true(a->endpoint.kind == WARD_ENDPOINT_ANY ||
	    ward_host_equal(&a->endpoint.host, &b->endpoint.host));
	assert_string_equal(a->origin.file, b->origin.file);
	assert_int_equal(a->origin.line, b->origin.line);
}

static void
round_trip(void **state)
{
	struct ward_network *got;
	struct ward_grant *given;
	uint8_t *bytes, *again;
	size_t size, size_again, n;

	(void)state;
	assert_int_equal(ward_network_pack(&policy, &bytes, &size), 0);
	assert_int_equal(ward_network_unpack(bytes, size, &got, &given, &n), 0);
	assert_true(got->filtered && !got->ask && got->allow_private);
	assert_int_equal(got->n_rules, N(rules));
	for (size_t i = 0; i < N(rules); i++)
		expect_rule(&got->rules[i], &rules[i]);
	assert_int_equal(got->n_no_proxy, 1);
	expect_rule(&got->no_proxy[0], &no_proxy[0]);
	assert_int_equal(got->n_reasons, 1);
	assert_string_equal(got->reasons[0].say, reasons[0].say);
	assert_int_equal(got->n_denied, 1);
	assert_memory_equal(
	    &got->denied[0].block, &blocks[0].block, sizeof(blocks[0].block));
	assert_string_equal(got->upstream.host, "proxy.example");
	assert_int_equal(got->upstream.port, 3128);
	assert_int_equal(n, 2);
	assert_int_equal(given[1].id, INT64_MAX);
	assert_int_equal(given[1].until, -1);

	const struct ward_net_policy unpacked = {
		.network = got,
		.grants = given,
		.n_grants = n,
	};
	assert_int_equal(ward_network_pack(&unpacked, &again, &size_again), 0);
	assert_int_equal(size_again, size);
	assert_memory_equal(again, bytes, size);
	free(again);
	free(bytes);
	free(given);
	ward_network_unpacked_free(got);
}

/* Nothing but a switch: a profile whose network is none. */
static void
empty(void **state)
{
	const struct ward_network none = { .filtered = false };
	const struct ward_net_policy nothing = { .network = &none };
	struct ward_network *got;
	struct ward_grant *given;
	uint8_t *bytes;
	size_t size, n;

	(void)state;
	assert_int_equal(ward_network_pack(&nothing, &bytes, &size), 0);
	assert_int_equal(ward_network_unpack(bytes, size, &got, &given, &n), 0);
	assert_false(got->filtered);
	assert_null(got->upstream.host);
	assert_int_equal(got->n_rules + got->n_denied + n, 0);
	ward_network_unpacked_free(got);
	free(given);
	free(bytes);
}

static int
unpack(const uint8_t *bytes, size_t size)
{
	struct ward_network *got;
	struct ward_grant *given;
	size_t n;
	int r = ward_network_unpack(bytes, size, &got, &given, &n);

	if (r == 0) {
		ward_network_unpacked_free(got);
		free(given);
	}
	return r;
}

static void
strict(void **state)
{
	uint8_t *bytes, *longer;
	size_t size;

	(void)state;
	assert_int_equal(ward_network_pack(&policy, &bytes, &size), 0);
	for (size_t n = 0; n < size; n++)
		if (unpack(bytes, n) != -EPROTO)
			fail_msg("%zu of %zu bytes are taken", n, size);
	longer = calloc(1, size + 1);
	assert_non_null(longer);
	memcpy(longer, bytes, size);
	assert_int_equal(unpack(longer, size), 0);
	assert_int_equal(unpack(longer, size + 1), -EPROTO);
	longer[4]++;
	assert_int_equal(unpack(longer, size), -EPROTONOSUPPORT);
	longer[0]++;
	assert_int_equal(unpack(longer, size), -EPROTO);
	memcpy(longer, bytes, size);
	longer[8] = 2; /* a switch that is neither */
	assert_int_equal(unpack(longer, size), -EPROTO);
	memcpy(longer, bytes, size);
	memset(longer + 20, 0xff, 4); /* the count of rules */
	assert_int_equal(unpack(longer, size), -EPROTO);
	/* an endpoint that is not spelt as it would be packed */
	memcpy(longer, bytes, size);
	uint8_t *name = memmem(longer, size, "example.com", 11);
	assert_non_null(name);
	name = memmem(
	    name + 11, size - (size_t)(name + 11 - longer), "example.com", 11);
	assert_non_null(name);
	name[0] = 'E';
	assert_int_equal(unpack(longer, size), -EPROTO);
	name[0] = ' ';
	assert_int_equal(unpack(longer, size), -EPROTO);
	free(longer);
	free(bytes);
}

static void
too_large(void **state)
{
	struct ward_network large = network;
	struct ward_net_policy asked = { .network = &large };
	uint8_t *bytes;
	size_t size, n = WARD_NETWORK_PACK_MAX / 64;

	(void)state;
	large.rules = calloc(n, sizeof(*large.rules));
	assert_non_null(large.rules);
	large.n_rules = n;
	for (size_t i = 0; i < n; i++)
		large.rules[i] = rules[1];
	assert_int_equal(ward_network_pack(&asked, &bytes, &size), -EMSGSIZE);
	free(large.rules);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(empty),
		cmocka_unit_test(strict),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
