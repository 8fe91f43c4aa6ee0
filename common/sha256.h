/* SPDX-License-Identifier: ISC */
/*
 * SHA-256 (FIPS 180-4), for naming what a profile does.  Everyone may use it.
 * Written here because pulling a crypto library into root's programs for one
 * function of sixty lines would be the larger risk.
 */
#ifndef WARD_COMMON_SHA256_H
#define WARD_COMMON_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define WARD_SHA256_SIZE 32

struct ward_sha256 {
	uint32_t state[8];
	uint64_t length; /* bytes so far */
	unsigned char block[64];
};

void ward_sha256_init(struct ward_sha256 *sha);
void ward_sha256_add(struct ward_sha256 *sha, const void *data, size_t size);
void
ward_sha256_end(struct ward_sha256 *sha, unsigned char hash[WARD_SHA256_SIZE]);

/* Sixty-four digits, in lower case. */
void ward_sha256_hex(char hex[2 * WARD_SHA256_SIZE + 1],
    const unsigned char hash[WARD_SHA256_SIZE]);

#endif
