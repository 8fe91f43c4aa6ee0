/* SPDX-License-Identifier: ISC */
/* The grammar of the entries of network.allow and its like. */
#include "config.h"

#include <errno.h>
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
