/* SPDX-License-Identifier: ISC */
/*
 * Protected names: files that programs of other people run or obey because
 * they are there.  In a tree that people share with an account, those that
 * exist cannot be changed by it.  The list, its grammar and the little of git's
 * own files that a search for them reads.  Pure.
 *
 * A name is relative: to the root of a writable place, and to the root of each
 * repository in it.  Letter case makes no difference.  Two are special:
 *
 * .git/NAME	Is NAME in every directory of git's: .git, what a .git file
 *		points to, a bare repository.
 * .git		Is only a .git that is no directory.
 */
#ifndef WARD_PROFILES_PROTECT_H
#define WARD_PROFILES_PROTECT_H

#include <stdbool.h>
#include <stddef.h>

#include "profiles/profile.h"

/* The built-in list. */
extern const char *const ward_protected_names[];
extern const size_t ward_n_protected_names;

#define WARD_PROTECT_NAME_MAX  255 /* bytes of a name in a profile */
#define WARD_PROTECT_DEPTH_MAX 4   /* its components */
#define WARD_PROTECT_GIT       ".git"

/*
 * A name of a profile: 0, and it is in lower case and folded now, or -EINVAL
 * with the reason in why.
 */
int ward_protect_check(char *name, char *why, size_t size);

/* The rule of this kind for a name, in lower case; NULL: there is none. */
const struct ward_rule *ward_protect_find(const struct ward_profile *profile,
    enum ward_rule_kind kind, const char *name);

/* The n bytes at component are this directory entry, in some letter case. */
bool ward_protect_is_entry(const char *component, size_t n, const char *entry);

/* A protected name that is there. */
struct ward_protected {
	char *path; /* canonical, but where is_link */
	const struct ward_rule *rule;
	bool is_directory;
	bool is_link; /* it is a link, or is behind one */
};

struct ward_protected_list {
	struct ward_protected *list;
	size_t n;
	bool whole; /* nothing was left out for being too much */
};

/* Copies path, once for each path; 0 or -ENOMEM. */
int ward_protected_add(
    struct ward_protected_list *list, const struct ward_protected *one);
void ward_protected_clear(struct ward_protected_list *list);

/*
 * What a .git file (with prefix "gitdir: ") or a commondir file (with "") says,
 * in its n bytes: a path, malloc'd.  NULL where it is none, and where memory
 * is out: neither leads anywhere.
 */
char *ward_protect_gitfile(const char *text, size_t n, const char *prefix);

#endif
