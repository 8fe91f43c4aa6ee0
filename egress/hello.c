/* SPDX-License-Identifier: ISC */
/* The name in a ClientHello. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "egress/hello.h"

enum { RECORD_HANDSHAKE = 22, CLIENT_HELLO = 1 };
enum { EXTENSION_SERVER_NAME = 0, NAME_HOST = 0 };

#define RECORD_HEADER    5
#define HANDSHAKE_HEADER 4

/* What is left to read; every take checks. */
struct cursor {
	const uint8_t *at;
	size_t left;
};

static bool
take(struct cursor *c, size_t size, struct cursor *out)
{
	if (c->left < size)
		return false;
	*out = (struct cursor){ c->at, size };
	c->at += size;
	c->left -= size;
	return true;
}

static bool
take_number(struct cursor *c, size_t bytes, size_t *value)
{
	struct cursor number;

	if (!take(c, bytes, &number))
		return false;
	*value = 0;
	for (size_t i = 0; i < bytes; i++)
		*value = *value << 8 | number.at[i];
	return true;
}

/* A vector: its size in so many bytes, then what it has. */
static bool
take_vector(struct cursor *c, size_t bytes, struct cursor *out)
{
	size_t size;

	return take_number(c, bytes, &size) && take(c, size, out);
}

static enum ward_hello
read_names(struct cursor extension, char name[256])
{
	struct cursor list, one;
	size_t type;

	if (!take_vector(&extension, 2, &list) || extension.left != 0)
		return WARD_HELLO_BAD;
	while (list.left > 0) {
		if (!take_number(&list, 1, &type) ||
		    !take_vector(&list, 2, &one))
			return WARD_HELLO_BAD;
		if (type != NAME_HOST)
			continue;
		if (one.left == 0 || one.left > 255 ||
		    memchr(one.at, '\0', one.left) != NULL)
			return WARD_HELLO_BAD;
		memcpy(name, one.at, one.left);
		name[one.left] = '\0';
		return WARD_HELLO_NAME;
	}
	return WARD_HELLO_NO_NAME;
}

static enum ward_hello
read_extensions(struct cursor all, char name[256])
{
	struct cursor extension;
	size_t type;
	enum ward_hello found = WARD_HELLO_NO_NAME;

	while (all.left > 0) {
		if (!take_number(&all, 2, &type) ||
		    !take_vector(&all, 2, &extension))
			return WARD_HELLO_BAD;
		if (type != EXTENSION_SERVER_NAME)
			continue;
		/* a server could read the other one */
		if (found != WARD_HELLO_NO_NAME)
			return WARD_HELLO_BAD;
		found = read_names(extension, name);
		if (found == WARD_HELLO_BAD)
			return found;
	}
	return found;
}

/* body: a whole ClientHello without its header. */
static enum ward_hello
read_body(struct cursor body, char name[256])
{
	struct cursor ignored, extensions;

	if (!take(&body, 2 + 32, &ignored) ||   /* version, random */
	    !take_vector(&body, 1, &ignored) || /* session */
	    !take_vector(&body, 2, &ignored) || /* ciphers */
	    !take_vector(&body, 1, &ignored))   /* compression */
		return WARD_HELLO_BAD;
	if (body.left == 0)
		return WARD_HELLO_NO_NAME;
	if (!take_vector(&body, 2, &extensions) || body.left != 0)
		return WARD_HELLO_BAD;
	return read_extensions(extensions, name);
}

/*
 * Takes the next record's part of the handshake.  Records are a framing of
 * their own: a hello may be cut anywhere, also within its header.
 */
static enum ward_hello
join_record(struct cursor *c, uint8_t *joined, size_t *n)
{
	struct cursor part;
	size_t type, version, size;

	if (!take_number(c, 1, &type))
		return WARD_HELLO_MORE;
	if (type != RECORD_HANDSHAKE)
		return *n == 0 ? WARD_HELLO_NOT_TLS : WARD_HELLO_BAD;
	if (!take_number(c, 2, &version))
		return WARD_HELLO_MORE;
	if (version >> 8 != 3)
		return *n == 0 ? WARD_HELLO_NOT_TLS : WARD_HELLO_BAD;
	if (!take_number(c, 2, &size))
		return WARD_HELLO_MORE;
	if (size == 0 || size > WARD_HELLO_MAX - *n)
		return WARD_HELLO_BAD;
	if (!take(c, size, &part))
		return WARD_HELLO_MORE;
	memcpy(joined + *n, part.at, part.left);
	*n += part.left;
	return WARD_HELLO_NAME; /* a part was taken */
}

enum ward_hello
ward_hello_read(const uint8_t *bytes, size_t size, char name[256])
{
	uint8_t joined[WARD_HELLO_MAX];
	struct cursor c = { bytes, size };
	size_t n = 0, wanted = HANDSHAKE_HEADER;

	while (n < wanted) {
		enum ward_hello r = join_record(&c, joined, &n);
		if (r != WARD_HELLO_NAME)
			return r;
		if (joined[0] != CLIENT_HELLO)
			return WARD_HELLO_BAD;
		if (n >= HANDSHAKE_HEADER)
			wanted = HANDSHAKE_HEADER +
			    ((size_t)joined[1] << 16 | (size_t)joined[2] << 8 |
				joined[3]);
		if (wanted > WARD_HELLO_MAX)
			return WARD_HELLO_BAD;
	}
	return read_body((struct cursor){ joined + HANDSHAKE_HEADER,
			     wanted - HANDSHAKE_HEADER },
	    name);
}
