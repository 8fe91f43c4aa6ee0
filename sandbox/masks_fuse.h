/* SPDX-License-Identifier: ISC */
/*
 * The kernel's requests to the masks, and what they are answered: fuse(4), in
 * its own words (linux/fuse.h).  Pure, bytes in and bytes out: the kernel is
 * trusted, but names and numbers in a request are the account's.
 * For sandbox/masks.c.
 */
#ifndef WARD_SANDBOX_MASKS_FUSE_H
#define WARD_SANDBOX_MASKS_FUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/wire.h"
#include "sandbox/masks_tree.h"

/* What the kernel wants a server to have room for (FUSE_MIN_READ_BUFFER). */
#define WARD_MASKS_REQUEST_MAX 8192
#define WARD_MASKS_ANSWER_MAX  4608

struct ward_masks_answer {
	_Alignas(uint64_t) unsigned char data[WARD_MASKS_ANSWER_MAX];
	size_t size; /* 0: the request wants none */
	bool looked; /* and it is to be told before it is answered; serial and
			missed are the caller's to fill */
	struct ward_wire_look look;
};

/*
 * request is aligned for 64 bits.  now is what all files are of, in seconds.
 * 0, or -EPROTO for what no kernel sends.
 */
int ward_masks_answer(const struct ward_masks_tree *tree, uint64_t now,
    const void *request, size_t size, struct ward_masks_answer *answer);

#endif
