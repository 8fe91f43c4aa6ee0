/* SPDX-License-Identifier: ISC */
/* The egress's side of the resolver: a question, and later its answer. */
#ifndef WARD_EGRESS_LOOKUP_H
#define WARD_EGRESS_LOOKUP_H

#include "egress/resolver.h"

struct event_base;
struct ward_lookups;
struct ward_lookup;

/* error is EAI_*, EAI_AGAIN also where it took too long. */
typedef void (*ward_lookup_done)(
    void *context, int error, const struct in6_addr *addresses, size_t n);

/*
 * socket_fd stays the caller's.  NULL without memory.  lost is called when the
 * resolver is gone: nothing can be looked up any more.
 */
struct ward_lookups *ward_lookups_new(struct event_base *base, int socket_fd,
    void (*lost)(void *context), void *context);

/* done is called once, later; NULL without memory or with too many asked. */
struct ward_lookup *ward_lookup_start(struct ward_lookups *lookups,
    const char *name, ward_lookup_done done, void *context);
/* done is not called. */
void ward_lookup_cancel(struct ward_lookup *lookup);

#endif
