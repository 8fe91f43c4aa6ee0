/* SPDX-License-Identifier: ISC */
/*
 * Git's own places: repositories, their git directories wherever those are, and
 * the stores in these.  For sandbox/search.c alone.
 */
#ifndef WARD_SANDBOX_SEARCH_GIT_H
#define WARD_SANDBOX_SEARCH_GIT_H

#include <stdbool.h>

#include "sandbox/search_look.h"

/* The .git of a directory, in whatever case: where it leads is to be done. */
int ward_search_for_git(struct ward_search_run *s, struct ward_search_look *l);

/* A name in a directory has HEAD and objects, as git knows a bare one. */
bool ward_search_is_bare(const struct ward_search_look *l, const char *name);

/* The directory is git's: what it names, and its stores, are to be done. */
int
ward_search_in_git(struct ward_search_run *s, const struct ward_search_look *l);

#endif
