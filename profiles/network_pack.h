/* SPDX-License-Identifier: ISC */
/*
 * The network rules of a sandbox and its grants as one flat blob: what the
 * warden hands to egress in a sealed memfd.  Pure; both ends are of one build,
 * and the reader takes nothing on trust all the same.
 */
#ifndef WARD_PROFILES_NETWORK_PACK_H
#define WARD_PROFILES_NETWORK_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "profiles/decision.h"

#define WARD_NETWORK_PACK_VERSION 1
#define WARD_NETWORK_PACK_MAX     ((size_t)16 << 20)

/*
 * The network and grants of policy; *out is the caller's to free.  0,
 * -EMSGSIZE for more than WARD_NETWORK_PACK_MAX, or -ENOMEM.
 */
int ward_network_pack(
    const struct ward_net_policy *policy, uint8_t **out, size_t *size);

/*
 * 0 with both the caller's (ward_network_unpacked_free, free), or -EPROTO,
 * -EPROTONOSUPPORT for another version, -ENOMEM, and nothing made.
 */
int ward_network_unpack(const uint8_t *in, size_t size,
    struct ward_network **network, struct ward_grant **grants,
    size_t *n_grants);

/* What unpack made; NULL is fine. */
void ward_network_unpacked_free(struct ward_network *network);

#endif
