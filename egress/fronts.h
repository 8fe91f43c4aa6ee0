/* SPDX-License-Identifier: ISC */
/* Which front a connection is for: what each listener does with one. */
#ifndef WARD_EGRESS_FRONTS_H
#define WARD_EGRESS_FRONTS_H

#include "egress/egress.h"

/* Each takes fd. */
void ward_front_begin_proxy(struct ward_egress *egress, int fd);
void ward_front_begin_steered(struct ward_egress *egress, int fd);
void ward_front_begin_dns(struct ward_egress *egress, int fd);

#endif
