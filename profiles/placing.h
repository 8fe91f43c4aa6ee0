/* SPDX-License-Identifier: ISC */
/*
 * From a rule to where it stands: what links, absence, special files, private
 * places and directories that cannot be searched mean for it.  For plan.c only.
 */
#ifndef WARD_PROFILES_PLACING_H
#define WARD_PROFILES_PLACING_H

#include "common/err.h"
#include "profiles/expand.h"
#include "profiles/outline.h"
#include "profiles/ruleset.h"

struct ward_placing {
	struct ward_expand_for whom;
	struct ward_plan_rules *rules; /* gets the spots */
	struct ward_outline *outline;  /* gets places, links and notes */
	struct err *err;
};

/* Rules of the profile get notes; final is a read.deny that nothing lifts. */
int ward_placing_add(const struct ward_placing *placing,
    const struct ward_rule *rule, bool is_profile, bool final);

/* Above one of the links that lead there: more than a rule could mean. */
bool ward_place_is_broader(const struct ward_place *place);

/* "read.deny" and so on. */
const char *ward_rule_kind_name(enum ward_rule_kind kind);

#endif
