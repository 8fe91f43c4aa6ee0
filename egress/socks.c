/* SPDX-License-Identifier: ISC */
/* What a SOCKS client says, and is told. */
#include "config.h"

#include <arpa/inet.h>
#include <string.h>

#include "egress/socks.h"

enum { VERSION_4 = 4, VERSION_5 = 5 };
enum { METHOD_NONE = 0, METHOD_NOT_ANY = 0xff };
enum { COMMAND_CONNECT = 1 };
enum { TYPE_IPV4 = 1, TYPE_NAME = 3, TYPE_IPV6 = 4 };
enum { GRANTED_4 = 90, REFUSED_4 = 91 };

/* What a user of 4 may be called. */
#define USER_MAX 255

enum ward_socks_state
ward_socks5_greeting(const uint8_t *bytes, size_t size, size_t *used)
{
	if (size > 0 && bytes[0] != VERSION_5)
		return WARD_SOCKS_BAD;
	if (size < 2 || size - 2 < bytes[1])
		return WARD_SOCKS_MORE;
	*used = 2 + (size_t)bytes[1];
	return memchr(bytes + 2, METHOD_NONE, bytes[1]) != NULL
	    ? WARD_SOCKS_DONE
	    : WARD_SOCKS_NO_METHOD;
}

static uint16_t
get_port(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static void
set_address(int family, const uint8_t *at, struct ward_socks_request *out)
{
	/* it fits: INET6_ADDRSTRLEN is 46 */
	(void)inet_ntop(family, at, out->host, sizeof(out->host));
	out->size = strlen(out->host);
}

enum ward_socks_state
ward_socks5_request(const uint8_t *bytes, size_t size, size_t *used,
    struct ward_socks_request *out)
{
	size_t address;

	if (size > 0 && bytes[0] != VERSION_5)
		return WARD_SOCKS_BAD;
	if (size < 5)
		return WARD_SOCKS_MORE;
	if (bytes[1] != COMMAND_CONNECT)
		return WARD_SOCKS_NO_COMMAND;
	switch (bytes[3]) {
	case TYPE_IPV4:
		address = 4;
		break;
	case TYPE_IPV6:
		address = 16;
		break;
	case TYPE_NAME:
		address = 1 + (size_t)bytes[4];
		break;
	default:
		return WARD_SOCKS_NO_ADDRESS;
	}
	if (size < 4 + address + 2)
		return WARD_SOCKS_MORE;
	if (bytes[3] == TYPE_NAME) {
		memcpy(out->host, bytes + 5, bytes[4]);
		out->size = bytes[4];
	} else {
		set_address(
		    bytes[3] == TYPE_IPV4 ? AF_INET : AF_INET6, bytes + 4, out);
	}
	out->port = get_port(bytes + 4 + address);
	*used = 4 + address + 2;
	return WARD_SOCKS_DONE;
}

/*
 * Finds the zero that ends a text of at most most bytes; *end is then behind
 * it.
 */
static enum ward_socks_state
find_end(
    const uint8_t *bytes, size_t size, size_t from, size_t most, size_t *end)
{
	size_t here = size - from;
	const uint8_t *zero =
	    memchr(bytes + from, '\0', here < most + 1 ? here : most + 1);

	if (zero == NULL)
		return here > most ? WARD_SOCKS_BAD : WARD_SOCKS_MORE;
	*end = (size_t)(zero - bytes) + 1;
	return WARD_SOCKS_DONE;
}

enum ward_socks_state
ward_socks4_request(const uint8_t *bytes, size_t size, size_t *used,
    struct ward_socks_request *out)
{
	static const uint8_t a_name_follows[3] = { 0, 0, 0 };
	size_t user_end, end;

	if (size > 0 && bytes[0] != VERSION_4)
		return WARD_SOCKS_BAD;
	if (size < 9)
		return WARD_SOCKS_MORE;
	if (bytes[1] != COMMAND_CONNECT)
		return WARD_SOCKS_NO_COMMAND;
	enum ward_socks_state state =
	    find_end(bytes, size, 8, USER_MAX, &user_end);
	if (state != WARD_SOCKS_DONE)
		return state;
	out->port = get_port(bytes + 2);
	if (memcmp(bytes + 4, a_name_follows, 3) != 0 || bytes[7] == 0) {
		set_address(AF_INET, bytes + 4, out);
		*used = user_end;
		return WARD_SOCKS_DONE;
	}
	state = find_end(bytes, size, user_end, sizeof(out->host) - 1, &end);
	if (state != WARD_SOCKS_DONE)
		return state;
	out->size = end - 1 - user_end;
	memcpy(out->host, bytes + user_end, out->size);
	*used = end;
	return WARD_SOCKS_DONE;
}

void
ward_socks5_method(uint8_t out[WARD_SOCKS5_METHOD_SIZE], bool accepted)
{
	out[0] = VERSION_5;
	out[1] = accepted ? METHOD_NONE : METHOD_NOT_ANY;
}

void
ward_socks5_reply(
    uint8_t out[WARD_SOCKS5_REPLY_SIZE], enum ward_socks5_reply code)
{
	memset(out, 0, WARD_SOCKS5_REPLY_SIZE);
	out[0] = VERSION_5;
	out[1] = (uint8_t)code;
	out[3] = TYPE_IPV4;
}

void
ward_socks4_reply(uint8_t out[WARD_SOCKS4_REPLY_SIZE], bool granted)
{
	memset(out, 0, WARD_SOCKS4_REPLY_SIZE);
	out[1] = granted ? GRANTED_4 : REFUSED_4;
}
