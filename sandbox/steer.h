/* SPDX-License-Identifier: ISC */
/*
 * Steering: a TCP connection inside a sandbox that is meant for somewhere else
 * arrives at a listener of egress's, which can tell where it was meant for.
 * Programs that know nothing of proxies work so.  Two ways:
 *
 *	lookup    a BPF program of the net namespace chooses the listener
 *		  (steer_lookup.c, steer.bpf.c); getsockname(2) tells
 *	redirect  nftables rewrites the destination (steer_redirect.c,
 *		  redirect.c), where BPF is refused; SO_ORIGINAL_DST tells
 *
 * Loopback destinations are never steered.  Used by the warden, before the
 * first session.
 */
#ifndef WARD_SANDBOX_STEER_H
#define WARD_SANDBOX_STEER_H

#include "common/err.h"
#include "sandbox/listeners.h"

enum ward_steering {
	WARD_STEERED_NOT, /* programs need the proxy's variables */
	WARD_STEERED_LOOKUP,
	WARD_STEERED_REDIRECT,
};

struct ward_steer {
	enum ward_steering how;
	int link_fd; /* the program stays for as long as this is open */
};

/*
 * Steers what is in the net namespace to TCP4 and TCP6.  0, or -errno with
 * NOT, and why neither way is to be had.
 */
int ward_steer_start(const struct ward_listeners *listeners, int net_nsfd,
    struct ward_steer *steer, struct err *err);
void ward_steer_stop(struct ward_steer *steer);

/* The ways, one by one.  The link's fd or -errno; 0 or -errno. */
int ward_steer_lookup(
    const struct ward_listeners *listeners, int net_nsfd, struct err *err);
int ward_steer_redirect(
    const struct ward_listeners *listeners, int net_nsfd, struct err *err);

#endif
