/* SPDX-License-Identifier: ISC */
/*
 * DNS messages (RFC 1035, RFC 6891): one question in, one answer out.  Pure;
 * only the egress uses it, and it never asks anybody.
 */
#ifndef WARD_EGRESS_DNS_H
#define WARD_EGRESS_DNS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an answer needs at most: header, question, one record, OPT. */
#define WARD_DNS_ANSWER_MAX 512

enum ward_dns_code {
	WARD_DNS_OK = 0,
	WARD_DNS_FORMAT_ERROR = 1,
	WARD_DNS_SERVER_FAILURE = 2,
	WARD_DNS_NO_SUCH_NAME = 3,
	WARD_DNS_NOT_IMPLEMENTED = 4,
};

enum ward_dns_type {
	WARD_DNS_A = 1,
	WARD_DNS_AAAA = 28,
};

struct ward_dns_query {
	uint16_t id;
	bool recursion_desired;
	bool edns;
	/* What the question is refused with as it stands; OK if it is good. */
	enum ward_dns_code code;
	uint16_t type;        /* any: not only those of ward_dns_type */
	size_t question_size; /* bytes behind the header; 0 if unreadable */
	char name[254]; /* labels and dots, as spelt; "" is the root.  What
			   no host name can hold is NO_SUCH_NAME */
};

/*
 * Reads a message of size bytes.  -EINVAL for what gets no answer at all (it is
 * too short, or itself an answer); else 0, also where query->code is a
 * refusal.
 */
int ward_dns_read(
    const uint8_t *message, size_t size, struct ward_dns_query *query);

/*
 * Writes the answer to message, which query was read from: address, if there
 * is one and the code is OK, with seconds to live.  An IPv4 address answers A
 * and any other AAAA.  Returns its size, at most WARD_DNS_ANSWER_MAX.
 */
size_t ward_dns_answer(uint8_t out[WARD_DNS_ANSWER_MAX], const uint8_t *message,
    const struct ward_dns_query *query, enum ward_dns_code code,
    const struct in6_addr *address, uint32_t seconds);

#endif
