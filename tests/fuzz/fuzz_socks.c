/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as each message of a SOCKS client: what is done uses no more than
 * there is, and the same however much of it had come before.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "egress/socks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum ward_socks_state
read_part(unsigned part, const uint8_t *data, size_t size, size_t *used,
    struct ward_socks_request *out)
{
	if (part == 0)
		return ward_socks5_greeting(data, size, used);
	return part == 1 ? ward_socks5_request(data, size, used, out)
			 : ward_socks4_request(data, size, used, out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (unsigned part = 0; part < 3; part++) {
		struct ward_socks_request out = { .size = 0 };
		size_t used = 0, again;
		enum ward_socks_state state =
		    read_part(part, data, size, &used, &out);
		if (state != WARD_SOCKS_DONE)
			continue;
		if (used == 0 || used > size || out.size > sizeof(out.host))
			abort();
		if (read_part(part, data, used, &again, &out) !=
			WARD_SOCKS_DONE ||
		    again != used)
			abort();
		if (read_part(part, data, used - 1, &again, &out) !=
		    WARD_SOCKS_MORE)
			abort();
	}
	return 0;
}
