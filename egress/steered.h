/* SPDX-License-Identifier: ISC */
/*
 * The transparent front: a connection that was meant for an address.  The
 * address stands for a name that our DNS answered, or is decided as it is.
 */
#ifndef WARD_EGRESS_STEERED_H
#define WARD_EGRESS_STEERED_H

#include "egress/client.h"

extern const struct ward_front ward_front_steered;

/* A new client of that front: decides at once. */
void ward_steered_begin(struct ward_client *client);

#endif
