/* SPDX-License-Identifier: ISC */
/*
 * A network decision in words: what was decided, by which rule, and what to do
 * next.  Pure.  The egress tells it the client, rows keep it, explain prints
 * it.
 */
#ifndef WARD_PROFILES_DECISION_TEXT_H
#define WARD_PROFILES_DECISION_TEXT_H

#include <stddef.h>

#include "profiles/decision.h"

#define WARD_DECISION_TEXT_MAX 3072
#define WARD_DECISION_RULE_MAX 640

/*
 * One line without newline, visible text only, cut to size (4 at the least).
 * Returns out.
 */
char *ward_decision_text(
    const struct ward_decision *decision, char *out, size_t size);

/*
 * What decided, for a column or a header: "FILE:LINE: deny *.example.com",
 * "grant 7", "unlisted", "a loopback address".  Visible ASCII.  Returns out.
 */
char *ward_decision_rule(
    const struct ward_decision *decision, char *out, size_t size);

#endif
