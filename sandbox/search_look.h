/* SPDX-License-Identifier: ISC */
/*
 * What a search (sandbox/search.h) has to do, and its look into one directory
 * after the other, as the account and within bounds.  Of sandbox/search*.c.
 */
#ifndef WARD_SANDBOX_SEARCH_LOOK_H
#define WARD_SANDBOX_SEARCH_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "profiles/plan.h"
#include "sandbox/walk.h"

/* Why a directory is looked into. */
enum ward_search_role {
	WARD_SEARCH_TREE, /* repositories may be in it */
	/* the same, and it is a place's root, or a repository's */
	WARD_SEARCH_ROOT,
	WARD_SEARCH_GIT, /* git's own: names below .git/ count in it */
	/* has such directories in it: modules/ and worktrees/ */
	WARD_SEARCH_STORE,
	/* the first part of one name: the rest counts in it */
	WARD_SEARCH_REST,
};

struct ward_search_todo {
	char *path; /* canonical */
	enum ward_search_role role;
	unsigned level; /* below the place's root; of a store, below that */
	const struct ward_rule *rule;
	const char *rest; /* of the rule's name */
};

struct ward_search_run {
	const struct ward_walk_account *account;
	const char *place;
	const struct ward_rule *const *names;
	size_t n_names;
	bool has_mounts; /* something is mounted below the place */
	const struct ward_rule *git_file; /* the one for ".git", or NULL */
	const struct ward_rule *any_git;  /* for what is closed altogether */

	const char *root; /* the place, or a mount in it */
	int root_dfd;
	struct ward_search_todo *todo; /* all that there ever was to do */
	size_t n_todo;
	size_t n_entries, n_directories;
	size_t n_own; /* of what is to do: the root, and its own repository */
	int64_t until_ms;
	struct ward_protected_list *found;
};

struct ward_search_entry {
	char *name;
	unsigned char type; /* as readdir(3) knows it */
};

/* A directory that is looked into. */
struct ward_search_look {
	const struct ward_search_todo *todo;
	int dfd; /* O_PATH */
	struct stat st;
	/* what it lists, . and .. and .git among it */
	struct ward_search_entry *entries;
	size_t n_entries;
	bool closed; /* it could not be looked into */
};

/* To be looked into later; the path is copied. */
int
ward_search_push(struct ward_search_run *s, const struct ward_search_todo *one);
/* The same for a name in a directory. */
int ward_search_push_below(struct ward_search_run *s,
    const struct ward_search_look *l, const char *name,
    enum ward_search_role role, unsigned level);

/* Found: without a rule, nothing. */
int ward_search_add(struct ward_search_run *s, const char *path,
    const struct ward_rule *rule, bool is_directory, bool is_link);

/* A name in a directory: 0 with *st filled, or -errno. */
int ward_search_look_at(
    const struct ward_search_look *l, const char *name, struct stat *st);
/*
 * The same of an entry that was read: 1 with *path, the caller's, 0 where there
 * is nothing to be seen (a closed directory is marked so), or -ENOMEM.
 */
int ward_search_meet(struct ward_search_look *l, const char *entry,
    struct stat *st, char **path);

/*
 * Below the root, in its file system, without links: a descriptor, or -errno.
 * The account's own rights count.
 */
int ward_search_open_below(
    const struct ward_search_run *s, const char *path, uint64_t flags);

/*
 * What went, changed meanwhile or is not to be looked at is no fault; what the
 * disk does not give is left out, and said so; -errno else.
 */
int ward_search_excuse(struct ward_search_run *s, int r);

/* Enough was looked at. */
bool ward_search_is_spent(const struct ward_search_run *s);

/* Reads a directory's names. */
int ward_search_list(struct ward_search_run *s, struct ward_search_look *l);

#endif
