/* SPDX-License-Identifier: ISC */
/*
 * Protected names that were not there when a sandbox was built: nothing holds
 * them, since nothing is ever made in a tree for that.  What has appeared is
 * told as rows: the same places are searched again.  The warden only.
 */
#ifndef WARD_SANDBOX_APPEARED_H
#define WARD_SANDBOX_APPEARED_H

#include "profiles/plan.h"
#include "sandbox/recorder.h"
#include "sandbox/walk.h"

/*
 * A row for each name that is neither in the plan nor in told, where it is put.
 * Who made it is not known: a tree has other users.
 */
void ward_appeared_tell(const struct ward_plan *plan,
    const struct ward_walk_account *account, struct ward_recorder *recorder,
    struct ward_protected_list *told);

#endif
