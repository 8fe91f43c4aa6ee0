/* SPDX-License-Identifier: ISC */
/*
 * The rules of a plan where they stand, and the decision over them.  Pure; for
 * plan.c and ward_plan_decide only.
 */
#ifndef WARD_PROFILES_RULESET_H
#define WARD_PROFILES_RULESET_H

#include <stdbool.h>
#include <stddef.h>

#include "profiles/match.h"
#include "profiles/plan.h"
#include "profiles/private.h"

/* What a rule does where it stands. */
enum {
	WARD_DOES_READ_ALLOW = 1 << 0,
	WARD_DOES_READ_DENY = 1 << 1,
	WARD_DOES_WRITE_ALLOW = 1 << 2,
	WARD_DOES_WRITE_DENY = 1 << 3,
	WARD_DOES_HIDE = 1 << 4,  /* a read.deny that nothing lifts */
	WARD_DOES_YIELD = 1 << 5, /* came by a link: lifts no read.deny */
	WARD_DOES_ALONE = 1 << 6, /* the rule's patterns do not count here, */
	WARD_DOES_STOP = 1 << 7,  /* nor below */
	WARD_DOES_SOCKET_ALLOW = 1 << 8,
};

/* A rule at one place. */
struct ward_spot {
	char *path;
	size_t length; /* of path; 0 for "/", so that "/" is above all */
	unsigned does;
	const struct ward_rule *rule;
};

struct ward_spot_pattern {
	struct ward_pattern pattern;
	unsigned does;
	const struct ward_rule *rule;
};

struct ward_plan_rules {
	/*
	 * The profile's, in one order whatever theirs was, then built-in ones:
	 * where rules do the same at one place, the first is named.
	 */
	struct ward_rule *all;
	size_t n_all;
	const struct ward_rule *read_default;
	const struct ward_rule *closed; /* writes are */
	const struct ward_rule *sockets_closed;
	const struct ward_rule *private_rules[WARD_PRIVATE_PLACES];

	struct ward_spot *spots; /* by path, then rule, after ..._sort */
	size_t n_spots;
	struct ward_spot_pattern *patterns;
	size_t n_patterns;
};

/* Takes nothing over; 0 or -ENOMEM. */
int ward_plan_rules_add_spot(struct ward_plan_rules *rules, const char *path,
    unsigned does, const struct ward_rule *rule);
int ward_plan_rules_add_pattern(struct ward_plan_rules *rules,
    const struct ward_pattern *pattern, unsigned does,
    const struct ward_rule *rule);

/* After the last addition, before the first decision. */
void ward_plan_rules_sort(struct ward_plan_rules *rules);

/* The rule of the first spot truly below path that closes or hides, or NULL. */
const struct ward_rule *ward_plan_rules_find_closed_below(
    const struct ward_plan_rules *rules, const char *path);

/* The deepest rule for sockets at or above path, or NULL. */
const struct ward_rule *ward_plan_rules_find_socket(
    const struct ward_plan_rules *rules, const char *path);

struct ward_verdict
ward_plan_rules_decide(const struct ward_plan_rules *rules, const char *path);

/* path is where nothing lifts the deny. */
bool ward_plan_rules_never_show(
    const struct ward_plan_rules *rules, const char *path);

void ward_plan_rules_free(struct ward_plan_rules *rules);

#endif
