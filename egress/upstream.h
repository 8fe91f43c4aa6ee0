/* SPDX-License-Identifier: ISC */
/* Asks the profile's upstream proxy to connect, over a connection to it. */
#ifndef WARD_EGRESS_UPSTREAM_H
#define WARD_EGRESS_UPSTREAM_H

#include <event2/event.h>
#include <stdint.h>

#include "profiles/host.h"

struct ward_upstream;

/* fd leads to the host and is the caller's; or -1, and why says more. */
typedef void (*ward_upstream_done)(void *context, int fd, const char *why);

/* Takes fd, also where it returns NULL: without memory. */
struct ward_upstream *
ward_upstream_ask(struct event_base *base, int fd, const struct ward_host *host,
    uint16_t port, ward_upstream_done done, void *context);
/* done is not called.  NULL is fine. */
void ward_upstream_cancel(struct ward_upstream *upstream);

#endif
