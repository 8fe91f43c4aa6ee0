/* SPDX-License-Identifier: ISC */
/* Any bytes as a request of the kernel's to the masks. */
#include "config.h"

#include <linux/fuse.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/masks_fuse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct ward_masks_node nodes[] = {
	{ .kind = WARD_MASKS_EMPTY },
	{ .kind = WARD_MASKS_DIRECTORY, .name = 1 },
	{ .parent = 1, .kind = WARD_MASKS_FILE, .name = 3 },
	{ .parent = 1, .kind = WARD_MASKS_LINK, .name = 5, .text = 3 },
};
static const struct ward_masks_tree tree = {
	.nodes = nodes,
	.n_nodes = sizeof(nodes) / sizeof(nodes[0]),
	.strings = "\0d\0f\0l",
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ward_masks_answer answer;
	struct fuse_out_header head;

	if (size > WARD_MASKS_REQUEST_MAX)
		return 0;
	/* of its very size, and aligned */
	uint8_t *copy = malloc(size == 0 ? 1 : size);
	if (copy == NULL)
		return 0;
	if (size > 0)
		memcpy(copy, data, size);
	if (ward_masks_answer(&tree, 1, copy, size, &answer) == 0 &&
	    answer.size > 0) {
		memcpy(&head, answer.data, sizeof(head));
		if (answer.size > sizeof(answer.data) ||
		    answer.size < sizeof(head) || head.len != answer.size ||
		    head.error > 0)
			abort();
	}
	if (answer.looked &&
	    (answer.look.what > WARD_LOOK_MAX ||
		memchr(answer.look.name, '\0', sizeof(answer.look.name)) ==
		    NULL))
		abort();
	free(copy);
	return 0;
}
