/* SPDX-License-Identifier: ISC */
/*
 * A refusal in words, for the agent that met it: what was refused, why, and
 * what to do instead.  Pure.  For wardsh and ward.
 */
#ifndef WARD_COMMON_TOLD_H
#define WARD_COMMON_TOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/wire.h"

/* Of a name that is all invisible characters. */
#define WARD_TOLD_MAX 16384

/* "write", "read", "connect"; what is none of them by its own name. */
const char *ward_told_verb(const struct ward_wire_why_is *m);

/* As long as nobody changes the profile or grants it, it stays refused. */
bool ward_told_stands(const struct ward_wire_why_is *m);

/* What decided: the profile's own words, or its rule.  Returns out. */
char *ward_told_why(const struct ward_wire_why_is *m, char *out, size_t size);

/* What to do instead, a sentence without its end. */
const char *ward_told_instead(const struct ward_wire_why_is *m);

/*
 * All of it in one line without newline, with count for how often.  Visible
 * text, and in what the agent named no < or > either: in a block between tags
 * it is nothing but a name.  Returns out.
 */
char *ward_told_line(
    const struct ward_wire_why_is *m, uint64_t count, char *out, size_t size);

#endif
