/* SPDX-License-Identifier: ISC */
/*
 * Protected names as spots of a plan: the writable places are searched, and
 * what is found there is closed.  For plan.c only.
 */
#ifndef WARD_PROFILES_GUARDING_H
#define WARD_PROFILES_GUARDING_H

#include "profiles/placing.h"
#include "profiles/plan.h"

/* After all other rules are placed and sorted; sorts them again. */
int ward_guarding_add(const struct ward_placing *placing,
    const struct ward_profile *profile, struct ward_plan *plan);

#endif
