/* SPDX-License-Identifier: ISC */
/*
 * Paths as text: no file system is touched here.  Everyone may use it.
 */
#ifndef WARD_COMMON_PATH_H
#define WARD_COMMON_PATH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Folds // and /./ and a trailing / away, in place; .. is left alone, since
 * only the file system knows what it means.  "" stays "".
 */
void ward_path_fold(char *path);

/* path is directory, or below it.  Both folded and absolute. */
bool ward_path_is_below(const char *path, const char *directory);

/* Number of components: "/" has 0, "/a/b" 2. */
size_t ward_path_depth(const char *path);

/*
 * directory + "/" + name, without doubling the slash after "/"; malloc'd, NULL
 * without memory.
 */
char *ward_path_join(const char *directory, const char *name);

/*
 * What path, which is from or below it, is called where from is called to;
 * malloc'd, NULL without memory.
 */
char *ward_path_rebase(const char *path, const char *from, const char *to);

/*
 * Appends the components of text to an absolute, folded path in place, where ..
 * is what it says: where links lead, nobody asks here.  False where size is not
 * enough; then out is what fitted.
 */
bool ward_path_append(char *out, size_t size, const char *text);

/* The last component; "" for "/".  Points into path. */
const char *ward_path_base(const char *path);

/* Cuts the last component off, in place: "/a/b" -> "/a", "/a" -> "/". */
void ward_path_to_parent(char *path);

#endif
