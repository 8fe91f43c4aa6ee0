/* SPDX-License-Identifier: ISC */
/*
 * Addresses that stand for names: what the sandbox's DNS answers with, and what
 * a transparent connection's destination is turned back from.  An address is
 * never given to a second name.  Pure but for its memory; the egress has one.
 */
#ifndef WARD_EGRESS_STANDINS_H
#define WARD_EGRESS_STANDINS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/* Names that a sandbox may look up in its life: some 10 MiB at the most. */
#define WARD_STANDINS_MAX 32767

struct ward_standins;

/*
 * seed: not guessable, against chosen collisions.  generation: how many the
 * sandbox had before; what one of the three before it gave out stands for
 * nothing, and not for another name.  NULL without memory.
 */
struct ward_standins *ward_standins_new(uint64_t seed, uint32_t generation);
void ward_standins_free(struct ward_standins *standins); /* NULL is fine */

/*
 * The addresses of a canonical name, the same at each call.  0, -ENOSPC when
 * all are spent, or -ENOMEM.  v4 is from 198.18.0.0/15 (RFC 2544), v6 from a
 * prefix of Ward's own (RFC 4193).
 */
int ward_standins_give(struct ward_standins *standins, const char *name,
    struct in6_addr *v4, struct in6_addr *v6);

/* The name that an address stands for, or NULL. */
const char *ward_standins_find(
    const struct ward_standins *standins, const struct in6_addr *address);

/* Whether it is from one of the two ranges, given out or not. */
bool ward_standins_has(const struct in6_addr *address);

#endif
