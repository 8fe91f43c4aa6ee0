/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as a record, read as each type: what is taken must be safe to read
 * and must encode to the very same bytes.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/wire_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
give_up(int type, const char *why)
{
	(void)fprintf(stderr, "type %d: %s\n", type, why);
	abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ward_wire wire, again;
	static struct wire_message m;
	int taken = 0;

	if (size > sizeof(wire.data))
		return 0;
	memcpy(wire.data, data, size);
	wire.size = size;
	for (int type = WARD_WIRE_OPEN; type <= WARD_WIRE_LAST; type++) {
		if (wire_message_get(&wire, type, &m) != 0)
			continue;
		const char *wrong = wire_message_wrong(&m);
		if (wrong != NULL)
			give_up(type, wrong);
		if (wire_message_put(&again, &m) != 0)
			give_up(type, "read, but does not encode");
		if (again.size != size || memcmp(again.data, data, size) != 0)
			give_up(type, "encodes to another record");
		taken++;
	}
	if (taken > 1)
		give_up(ward_wire_type(&wire), "and of other types too");
	return 0;
}
