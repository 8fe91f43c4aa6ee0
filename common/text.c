/* SPDX-License-Identifier: ISC */
/* The one encoder for what an agent can name. */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

size_t
ward_text_decode(const unsigned char *text, uint32_t *character)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n;

	if (text[0] < 0x80) {
		*character = text[0];
		return 1;
	} else if ((text[0] & 0xe0) == 0xc0) {
		n = 2;
		*character = text[0] & 0x1f;
	} else if ((text[0] & 0xf0) == 0xe0) {
		n = 3;
		*character = text[0] & 0x0f;
	} else if ((text[0] & 0xf8) == 0xf0) {
		n = 4;
		*character = text[0] & 0x07;
	} else {
		return 0;
	}
	for (size_t i = 1; i < n; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*character = *character << 6 | (text[i] & 0x3f);
	}
	if (*character < least[n] || *character > 0x10ffff ||
	    (*character >= 0xd800 && *character <= 0xdfff))
		return 0;
	return n;
}

struct range {
	uint32_t first, last;
};

/* What a person cannot see, or what changes the order of what they see. */
static bool
is_invisible(uint32_t c)
{
	static const struct range ranges[] = {
		{ 0x00, 0x1f },
		{ 0x7f, 0x9f },
		{ 0xad, 0xad },
		{ 0x34f, 0x34f },
		{ 0x61c, 0x61c },
		{ 0x115f, 0x1160 },
		{ 0x17b4, 0x17b5 },
		{ 0x180b, 0x180f },
		{ 0x200b, 0x200f },
		{ 0x2028, 0x202e },
		{ 0x2060, 0x206f },
		{ 0x3164, 0x3164 },
		{ 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff },
		{ 0xffa0, 0xffa0 },
		{ 0xfff0, 0xfffb },
		{ 0x1bca0, 0x1bca3 },
		{ 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

char *
ward_text_visible(char *out, size_t size, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t used = 0, cut = 0; /* where "..." still has room */

	while (*s != '\0') {
		char one[16];
		uint32_t c = 0;
		size_t n = ward_text_decode(s, &c);

		if (n == 0) {
			(void)snprintf(one, sizeof(one), "\\x%02x", *s);
			n = 1;
		} else if (c == '\\') {
			(void)snprintf(one, sizeof(one), "\\\\");
		} else if (is_invisible(c)) {
			(void)snprintf(one, sizeof(one),
			    c < 0x80 ? "\\x%02x" : "\\u{%x}", c);
		} else {
			memcpy(one, s, n);
			one[n] = '\0';
		}
		size_t length = strlen(one);
		if (used + length + 1 > size) {
			(void)snprintf(out + cut, size - cut, "...");
			return out;
		}
		memcpy(out + used, one, length);
		used += length;
		if (used + sizeof("...") <= size)
			cut = used;
		s += n;
	}
	out[used] = '\0';
	return out;
}
