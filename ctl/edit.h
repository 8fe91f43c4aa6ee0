/* SPDX-License-Identifier: ISC */
/*
 * Files of the system that wardctl edits: read whole, replaced whole or not at
 * all.  ctl/ only.
 */
#ifndef WARD_CTL_EDIT_H
#define WARD_CTL_EDIT_H

#include <stddef.h>
#include <sys/types.h>

#include "common/err.h"

#define WARD_EDIT_MAX ((size_t)1 << 20)

/*
 * A regular file, links followed as its readers do.  *text is malloc'd, ended
 * by a NUL behind *size bytes.  -ENOENT, with err set, if it is not there;
 * -EINVAL if it holds a NUL.
 */
int
ward_edit_read(const char *path, char **text, size_t *size, struct err *err);

/* The same; "" for a file that is not there. */
int ward_edit_read_any(const char *path, char **text, struct err *err);

/*
 * Whoever reads the file sees the old text or the new one, also after a crash.
 * A file that is there keeps owner and mode, and a link stays a link to it;
 * else it is made as root's with this mode.
 */
int ward_edit_write(
    const char *path, const char *text, mode_t mode, struct err *err);

/* What was renamed in it stays renamed, also after a crash. */
int ward_edit_sync_directory(const char *directory, struct err *err);

/* Removes the file; that it is gone already is fine. */
int ward_edit_remove(const char *path, struct err *err);

/*
 * A directory of root's with this mode: made if it is not there; an error if
 * what is there is no directory, another's, or can be written by others.
 */
int ward_edit_make_directory(const char *path, mode_t mode, struct err *err);

#endif
