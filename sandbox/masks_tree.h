/* SPDX-License-Identifier: ISC */
/*
 * The tree that the masks of a sandbox are: below its root a directory and an
 * unreadable file for each hidden place of the layout, and in a directory what
 * leads to what is shown below it.  It never changes.  Pure: the warden packs
 * it, sandbox/masks.c serves what it was given.
 */
#ifndef WARD_SANDBOX_MASKS_TREE_H
#define WARD_SANDBOX_MASKS_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "sandbox/layout.h"

enum ward_masks_kind {
	WARD_MASKS_EMPTY,     /* a directory, 0555 */
	WARD_MASKS_DIRECTORY, /* the same, 0755 */
	WARD_MASKS_FILE,      /* nobody may read it; without content */
	WARD_MASKS_LINK,
	WARD_MASKS_KIND_MAX = WARD_MASKS_LINK,
};

/* Number 0 is the root, its own parent; parents come before what they hold. */
struct ward_masks_node {
	uint32_t parent;
	uint32_t kind; /* enum ward_masks_kind */
	uint32_t mask; /* the mount of the layout that it is of */
	uint32_t name; /* offsets into strings */
	uint32_t text; /* of a link */
};

/* Borrows what was loaded. */
struct ward_masks_tree {
	const struct ward_masks_node *nodes;
	size_t n_nodes;
	const char *strings;
};

/* Names in the root, in a buffer of 32 bytes. */
const char *ward_masks_directory(char *out, size_t mask);
const char *ward_masks_file(char *out, size_t mask);

/*
 * The masks of a layout as ward_masks_load takes them: *data is malloc'd.  0 or
 * -ENOMEM.
 */
int
ward_masks_pack(const struct ward_layout *layout, void **data, size_t *size);

/* data is aligned as malloc does.  0, or -EPROTO: it is no such tree. */
int
ward_masks_load(const void *data, size_t size, struct ward_masks_tree *tree);

static inline const char *
ward_masks_name(const struct ward_masks_tree *tree, size_t node)
{
	return tree->strings + tree->nodes[node].name;
}

/* A child by its name: its number, or 0: there is none. */
size_t ward_masks_find(
    const struct ward_masks_tree *tree, size_t node, const char *name);

/*
 * What a name in a node is called from its mask on; "" is the node itself.
 * What does not fit is cut at its front.
 */
void ward_masks_path(const struct ward_masks_tree *tree, size_t node,
    const char *name, char *out, size_t size);

#endif
