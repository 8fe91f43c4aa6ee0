/* SPDX-License-Identifier: ISC */
/*
 * Other names of hidden places: a file system that the host has mounted twice,
 * or a part of it (mount --bind), shows the same files at several paths, and
 * rules name one of them.  Pure; for the layout.
 */
#ifndef WARD_SANDBOX_ALIAS_H
#define WARD_SANDBOX_ALIAS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "profiles/plan.h"
#include "sandbox/mounts.h"

/* A place to hide, whatever the plan decides about its path. */
struct ward_alias {
	char *path; /* first: for ward_path_order */
	bool is_directory;
};

struct ward_aliases {
	struct ward_alias *list; /* in no order, perhaps some twice */
	size_t n;
};

/*
 * Every other name of what the plan hides, and of what is private to a
 * sandbox; but not one that has an entry of its own in the plan, since then
 * somebody has named it.  0 or -ENOMEM.
 */
int ward_aliases_find(const struct ward_plan *plan,
    const struct ward_mounts *mounts, const char *const *private_places,
    size_t n_private, struct ward_aliases *aliases);
void ward_aliases_clear(struct ward_aliases *aliases);

#endif
