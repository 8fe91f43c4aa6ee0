/* SPDX-License-Identifier: ISC */
/* Any bytes as a DNS message; what is answered must be one itself. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "egress/dns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct in6_addr addresses[] = { IN6ADDR_LOOPBACK_INIT,
		{ { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 198, 18, 0,
		    1 } } } };
	uint8_t out[WARD_DNS_ANSWER_MAX];
	struct ward_dns_query query, again;

	if (ward_dns_read(data, size, &query) != 0)
		return 0;
	for (unsigned i = 0; i < 2; i++) {
		size_t n = ward_dns_answer(
		    out, data, &query, query.code, &addresses[i], 60);
		if (n < 12 || n > sizeof(out) || memcmp(out, data, 2) != 0)
			abort();
		/* as a question, it is the same one */
		out[2] &= 0x7f;
		if (ward_dns_read(out, n, &again) != 0)
			abort();
		if (query.question_size > 0 &&
		    (again.type != query.type ||
			strcmp(again.name, query.name) != 0))
			abort();
	}
	return 0;
}
