/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as a request and as a response: what is taken uses no more than
 * there is, no less of it is taken for whole, and what is written of it is read
 * again as the same message.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "egress/http_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum ward_http_state
read_head(bool request, const char *bytes, size_t size, size_t *used,
    struct ward_http_head *head)
{
	http_parser parser;
	const char *why;

	return request
	    ? ward_http_request_read(bytes, size, used, &parser, head, &why)
	    : ward_http_response_read(
		  bytes, size, false, used, &parser, head, &why);
}

/* It says the same of its body, and nothing of it stays between neighbours. */
static void
check_again(bool request, const struct ward_http_head *head)
{
	static struct ward_http_head again;
	struct ward_queue queue = { .n = 0 };
	struct ward_slice authority, path;
	size_t used;

	if (request) {
		if (!ward_http_absolute(head->target, &authority, &path))
			return;
		ward_http_write_request(&queue, head, authority, path);
	} else {
		ward_http_write_response(&queue, head,
		    head->chunked          ? WARD_HTTP_CHUNKED
			: head->has_length ? WARD_HTTP_LENGTH
					   : WARD_HTTP_TO_END,
		    false, false);
	}
	/* what grows beyond a head is refused by who reads it */
	if (queue.n >= WARD_HTTP_HEAD_MAX) {
		ward_queue_free(&queue);
		return;
	}
	if (read_head(request, (const char *)queue.bytes + queue.at, queue.n,
		&used, &again) != WARD_HTTP_DONE ||
	    used != queue.n || again.chunked != head->chunked ||
	    again.has_length != head->has_length ||
	    again.length != head->length || again.status != head->status)
		abort();
	ward_queue_free(&queue);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ward_http_head head, part;
	const char *bytes = (const char *)data;

	(void)ward_http_looks_so(data, size);
	for (int request = 0; request < 2; request++) {
		size_t used = 0, of_part;

		if (size > WARD_HTTP_HEAD_MAX ||
		    read_head(request != 0, bytes, size, &used, &head) !=
			WARD_HTTP_DONE)
			continue;
		if (used == 0 || used > size)
			abort();
		if (read_head(request != 0, bytes, used - 1, &of_part, &part) !=
		    WARD_HTTP_MORE)
			abort();
		check_again(request != 0, &head);
	}
	return 0;
}
