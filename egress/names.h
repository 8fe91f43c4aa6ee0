/* SPDX-License-Identifier: ISC */
/*
 * Whether what a client says first names the host that was decided: the name in
 * a TLS hello, the Host of a plain request.
 */
#ifndef WARD_EGRESS_NAMES_H
#define WARD_EGRESS_NAMES_H

#include "egress/relay.h"

/* TLS: a fatal alert, access_denied (RFC 8446, 6). */
extern const uint8_t ward_names_alert[7];

/*
 * The first bytes of a tunnel.  REFUSE leaves why in the flow.  A host that
 * was asked for as an address is no name: then the name is decided too.
 */
enum ward_relay_verdict
ward_names_look(struct ward_flow *flow, const uint8_t *bytes, size_t n);

/* Whether name may be asked for over this flow; else the flow says why. */
bool ward_names_agree(
    struct ward_flow *flow, const char *what, const char *name, size_t size);

#endif
