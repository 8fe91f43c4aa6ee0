/* SPDX-License-Identifier: ISC */
/*
 * The paths of rules as text: what a profile may write.  Pure; only
 * profiles/parse.c uses it.
 */
#ifndef WARD_PROFILES_RULEPATH_H
#define WARD_PROFILES_RULEPATH_H

#include <stddef.h>

#include "profiles/schema.h"

/*
 * Folds path in place and judges it.  0, or -EINVAL with the sentence that
 * says what is wrong in why; it fits behind "key: ".
 */
int
ward_rulepath_check(char *path, enum ward_key_id key, char *why, size_t size);

/* The same for an absolute path without ~, ${user} and *. */
int ward_rulepath_check_plain(char *path, char *why, size_t size);

#endif
