/* SPDX-License-Identifier: ISC */
/*
 * What a SOCKS client says: 4, 4a and 5 (RFC 1928).  Pure, over what has come
 * so far; only the egress uses it.
 */
#ifndef WARD_EGRESS_SOCKS_H
#define WARD_EGRESS_SOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ward_socks_state {
	WARD_SOCKS_MORE,       /* not whole yet: ask again with more */
	WARD_SOCKS_DONE,       /* *used bytes were it */
	WARD_SOCKS_BAD,        /* not SOCKS: close */
	WARD_SOCKS_NO_METHOD,  /* 5: only methods that need a secret */
	WARD_SOCKS_NO_COMMAND, /* BIND, UDP ASSOCIATE and the like */
	WARD_SOCKS_NO_ADDRESS, /* 5: of an unknown type */
};

/* Codes of an answer. */
enum ward_socks5_reply {
	WARD_SOCKS5_OK = 0,
	WARD_SOCKS5_FAILED = 1,
	WARD_SOCKS5_REFUSED = 2,
	WARD_SOCKS5_NET_UNREACHABLE = 3,
	WARD_SOCKS5_HOST_UNREACHABLE = 4,
	WARD_SOCKS5_CONNECTION_REFUSED = 5,
	WARD_SOCKS5_NO_COMMAND = 7,
	WARD_SOCKS5_NO_ADDRESS = 8,
};

struct ward_socks_request {
	char host[256]; /* as spelt; may hold any byte */
	size_t size;
	uint16_t port;
};

/* The first message of a client of 5: its methods. */
enum ward_socks_state
ward_socks5_greeting(const uint8_t *bytes, size_t size, size_t *used);
enum ward_socks_state ward_socks5_request(const uint8_t *bytes, size_t size,
    size_t *used, struct ward_socks_request *out);
/* 4 has one message; with 0.0.0.x a name follows (4a). */
enum ward_socks_state ward_socks4_request(const uint8_t *bytes, size_t size,
    size_t *used, struct ward_socks_request *out);

/* The answers have these sizes always: no address is told. */
#define WARD_SOCKS5_METHOD_SIZE 2
#define WARD_SOCKS5_REPLY_SIZE  10
#define WARD_SOCKS4_REPLY_SIZE  8

void ward_socks5_method(uint8_t out[WARD_SOCKS5_METHOD_SIZE], bool accepted);
void ward_socks5_reply(
    uint8_t out[WARD_SOCKS5_REPLY_SIZE], enum ward_socks5_reply code);
void ward_socks4_reply(uint8_t out[WARD_SOCKS4_REPLY_SIZE], bool granted);

#endif
