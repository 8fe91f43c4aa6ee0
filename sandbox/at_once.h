/* SPDX-License-Identifier: ISC */
/*
 * Connects that the warden makes itself, since they do not wait: TCP and UDP
 * over the sandbox's own loopback, which is all the network that it has.  For
 * connects.c.
 */
#ifndef WARD_SANDBOX_AT_ONCE_H
#define WARD_SANDBOX_AT_ONCE_H

#include <stdint.h>

#include "sandbox/caller.h"

struct ward_at_once {
	int64_t not_before_ms; /* since one had to wait */
};

/* The call's errno, -1: it is connected, or 0: it is for the connector. */
int ward_at_once_connect(
    struct ward_at_once *at_once, const struct ward_caller *caller);

#endif
