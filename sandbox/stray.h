/* SPDX-License-Identifier: ISC */
/*
 * What the kernel tells of packets that a sandbox could not send: messages of
 * nfnetlink_log, and of nf_tables' counter of them (sandbox/strays.h).  Pure.
 */
#ifndef WARD_SANDBOX_STRAY_H
#define WARD_SANDBOX_STRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/wire.h"

enum ward_stray_kind {
	WARD_STRAY_OTHER, /* nothing of interest */
	WARD_STRAY_PACKET,
	WARD_STRAY_COUNT,
};

struct ward_stray {
	enum ward_stray_kind kind;
	unsigned protocol; /* IPPROTO_… */
	/* IPv4 as mapped; without a port where the protocol has none */
	struct ward_wire_end_point from, to;
	uint64_t count; /* packets, ever */
};

/*
 * The next message of what one recv(2) brought, of which at is the rest,
 * aligned as netlink has it.  false: there is none.
 */
bool ward_stray_next(const void **at, size_t *left, struct ward_stray *stray);

/* A word for a row. */
const char *ward_stray_name(unsigned protocol);

#endif
