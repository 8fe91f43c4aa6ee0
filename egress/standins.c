/* SPDX-License-Identifier: ISC */
/* Addresses that stand for names. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "egress/standins.h"

/* The numbers of a generation; the /15 has room for four. */
#define RANGE       32768
#define GENERATIONS 4
/* A power of two, at most half full. */
#define SLOTS       (2 * RANGE)

struct ward_standins {
	uint64_t seed;
	uint32_t first; /* number that it gives; 0 has none: it is no host */
	uint32_t n;
	char *names[WARD_STANDINS_MAX];
	uint32_t slots[SLOTS]; /* 1 + the index of a name; 0: free */
};

/* 198.18.0.0, and a ULA prefix that was drawn once (RFC 4193, 3.2.2). */
static const uint8_t v4_prefix[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff,
	198, 18 };
static const uint8_t v6_prefix[] = { 0xfd, 0x6b, 0x8e, 0x51, 0xc7, 0x2d, 0, 0,
	0, 0, 0, 0 };

struct ward_standins *
ward_standins_new(uint64_t seed, uint32_t generation)
{
	struct ward_standins *standins = calloc(1, sizeof(*standins));

	if (standins == NULL)
		return NULL;
	standins->seed = seed;
	standins->first = generation % GENERATIONS * RANGE + 1;
	return standins;
}

void
ward_standins_free(struct ward_standins *standins)
{
	if (standins == NULL)
		return;
	for (uint32_t i = 0; i < standins->n; i++)
		free(standins->names[i]);
	free(standins);
}

/* FNV-1a, from a seed. */
static uint32_t
hash(const struct ward_standins *standins, const char *name)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ standins->seed;

	for (; *name != '\0'; name++)
		h = (h ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
	return (uint32_t)(h >> 32 ^ h);
}

/* The slot of a name, or the free one where it would be. */
static uint32_t *
slot_of(struct ward_standins *standins, const char *name)
{
	uint32_t at = hash(standins, name) % SLOTS;

	while (standins->slots[at] != 0 &&
	    strcmp(standins->names[standins->slots[at] - 1], name) != 0)
		at = (at + 1) % SLOTS;
	return &standins->slots[at];
}

static void
make_addresses(uint32_t number, struct in6_addr *v4, struct in6_addr *v6)
{
	memset(v4, 0, sizeof(*v4));
	memset(v6, 0, sizeof(*v6));
	memcpy(v4->s6_addr, v4_prefix, sizeof(v4_prefix));
	memcpy(v6->s6_addr, v6_prefix, sizeof(v6_prefix));
	v4->s6_addr[13] |= (uint8_t)(number >> 16);
	v6->s6_addr[13] = (uint8_t)(number >> 16);
	v4->s6_addr[14] = v6->s6_addr[14] = (uint8_t)(number >> 8);
	v4->s6_addr[15] = v6->s6_addr[15] = (uint8_t)number;
}

int
ward_standins_give(struct ward_standins *standins, const char *name,
    struct in6_addr *v4, struct in6_addr *v6)
{
	uint32_t *slot = slot_of(standins, name);

	if (*slot == 0) {
		if (standins->n == WARD_STANDINS_MAX)
			return -ENOSPC;
		char *copy = strdup(name);
		if (copy == NULL)
			return -ENOMEM;
		standins->names[standins->n++] = copy;
		*slot = standins->n;
	}
	make_addresses(standins->first + *slot - 1, v4, v6);
	return 0;
}

const char *
ward_standins_find(
    const struct ward_standins *standins, const struct in6_addr *address)
{
	const uint8_t *b = address->s6_addr;
	struct in6_addr v4, v6;

	uint32_t number =
	    (uint32_t)(b[13] & 1) << 16 | (uint32_t)b[14] << 8 | b[15];
	if (number < standins->first || number - standins->first >= standins->n)
		return NULL;
	make_addresses(number, &v4, &v6);
	if (memcmp(address, &v4, sizeof(v4)) != 0 &&
	    memcmp(address, &v6, sizeof(v6)) != 0)
		return NULL;
	return standins->names[number - standins->first];
}

bool
ward_standins_has(const struct in6_addr *address)
{
	const uint8_t *b = address->s6_addr;

	return memcmp(b, v6_prefix, sizeof(v6_prefix)) == 0 ||
	    (memcmp(b, v4_prefix, 13) == 0 && (b[13] & 0xfe) == 18);
}
