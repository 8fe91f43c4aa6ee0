/* SPDX-License-Identifier: ISC */
/* What a refused client is told. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "egress/answer.h"

#define PHRASE_MAX 240

/* What a status line and a header may hold (RFC 9112, 4). */
static void
make_phrase(const char *said, char out[PHRASE_MAX + 1])
{
	size_t n = strnlen(said, PHRASE_MAX);

	for (size_t i = 0; i < n; i++)
		out[i] = said[i] >= ' ' && said[i] < 0x7f ? said[i] : '?';
	out[n] = '\0';
}

size_t
ward_answer_http(uint8_t out[WARD_ANSWER_MAX], unsigned status,
    const char *said, const char *rule, bool close, bool no_body)
{
	char phrase[PHRASE_MAX + 1];
	size_t length = strnlen(said, WARD_ANSWER_MAX / 2);
	int n;

	make_phrase(said, phrase);
	n = snprintf((char *)out, WARD_ANSWER_MAX,
	    "HTTP/1.1 %u %s\r\n"
	    "Content-Type: text/plain; charset=utf-8\r\n"
	    "Content-Length: %zu\r\n"
	    "Cache-Control: no-store\r\n"
	    "%s%.640s%s%s\r\n",
	    status, phrase, length + sizeof("ward: \n") - 1,
	    rule[0] == '\0' ? "" : "X-Ward-Rule: ", rule,
	    rule[0] == '\0' ? "" : "\r\n",
	    close ? "Connection: close\r\n" : "");
	if (!no_body)
		n += snprintf((char *)out + n, WARD_ANSWER_MAX - (size_t)n,
		    "ward: %.*s\n", (int)length, said);
	return (size_t)n;
}

static uint8_t *
put32(uint8_t *at, size_t value)
{
	*at++ = (uint8_t)(value >> 24);
	*at++ = (uint8_t)(value >> 16);
	*at++ = (uint8_t)(value >> 8);
	*at++ = (uint8_t)value;
	return at;
}

size_t
ward_answer_ssh(uint8_t out[WARD_ANSWER_MAX], const char *said)
{
	enum { BLOCK = 8, LEAST_PADDING = 4, DISCONNECT = 1, BY_POLICY = 1 };
	static const char version[] = "SSH-2.0-ward\r\n";
	static const char by[] = "ward: ";
	size_t text = sizeof(by) - 1 + strnlen(said, WARD_ANSWER_MAX / 2);
	/* type, reason, text, an empty language tag */
	size_t payload = 1 + 4 + 4 + text + 4;
	size_t padding = BLOCK - (4 + 1 + payload) % BLOCK;
	uint8_t *at = out;

	if (padding < LEAST_PADDING)
		padding += BLOCK;
	memcpy(at, version, sizeof(version) - 1);
	at = put32(at + sizeof(version) - 1, 1 + payload + padding);
	*at++ = (uint8_t)padding;
	*at++ = DISCONNECT;
	at = put32(at, BY_POLICY); /* HOST_NOT_ALLOWED_TO_CONNECT */
	at = put32(at, text);
	memcpy(at, by, sizeof(by) - 1);
	memcpy(at + sizeof(by) - 1, said, text - (sizeof(by) - 1));
	at = put32(at + text, 0);
	memset(at, 0, padding);
	return (size_t)(at + padding - out);
}
