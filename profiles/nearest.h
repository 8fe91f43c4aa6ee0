/* SPDX-License-Identifier: ISC */
/*
 * What somebody probably meant.  profiles/ and ctl/ use it for messages; it
 * never decides anything.
 */
#ifndef WARD_PROFILES_NEAREST_H
#define WARD_PROFILES_NEAREST_H

#include <stddef.h>

/*
 * The closest of the names by insertions, deletions, changes and swaps of
 * neighbours; NULL where none is close enough to be a slip.  Names may be NULL
 * (skipped).
 */
const char *
ward_nearest(const char *written, const char *const *names, size_t n_names);

#endif
