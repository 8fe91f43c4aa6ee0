/* SPDX-License-Identifier: ISC */
/*
 * A rule's path as the places that it names: ~, ${user} and * expanded, links
 * resolved.  The file system is asked through the resolver.  For plan.c only.
 */
#ifndef WARD_PROFILES_EXPAND_H
#define WARD_PROFILES_EXPAND_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "profiles/match.h"
#include "profiles/plan.h"

/* For whom; borrowed. */
struct ward_expand_for {
	const char *user;
	const char *home; /* canonical */
	const struct ward_resolver *resolver;
};

/* For what matches a * only later. */
struct ward_expand_pattern {
	struct ward_pattern pattern;
	bool untrusted_link; /* on the way to its prefix, as in a place */
	bool by_link;
};

/*
 * Owned by whoever asked.  A directory that may not be listed is among the
 * places as an unreachable one.
 */
struct ward_expansion {
	bool has_star;
	struct ward_place *places;
	size_t n_places;
	struct ward_expand_pattern *patterns;
	size_t n_patterns;
};

/* 0 or -errno; the error names the rule. */
int ward_expand_rule(const struct ward_rule *rule,
    const struct ward_expand_for *whom, struct ward_expansion *expansion,
    struct err *err);
void ward_expansion_clear(struct ward_expansion *expansion);

#endif
