/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as the first of a TLS client: whatever is made of them stays so
 * when more comes.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "egress/hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[256], before[256];
	enum ward_hello whole = ward_hello_read(data, size, name);

	if (whole == WARD_HELLO_NAME && (name[0] == '\0' || strlen(name) > 255))
		abort();
	for (size_t cut = size; cut > 0 && size - cut < 64; cut--) {
		enum ward_hello part = ward_hello_read(data, cut, before);
		if (part == WARD_HELLO_MORE)
			continue;
		if (part != whole ||
		    (part == WARD_HELLO_NAME && strcmp(before, name) != 0))
			abort();
	}
	return 0;
}
