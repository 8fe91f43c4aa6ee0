/* SPDX-License-Identifier: ISC */
/*
 * Looks for protected names that exist in a writable place: at its root, and at
 * the root of each repository up to three levels below.  As the account, within
 * one file system of this machine, by opened directories; no link is followed
 * that the walk (sandbox/walk.h) does not.  Bounded, whatever is there: a tree
 * is other people's, and the account's.  Changes nothing.
 *
 * A directory that is the account's own and that it cannot look into now, it
 * can open again at any time: it counts as protected altogether.
 */
#ifndef WARD_SANDBOX_SEARCH_H
#define WARD_SANDBOX_SEARCH_H

#include "common/err.h"
#include "profiles/plan.h"

#define WARD_SEARCH_LEVELS 3

/*
 * The resolver's, for sandbox/walk.c alone; context is a struct
 * ward_walk_account.
 */
int ward_search(void *context, const char *place,
    const struct ward_rule *const *names, size_t n_names,
    struct ward_protected_list *found, struct err *err);

#endif
