/* SPDX-License-Identifier: ISC */
/* What goes on of an HTTP message. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "egress/http_write.h"

static void
add(struct ward_queue *out, struct ward_slice slice)
{
	ward_queue_add(out, slice.at, slice.n);
}

static void
add_field(struct ward_queue *out, const struct ward_http_field *field)
{
	add(out, field->name);
	ward_queue_add(out, ": ", 2);
	add(out, field->value);
	ward_queue_add(out, "\r\n", 2);
}

/* Between two neighbours only (RFC 9110, 7.6.1), or written anew. */
static bool
stays_here(
    const struct ward_http_head *head, const struct ward_http_field *field)
{
	static const char *const here[] = { "Connection", "Content-Length",
		"Host", "Keep-Alive", "Proxy-Authenticate",
		"Proxy-Authorization", "Proxy-Connection", "TE", "Trailer",
		"Transfer-Encoding", "Upgrade" };

	for (size_t i = 0; i < sizeof(here) / sizeof(here[0]); i++)
		if (ward_slice_is(field->name, here[i]))
			return true;
	for (size_t i = 0; i < head->n_fields; i++)
		if (ward_slice_is(head->fields[i].name, "Connection") &&
		    ward_slice_lists(head->fields[i].value, field->name))
			return true;
	return false;
}

static void
add_fields(struct ward_queue *out, const struct ward_http_head *head)
{
	for (size_t i = 0; i < head->n_fields; i++)
		if (!stays_here(head, &head->fields[i]))
			add_field(out, &head->fields[i]);
}

static void
add_upgrade(struct ward_queue *out, const struct ward_http_head *head)
{
	ward_queue_print(out, "Connection: Upgrade\r\n");
	for (size_t i = 0; i < head->n_fields; i++)
		if (ward_slice_is(head->fields[i].name, "Upgrade"))
			add_field(out, &head->fields[i]);
}

void
ward_http_write_request(struct ward_queue *out,
    const struct ward_http_head *head, struct ward_slice authority,
    struct ward_slice path)
{
	add(out, head->method);
	ward_queue_add(out, " ", 1);
	if (path.n == 0 && ward_slice_is(head->method, "OPTIONS"))
		ward_queue_add(out, "*", 1); /* RFC 9112, 3.2.4 */
	else if (path.n == 0 || path.at[0] != '/')
		ward_queue_add(out, "/", 1);
	add(out, path);
	ward_queue_print(out, " HTTP/1.1\r\nHost: ");
	add(out, authority);
	ward_queue_print(out, "\r\n");
	add_fields(out, head);
	if (head->chunked)
		ward_queue_print(out, "Transfer-Encoding: chunked\r\n");
	else if (head->has_length)
		ward_queue_print(
		    out, "Content-Length: %" PRIu64 "\r\n", head->length);
	if (head->upgrade)
		add_upgrade(out, head);
	ward_queue_print(out, "\r\n");
}

void
ward_http_write_response(struct ward_queue *out,
    const struct ward_http_head *head, enum ward_http_framing framing,
    bool keep, bool switched)
{
	ward_queue_print(out, "HTTP/1.1 %u ", head->status);
	add(out, head->reason);
	ward_queue_print(out, "\r\n");
	add_fields(out, head);
	if (framing == WARD_HTTP_CHUNKED)
		ward_queue_print(out, "Transfer-Encoding: chunked\r\n");
	else if (head->has_length && framing != WARD_HTTP_TO_END)
		ward_queue_print(
		    out, "Content-Length: %" PRIu64 "\r\n", head->length);
	if (switched)
		add_upgrade(out, head);
	else if (head->status >= 200)
		ward_queue_print(
		    out, "Connection: %s\r\n", keep ? "keep-alive" : "close");
	ward_queue_print(out, "\r\n");
}

void
ward_http_write_body(
    struct ward_queue *out, bool chunked, const void *bytes, size_t n)
{
	if (n == 0)
		return;
	if (chunked)
		ward_queue_print(out, "%zx\r\n", n);
	ward_queue_add(out, bytes, n);
	if (chunked)
		ward_queue_add(out, "\r\n", 2);
}

void
ward_http_write_end(struct ward_queue *out, bool chunked)
{
	if (chunked)
		ward_queue_add(out, "0\r\n\r\n", 5);
}
