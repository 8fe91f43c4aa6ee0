/* SPDX-License-Identifier: ISC */
/* The SOCKS front: 4, 4a and 5, on the proxy's port. */
#ifndef WARD_EGRESS_SOCKS_FRONT_H
#define WARD_EGRESS_SOCKS_FRONT_H

#include "egress/client.h"

extern const struct ward_front ward_front_socks4, ward_front_socks5;

#endif
