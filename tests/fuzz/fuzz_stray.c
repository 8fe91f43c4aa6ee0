/* SPDX-License-Identifier: ISC */
/* Any bytes as what nfnetlink_log and nf_tables send. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/stray.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* of its very size, and aligned */
	uint8_t *copy = malloc(size == 0 ? 1 : size);
	struct ward_stray stray;

	if (copy == NULL)
		return 0;
	if (size > 0)
		memcpy(copy, data, size);
	const void *at = copy;
	size_t left = size;
	while (ward_stray_next(&at, &left, &stray)) {
		if ((const uint8_t *)at <= copy || left > size)
			abort();
		if (stray.kind == WARD_STRAY_PACKET &&
		    (ward_stray_name(stray.protocol)[0] == '\0' ||
			stray.from.port > UINT16_MAX ||
			stray.to.port > UINT16_MAX))
			abort();
	}
	free(copy);
	return 0;
}
