/* SPDX-License-Identifier: ISC */
/*
 * What goes on of an HTTP message: its head written anew from what was read,
 * so that the next reader cannot take it for something else.  Pure; the HTTP
 * front's.
 */
#ifndef WARD_EGRESS_HTTP_WRITE_H
#define WARD_EGRESS_HTTP_WRITE_H

#include "egress/http_head.h"
#include "egress/queue.h"

/* With this Host, for this path, without what is between client and proxy. */
void ward_http_write_request(struct ward_queue *out,
    const struct ward_http_head *head, struct ward_slice authority,
    struct ward_slice path);

enum ward_http_framing {
	WARD_HTTP_NO_BODY,
	WARD_HTTP_LENGTH,
	WARD_HTTP_CHUNKED,
	WARD_HTTP_TO_END, /* of the connection */
};

/* keep says whether the client may ask again, switched that it is a 101. */
void ward_http_write_response(struct ward_queue *out,
    const struct ward_http_head *head, enum ward_http_framing framing,
    bool keep, bool switched);

/* A part of a body; n of 0 does nothing. */
void ward_http_write_body(
    struct ward_queue *out, bool chunked, const void *bytes, size_t n);
void ward_http_write_end(struct ward_queue *out, bool chunked);

#endif
