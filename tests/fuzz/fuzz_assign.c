/* SPDX-License-Identifier: ISC */
/*
 * Edits of assignments.conf: whatever the text, an edit that is made says what
 * was asked for and nothing else differently, and taking the line out again
 * leaves the others.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/assign.h"
#include "profiles/assignments.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many assignments there are of others; the user's profile, copied. */
static size_t
read_back(const char *text, const char *user, char *profile, size_t size)
{
	struct ward_assignments list;
	struct ward_diagnostics findings = { 0 };
	size_t others = 0;

	profile[0] = '\0';
	if (ward_assignments_parse(
		"f", text, strlen(text), &list, &findings, NULL) != 0)
		abort();
	for (size_t i = 0; i < list.n; i++)
		if (list.items[i].kind != WARD_ASSIGNEE_USER ||
		    strcmp(list.items[i].name, user) != 0)
			others++;
		else
			strncpy(profile, list.items[i].profile, size - 1);
	ward_diagnostics_clear(&findings);
	ward_assignments_clear(&list);
	return others;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(size + 1, 1), *with = NULL, *without = NULL;
	char profile[64] = "";

	if (text == NULL)
		abort();
	memcpy(text, data, size);
	if (ward_assign_edit(text, "agent", "base", &with, NULL) == 0) {
		size_t others =
		    read_back(text, "agent", profile, sizeof(profile));
		if (read_back(with, "agent", profile, sizeof(profile)) !=
			others ||
		    strcmp(profile, "base") != 0)
			abort();
		if (ward_assign_edit(with, "agent", NULL, &without, NULL) !=
			0 ||
		    read_back(without, "agent", profile, sizeof(profile)) !=
			others ||
		    profile[0] != '\0')
			abort();
	}
	free(without);
	free(with);
	free(text);
	return 0;
}
