/* SPDX-License-Identifier: ISC */
/*
 * Policy files from disk.  The one part of profiles/ that touches the file
 * system; ctl/ uses it, as root.
 *
 * A file in /etc/ward/profiles.d takes the place of the shipped file of the
 * same name.  Names that do not end in .conf, or begin with a dot, are left
 * alone.
 */
#ifndef WARD_PROFILES_LOAD_H
#define WARD_PROFILES_LOAD_H

#include <stddef.h>
#include <sys/types.h>

#include "common/err.h"
#include "profiles/compile.h"

/* Files that were read; sources borrow from it. */
struct ward_loaded {
	struct ward_profile_source *sources; /* ordered by file name */
	size_t n;
};

/*
 * Everything in both directories.  Files and directories must be owner's and
 * closed for writing to all others; the first that is not fails.  A local
 * directory that is not there is empty.  0 or -errno.
 */
int ward_profiles_load(const char *shipped, const char *local, uid_t owner,
    struct ward_loaded *out, struct err *err);
void ward_loaded_clear(struct ward_loaded *loaded);

/*
 * One file by the same rules, malloc'd, *size bytes and a NUL behind them.
 * -ENOENT, with err set, if it is not there.
 */
int ward_policy_read(
    const char *path, uid_t owner, char **text, size_t *size, struct err *err);

#endif
