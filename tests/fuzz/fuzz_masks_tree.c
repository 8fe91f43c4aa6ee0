/* SPDX-License-Identifier: ISC */
/* Any bytes as the tree that the masks are: what is taken can be walked. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/masks_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ward_masks_tree tree;
	char path[64];
	/* of its very size, and aligned */
	uint8_t *copy = malloc(size == 0 ? 1 : size);

	if (copy == NULL)
		return 0;
	if (size > 0)
		memcpy(copy, data, size);
	if (ward_masks_load(copy, size, &tree) == 0)
		for (size_t i = 0; i < tree.n_nodes; i++) {
			const char *name = ward_masks_name(&tree, i);
			ward_masks_path(&tree, i, name, path, sizeof(path));
			if (strnlen(path, sizeof(path)) == sizeof(path))
				abort();
			if (i > 0 &&
			    ward_masks_find(&tree, tree.nodes[i].parent, name) >
				i)
				abort();
			(void)strlen(tree.strings + tree.nodes[i].text);
		}
	free(copy);
	return 0;
}
