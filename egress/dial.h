/* SPDX-License-Identifier: ISC */
/*
 * From a host that is allowed to a connection: its name is looked up once,
 * each address checked, and those that pass are tried as RFC 8305 says.  Where
 * the profile names an upstream proxy, that is dialled instead and asked to
 * connect: then the addresses of the host are its business, and neither
 * deny_addresses nor the private ranges are checked here (ward-profile(5)).
 */
#ifndef WARD_EGRESS_DIAL_H
#define WARD_EGRESS_DIAL_H

#include "egress/flow.h"

struct ward_dial;

/*
 * fd is connected and the caller's; or -1, and flow says why: its cause, and
 * of a refused address its decision.
 */
typedef void (*ward_dial_done)(void *context, int fd);

/*
 * The flow was allowed, and outlives the dial; done is called once, later.
 * NULL without memory.
 */
struct ward_dial *
ward_dial_start(struct ward_flow *flow, ward_dial_done done, void *context);
/* done is not called.  NULL is fine. */
void ward_dial_cancel(struct ward_dial *dial);

#endif
