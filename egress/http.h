/* SPDX-License-Identifier: ISC */
/*
 * The HTTP front: CONNECT, and requests that name a whole URL, one after the
 * other, each decided anew.  Plain requests over a connection that leads to one
 * host only, as a transparent one does, go through it too: then each must name
 * that host.
 */
#ifndef WARD_EGRESS_HTTP_H
#define WARD_EGRESS_HTTP_H

#include "egress/client.h"

/* Of the proxy's port. */
extern const struct ward_front ward_front_http;

/* Of what is for port 80: the flow is open, and host_fd is taken. */
void ward_http_adopt(struct ward_client *client, int host_fd);

/* 403 for what a rule refused, 502 for what cannot be reached, and why. */
size_t ward_http_refusal(
    const struct ward_flow *flow, uint8_t out[8192], bool close, bool no_body);

void ward_http_free(struct ward_http *http); /* NULL is fine */

#endif
