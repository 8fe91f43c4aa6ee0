/* SPDX-License-Identifier: ISC */
/* SHA-256 (FIPS 180-4), for naming what a profile does. */
#include "config.h"

#include <string.h>

#include "common/sha256.h"

static const uint32_t k[64] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
	0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
	0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138,
	0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
	0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
	0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f,
	0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2 };

static uint32_t
rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void
digest_block(uint32_t state[8], const unsigned char block[64])
{
	uint32_t w[64];
	uint32_t s[8];

	for (size_t i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 |
		    (uint32_t)block[4 * i + 1] << 16 |
		    (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (size_t i = 16; i < 64; i++) {
		uint32_t a = w[i - 15];
		uint32_t b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] +
		    (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
		    (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
	memcpy(s, state, sizeof(s));
	for (size_t i = 0; i < 64; i++) {
		uint32_t one = s[7] + k[i] + w[i] +
		    (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
		    ((s[4] & s[5]) ^ (~s[4] & s[6]));
		uint32_t two =
		    (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
		    ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(s[0]));
		s[4] += one;
		s[0] = one + two;
	}
	for (size_t i = 0; i < 8; i++)
		state[i] += s[i];
}

void
ward_sha256_init(struct ward_sha256 *sha)
{
	static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
		0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

	memset(sha, 0, sizeof(*sha));
	memcpy(sha->state, start, sizeof(start));
}

void
ward_sha256_add(struct ward_sha256 *sha, const void *data, size_t size)
{
	const unsigned char *in = data;

	while (size > 0) {
		size_t used = sha->length % sizeof(sha->block);
		size_t n = sizeof(sha->block) - used;

		if (n > size)
			n = size;
		memcpy(sha->block + used, in, n);
		sha->length += n;
		in += n;
		size -= n;
		if (used + n == sizeof(sha->block))
			digest_block(sha->state, sha->block);
	}
}

void
ward_sha256_end(struct ward_sha256 *sha, unsigned char hash[WARD_SHA256_SIZE])
{
	static const unsigned char pad[64] = { 0x80 };
	uint64_t bits = sha->length * 8;
	size_t used = sha->length % sizeof(sha->block);
	unsigned char tail[8];

	ward_sha256_add(sha, pad, used < 56 ? 56 - used : 120 - used);
	for (size_t i = 0; i < sizeof(tail); i++)
		tail[i] = (unsigned char)(bits >> (56 - 8 * i));
	ward_sha256_add(sha, tail, sizeof(tail));
	for (size_t i = 0; i < WARD_SHA256_SIZE; i++)
		hash[i] =
		    (unsigned char)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

void
ward_sha256_hex(char hex[2 * WARD_SHA256_SIZE + 1],
    const unsigned char hash[WARD_SHA256_SIZE])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < WARD_SHA256_SIZE; i++) {
		hex[2 * i] = digits[hash[i] >> 4];
		hex[2 * i + 1] = digits[hash[i] & 0xf];
	}
	hex[(size_t)2 * WARD_SHA256_SIZE] = '\0';
}
