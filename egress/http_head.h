/* SPDX-License-Identifier: ISC */
/*
 * The head of an HTTP/1 message (RFC 9112), read once it is whole, and
 * strictly: what two readers could take differently is refused.  Pure, over
 * http_parser; for the egress's HTTP front and its fuzz target.
 */
#ifndef WARD_EGRESS_HTTP_HEAD_H
#define WARD_EGRESS_HTTP_HEAD_H

#include <http_parser.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiles/host.h"

#define WARD_HTTP_HEAD_MAX   16384
#define WARD_HTTP_FIELDS_MAX 128

/* A part of the bytes that were read. */
struct ward_slice {
	const char *at;
	size_t n;
};

struct ward_http_field {
	struct ward_slice name, value;
};

struct ward_http_head {
	struct ward_slice method; /* of a request */
	struct ward_slice target; /* the same */
	unsigned status;          /* of a response */
	struct ward_slice reason; /* the same; may be empty */
	unsigned minor;           /* of HTTP/1 */
	struct ward_http_field fields[WARD_HTTP_FIELDS_MAX];
	size_t n_fields;
	const struct ward_http_field *host; /* of a request, or NULL */
	bool chunked, has_length, keep_alive, upgrade;
	uint64_t length;
};

enum ward_http_state {
	WARD_HTTP_MORE,
	WARD_HTTP_DONE,
	WARD_HTTP_BAD,       /* why says how */
	WARD_HTTP_TOO_LARGE, /* the same */
};

/*
 * The head at the beginning of size bytes; *used is its size.  parser is left
 * where the body begins, with settings of the caller's: it reads that next.
 * Of a response, no_body says that it answers a HEAD.
 */
enum ward_http_state
ward_http_request_read(const char *bytes, size_t size, size_t *used,
    http_parser *parser, struct ward_http_head *out, const char **why);
enum ward_http_state ward_http_response_read(const char *bytes, size_t size,
    bool no_body, size_t *used, http_parser *parser, struct ward_http_head *out,
    const char **why);

bool ward_slice_is(struct ward_slice slice, const char *text); /* any case */
/* Whether a list of tokens, as Connection has one, holds this one. */
bool ward_slice_lists(struct ward_slice list, struct ward_slice token);

/*
 * "host" or "host:port" as Host and CONNECT have it; port is left alone where
 * there is none.  False for what is neither.
 */
bool ward_http_authority(
    struct ward_slice text, struct ward_slice *host, uint16_t *port);
/* "http://authority/path": path begins with / or ?, or is empty. */
bool ward_http_absolute(struct ward_slice target, struct ward_slice *authority,
    struct ward_slice *path);

/* Whether first bytes look like a request: 1, 0, or -1 for too few to say. */
int ward_http_looks_so(const uint8_t *bytes, size_t n);

#endif
