/* SPDX-License-Identifier: ISC */
/*
 * Patterns: paths with * in them.  Pure; the plan uses it, and tests and
 * fuzzers link it directly.
 *
 * A * stands for any run of characters within one component, the empty run and
 * a leading dot included: a deny of * that left dot files open would surprise.
 */
#ifndef WARD_PROFILES_MATCH_H
#define WARD_PROFILES_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* The n bytes at name are one component's. */
bool ward_match_component(const char *pattern, size_t pattern_length,
    const char *name, size_t name_length);

struct ward_pattern {
	char *prefix; /* canonical and literal: a * in it is only a * */
	char *rest;   /* "*" or "a*" or "*" "/secrets" ...: never empty */
	size_t depth; /* components of both */
};

/* Owns what it holds.  0 or -ENOMEM. */
int ward_pattern_init(
    struct ward_pattern *pattern, const char *prefix, const char *rest);
void ward_pattern_clear(struct ward_pattern *pattern);

/*
 * The first length bytes of path are exactly such a place: neither above nor
 * below it.
 */
bool ward_pattern_matches(
    const struct ward_pattern *pattern, const char *path, size_t length);

#endif
