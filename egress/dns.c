/* SPDX-License-Identifier: ISC */
/* DNS messages. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "egress/dns.h"

#define HEADER              12
#define LABEL_MAX           63
#define TYPE_OPT            41
#define CLASS_IN            1
#define FLAG_ANSWER         0x8000
#define FLAG_AUTHORITATIVE  0x0400
#define FLAG_RECURSION      0x0100
#define FLAG_AVAILABLE      0x0080
#define OPCODE(flags)       ((flags) >> 11 & 0xf)
/* What fits into any path's packets (RFC 9715). */
#define UDP_SIZE            1232
/* The name of a record: the question's, by its place. */
#define POINTER_TO_QUESTION (0xc000 | HEADER)

static uint16_t
get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint8_t *
put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
	return at + 2;
}

static uint8_t *
put32(uint8_t *at, uint32_t value)
{
	return put16(put16(at, value >> 16), value & 0xffff);
}

/*
 * Reads the name at message[*at] and moves *at behind it.  A question is the
 * first name of its message: it has nothing to point at.
 */
static bool
read_name(const uint8_t *message, size_t size, size_t *at,
    struct ward_dns_query *query)
{
	size_t n = 0;

	for (;;) {
		if (*at >= size)
			return false;
		size_t label = message[(*at)++];
		if (label == 0)
			break;
		if (label > LABEL_MAX || label > size - *at ||
		    n + label + 1 >= sizeof(query->name))
			return false;
		if (n > 0)
			query->name[n++] = '.';
		memcpy(query->name + n, message + *at, label);
		/* it would read as another name */
		if (memchr(query->name + n, '.', label) != NULL ||
		    memchr(query->name + n, '\0', label) != NULL)
			query->code = WARD_DNS_NO_SUCH_NAME;
		n += label;
		*at += label;
	}
	query->name[n] = '\0';
	return true;
}

/* Whether there is an OPT record first among what follows the question. */
static bool
has_edns(const uint8_t *message, size_t size, size_t at)
{
	return get16(message + 6) == 0 && get16(message + 8) == 0 &&
	    get16(message + 10) > 0 && size - at >= 11 && message[at] == 0 &&
	    get16(message + at + 1) == TYPE_OPT;
}

int
ward_dns_read(const uint8_t *message, size_t size, struct ward_dns_query *query)
{
	size_t at = HEADER;

	memset(query, 0, sizeof(*query));
	if (size < HEADER)
		return -EINVAL;
	unsigned flags = get16(message + 2);
	if (flags & FLAG_ANSWER)
		return -EINVAL;
	query->id = get16(message);
	query->recursion_desired = (flags & FLAG_RECURSION) != 0;
	if (OPCODE(flags) != 0) {
		query->code = WARD_DNS_NOT_IMPLEMENTED;
		return 0;
	}
	if (get16(message + 4) != 1 || !read_name(message, size, &at, query) ||
	    size - at < 4) {
		query->code = WARD_DNS_FORMAT_ERROR;
		return 0;
	}
	query->type = get16(message + at);
	if (get16(message + at + 2) != CLASS_IN)
		query->code = WARD_DNS_NOT_IMPLEMENTED;
	at += 4;
	query->question_size = at - HEADER;
	query->edns = has_edns(message, size, at);
	return 0;
}

static uint8_t *
put_address(uint8_t *at, const struct in6_addr *address, uint32_t seconds)
{
	bool v4 = IN6_IS_ADDR_V4MAPPED(address);
	unsigned size = v4 ? 4 : 16;

	at = put16(at, POINTER_TO_QUESTION);
	at = put16(at, v4 ? WARD_DNS_A : WARD_DNS_AAAA);
	at = put16(at, CLASS_IN);
	at = put32(at, seconds);
	at = put16(at, size);
	memcpy(at, address->s6_addr + (16 - size), size);
	return at + size;
}

static uint8_t *
put_edns(uint8_t *at)
{
	*at++ = 0;
	at = put16(at, TYPE_OPT);
	at = put16(at, UDP_SIZE);
	at = put32(at, 0);
	return put16(at, 0);
}

size_t
ward_dns_answer(uint8_t out[WARD_DNS_ANSWER_MAX], const uint8_t *message,
    const struct ward_dns_query *query, enum ward_dns_code code,
    const struct in6_addr *address, uint32_t seconds)
{
	bool answered = code == WARD_DNS_OK && address != NULL;
	unsigned flags = FLAG_ANSWER | FLAG_AUTHORITATIVE | FLAG_AVAILABLE |
	    (query->recursion_desired ? FLAG_RECURSION : 0) | code;
	uint8_t *at = out;

	/* header 12, question 259, record 28, OPT 11: it fits */
	at = put16(at, query->id);
	at = put16(at, flags);
	at = put16(at, query->question_size > 0);
	at = put16(at, answered);
	at = put16(at, 0);
	at = put16(at, query->edns);
	memcpy(at, message + HEADER, query->question_size);
	at += query->question_size;
	if (answered)
		at = put_address(at, address, seconds);
	if (query->edns)
		at = put_edns(at);
	return (size_t)(at - out);
}
