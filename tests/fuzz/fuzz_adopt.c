/* SPDX-License-Identifier: ISC */
/*
 * What adopting reads: a record that is accepted is printed as one with the
 * same text, and subordinate ids that are taken out of a file can be put back,
 * after which that changes nothing.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/adopt_check.h"
#include "ctl/record.h"
#include "ctl/subids.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
try_record(const char *text)
{
	struct ward_record record, again;

	if (ward_record_parse(text, &record, NULL) != 0)
		return;
	char *printed = ward_record_print(&record);
	if (printed == NULL || ward_record_parse(printed, &again, NULL) != 0)
		abort();
	char *twice = ward_record_print(&again);
	if (twice == NULL || strcmp(printed, twice) != 0)
		abort();
	free(printed);
	free(twice);
	ward_record_clear(&record);
	ward_record_clear(&again);
}

static void
try_subids(const char *text)
{
	char *its, *others, *joined, *rest, *its_again, *others_again;

	if (ward_subids_split(text, "bob", 1001, &its, &others) != 0)
		abort();
	if (ward_subids_join(others, its, &joined, NULL) == 0) {
		if (ward_subids_join(joined, its, &rest, NULL) != 0 ||
		    strcmp(rest, joined) != 0)
			abort();
		if (ward_subids_split(
			joined, "bob", 1001, &its_again, &others_again) != 0 ||
		    strcmp(others, others_again) != 0)
			abort();
		free(rest);
		free(its_again);
		free(others_again);
	}
	free(joined);
	free(its);
	free(others);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(size + 1, 1);

	if (text == NULL)
		abort();
	memcpy(text, data, size);
	try_record(text);
	try_subids(text);
	(void)ward_adopt_uid_min(text);
	free(text);
	return 0;
}
