/* SPDX-License-Identifier: ISC */
/*
 * The variables by which programs find the proxy of a filtered sandbox.  For
 * the module, which cron, at and sudo get them from, and for the warden, which
 * tells wardsh.  Who is not let in by a variable is not by another: no secret
 * is in them, since a sandbox is known by its network.
 */
#ifndef WARD_COMMON_PROXY_H
#define WARD_COMMON_PROXY_H

#include <stddef.h>

/* Where it listens, on the loopback address of the sandbox. */
#define WARD_PROXY_PORT 3128

/* What a session's network is. */
enum ward_net_kind {
	WARD_NET_NONE,
	WARD_NET_STEERED, /* whatever a program dials arrives at egress */
	WARD_NET_PROXIED, /* only what it asks the proxy for */
	WARD_NET_KIND_MAX = WARD_NET_PROXIED,
};

struct ward_variable {
	const char *name, *value;
};

/* Of this kind; *n of them. */
const struct ward_variable *
ward_proxy_variables(enum ward_net_kind kind, size_t *n);

#endif
