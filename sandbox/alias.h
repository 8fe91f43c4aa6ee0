/* SPDX-License-Identifier: ISC */
/*
 * Other names of hidden places: a file system that the host has mounted twice,
 * or a part of it (mount --bind), shows the same files at several paths, and
 * rules name one of them.  Pure; for whoever has compiled a plan.
 */
#ifndef WARD_SANDBOX_ALIAS_H
#define WARD_SANDBOX_ALIAS_H

#include "common/err.h"
#include "profiles/plan.h"
#include "sandbox/mounts.h"

/*
 * Tells the plan every other name of what it hides, and of what is private to a
 * sandbox; but not one that has an entry of its own, since then somebody has
 * named it.  From then on ward_plan_decide knows.  0 or -ENOMEM.
 */
int ward_aliases_find(
    struct ward_plan *plan, const struct ward_mounts *mounts, struct err *err);

#endif
