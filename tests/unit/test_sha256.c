/* SPDX-License-Identifier: ISC */
/* SHA-256 against the examples of FIPS 180-4 and its long-message vectors. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/sha256.h"

struct vector {
	const char *name;
	const char *text; /* repeated */
	size_t times;
	const char *hash;
};

static const struct vector vectors[] = {
	{ "empty", "", 1,
	    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85"
	    "5" },
	{ "abc", "abc", 1,
	    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a"
	    "d" },
	{ "two blocks",
	    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c"
	    "1" },
	{ "a million", "a", 1000000,
	    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd"
	    "0" },
	{ "a byte short of a padded block", "a", 55,
	    "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f73431"
	    "8" },
	{ "one that needs another block", "a", 56,
	    "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738"
	    "a" },
	{ "a whole block", "a", 64,
	    "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668e"
	    "b" },
};

static void
known_hashes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		unsigned char hash[WARD_SHA256_SIZE];
		char hex[2 * WARD_SHA256_SIZE + 1];
		struct ward_sha256 sha;

		ward_sha256_init(&sha);
		for (size_t k = 0; k < vectors[i].times; k++)
			ward_sha256_add(
			    &sha, vectors[i].text, strlen(vectors[i].text));
		ward_sha256_end(&sha, hash);
		ward_sha256_hex(hex, hash);
		if (strcmp(hex, vectors[i].hash) != 0)
			fail_msg("%s: %s, not %s", vectors[i].name, hex,
			    vectors[i].hash);
	}
}

/* However the data is cut, the hash is the same. */
static void
pieces(void **state)
{
	unsigned char data[300];
	unsigned char whole[WARD_SHA256_SIZE];
	unsigned char hash[WARD_SHA256_SIZE];
	struct ward_sha256 sha;

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i * 7);
	ward_sha256_init(&sha);
	ward_sha256_add(&sha, data, sizeof(data));
	ward_sha256_end(&sha, whole);
	for (size_t cut = 1; cut < sizeof(data); cut++) {
		ward_sha256_init(&sha);
		ward_sha256_add(&sha, data, cut);
		ward_sha256_add(&sha, data + cut, sizeof(data) - cut);
		ward_sha256_end(&sha, hash);
		if (memcmp(hash, whole, sizeof(hash)) != 0)
			fail_msg("cut at %zu: another hash", cut);
	}
	data[0] ^= 1;
	ward_sha256_init(&sha);
	ward_sha256_add(&sha, data, sizeof(data));
	ward_sha256_end(&sha, hash);
	assert_memory_not_equal(hash, whole, sizeof(hash));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_hashes),
		cmocka_unit_test(pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
