/* SPDX-License-Identifier: ISC */
/* The tree that the masks of a sandbox are. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "sandbox/masks_tree.h"

#define NODES_MAX   (UINT32_C(1) << 24)
#define STRINGS_MAX (UINT32_C(1) << 30)

/* As it is packed: this, the nodes, the strings; the first is "". */
struct head {
	uint32_t n_nodes;
	uint32_t n_strings; /* bytes */
};

struct packer {
	struct ward_masks_node *nodes;
	size_t n_nodes, nodes_room;
	char *strings;
	size_t n_strings, strings_room;
};

const char *
ward_masks_directory(char *out, size_t mask)
{
	(void)snprintf(out, 32, "d%zu", mask);
	return out;
}

const char *
ward_masks_file(char *out, size_t mask)
{
	(void)snprintf(out, 32, "f%zu", mask);
	return out;
}

/* --- packing --- */

static int
add_string(struct packer *p, const char *text, uint32_t *at)
{
	size_t n = strlen(text) + 1;

	if (n > p->strings_room - p->n_strings) {
		size_t room = (p->strings_room + n) * 2;
		char *more =
		    room > STRINGS_MAX ? NULL : realloc(p->strings, room);
		if (more == NULL)
			return -ENOMEM;
		p->strings = more;
		p->strings_room = room;
	}
	memcpy(p->strings + p->n_strings, text, n);
	*at = (uint32_t)p->n_strings;
	p->n_strings += n;
	return 0;
}

static int
add_node(struct packer *p, const struct ward_masks_node *of, const char *name,
    const char *text)
{
	struct ward_masks_node node = *of;

	if (p->n_nodes == p->nodes_room) {
		size_t room = p->nodes_room * 2 + 16;
		struct ward_masks_node *more = room > NODES_MAX
		    ? NULL
		    : reallocarray(p->nodes, room, sizeof(*more));
		if (more == NULL)
			return -ENOMEM;
		p->nodes = more;
		p->nodes_room = room;
	}
	int r = add_string(p, name, &node.name);
	if (r == 0 && text != NULL)
		r = add_string(p, text, &node.text);
	if (r == 0)
		p->nodes[p->n_nodes++] = node;
	return r;
}

/* The node of a directory that a skeleton's path names; top is "". */
static size_t
find_path(const struct packer *p, size_t top, const char *path, size_t n)
{
	size_t at = top;

	while (n > 0) {
		size_t part = 1, child = top + 1;
		while (part < n && path[part] != '/')
			part++;
		while (child < p->n_nodes &&
		    (p->nodes[child].parent != at ||
			strncmp(p->strings + p->nodes[child].name, path + 1,
			    part - 1) != 0 ||
			p->strings[p->nodes[child].name + part - 1] != '\0'))
			child++;
		if (child == p->n_nodes)
			return top;
		at = child;
		path += part;
		n -= part;
	}
	return at;
}

static int
add_skeleton(struct packer *p, const struct ward_layout *layout,
    size_t skeleton, uint32_t mask)
{
	static const enum ward_masks_kind kinds[] = {
		[WARD_NODE_DIRECTORY] = WARD_MASKS_DIRECTORY,
		[WARD_NODE_FILE] = WARD_MASKS_FILE,
		[WARD_NODE_LINK] = WARD_MASKS_LINK,
	};
	size_t top = p->n_nodes - 1;
	int r = 0;

	for (size_t i = 0; r == 0 && i < layout->n_nodes; i++) {
		const struct ward_layout_node *n = &layout->nodes[i];
		const char *name = ward_path_base(n->path);
		if (n->skeleton != skeleton)
			continue;
		const struct ward_masks_node node = {
			.parent = (uint32_t)find_path(
			    p, top, n->path, (size_t)(name - n->path) - 1),
			.kind = kinds[n->kind],
			.mask = mask,
		};
		r = add_node(p, &node, name, n->text);
	}
	return r;
}

/* Which of the two is wanted shows when it is mounted. */
static int
add_mask(struct packer *p, const struct ward_layout *layout, size_t i)
{
	const struct ward_layout_mount *m = &layout->mounts[i];
	struct ward_masks_node node = {
		.kind = WARD_MASKS_FILE,
		.mask = (uint32_t)i,
	};
	bool is_empty = m->kind != WARD_LAYOUT_HIDE_DIRECTORY ||
	    m->skeleton == WARD_LAYOUT_EMPTY;
	char name[32];
	int r = add_node(p, &node, ward_masks_file(name, i), NULL);

	node.kind = is_empty ? WARD_MASKS_EMPTY : WARD_MASKS_DIRECTORY;
	if (r == 0)
		r = add_node(p, &node, ward_masks_directory(name, i), NULL);
	return r == 0 && !is_empty
	    ? add_skeleton(p, layout, m->skeleton, (uint32_t)i)
	    : r;
}

static int
join(const struct packer *p, void **data, size_t *size)
{
	const struct head head = {
		.n_nodes = (uint32_t)p->n_nodes,
		.n_strings = (uint32_t)p->n_strings,
	};
	size_t n_nodes = p->n_nodes * sizeof(*p->nodes);
	char *all = malloc(sizeof(head) + n_nodes + p->n_strings);

	if (all == NULL)
		return -ENOMEM;
	memcpy(all, &head, sizeof(head));
	memcpy(all + sizeof(head), p->nodes, n_nodes);
	memcpy(all + sizeof(head) + n_nodes, p->strings, p->n_strings);
	*data = all;
	*size = sizeof(head) + n_nodes + p->n_strings;
	return 0;
}

int
ward_masks_pack(const struct ward_layout *layout, void **data, size_t *size)
{
	const struct ward_masks_node root = { .kind = WARD_MASKS_EMPTY };
	struct packer p = { 0 };
	int r = add_node(&p, &root, "", NULL);

	for (size_t i = 0; r == 0 && i < layout->n_mounts; i++)
		if (layout->mounts[i].kind == WARD_LAYOUT_HIDE_DIRECTORY ||
		    layout->mounts[i].kind == WARD_LAYOUT_HIDE_FILE)
			r = add_mask(&p, layout, i);
	if (r == 0)
		r = join(&p, data, size);
	free(p.nodes);
	free(p.strings);
	return r;
}

/* --- loading --- */

int
ward_masks_load(const void *data, size_t size, struct ward_masks_tree *tree)
{
	const unsigned char *at = data;
	struct head head;

	if (size < sizeof(head))
		return -EPROTO;
	memcpy(&head, at, sizeof(head));
	size_t n_nodes = (size_t)head.n_nodes * sizeof(struct ward_masks_node);
	if (head.n_nodes == 0 || head.n_nodes > NODES_MAX ||
	    head.n_strings == 0 ||
	    size != sizeof(head) + n_nodes + head.n_strings)
		return -EPROTO;
	const struct ward_masks_node *nodes = (const void *)(at + sizeof(head));
	const char *strings = (const char *)(at + sizeof(head) + n_nodes);
	if (strings[head.n_strings - 1] != '\0')
		return -EPROTO;
	for (uint32_t i = 0; i < head.n_nodes; i++) {
		const struct ward_masks_node *n = &nodes[i];
		if (n->kind > WARD_MASKS_KIND_MAX ||
		    n->name >= head.n_strings || n->text >= head.n_strings ||
		    (i == 0 ? n->parent != 0 : n->parent >= i) ||
		    nodes[n->parent].kind > WARD_MASKS_DIRECTORY)
			return -EPROTO;
	}
	*tree = (struct ward_masks_tree){
		.nodes = nodes,
		.n_nodes = head.n_nodes,
		.strings = strings,
	};
	return 0;
}

size_t
ward_masks_find(
    const struct ward_masks_tree *tree, size_t node, const char *name)
{
	for (size_t i = node + 1; i < tree->n_nodes; i++)
		if (tree->nodes[i].parent == node &&
		    strcmp(ward_masks_name(tree, i), name) == 0)
			return i;
	return 0;
}

/* Puts part before what stands at *at, where there is room. */
static bool
put_before(char *out, size_t *at, const char *part, bool joined)
{
	size_t n = strlen(part), slash = joined ? 1 : 0;

	if (n + slash > *at)
		return false;
	if (joined)
		out[--*at] = '/';
	while (n > 0)
		out[--*at] = part[--n];
	return true;
}

void
ward_masks_path(const struct ward_masks_tree *tree, size_t node,
    const char *name, char *out, size_t size)
{
	size_t at = size - 1;

	out[at] = '\0';
	bool whole = put_before(out, &at, name, false);
	/* what is in the root is the mask itself */
	for (; whole && node != 0 && tree->nodes[node].parent != 0;
	     node = tree->nodes[node].parent)
		whole = put_before(
		    out, &at, ward_masks_name(tree, node), out[at] != '\0');
	memmove(out, out + at, size - at);
}
