/* SPDX-License-Identifier: ISC */
/*
 * The warden's event loop: epoll(7) with a callback for each descriptor.
 * sandbox/ only.
 */
#ifndef WARD_SANDBOX_LOOP_H
#define WARD_SANDBOX_LOOP_H

#include <stdint.h>

#include "common/err.h"

struct ward_watch;
typedef void ward_loop_callback(struct ward_watch *watch, uint32_t events);

/*
 * Embedded as the first member of what the callback is about.  fd is borrowed.
 * A watch must be removed before its memory goes; one that goes while events
 * for it wait is safe, since they are dropped then.
 */
struct ward_watch {
	int fd;
	ward_loop_callback *callback;
};

struct ward_loop {
	int epoll_fd;
	struct ward_watch *waiting[64]; /* of this round */
	int n_waiting;
};

int ward_loop_init(struct ward_loop *loop, struct err *err);
int ward_loop_add(struct ward_loop *loop, struct ward_watch *watch,
    uint32_t events, struct err *err);
void ward_loop_remove(struct ward_loop *loop, struct ward_watch *watch);

/* One round: waits (timeout_ms as epoll_wait) and calls. */
int ward_loop_run_once(struct ward_loop *loop, int timeout_ms, struct err *err);

#endif
