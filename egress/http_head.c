/* SPDX-License-Identifier: ISC */
/* The head of an HTTP/1 message. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "common/number.h"
#include "egress/http_head.h"

/* --- the lines, before anybody reads what is in them --- */

/* RFC 9110, 5.6.2. */
static bool
is_token_char(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	    (c >= 'a' && c <= 'z') ||
	    (c != '\0' && strchr("!#$%&'*+-.^_`|~", c));
}

static bool
is_good_field(const char *line, size_t n)
{
	size_t name = 0;

	while (name < n && is_token_char((unsigned char)line[name]))
		name++;
	return name > 0 && name < n && line[name] == ':';
}

static enum ward_http_state
bad(const char **why, const char *reason)
{
	*why = reason;
	return WARD_HTTP_BAD;
}

/*
 * Every line ends in CR LF and holds neither of the two, nor another control
 * character; every field begins with its name and a colon, so that none is
 * folded.  DONE at the empty line, with *used behind it.
 */
static enum ward_http_state
check_lines(const char *bytes, size_t size, size_t *used, const char **why)
{
	size_t start = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (c == '\n' && (i == 0 || bytes[i - 1] != '\r'))
			return bad(why, "a line ends in LF alone");
		if (i > 0 && bytes[i - 1] == '\r' && c != '\n')
			return bad(why, "a CR stands within a line");
		if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') ||
		    c == 0x7f)
			return bad(why, "a control character stands in it");
		if (c != '\n')
			continue;
		size_t n = i - 1 - start;
		if (n == 0 && start == 0)
			return bad(why, "it begins with an empty line");
		if (n == 0) {
			*used = i + 1;
			return WARD_HTTP_DONE;
		}
		if (start != 0 && !is_good_field(bytes + start, n))
			return bad(why, "a line is no header field");
		start = i + 1;
	}
	if (size < WARD_HTTP_HEAD_MAX)
		return WARD_HTTP_MORE;
	*why = "its head is too large";
	return WARD_HTTP_TOO_LARGE;
}

/* --- http_parser's callbacks --- */

struct reading {
	struct ward_http_head *head;
	bool in_value, overflow, no_body;
};

static void
extend(struct ward_slice *slice, const char *at, size_t n)
{
	if (slice->at == NULL)
		slice->at = at;
	slice->n = (size_t)(at + n - slice->at);
}

static int
on_url(http_parser *parser, const char *at, size_t n)
{
	const struct reading *reading = parser->data;

	extend(&reading->head->target, at, n);
	return 0;
}

static int
on_status(http_parser *parser, const char *at, size_t n)
{
	const struct reading *reading = parser->data;

	extend(&reading->head->reason, at, n);
	return 0;
}

static int
on_field(http_parser *parser, const char *at, size_t n)
{
	struct reading *reading = parser->data;
	struct ward_http_head *head = reading->head;

	if (reading->in_value || head->n_fields == 0) {
		if (head->n_fields == WARD_HTTP_FIELDS_MAX) {
			reading->overflow = true;
			return 1;
		}
		head->n_fields++;
	}
	reading->in_value = false;
	extend(&head->fields[head->n_fields - 1].name, at, n);
	return 0;
}

static int
on_value(http_parser *parser, const char *at, size_t n)
{
	struct reading *reading = parser->data;
	struct ward_http_head *head = reading->head;

	reading->in_value = true;
	if (head->n_fields > 0)
		extend(&head->fields[head->n_fields - 1].value, at, n);
	return 0;
}

static int
on_headers_complete(http_parser *parser)
{
	const struct reading *reading = parser->data;

	return reading->no_body ? 1 : 0;
}

static const http_parser_settings settings = {
	.on_url = on_url,
	.on_status = on_status,
	.on_header_field = on_field,
	.on_header_value = on_value,
	.on_headers_complete = on_headers_complete,
};

/* --- slices --- */

bool
ward_slice_is(struct ward_slice slice, const char *text)
{
	return slice.n == strlen(text) &&
	    (slice.n == 0 || strncasecmp(slice.at, text, slice.n) == 0);
}

static struct ward_slice
trim(struct ward_slice slice)
{
	while (slice.n > 0 && (slice.at[0] == ' ' || slice.at[0] == '\t')) {
		slice.at++;
		slice.n--;
	}
	while (slice.n > 0 &&
	    (slice.at[slice.n - 1] == ' ' || slice.at[slice.n - 1] == '\t'))
		slice.n--;
	return slice;
}

bool
ward_slice_lists(struct ward_slice list, struct ward_slice token)
{
	while (list.n > 0) {
		const char *comma = memchr(list.at, ',', list.n);
		size_t n = comma == NULL ? list.n : (size_t)(comma - list.at);
		struct ward_slice one = trim((struct ward_slice){ list.at, n });

		if (one.n == token.n && one.n > 0 &&
		    strncasecmp(one.at, token.at, one.n) == 0)
			return true;
		n += comma != NULL;
		list.at += n;
		list.n -= n;
	}
	return false;
}

/* --- what the fields mean together --- */

struct framing {
	size_t hosts, lengths, encodings;
	bool other_encoding;
};

static void
count_fields(struct ward_http_head *head, struct framing *framing)
{
	for (size_t i = 0; i < head->n_fields; i++) {
		struct ward_http_field *field = &head->fields[i];

		field->value = trim(field->value);
		if (ward_slice_is(field->name, "Host")) {
			framing->hosts++;
			head->host = field;
		} else if (ward_slice_is(field->name, "Content-Length")) {
			framing->lengths++;
		} else if (ward_slice_is(field->name, "Transfer-Encoding")) {
			framing->encodings++;
			if (!ward_slice_is(field->value, "chunked"))
				framing->other_encoding = true;
		}
	}
	head->chunked = framing->encodings > 0;
	head->has_length = framing->lengths > 0;
}

/* Whatever could be framed in two ways: request smuggling lives of those. */
static enum ward_http_state
check_framing(const struct ward_http_head *head, const struct framing *framing,
    const char **why)
{
	if (framing->lengths > 1)
		return bad(why, "it has two Content-Length");
	if (framing->encodings > 1 || framing->other_encoding)
		return bad(why, "its Transfer-Encoding is not chunked alone");
	if (head->chunked && head->has_length)
		return bad(
		    why, "it has both Content-Length and Transfer-Encoding");
	if (head->chunked && head->minor == 0)
		return bad(why, "HTTP/1.0 has no Transfer-Encoding");
	return WARD_HTTP_DONE;
}

/* The head's bytes are whole and their lines are good. */
static enum ward_http_state
parse(const char *bytes, size_t size, enum http_parser_type type, bool no_body,
    http_parser *parser, struct ward_http_head *out, const char **why)
{
	struct reading reading = { .head = out, .no_body = no_body };
	struct framing framing = { 0 };

	memset(out, 0, sizeof(*out));
	http_parser_init(parser, type);
	parser->data = &reading;
	size_t n = http_parser_execute(parser, &settings, bytes, size);
	parser->data = NULL;
	if (reading.overflow) {
		*why = "it has too many header fields";
		return WARD_HTTP_TOO_LARGE;
	}
	if (HTTP_PARSER_ERRNO(parser) != HPE_OK)
		return bad(
		    why, http_errno_description(HTTP_PARSER_ERRNO(parser)));
	if (n != size)
		return bad(why, "it ends before its end");
	out->minor = parser->http_minor;
	if (parser->http_major != 1 || out->minor > 1)
		return bad(why, "it is neither HTTP/1.0 nor HTTP/1.1");
	count_fields(out, &framing);
	out->length = out->has_length ? parser->content_length : 0;
	out->keep_alive = http_should_keep_alive(parser) != 0;
	out->upgrade = parser->upgrade != 0;
	if (type == HTTP_REQUEST && framing.hosts > 1)
		return bad(why, "it has two Host");
	return check_framing(out, &framing, why);
}

enum ward_http_state
ward_http_request_read(const char *bytes, size_t size, size_t *used,
    http_parser *parser, struct ward_http_head *out, const char **why)
{
	enum ward_http_state state = check_lines(bytes, size, used, why);

	if (state != WARD_HTTP_DONE)
		return state;
	state = parse(bytes, *used, HTTP_REQUEST, false, parser, out, why);
	if (state != WARD_HTTP_DONE)
		return state;
	out->method.at = bytes;
	out->method.n =
	    (size_t)((const char *)memchr(bytes, ' ', *used) - bytes);
	if (out->minor == 1 && out->host == NULL)
		return bad(why, "it has no Host");
	if (parser->method == HTTP_CONNECT && (out->chunked || out->length > 0))
		return bad(why, "a CONNECT has no body");
	return WARD_HTTP_DONE;
}

enum ward_http_state
ward_http_response_read(const char *bytes, size_t size, bool no_body,
    size_t *used, http_parser *parser, struct ward_http_head *out,
    const char **why)
{
	enum ward_http_state state = check_lines(bytes, size, used, why);

	if (state != WARD_HTTP_DONE)
		return state;
	state = parse(bytes, *used, HTTP_RESPONSE, no_body, parser, out, why);
	out->status = parser->status_code;
	return state;
}

/* --- targets --- */

static bool
read_port(struct ward_slice digits, uint16_t *port)
{
	char text[sizeof("65535")];
	uint64_t value;

	if (digits.n == 0 || digits.n >= sizeof(text))
		return false;
	memcpy(text, digits.at, digits.n);
	text[digits.n] = '\0';
	if (ward_number_parse(text, UINT16_MAX, &value) != 0)
		return false;
	*port = (uint16_t)value;
	return true;
}

bool
ward_http_authority(
    struct ward_slice text, struct ward_slice *host, uint16_t *port)
{
	const char *colon = memrchr(text.at, ':', text.n);
	const char *bracket = memrchr(text.at, ']', text.n);

	*host = text;
	if (text.n == 0 || memchr(text.at, '@', text.n) != NULL)
		return false;
	if (colon == NULL || (bracket != NULL && colon < bracket))
		return true;
	/* an IPv6 address without brackets has no port that could be told */
	if (bracket == NULL && memchr(text.at, ':', text.n) != colon)
		return false;
	host->n = (size_t)(colon - text.at);
	return read_port(
	    (struct ward_slice){ colon + 1, text.n - host->n - 1 }, port);
}

bool
ward_http_absolute(struct ward_slice target, struct ward_slice *authority,
    struct ward_slice *path)
{
	static const char scheme[] = "http://";
	size_t skip = sizeof(scheme) - 1, n = 0;

	if (target.n <= skip || strncasecmp(target.at, scheme, skip) != 0)
		return false;
	authority->at = target.at + skip;
	while (skip + n < target.n && strchr("/?#", authority->at[n]) == NULL)
		n++;
	authority->n = n;
	path->at = authority->at + n;
	path->n = target.n - skip - n;
	return n > 0 && memchr(path->at, '#', path->n) == NULL;
}

int
ward_http_looks_so(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == ' ')
			return i > 0 ? 1 : 0;
		if (i == 20 ||
		    ((bytes[i] < 'A' || bytes[i] > 'Z') && bytes[i] != '-'))
			return 0;
	}
	return -1;
}
