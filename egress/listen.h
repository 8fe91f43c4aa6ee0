/* SPDX-License-Identifier: ISC */
/*
 * The listeners: takes connections from the sandbox as fast as it may have
 * them, and no more of them than there is room for.
 */
#ifndef WARD_EGRESS_LISTEN_H
#define WARD_EGRESS_LISTEN_H

#include "egress/egress.h"

struct ward_listener;

/*
 * fd is taken; begin is given each connection, takes it, and may end it at
 * once.  NULL without memory.
 */
struct ward_listener *ward_listener_new(struct ward_egress *egress, int fd,
    void (*begin)(struct ward_egress *egress, int fd));

#endif
