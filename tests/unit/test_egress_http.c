/* SPDX-License-Identifier: ISC */
/*
 * The HTTP front's pure parts: heads that are whole, cut, or could be read in
 * two ways; what is written of them; and what a refused client is told.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "egress/answer.h"
#include "egress/http_head.h"
#include "egress/http_write.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define LINE     "GET http://a.example/ HTTP/1.1\r\n"
#define HOST     "Host: a.example\r\n"
#define POST     "POST http://a.example/ HTTP/1.1\r\n" HOST

static const struct {
	const char *text;
	enum ward_http_state state;
} requests[] = {
	{ LINE HOST "\r\n", WARD_HTTP_DONE },
	{ LINE HOST "\r\nbody", WARD_HTTP_DONE },
	{ LINE "hOST:a.example\r\n\r\n", WARD_HTTP_DONE },
	{ LINE HOST "X:\r\n\r\n", WARD_HTTP_DONE },
	{ LINE HOST "X: a\tb\r\n\r\n", WARD_HTTP_DONE },
	{ "GET http://a.example/ HTTP/1.0\r\n\r\n", WARD_HTTP_DONE },
	{ "CONNECT a.example:443 HTTP/1.1\r\n" HOST "\r\n", WARD_HTTP_DONE },
	{ POST "Content-Length: 0\r\n\r\n", WARD_HTTP_DONE },
	{ POST "Transfer-Encoding: Chunked\r\n\r\n", WARD_HTTP_DONE },
	{ "", WARD_HTTP_MORE },
	{ "G", WARD_HTTP_MORE },
	{ LINE HOST "\r", WARD_HTTP_MORE },
	{ LINE "Host", WARD_HTTP_MORE },
	{ LINE "\r\n", WARD_HTTP_BAD },
	{ LINE HOST HOST "\r\n", WARD_HTTP_BAD },
	{ "\r\n" LINE HOST "\r\n", WARD_HTTP_BAD },
	{ "\n", WARD_HTTP_BAD },
	{ "GET / HTTP/1.1\n", WARD_HTTP_BAD },
	{ LINE "Host: a\rb\r\n\r\n", WARD_HTTP_BAD },
	{ LINE HOST "X: a\n\r\n", WARD_HTTP_BAD },
	{ LINE HOST " X: a\r\n\r\n", WARD_HTTP_BAD },
	{ LINE HOST "X: a\r\n\tb\r\n\r\n", WARD_HTTP_BAD },
	{ LINE HOST "X : a\r\n\r\n", WARD_HTTP_BAD },
	{ LINE HOST "X\r\n\r\n", WARD_HTTP_BAD },
	{ LINE HOST ": a\r\n\r\n", WARD_HTTP_BAD },
	{ LINE HOST "X\x7f: a\r\n\r\n", WARD_HTTP_BAD },
	{ LINE HOST "X: a\x01\r\n\r\n", WARD_HTTP_BAD },
	{ LINE HOST "X\xc3\xbc: a\r\n\r\n", WARD_HTTP_BAD },
	{ "GET http://a.example/ HTTP/1.2\r\n" HOST "\r\n", WARD_HTTP_BAD },
	{ "GET http://a.example/ HTTP/2.0\r\n" HOST "\r\n", WARD_HTTP_BAD },
	{ "GET http://a.example/ HTTP/0.9\r\n" HOST "\r\n", WARD_HTTP_BAD },
	{ "GET http://a.example/\r\n" HOST "\r\n", WARD_HTTP_BAD },
	{ "GET  HTTP/1.1\r\n" HOST "\r\n", WARD_HTTP_BAD },
	{ "BREW http://a.example/ HTTP/1.1\r\n" HOST "\r\n", WARD_HTTP_BAD },
	{ POST "Content-Length: 1\r\nContent-Length: 1\r\n\r\n",
	    WARD_HTTP_BAD },
	{ POST "Content-Length: 1, 1\r\n\r\n", WARD_HTTP_BAD },
	{ POST "Content-Length: -1\r\n\r\n", WARD_HTTP_BAD },
	{ POST "Content-Length: 1x\r\n\r\n", WARD_HTTP_BAD },
	{ POST "Content-Length:\r\n\r\n", WARD_HTTP_BAD },
	{ POST "Content-Length: 18446744073709551616\r\n\r\n", WARD_HTTP_BAD },
	{ POST "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
	    WARD_HTTP_BAD },
	{ POST "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
	    WARD_HTTP_BAD },
	{ POST "Transfer-Encoding: identity\r\n\r\n", WARD_HTTP_BAD },
	{ POST "Transfer-Encoding: gzip, chunked\r\n\r\n", WARD_HTTP_BAD },
	{ POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"
	       "\r\n",
	    WARD_HTTP_BAD },
	{ POST "Transfer-Encoding:\r\n\r\n", WARD_HTTP_BAD },
	{ "POST http://a.example/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n"
	  "\r\n",
	    WARD_HTTP_BAD },
	{ "CONNECT a.example:443 HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\n",
	    WARD_HTTP_BAD },
};

static enum ward_http_state
read_request(
    const char *text, size_t size, size_t *used, struct ward_http_head *head)
{
	http_parser parser;
	const char *why = NULL;
	enum ward_http_state state =
	    ward_http_request_read(text, size, used, &parser, head, &why);

	if ((state == WARD_HTTP_BAD || state == WARD_HTTP_TOO_LARGE) &&
	    (why == NULL || why[0] == '\0'))
		fail_msg("refused without a reason: %s", text);
	return state;
}

static void
request_table(void **state)
{
	static struct ward_http_head head;

	(void)state;
	for (size_t i = 0; i < N(requests); i++) {
		const char *text = requests[i].text;
		size_t size = strlen(text), used = 0;
		enum ward_http_state got =
		    read_request(text, size, &used, &head);

		if (got != requests[i].state)
			fail_msg("row %zu: %d: %s", i, got, text);
		if (got != WARD_HTTP_DONE)
			continue;
		/* nothing is taken before it is whole, and no more after */
		for (size_t n = 0; n < used; n++)
			if (read_request(text, n, &used, &head) !=
			    WARD_HTTP_MORE)
				fail_msg("row %zu: %zu bytes", i, n);
		size_t again = 0;
		if (read_request(text, used, &again, &head) != WARD_HTTP_DONE ||
		    again != used)
			fail_msg("row %zu: used %zu", i, used);
	}
}

static void
too_large(void **state)
{
	static struct ward_http_head head;
	static char text[WARD_HTTP_HEAD_MAX];
	size_t used, n;

	(void)state;
	n = (size_t)snprintf(text, sizeof(text), "%sX: ", LINE);
	memset(text + n, 'y', sizeof(text) - n);
	assert_int_equal(
	    read_request(text, sizeof(text) - 1, &used, &head), WARD_HTTP_MORE);
	assert_int_equal(read_request(text, sizeof(text), &used, &head),
	    WARD_HTTP_TOO_LARGE);
	n = (size_t)snprintf(text, sizeof(text), "%s%s", LINE, HOST);
	for (int i = 0; i < WARD_HTTP_FIELDS_MAX; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "X: y\r\n");
	n += (size_t)snprintf(text + n, sizeof(text) - n, "\r\n");
	assert_int_equal(
	    read_request(text, n, &used, &head), WARD_HTTP_TOO_LARGE);
}

static void
nul(void **state)
{
	static struct ward_http_head head;
	static const char text[] = LINE HOST "X: a\0b\r\n\r\n";
	size_t used;

	(void)state;
	assert_int_equal(
	    read_request(text, sizeof(text) - 1, &used, &head), WARD_HTTP_BAD);
}

static const struct {
	const char *text, *host;
	int port; /* -1: it is none */
} authorities[] = {
	{ "a.example", "a.example", 0 },
	{ "a.example:443", "a.example", 443 },
	{ "[::1]:443", "[::1]", 443 },
	{ "[::1]", "[::1]", 0 },
	{ "1.2.3.4:1", "1.2.3.4", 1 },
	{ "a.example:65535", "a.example", 65535 },
	{ "", "", -1 },
	{ "a.example:", "", -1 },
	{ "a.example:65536", "", -1 },
	{ "a.example:-1", "", -1 },
	{ "a.example:+1", "", -1 },
	{ "a.example: 1", "", -1 },
	{ "a.example:0x50", "", -1 },
	{ "::1", "", -1 },
	{ "a@b:1", "", -1 },
};

static void
authority_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(authorities); i++) {
		const struct ward_slice text = { authorities[i].text,
			strlen(authorities[i].text) };
		struct ward_slice host;
		uint16_t port = 0;
		bool good = ward_http_authority(text, &host, &port);

		if (good != (authorities[i].port >= 0) ||
		    (good &&
			(port != authorities[i].port ||
			    !ward_slice_is(host, authorities[i].host))))
			fail_msg("%s: %d, port %u", text.at, good, port);
	}
}

static const struct {
	const char *text, *authority, *path; /* NULL: it is none */
} targets[] = {
	{ "http://a.example/", "a.example", "/" },
	{ "HTTP://a.example/x?y", "a.example", "/x?y" },
	{ "http://a.example", "a.example", "" },
	{ "http://a.example?x", "a.example", "?x" },
	{ "http://a.example:80//b", "a.example:80", "//b" },
	{ "https://a.example/", NULL, NULL },
	{ "http:/a.example/", NULL, NULL },
	{ "http:///x", NULL, NULL },
	{ "http://", NULL, NULL },
	{ "http://a.example/#x", NULL, NULL },
	{ "/x", NULL, NULL },
	{ "*", NULL, NULL },
};

static void
target_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(targets); i++) {
		const struct ward_slice text = { targets[i].text,
			strlen(targets[i].text) };
		struct ward_slice authority, path;
		bool good = ward_http_absolute(text, &authority, &path);

		if (good != (targets[i].authority != NULL) ||
		    (good &&
			(!ward_slice_is(authority, targets[i].authority) ||
			    !ward_slice_is(path, targets[i].path))))
			fail_msg("%s", text.at);
	}
}

/* --- what is written --- */

static void
expect_queue(struct ward_queue *queue, const char *want)
{
	ward_queue_add(queue, "", 1);
	assert_false(queue->failed);
	assert_string_equal((const char *)queue->bytes + queue->at, want);
	ward_queue_free(queue);
}

static void
written(void **state)
{
	static struct ward_http_head head;
	static const char text[] =
	    "POST http://a.example/x HTTP/1.1\r\n"
	    "Host: A.example\r\nConnection: x-mine, Keep-Alive\r\n"
	    "X-Mine: 1\r\nKeep-Alive: 5\r\nProxy-Authorization: b\r\n"
	    "TE: trailers\r\nX-Kept: \t2 \r\nContent-Length: 07\r\n\r\n";
	struct ward_queue queue = { .n = 0 };
	struct ward_slice authority, path;
	size_t used;

	(void)state;
	assert_int_equal(
	    read_request(text, sizeof(text) - 1, &used, &head), WARD_HTTP_DONE);
	assert_true(ward_http_absolute(head.target, &authority, &path));
	ward_http_write_request(&queue, &head, authority, path);
	expect_queue(&queue,
	    "POST /x HTTP/1.1\r\nHost: a.example\r\nX-Kept: 2\r\n"
	    "Content-Length: 7\r\n\r\n");
	path.n = 0;
	ward_http_write_request(&queue, &head, authority, path);
	ward_queue_add(&queue, "", 1);
	assert_non_null(strstr((char *)queue.bytes, "POST / HTTP/1.1\r\n"));
	ward_queue_free(&queue);

	ward_http_write_body(&queue, true, "abc", 3);
	ward_http_write_body(&queue, true, "", 0);
	ward_http_write_end(&queue, true);
	expect_queue(&queue, "3\r\nabc\r\n0\r\n\r\n");
	ward_http_write_body(&queue, false, "abc", 3);
	ward_http_write_end(&queue, false);
	expect_queue(&queue, "abc");
}

static void
response(void **state)
{
	static struct ward_http_head head;
	static const char text[] = "HTTP/1.1 200 Fine\r\nConnection: close\r\n"
				   "Upgrade: h2c\r\nX: y\r\n\r\n";
	struct ward_queue queue = { .n = 0 };
	http_parser parser;
	const char *why;
	size_t used;

	(void)state;
	assert_int_equal(ward_http_response_read(text, sizeof(text) - 1, false,
			     &used, &parser, &head, &why),
	    WARD_HTTP_DONE);
	assert_int_equal(head.status, 200);
	assert_false(head.keep_alive);
	ward_http_write_response(&queue, &head, WARD_HTTP_CHUNKED, true, false);
	expect_queue(&queue,
	    "HTTP/1.1 200 Fine\r\nX: y\r\nTransfer-Encoding: chunked\r\n"
	    "Connection: keep-alive\r\n\r\n");
	ward_http_write_response(&queue, &head, WARD_HTTP_TO_END, false, false);
	expect_queue(
	    &queue, "HTTP/1.1 200 Fine\r\nX: y\r\nConnection: close\r\n\r\n");
}

static void
looks(void **state)
{
	static const struct {
		const char *text;
		int so;
	} rows[] = { { "", -1 }, { "GE", -1 }, { "GET ", 1 },
		{ "M-SEARCH x", 1 }, { " GET", 0 }, { "get ", 0 },
		{ "\x16\x03", 0 }, { "SSH-2.0", 0 },
		{ "ABCDEFGHIJKLMNOPQRSTUVWXYZ", 0 } };

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		if (ward_http_looks_so((const uint8_t *)rows[i].text,
			strlen(rows[i].text)) != rows[i].so)
			fail_msg("%s", rows[i].text);
}

/* --- answers --- */

static void
answers(void **state)
{
	static uint8_t out[WARD_ANSWER_MAX];
	static char said[6000];
	size_t n;

	(void)state;
	n = ward_answer_http(out, 403, "no \xc3\xbc", "a: deny b", true, false);
	out[n] = '\0';
	assert_string_equal((char *)out,
	    "HTTP/1.1 403 no ??\r\n"
	    "Content-Type: text/plain; charset=utf-8\r\n"
	    "Content-Length: 12\r\nCache-Control: no-store\r\n"
	    "X-Ward-Rule: a: deny b\r\nConnection: close\r\n\r\n"
	    "ward: no \xc3\xbc\n");
	memset(said, 'x', sizeof(said) - 1);
	n = ward_answer_http(out, 403, said, "", false, false);
	assert_true(n < sizeof(out));
	out[n] = '\0';
	assert_null(strstr((char *)out, "X-Ward-Rule"));
	const char *body = strstr((char *)out, "\r\n\r\n");
	assert_non_null(body);
	char length[64];
	(void)snprintf(length, sizeof(length), "Content-Length: %zu\r\n",
	    strlen(body + 4));
	assert_non_null(strstr((char *)out, length));
	n = ward_answer_http(out, 403, "no", "", false, true);
	assert_memory_equal(out + n - 4, "\r\n\r\n", 4);

	/* an SSH packet: its length, its padding, whole blocks of eight */
	for (size_t size = 0; size < 40; size++) {
		said[size] = '\0';
		n = ward_answer_ssh(out, said);
		assert_memory_equal(out, "SSH-2.0-ward\r\n", 14);
		size_t packet = (size_t)out[16] << 8 | out[17];
		assert_int_equal(n, 14 + 4 + packet);
		assert_int_equal((4 + packet) % 8, 0);
		assert_true(out[18] >= 4);
		assert_int_equal(out[19], 1);
		assert_int_equal(out[27], 6 + size);
		said[size] = 'x';
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_table),
		cmocka_unit_test(too_large),
		cmocka_unit_test(nul),
		cmocka_unit_test(authority_table),
		cmocka_unit_test(target_table),
		cmocka_unit_test(written),
		cmocka_unit_test(response),
		cmocka_unit_test(looks),
		cmocka_unit_test(answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
