/* SPDX-License-Identifier: ISC */
/*
 * The layout: what is mounted where in a view, decided before anything is
 * mounted.  Pure; sandbox/view.c walks it.  One mount for each destination,
 * what is above before what is below.  A mount of the host's that a view does
 * not have (by its class) has nothing inside either, whatever the rules say.
 */
#ifndef WARD_SANDBOX_LAYOUT_H
#define WARD_SANDBOX_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "profiles/plan.h"
#include "sandbox/mounts.h"

enum ward_layout_kind {
	WARD_LAYOUT_SHOW,           /* the host's own, read-only or writable */
	WARD_LAYOUT_HOME,           /* the account's real home, the same */
	WARD_LAYOUT_HIDE_DIRECTORY, /* an empty or a skeleton directory */
	WARD_LAYOUT_HIDE_FILE,      /* an unreadable, empty file */
	WARD_LAYOUT_PRIVATE,        /* the sandbox's own: sandbox/frame.h */
	WARD_LAYOUT_OWN_FILE,       /* the same: sandbox/own_files.h */
};

enum ward_own_file {
	WARD_OWN_RESOLV_CONF,
	WARD_OWN_HOSTS,
	WARD_OWN_FILES,
};

#define WARD_LAYOUT_EMPTY SIZE_MAX

struct ward_layout_mount {
	char *path;
	enum ward_layout_kind kind;
	bool writable;
	bool is_directory;
	bool is_mount;    /* covers, as on the host, another inode */
	bool kept;        /* a protected name, or what leads to one: what is
			     there, on itself */
	bool in_skeleton; /* stands on a place that a skeleton makes */
	bool is_pin;      /* the place on itself, so that it stays there */
	bool is_absent;   /* keeps the place of a mount that is not shown */
	size_t skeleton;  /* HIDE_DIRECTORY: its number, or EMPTY */
	enum ward_own_file own; /* OWN_FILE: which */
};

enum ward_node_kind {
	WARD_NODE_DIRECTORY,
	WARD_NODE_FILE,
	WARD_NODE_LINK,
};

/*
 * A place that a hidden directory must hold, since something below it is
 * shown.  path begins with / and is relative to the skeleton's directory;
 * parents come first.
 */
struct ward_layout_node {
	size_t skeleton;
	char *path;
	enum ward_node_kind kind;
	char *text; /* of a link, else NULL */
};

struct ward_layout {
	struct ward_layout_mount *mounts; /* the first is "/" */
	size_t n_mounts;
	struct ward_layout_node *nodes;
	size_t n_nodes;
	size_t n_skeletons;
	bool has_own;              /* the sandbox has them, also later */
	char *own[WARD_OWN_FILES]; /* where they are; NULL: nowhere */
};

/* The roots of what every sandbox has for itself: number i, or NULL. */
const char *ward_layout_private(size_t i);

/*
 * real_home is what stands on the host for the plan's home.  The plan knows of
 * other names of what it hides: sandbox/alias.h.
 */
int ward_layout_make(const struct ward_plan *plan, const char *real_home,
    const struct ward_mounts *mounts, struct ward_layout *layout,
    struct err *err);
/*
 * A file of the sandbox's own is at this canonical path: a mount, or in /run,
 * which is its own in any case; in a hidden place nothing.
 */
int ward_layout_add_own(struct ward_layout *layout, enum ward_own_file file,
    const char *path, struct err *err);
void ward_layout_clear(struct ward_layout *layout);

#endif
