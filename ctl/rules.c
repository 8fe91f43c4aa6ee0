/* SPDX-License-Identifier: ISC */
/* Rules and places in words. */
#include "config.h"

#include <stdio.h>

#include "common/text.h"
#include "ctl/rules.h"
#include "profiles/placing.h"

#define PATH_SIZE 16384

const char *
ward_origin_text(char *out, size_t size, const struct ward_origin *origin)
{
	char file[512];

	(void)ward_text_visible(file, sizeof(file),
	    origin->file == NULL ? "built-in" : origin->file);
	if (origin->line == 0)
		(void)snprintf(out, size, "%s", file);
	else
		(void)snprintf(out, size, "%s:%u", file, origin->line);
	return out;
}

json_t *
ward_visible_json(const char *text)
{
	char visible[PATH_SIZE];

	return json_string(ward_text_visible(visible, sizeof(visible), text));
}

json_t *
ward_rule_json(const struct ward_rule *rule)
{
	return json_pack("{s:s, s:o, s:o, s:i}", "kind",
	    ward_rule_kind_name(rule->kind), "path",
	    ward_visible_json(rule->path), "file",
	    ward_visible_json(
		rule->origin.file == NULL ? "built-in" : rule->origin.file),
	    "line", (int)rule->origin.line);
}
