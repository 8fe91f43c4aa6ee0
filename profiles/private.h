/* SPDX-License-Identifier: ISC */
/*
 * The places that every sandbox has for itself, and what may be done in them.
 * A table, inside the plan only: others ask ward_plan_is_private and
 * ward_plan_decide.
 */
#ifndef WARD_PROFILES_PRIVATE_H
#define WARD_PROFILES_PRIVATE_H

#include <stddef.h>

#include "profiles/plan.h"

struct ward_private_place {
	const char *path;      /* a * at the end stands for one component */
	enum ward_state state; /* of the place and of what is below it */
};

#define WARD_PRIVATE_PLACES 18
extern const struct ward_private_place ward_private_places[WARD_PRIVATE_PLACES];

/* The row of the table that is nearest above path, or -1. */
int ward_private_find(const char *path);

#endif
