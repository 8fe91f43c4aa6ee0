/* SPDX-License-Identifier: ISC */
/*
 * A file system in memory that answers as a resolver, so that plans are tested
 * without root.  For tests and fuzzers.
 */
#ifndef WARD_TESTS_UNIT_FAKE_FS_H
#define WARD_TESTS_UNIT_FAKE_FS_H

#include <stdbool.h>
#include <stddef.h>

#include "profiles/plan.h"

enum fake_kind {
	FAKE_DIRECTORY,
	FAKE_SEARCHLESS, /* the account may neither search nor list it */
	FAKE_LISTLESS,   /* it may search it, not list it */
	FAKE_FILE,
	FAKE_SPECIAL,
	FAKE_LINK,         /* root's */
	FAKE_FOREIGN_LINK, /* somebody else's */
};

struct fake_node {
	char *path;
	enum fake_kind kind;
	char *text; /* of a link */
};

struct fake_fs {
	struct fake_node *nodes;
	size_t n_nodes;
	int fail_resolve; /* an errno that every answer fails with */
	int fail_list;
	int fail_protect;
};

/*
 * Adds the nodes of a text: words "d PATH", "x PATH" (searchless), "o PATH"
 * (listless), "f PATH", "p PATH" (special), "l PATH TEXT", "u PATH TEXT" (a
 * foreign link).  Directories above are made; a later node replaces an earlier
 * one of its path.  Aborts on another text.
 */
void fake_fs_add(struct fake_fs *fs, const char *text);
void fake_fs_add_node(struct fake_fs *fs, enum fake_kind kind, const char *path,
    const char *text);
const struct fake_node *
fake_fs_find(const struct fake_fs *fs, const char *path);
void fake_fs_clear(struct fake_fs *fs);

/* The resolver's functions; context is the fake_fs. */
int fake_fs_resolve(
    void *context, const char *path, struct ward_place *place, struct err *err);
int fake_fs_list(void *context, const char *directory, char ***names,
    size_t *n_names, struct err *err);
/* Looks at the root of the place only, where all names are found as written. */
int fake_fs_protect(void *context, const char *place,
    const struct ward_rule *const *names, size_t n_names,
    struct ward_protected_list *found, struct err *err);

#endif
