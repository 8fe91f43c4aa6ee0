/* SPDX-License-Identifier: ISC */
/* Numbers, sizes and durations from text that may be hostile. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "common/number.h"

/* Reads digits and leaves *text at the first other character. */
static int
digits(const char **text, uint64_t max, uint64_t *value)
{
	uint64_t v = 0;

	if (**text < '0' || **text > '9')
		return -EINVAL;
	for (; **text >= '0' && **text <= '9'; (*text)++) {
		if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(**text - '0'), &v) ||
		    v > max)
			return -ERANGE;
	}
	*value = v;
	return 0;
}

int
ward_number_parse(const char *text, uint64_t max, uint64_t *value)
{
	uint64_t v;
	int r = digits(&text, max, &v);

	if (r != 0)
		return r;
	if (*text != '\0')
		return -EINVAL;
	*value = v;
	return 0;
}

struct unit {
	char letter;
	uint64_t factor;
};

static int
with_unit(
    const char *text, const struct unit *units, size_t n_units, uint64_t *value)
{
	uint64_t v;
	int r = digits(&text, UINT64_MAX, &v);

	if (r != 0)
		return r;
	if (*text == '\0') {
		*value = v;
		return 0;
	}
	for (size_t i = 0; i < n_units; i++) {
		if (units[i].letter != *text || text[1] != '\0')
			continue;
		if (__builtin_mul_overflow(v, units[i].factor, &v))
			return -ERANGE;
		*value = v;
		return 0;
	}
	return -EINVAL;
}

int
ward_number_parse_size(const char *text, uint64_t *bytes)
{
	static const struct unit units[] = {
		{ 'K', UINT64_C(1) << 10 },
		{ 'M', UINT64_C(1) << 20 },
		{ 'G', UINT64_C(1) << 30 },
		{ 'T', UINT64_C(1) << 40 },
	};

	return with_unit(text, units, sizeof(units) / sizeof(units[0]), bytes);
}

int
ward_number_parse_duration(const char *text, uint64_t *seconds)
{
	static const struct unit units[] = {
		{ 's', 1 },
		{ 'm', 60 },
		{ 'h', 3600 },
		{ 'd', 86400 },
	};

	return with_unit(
	    text, units, sizeof(units) / sizeof(units[0]), seconds);
}
