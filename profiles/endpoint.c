/* SPDX-License-Identifier: ISC */
/* The grammar of the entries of network.allow and its like. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/number.h"
#include "profiles/network.h"

static int
bad(const char **why, const char *reason)
{
	*why = reason;
	return -EINVAL;
}

static int
read_port(const char *text, size_t size, uint16_t *port, const char **why)
{
	char digits[sizeof("65535")];
	uint64_t value = 0;

	if (size > 0 && size < sizeof(digits) &&
	    memchr(text, '\0', size) == NULL) {
		memcpy(digits, text, size);
		digits[size] = '\0';
		if (ward_number_parse(digits, UINT16_MAX, &value) != 0)
			value = 0;
	}
	if (value == 0)
		return bad(why, "a port is a number from 1 to 65535");
	*port = (uint16_t)value;
	return 0;
}

/* Cuts ":port" off; *size is then the host's. */
static int
cut_port(const char *text, size_t *size, uint16_t *port, const char **why)
{
	const char *colon = memrchr(text, ':', *size);
	const char *first = memchr(text, ':', *size);
	const char *closing = memrchr(text, ']', *size);

	*port = 0;
	if (colon == NULL || (closing != NULL && colon < closing))
		return 0;
	if (closing == NULL && first != colon)
		return bad(why, "an IPv6 address is written in brackets");
	size_t host = (size_t)(colon - text);
	size_t rest = *size - host - 1;
	*size = host;
	return read_port(colon + 1, rest, port, why);
}

/* What people write by habit, and what it should have been. */
static int
check_habits(const char *text, size_t size, const char **why)
{
	if (memmem(text, size, "://", 3) != NULL)
		return bad(why, "an entry is a host, without scheme://");
	if (memchr(text, '/', size) != NULL)
		return bad(why, "an entry is a host and a port, without path");
	if (memchr(text, '@', size) != NULL)
		return bad(why, "an entry is a host, without a user");
	return 0;
}

static int
read_below(
    const char *text, size_t size, struct ward_endpoint *out, const char **why)
{
	out->kind = WARD_ENDPOINT_BELOW;
	int r = ward_host_read(text, size, &out->host, why);
	if (r != 0)
		return r;
	if (out->host.kind != WARD_HOST_NAME)
		return bad(why, "*. stands before a name, not an address");
	if (strchr(out->host.text, '.') == NULL)
		return bad(why, "*. stands before at least two labels");
	return 0;
}

int
ward_endpoint_read(const char *text, size_t size, bool any_allowed,
    struct ward_endpoint *out, const char **why)
{
	int r = check_habits(text, size, why);

	if (r == 0)
		r = cut_port(text, &size, &out->port, why);
	if (r != 0)
		return r;
	if (size == 1 && text[0] == '*') {
		if (!any_allowed)
			return bad(why, "* alone is for deny only");
		memset(&out->host, 0, sizeof(out->host));
		out->kind = WARD_ENDPOINT_ANY;
		return 0;
	}
	if (size > 2 && text[0] == '*' && text[1] == '.')
		return read_below(text + 2, size - 2, out, why);
	if (memchr(text, '*', size) != NULL)
		return bad(why, "* stands only at the beginning, as in *.x.y");
	out->kind = WARD_ENDPOINT_HOST;
	return ward_host_read(text, size, &out->host, why);
}

bool
ward_endpoint_matches(const struct ward_endpoint *endpoint,
    const struct ward_host *host, uint16_t port)
{
	if (endpoint->port != 0 && endpoint->port != port)
		return false;
	switch (endpoint->kind) {
	case WARD_ENDPOINT_ANY:
		return true;
	case WARD_ENDPOINT_HOST:
		return ward_host_equal(&endpoint->host, host);
	case WARD_ENDPOINT_BELOW:
		return ward_host_is_below(host, &endpoint->host);
	}
	return false; /* fail safe */
}

bool
ward_endpoint_covers(
    const struct ward_endpoint *outer, const struct ward_endpoint *inner)
{
	if (outer->port != 0 && outer->port != inner->port)
		return false;
	if (outer->kind == WARD_ENDPOINT_ANY)
		return true;
	if (inner->kind == WARD_ENDPOINT_ANY)
		return false;
	bool same = ward_host_equal(&outer->host, &inner->host);
	if (outer->kind == WARD_ENDPOINT_HOST)
		return same && inner->kind == WARD_ENDPOINT_HOST;
	return (same && inner->kind == WARD_ENDPOINT_BELOW) ||
	    ward_host_is_below(&inner->host, &outer->host);
}

int
ward_endpoint_compare(
    const struct ward_endpoint *a, const struct ward_endpoint *b)
{
	static const int widths[] = {
		[WARD_ENDPOINT_HOST] = 0,
		[WARD_ENDPOINT_BELOW] = 1,
		[WARD_ENDPOINT_ANY] = 2,
	};
	size_t long_a = strlen(a->host.text), long_b = strlen(b->host.text);

	if (a->kind != b->kind)
		return widths[a->kind] - widths[b->kind];
	/* of two zones with a name in both, the longer is the inner one */
	if (long_a != long_b)
		return long_a > long_b ? -1 : 1;
	int r = strcmp(a->host.text, b->host.text);
	/* no port is every port */
	return r != 0 ? r : (b->port > a->port) - (b->port < a->port);
}

int
ward_upstream_read(
    const char *text, struct ward_net_upstream *out, const char **why)
{
	static const char scheme[] = "http://";
	struct ward_endpoint endpoint;

	out->host = NULL;
	out->port = 0;
	if (strcmp(text, "none") == 0)
		return 0;
	if (strncmp(text, scheme, sizeof(scheme) - 1) != 0)
		return bad(why, "a proxy is written http://host:port, or none");
	text += sizeof(scheme) - 1;
	int r = ward_endpoint_read(text, strlen(text), false, &endpoint, why);
	if (r != 0)
		return r;
	if (endpoint.kind != WARD_ENDPOINT_HOST || endpoint.port == 0)
		return bad(why,
		    "a proxy is one host with its port, such as "
		    "http://proxy.example.org:3128");
	out->host = strdup(endpoint.host.text);
	out->port = endpoint.port;
	return out->host == NULL ? -ENOMEM : 0;
}

const char *
ward_upstream_text(
    const struct ward_net_upstream *upstream, char out[WARD_UPSTREAM_TEXT_MAX])
{
	if (upstream->host == NULL) {
		(void)snprintf(out, WARD_UPSTREAM_TEXT_MAX, "none");
		return out;
	}
	bool six = strchr(upstream->host, ':') != NULL;
	(void)snprintf(out, WARD_UPSTREAM_TEXT_MAX, "http://%s%.253s%s:%u",
	    six ? "[" : "", upstream->host, six ? "]" : "", upstream->port);
	return out;
}
