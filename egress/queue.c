/* SPDX-License-Identifier: ISC */
/* Bytes that wait to be sent. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "egress/queue.h"

void
ward_queue_free(struct ward_queue *queue)
{
	free(queue->bytes);
	memset(queue, 0, sizeof(*queue));
}

static bool
make_room(struct ward_queue *queue, size_t n)
{
	if (queue->failed || n > SIZE_MAX / 4 - queue->n)
		return false;
	if (queue->at + queue->n + n <= queue->room)
		return true;
	if (queue->at > 0 && queue->n > 0)
		memmove(queue->bytes, queue->bytes + queue->at, queue->n);
	queue->at = 0;
	if (queue->n + n <= queue->room)
		return true;
	size_t room = queue->room == 0 ? 4096 : queue->room;
	while (room < queue->n + n)
		room *= 2;
	uint8_t *grown = realloc(queue->bytes, room);
	if (grown == NULL)
		return false;
	queue->bytes = grown;
	queue->room = room;
	return true;
}

void
ward_queue_add(struct ward_queue *queue, const void *bytes, size_t n)
{
	if (n == 0)
		return;
	if (!make_room(queue, n)) {
		queue->failed = true;
		return;
	}
	memcpy(queue->bytes + queue->at + queue->n, bytes, n);
	queue->n += n;
}

void
ward_queue_print(struct ward_queue *queue, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(text))
		queue->failed = true;
	else
		ward_queue_add(queue, text, (size_t)n);
}

int
ward_queue_send(struct ward_queue *queue, int fd, uint64_t *sent)
{
	if (queue->failed)
		return -ENOMEM;
	while (queue->n > 0) {
		ssize_t n = send(fd, queue->bytes + queue->at, queue->n,
		    MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		queue->at += (size_t)n;
		queue->n -= (size_t)n;
		*sent += (uint64_t)n;
	}
	/* an idle connection keeps no memory */
	ward_queue_free(queue);
	return 0;
}
