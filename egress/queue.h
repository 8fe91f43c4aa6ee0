/* SPDX-License-Identifier: ISC */
/* Bytes that wait to be sent.  Pure but for ward_queue_send; the HTTP front's.
 */
#ifndef WARD_EGRESS_QUEUE_H
#define WARD_EGRESS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Above this nothing more is read that would go in. */
#define WARD_QUEUE_FULL ((size_t)64 * 1024)

struct ward_queue {
	uint8_t *bytes;
	size_t at, n, room; /* n bytes from at on */
	bool failed; /* there was no memory: what is in it is not whole */
};

void ward_queue_free(struct ward_queue *queue);
void ward_queue_add(struct ward_queue *queue, const void *bytes, size_t n);
void ward_queue_print(struct ward_queue *queue, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Sends what goes without waiting, and counts it: 0, or -errno. */
int ward_queue_send(struct ward_queue *queue, int fd, uint64_t *sent);

#endif
