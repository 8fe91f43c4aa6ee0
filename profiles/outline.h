/* SPDX-License-Identifier: ISC */
/*
 * What a plan shows of its decisions: entries, links to make anew, notes.
 * Collected while the rules are placed, and finished when all are.  For plan.c
 * only.
 */
#ifndef WARD_PROFILES_OUTLINE_H
#define WARD_PROFILES_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "profiles/plan.h"
#include "profiles/ruleset.h"

/* A place that exists and where a rule stands. */
struct ward_outline_place {
	char *path;
	bool is_directory;
};

/* A link that an allow went through. */
struct ward_outline_link {
	struct ward_link link;
	char *target; /* where the allow stands; NULL: wanted in any case */
};

struct ward_outline {
	struct ward_outline_place *places;
	size_t n_places;
	struct ward_outline_link *links;
	size_t n_links;
	struct ward_plan_note *notes;
	size_t n_notes;
};

/* Each: 0 or -ENOMEM; copies what it is given. */
int ward_outline_add_place(
    struct ward_outline *outline, const char *path, bool is_directory);
int ward_outline_add_link(struct ward_outline *outline,
    const struct ward_link *link, const char *target);
int ward_outline_add_note(struct ward_outline *outline,
    const struct ward_rule *rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills the entries, links and notes of plan, whose rules are sorted. */
int ward_outline_finish(struct ward_outline *outline, struct ward_plan *plan);

void ward_outline_clear(struct ward_outline *outline);

#endif
