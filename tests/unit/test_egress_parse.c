/* SPDX-License-Identifier: ISC */
/*
 * What the egress reads from the sandbox: DNS, SOCKS and TLS hellos, whole, cut
 * at every byte, and broken; and the addresses that stand for names.
 */
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

#include "egress/dns.h"
#include "egress/hello.h"
#include "egress/socks.h"
#include "egress/standins.h"

#define N(array)    (sizeof(array) / sizeof((array)[0]))
/* A literal with its zeros, without the last. */
#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

static void
put(uint8_t *at, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = ((const uint8_t *)bytes)[i];
}

/* --- DNS --- */

#define ASK_1 "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
#define LABELS                                                                 \
	"\x03www\x07"                                                          \
	"example\x03"                                                          \
	"com\x00"
#define IN_A "\x00\x01\x00\x01"

static void
dns_questions(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		int result;
		enum ward_dns_code code;
		const char *name;
		uint16_t type;
	} rows[] = {
#define ROW(text, ...) { text, sizeof(text) - 1, __VA_ARGS__ }
		ROW(ASK_1 LABELS IN_A, 0, WARD_DNS_OK, "www.example.com", 1),
		ROW(ASK_1 LABELS "\x00\x1c\x00\x01", 0, WARD_DNS_OK,
		    "www.example.com", 28),
		ROW(ASK_1 LABELS "\x00\x41\x00\x01", 0, WARD_DNS_OK,
		    "www.example.com", 65),
		ROW(ASK_1 "\x00" IN_A, 0, WARD_DNS_OK, "", 1),
		/* another class; another operation; no, two questions */
		ROW(ASK_1 LABELS "\x00\x01\x00\x03", 0,
		    WARD_DNS_NOT_IMPLEMENTED, "www.example.com", 1),
		ROW("\x12\x34\x29\x00\x00\x01\x00\x00\x00\x00\x00\x00" LABELS
			IN_A,
		    0, WARD_DNS_NOT_IMPLEMENTED, "", 0),
		ROW("\x12\x34\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00", 0,
		    WARD_DNS_FORMAT_ERROR, "", 0),
		ROW("\x12\x34\x01\x00\x00\x02\x00\x00\x00\x00\x00\x00" LABELS
			IN_A LABELS IN_A,
		    0, WARD_DNS_FORMAT_ERROR, "", 0),
		/* an answer, and what is too short to be anything */
		ROW("\x12\x34\x81\x00\x00\x01\x00\x00\x00\x00\x00\x00" LABELS
			IN_A,
		    -EINVAL, WARD_DNS_OK, "", 0),
		ROW("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00", -EINVAL,
		    WARD_DNS_OK, "", 0),
		ROW("", -EINVAL, WARD_DNS_OK, "", 0),
		/* a pointer to itself, forwards, and the reserved kinds */
		ROW(ASK_1 "\xc0\x0c" IN_A, 0, WARD_DNS_FORMAT_ERROR, "", 0),
		ROW(ASK_1 "\x03www\xc0\x0c" IN_A, 0, WARD_DNS_FORMAT_ERROR,
		    "www", 0),
		ROW(ASK_1 "\x40"
			  "a\x00" IN_A,
		    0, WARD_DNS_FORMAT_ERROR, "", 0),
		ROW(ASK_1 "\x80"
			  "a\x00" IN_A,
		    0, WARD_DNS_FORMAT_ERROR, "", 0),
		/* cut */
		ROW(ASK_1, 0, WARD_DNS_FORMAT_ERROR, "", 0),
		ROW(ASK_1 "\x03ww", 0, WARD_DNS_FORMAT_ERROR, "", 0),
		ROW(ASK_1 "\x03www", 0, WARD_DNS_FORMAT_ERROR, "www", 0),
		ROW(ASK_1 LABELS "\x00\x01\x00", 0, WARD_DNS_FORMAT_ERROR,
		    "www.example.com", 0),
		/* a label that would read as two, or as less */
		ROW(ASK_1 "\x07"
			  "a.b.c.d\x03"
			  "com\x00" IN_A,
		    0, WARD_DNS_NO_SUCH_NAME, "a.b.c.d.com", 1),
		ROW(ASK_1 "\x05"
			  "a\0evi\x03"
			  "com\x00" IN_A,
		    0, WARD_DNS_NO_SUCH_NAME, "a", 1),
#undef ROW
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct ward_dns_query q;
		int r = ward_dns_read(
		    (const uint8_t *)rows[i].bytes, rows[i].size, &q);
		if (r != rows[i].result ||
		    (r == 0 &&
			(q.code != rows[i].code || q.type != rows[i].type ||
			    q.id != 0x1234 ||
			    (q.question_size > 0 &&
				strcmp(q.name, rows[i].name) != 0))))
			fail_msg("row %zu: %d, code %d, type %u, \"%s\"", i, r,
			    q.code, q.type, q.name);
	}
}

/* 253 characters are a name, 254 are none. */
static void
dns_longest(void **state)
{
	uint8_t message[600];
	struct ward_dns_query q;

	(void)state;
	for (unsigned last = 61; last <= 62; last++) {
		size_t n = 12;
		put(message, ASK_1, 12);
		for (unsigned i = 0; i < 4; i++) {
			uint8_t size = i < 3 ? 63 : (uint8_t)last;
			message[n++] = size;
			memset(message + n, 'a', size);
			n += size;
		}
		put(message + n, "\0" IN_A, 5);
		assert_int_equal(ward_dns_read(message, n + 5, &q), 0);
		assert_int_equal(
		    q.code, last == 61 ? WARD_DNS_OK : WARD_DNS_FORMAT_ERROR);
	}
}

static void
dns_answers(void **state)
{
	static const uint8_t ask[] = ASK_1 LABELS IN_A;
	static const uint8_t edns[] =
	    "\x12\x34\x00\x00\x00\x01\x00\x00\x00\x00\x00\x01" LABELS
	    "\x00\x1c\x00\x01"
	    "\x00\x00\x29\x10\x00\x00\x00\x00\x00\x00\x00";
	static const uint8_t answer[] =
	    "\x12\x34\x85\x80\x00\x01\x00\x01\x00\x00\x00\x00" LABELS IN_A
	    "\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\xc6\x12\x00\x01";
	static const uint8_t answer6[] =
	    "\x12\x34\x84\x80\x00\x01\x00\x01\x00\x00\x00\x01" LABELS
	    "\x00\x1c\x00\x01"
	    "\xc0\x0c\x00\x1c\x00\x01\x00\x00\x00\x3c\x00\x10"
	    "\xfd\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"
	    "\x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00\x00";
	static const uint8_t nothing[] =
	    "\x12\x34\x85\x83\x00\x01\x00\x00\x00\x00\x00\x00" LABELS IN_A;
	uint8_t out[WARD_DNS_ANSWER_MAX];
	struct ward_dns_query q;
	struct in6_addr address;

	(void)state;
	assert_int_equal(ward_dns_read(ask, sizeof(ask) - 1, &q), 0);
	assert_int_equal(inet_pton(AF_INET6, "::ffff:198.18.0.1", &address), 1);
	assert_int_equal(
	    ward_dns_answer(out, ask, &q, WARD_DNS_OK, &address, 60),
	    sizeof(answer) - 1);
	assert_memory_equal(out, answer, sizeof(answer) - 1);
	assert_int_equal(
	    ward_dns_answer(out, ask, &q, WARD_DNS_NO_SUCH_NAME, &address, 60),
	    sizeof(nothing) - 1);
	assert_memory_equal(out, nothing, sizeof(nothing) - 1);
	assert_int_equal(ward_dns_read(edns, sizeof(edns) - 1, &q), 0);
	assert_int_equal(inet_pton(AF_INET6, "fd00::1", &address), 1);
	assert_int_equal(
	    ward_dns_answer(out, edns, &q, WARD_DNS_OK, &address, 60),
	    sizeof(answer6) - 1);
	assert_memory_equal(out, answer6, sizeof(answer6) - 1);
}

/* --- SOCKS --- */

enum socks_part { GREETING, REQUEST_5, REQUEST_4 };

static enum ward_socks_state
read_socks(enum socks_part part, const uint8_t *bytes, size_t size,
    size_t *used, struct ward_socks_request *out)
{
	switch (part) {
	case GREETING:
		return ward_socks5_greeting(bytes, size, used);
	case REQUEST_5:
		return ward_socks5_request(bytes, size, used, out);
	case REQUEST_4:
		return ward_socks4_request(bytes, size, used, out);
	}
	return WARD_SOCKS_BAD;
}

#define ADDRESS_16 "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x07"

static void
socks(void **state)
{
	static const struct {
		enum socks_part part;
		enum ward_socks_state state;
		const char *bytes;
		size_t size;
		const char *host;
		uint16_t port;
	} rows[] = {
#define ROW(part, state, text, ...)                                            \
	{ part, WARD_SOCKS_##state, text, sizeof(text) - 1, __VA_ARGS__ }
		ROW(GREETING, DONE, "\5\1\0", NULL, 0),
		ROW(GREETING, DONE, "\5\3\2\1\0", NULL, 0),
		ROW(GREETING, NO_METHOD, "\5\1\2", NULL, 0),
		ROW(GREETING, NO_METHOD, "\5\0", NULL, 0),
		ROW(GREETING, BAD, "\4", NULL, 0),
		ROW(REQUEST_5, DONE, "\5\1\0\1\xc0\0\2\7\1\xbb", "192.0.2.7",
		    443),
		ROW(REQUEST_5, DONE, "\5\1\0\4" ADDRESS_16 "\0\x16",
		    "2001:db8::7", 22),
		ROW(REQUEST_5, DONE,
		    "\5\1\0\3\xb"
		    "example.com\0\x50",
		    "example.com", 80),
		ROW(REQUEST_5, DONE, "\5\1\0\3\0\0\x50", "", 80),
		ROW(REQUEST_5, NO_COMMAND, "\5\2\0\1\0\0\0\0\0\0", NULL, 0),
		ROW(REQUEST_5, NO_COMMAND, "\5\3\0\1\0\0\0\0\0\0", NULL, 0),
		ROW(REQUEST_5, NO_ADDRESS, "\5\1\0\2\0\0\0\0\0\0", NULL, 0),
		ROW(REQUEST_5, BAD, "\4\1\0\1\0\0\0\0\0\0", NULL, 0),
		ROW(REQUEST_4, DONE, "\4\1\1\xbb\xc0\0\2\7\0", "192.0.2.7",
		    443),
		ROW(REQUEST_4, DONE, "\4\1\1\xbb\xc0\0\2\7me\0", "192.0.2.7",
		    443),
		ROW(REQUEST_4, DONE, "\4\1\0\x50\0\0\0\1\0example.com\0",
		    "example.com", 80),
		ROW(REQUEST_4, DONE, "\4\1\0\x50\0\0\0\x63me\0example.com\0",
		    "example.com", 80),
		ROW(REQUEST_4, DONE, "\4\1\0\x50\0\0\0\0\0", "0.0.0.0", 80),
		ROW(REQUEST_4, NO_COMMAND, "\4\2\0\x50\0\0\0\1\0", NULL, 0),
		ROW(REQUEST_4, BAD, "\5\1\0\x50\0\0\0\1\0", NULL, 0),
#undef ROW
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct ward_socks_request out = { .size = 0 };
		size_t used = 0, size = rows[i].size;
		bool done = rows[i].state == WARD_SOCKS_DONE;
		/* what follows is not the parser's */
		uint8_t more[300];
		memcpy(more, rows[i].bytes, size);
		memset(more + size, 0xee, sizeof(more) - size);
		enum ward_socks_state s =
		    read_socks(rows[i].part, more, sizeof(more), &used, &out);
		if (s != rows[i].state || (done && used != size) ||
		    (rows[i].host != NULL &&
			(out.size != strlen(rows[i].host) ||
			    memcmp(out.host, rows[i].host, out.size) != 0 ||
			    out.port != rows[i].port)))
			fail_msg("row %zu: %d, %zu used, \"%.*s\":%u", i, s,
			    used, (int)out.size, out.host, out.port);
		/* at its end, in memory that ends there, and at every cut */
		for (size_t cut = 0; done && cut <= size; cut++) {
			uint8_t *exact = malloc(cut == 0 ? 1 : cut);
			assert_non_null(exact);
			memcpy(exact, more, cut);
			s = read_socks(rows[i].part, exact, cut, &used, &out);
			free(exact);
			if (s !=
			    (cut == size ? WARD_SOCKS_DONE : WARD_SOCKS_MORE))
				fail_msg("row %zu cut at %zu: %d", i, cut, s);
		}
	}
}

/* A user or a name that does not end is not waited for. */
static void
socks_endless(void **state)
{
	uint8_t bytes[1024];
	struct ward_socks_request out;
	size_t used;

	(void)state;
	memset(bytes, 'a', sizeof(bytes));
	put(bytes, "\4\1\0\x50\xc0\0\2\7", 8);
	assert_int_equal(
	    ward_socks4_request(bytes, 8 + 255, &used, &out), WARD_SOCKS_MORE);
	assert_int_equal(
	    ward_socks4_request(bytes, 8 + 256, &used, &out), WARD_SOCKS_BAD);
	put(bytes, "\4\1\0\x50\0\0\0\1\0", 9);
	assert_int_equal(
	    ward_socks4_request(bytes, 9 + 255, &used, &out), WARD_SOCKS_MORE);
	assert_int_equal(
	    ward_socks4_request(bytes, 9 + 256, &used, &out), WARD_SOCKS_BAD);
	bytes[9 + 255] = '\0';
	assert_int_equal(
	    ward_socks4_request(bytes, 9 + 256, &used, &out), WARD_SOCKS_DONE);
	assert_int_equal(out.size, 255);
}

/* --- TLS --- */

#define BODY                                                                   \
	"\x03\x03"                                                             \
	"0123456789abcdef0123456789abcdef"                                     \
	"\x00"                                                                 \
	"\x00\x02\x13\x01"                                                     \
	"\x01\x00"
#define SNI                                                                    \
	"\x00\x00\x00\x10\x00\x0e\x00\x00\x0b"                                 \
	"example.com"
#define OTHER "\x00\x2b\x00\x03\x02\x03\x04"

struct hello_row {
	enum ward_hello result;
	const char *body; /* of the ClientHello */
	size_t size;
};

/* body as a handshake, in records of at most most bytes. */
static size_t
wrap(uint8_t *out, const struct hello_row *row, size_t most)
{
	uint8_t handshake[1024] = { 1, 0, (uint8_t)(row->size >> 8),
		(uint8_t)row->size };
	size_t size = 4 + row->size, n = 0;

	memcpy(handshake + 4, row->body, row->size);
	for (size_t at = 0; at < size; at += most) {
		size_t part = size - at < most ? size - at : most;
		put(out + n, "\x16\x03\x01", 3);
		out[n + 3] = (uint8_t)(part >> 8);
		out[n + 4] = (uint8_t)part;
		memcpy(out + n + 5, handshake + at, part);
		n += 5 + part;
	}
	return n;
}

static void
hello_bodies(void **state)
{
	static const struct hello_row rows[] = {
#define ROW(result, text) { WARD_HELLO_##result, text, sizeof(text) - 1 }
		ROW(NAME, BODY "\x00\x14" SNI),
		ROW(NAME, BODY "\x00\x1b" OTHER SNI),
		ROW(NAME, BODY "\x00\x1b" SNI OTHER),
		ROW(NO_NAME, BODY),
		ROW(NO_NAME, BODY "\x00\x00"),
		ROW(NO_NAME, BODY "\x00\x07" OTHER),
		ROW(BAD, BODY "\x00\x28" SNI SNI),
		ROW(BAD, BODY "\x00\x15" SNI),
		ROW(BAD, BODY "\x00\x13" SNI),
		ROW(BAD, BODY "\x00\x14" SNI "x"),
		ROW(BAD, BODY "\x00\x09\x00\x00\x00\x05\x00\x03\x00\x00\x00"),
		ROW(BAD,
		    BODY "\x00\x0d\x00\x00\x00\x09\x00\x07\x00\x00\x04"
			 "a\0bc"),
		ROW(NO_NAME, BODY "\x00\x06\x00\x00\x00\x02\x00\x00"),
		ROW(BAD, "\x03\x03"),
		ROW(BAD, ""),
#undef ROW
	};
	uint8_t bytes[4096];
	char name[256];

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		for (size_t most = 1; most < 150; most++) {
			size_t size = wrap(bytes, &rows[i], most);
			enum ward_hello r = ward_hello_read(bytes, size, name);
			if (r != rows[i].result ||
			    (r == WARD_HELLO_NAME &&
				strcmp(name, "example.com") != 0))
				fail_msg("row %zu in records of %zu: %d", i,
				    most, r);
			for (size_t cut = 0; most % 40 == 1 && cut < size;
			     cut++)
				assert_int_equal(
				    ward_hello_read(bytes, cut, name),
				    WARD_HELLO_MORE);
		}
}

static void
hello_others(void **state)
{
	static uint8_t large[WARD_HELLO_MAX + 64];
	char name[256];

	(void)state;
	assert_int_equal(ward_hello_read(BYTES("GET / HTTP/1.1\r\n"), name),
	    WARD_HELLO_NOT_TLS);
	assert_int_equal(
	    ward_hello_read(BYTES("SSH-2.0-x\r\n"), name), WARD_HELLO_NOT_TLS);
	assert_int_equal(
	    ward_hello_read(BYTES("\x16\x02\x01"), name), WARD_HELLO_NOT_TLS);
	assert_int_equal(ward_hello_read(BYTES("\x16"), name), WARD_HELLO_MORE);
	/* a ServerHello; a record of nothing; another record in between */
	assert_int_equal(
	    ward_hello_read(BYTES("\x16\x03\x01\0\1\2"), name), WARD_HELLO_BAD);
	assert_int_equal(
	    ward_hello_read(BYTES("\x16\x03\x01\0\0"), name), WARD_HELLO_BAD);
	assert_int_equal(
	    ward_hello_read(BYTES("\x16\x03\x01\0\1\1\x17\x03\x01"), name),
	    WARD_HELLO_BAD);
	/* longer than anybody waits for */
	assert_int_equal(
	    ward_hello_read(BYTES("\x16\x03\x01\0\4\1\xff\xff\xff"), name),
	    WARD_HELLO_BAD);
	put(large, "\x16\x03\x01\x40\x01\1", 6);
	assert_int_equal(
	    ward_hello_read(large, sizeof(large), name), WARD_HELLO_BAD);
}

/* --- stand-ins --- */

static void
standins(void **state)
{
	struct ward_standins *s = ward_standins_new(42, 3);
	struct in6_addr v4, v6, again, other;
	char name[32];

	(void)state;
	assert_non_null(s);
	for (unsigned i = 0; i < WARD_STANDINS_MAX; i++) {
		(void)snprintf(name, sizeof(name), "h%u.example", i);
		assert_int_equal(ward_standins_give(s, name, &v4, &v6), 0);
		assert_int_equal(
		    ward_standins_give(s, name, &again, &other), 0);
		assert_memory_equal(&again, &v4, sizeof(v4));
		assert_memory_equal(&other, &v6, sizeof(v6));
		assert_string_equal(ward_standins_find(s, &v4), name);
		assert_string_equal(ward_standins_find(s, &v6), name);
		assert_true(ward_standins_has(&v4) && ward_standins_has(&v6));
	}
	assert_int_equal(ward_standins_give(s, "one.more", &v4, &v6), -ENOSPC);
	assert_int_equal(ward_standins_give(s, "h0.example", &v4, &v6), 0);
	assert_string_equal(ward_standins_find(s, &v4), "h0.example");
	ward_standins_free(s);

	s = ward_standins_new(7, 0);
	assert_non_null(s);
	assert_int_equal(ward_standins_give(s, "a.example", &v4, &v6), 0);
	static const char *const strangers[] = { "::ffff:198.18.0.0",
		"::ffff:198.18.0.2", "::ffff:198.19.0.1", "::ffff:127.0.0.1",
		"::ffff:10.0.0.1", "::1", "::", "2001:db8::1" };
	for (size_t i = 0; i < N(strangers); i++) {
		assert_int_equal(inet_pton(AF_INET6, strangers[i], &v4), 1);
		assert_null(ward_standins_find(s, &v4));
		assert_int_equal(ward_standins_has(&v4), i < 3);
	}
	ward_standins_free(s);
	ward_standins_free(NULL);
}

/* What an earlier one gave must not stand for a name of a later one's. */
static void
standins_of_another(void **state)
{
	struct in6_addr v4[5], v6[5];

	(void)state;
	for (uint32_t generation = 0; generation < 5; generation++) {
		struct ward_standins *s = ward_standins_new(1, generation);
		assert_non_null(s);
		assert_int_equal(ward_standins_give(s, "a.example",
				     &v4[generation], &v6[generation]),
		    0);
		for (uint32_t i = 0; i < generation; i++) {
			/* the fifth begins again with those of the first */
			bool again = generation - i == 4;
			assert_int_equal(
			    ward_standins_find(s, &v4[i]) != NULL, again);
			assert_int_equal(
			    ward_standins_find(s, &v6[i]) != NULL, again);
			assert_true(ward_standins_has(&v4[i]));
		}
		ward_standins_free(s);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(dns_questions),
		cmocka_unit_test(dns_longest),
		cmocka_unit_test(dns_answers),
		cmocka_unit_test(socks),
		cmocka_unit_test(socks_endless),
		cmocka_unit_test(hello_bodies),
		cmocka_unit_test(hello_others),
		cmocka_unit_test(standins),
		cmocka_unit_test(standins_of_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
