/* SPDX-License-Identifier: ISC */
/* Rules and places in words.  ctl/ only. */
#ifndef WARD_CTL_RULES_H
#define WARD_CTL_RULES_H

#include <jansson.h>
#include <stddef.h>

#include "profiles/profile.h"

/* "file:line", or "built-in"; visible text. */
const char *
ward_origin_text(char *out, size_t size, const struct ward_origin *origin);

/* {"kind": ..., "path": ..., "file": ..., "line": ...}; NULL without memory. */
json_t *ward_rule_json(const struct ward_rule *rule);

/* A string that an agent or a file chose; NULL without memory. */
json_t *ward_visible_json(const char *text);

#endif
