/* SPDX-License-Identifier: ISC */
/*
 * The name that a TLS client asks for, from the first bytes that it sends (RFC
 * 8446, RFC 6066).  Pure, over what has come so far; only the egress uses it.
 */
#ifndef WARD_EGRESS_HELLO_H
#define WARD_EGRESS_HELLO_H

#include <stddef.h>
#include <stdint.h>

/* What a ClientHello may be long; browsers send under 2 KiB. */
#define WARD_HELLO_MAX 16384

enum ward_hello {
	WARD_HELLO_MORE,    /* not whole yet: ask again with more */
	WARD_HELLO_NOT_TLS, /* it is something else */
	WARD_HELLO_NAME,    /* it asks for a name */
	WARD_HELLO_NO_NAME, /* it asks for none */
	WARD_HELLO_BAD,     /* it begins as TLS and is none, or too long */
};

/*
 * Of NAME, name is the first of the hello's host names, as spelt (any byte but
 * zero).
 */
enum ward_hello
ward_hello_read(const uint8_t *bytes, size_t size, char name[256]);

#endif
