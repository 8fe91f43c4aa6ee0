/* SPDX-License-Identifier: ISC */
/* Visible text: what is let through, what is shown instead, where it is cut. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/text.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *name, *text, *visible;
} rows[] = {
	{ "empty", "", "" },
	{ "plain", "/srv/a b-c_d.e~", "/srv/a b-c_d.e~" },
	{ "angle brackets stay", "<a>&\"'", "<a>&\"'" },
	{ "umlaut", "f\xc3\xbcr", "f\xc3\xbcr" },
	{ "three bytes", "\xe2\x82\xac", "\xe2\x82\xac" },
	{ "four bytes", "\xf0\x9f\x90\x9f", "\xf0\x9f\x90\x9f" },
	{ "backslash", "a\\b", "a\\\\b" },
	{ "backslash that looks like ours", "\\x1b", "\\\\x1b" },
	{ "newline", "a\nb", "a\\x0ab" },
	{ "carriage return", "a\rb", "a\\x0db" },
	{ "tab", "\t", "\\x09" },
	{ "lowest control", "\x01", "\\x01" },
	{ "escape", "\x1b[31m", "\\x1b[31m" },
	{ "highest control", "\x1f", "\\x1f" },
	{ "delete", "\x7f", "\\x7f" },
	{ "C1 control", "\xc2\x9b", "\\u{9b}" },
	{ "first of C1", "\xc2\x80", "\\u{80}" },
	{ "next line", "\xc2\x85", "\\u{85}" },
	{ "no-break space stays", "\xc2\xa0", "\xc2\xa0" },
	{ "soft hyphen", "\xc2\xad", "\\u{ad}" },
	{ "grapheme joiner", "\xcd\x8f", "\\u{34f}" },
	{ "Arabic letter mark", "\xd8\x9c", "\\u{61c}" },
	{ "Hangul filler", "\xe3\x85\xa4", "\\u{3164}" },
	{ "zero-width space", "\xe2\x80\x8b", "\\u{200b}" },
	{ "zero-width joiner", "\xe2\x80\x8d", "\\u{200d}" },
	{ "left-to-right mark", "\xe2\x80\x8e", "\\u{200e}" },
	{ "right-to-left override",
	    "a\xe2\x80\xae"
	    "b",
	    "a\\u{202e}b" },
	{ "line separator", "\xe2\x80\xa8", "\\u{2028}" },
	{ "hyphen before it stays", "\xe2\x80\xa7", "\xe2\x80\xa7" },
	{ "narrow space behind stays", "\xe2\x80\xaf", "\xe2\x80\xaf" },
	{ "word joiner", "\xe2\x81\xa0", "\\u{2060}" },
	{ "first strong isolate", "\xe2\x81\xa8", "\\u{2068}" },
	{ "pop isolate", "\xe2\x81\xa9", "\\u{2069}" },
	{ "Mongolian vowel separator", "\xe1\xa0\x8e", "\\u{180e}" },
	{ "variation selector", "\xef\xb8\x8f", "\\u{fe0f}" },
	{ "byte order mark", "\xef\xbb\xbf", "\\u{feff}" },
	{ "interlinear anchor", "\xef\xbf\xb9", "\\u{fff9}" },
	{ "replacement character stays", "\xef\xbf\xbd", "\xef\xbf\xbd" },
	{ "shorthand control", "\xf0\x9b\xb2\xa0", "\\u{1bca0}" },
	{ "musical control", "\xf0\x9d\x85\xb3", "\\u{1d173}" },
	{ "tag", "\xf3\xa0\x81\x81", "\\u{e0041}" },
	{ "lone continuation", "\x80", "\\x80" },
	{ "lead without more", "a\xc3", "a\\xc3" },
	{ "lead before ASCII", "\xc3(", "\\xc3(" },
	{ "three bytes less one", "\xe2\x82", "\\xe2\\x82" },
	{ "four bytes less one", "\xf0\x9f\x90", "\\xf0\\x9f\\x90" },
	{ "overlong slash", "\xc0\xaf", "\\xc0\\xaf" },
	{ "overlong NUL", "\xc0\x80", "\\xc0\\x80" },
	{ "overlong, two bytes", "\xc1\xbf", "\\xc1\\xbf" },
	{ "overlong, three bytes", "\xe0\x9f\xbf", "\\xe0\\x9f\\xbf" },
	{ "least of three bytes", "\xe0\xa0\x80", "\xe0\xa0\x80" },
	{ "overlong, four bytes", "\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf" },
	{ "least of four bytes", "\xf0\x90\x80\x80", "\xf0\x90\x80\x80" },
	{ "surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80" },
	{ "last surrogate", "\xed\xbf\xbf", "\\xed\\xbf\\xbf" },
	{ "before the surrogates", "\xed\x9f\xbf", "\xed\x9f\xbf" },
	{ "last character", "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf" },
	{ "beyond the last", "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
	{ "five bytes", "\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80" },
	{ "no byte of UTF-8", "\xfe\xff", "\\xfe\\xff" },
	{ "good after bad", "\xff\xc3\xa4", "\\xff\xc3\xa4" },
};

static void
whole(void **state)
{
	char out[128];

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		const char *r =
		    ward_text_visible(out, sizeof(out), rows[i].text);

		assert_ptr_equal(r, out);
		if (strcmp(out, rows[i].visible) != 0)
			fail_msg("%s: \"%s\", not \"%s\"", rows[i].name, out,
			    rows[i].visible);
	}
}

/* Is cut what whole begins with, ended by ... at the end of a character? */
static bool
is_cut(const char *cut, const char *whole_text, const char *source)
{
	size_t n = strlen(cut);
	char prefix[256], shown[512];

	if (n < 3 || strcmp(cut + n - 3, "...") != 0 ||
	    strncmp(cut, whole_text, n - 3) != 0)
		return false;
	/* some prefix of the source is shown as exactly what stands there */
	for (size_t k = 0; k <= strlen(source); k++) {
		memcpy(prefix, source, k);
		prefix[k] = '\0';
		(void)ward_text_visible(shown, sizeof(shown), prefix);
		if (strlen(shown) == n - 3 && strncmp(shown, cut, n - 3) == 0)
			return true;
	}
	return false;
}

/* With every size: whole where it fits, else cut, never a byte beyond. */
static void
every_size(void **state)
{
	static const char *const texts[] = { "abcdefg", "a\xc3\xa4\xe2\x82\xac",
		"\xf0\x9f\x90\x9f\xf0\x9f\x90\x9f", "a\n\n\n",
		"\xe2\x80\xae\xe2\x80\xae", "\xf3\xa0\x81\x81x", "\\\\\\\\",
		"\xc3", "....", "" };
	char all[128], out[130];

	(void)state;
	for (size_t i = 0; i < N(texts); i++) {
		(void)ward_text_visible(all, sizeof(all), texts[i]);
		for (size_t size = 4; size <= sizeof(all); size++) {
			memset(out, '#', sizeof(out));
			(void)ward_text_visible(out, size, texts[i]);
			if (memchr(out, '\0', size) == NULL)
				fail_msg("text %zu in %zu: not ended", i, size);
			for (size_t k = size; k < sizeof(out); k++)
				if (out[k] != '#')
					fail_msg("text %zu in %zu: written at "
						 "%zu",
					    i, size, k);
			if (strlen(all) < size ? strcmp(out, all) != 0
					       : !is_cut(out, all, texts[i]))
				fail_msg(
				    "text %zu in %zu: \"%s\"", i, size, out);
		}
	}
}

static size_t
encode(uint32_t c, unsigned char *out)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (unsigned char)(0x80 | (c & 0x3f));
	out[0] = (unsigned char)(lead[n] | c);
	out[n] = '\0';
	return n;
}

static void
decode_every_character(void **state)
{
	unsigned char bytes[5];

	(void)state;
	for (uint32_t c = 1; c <= 0x11ffff; c++) {
		uint32_t got = 0;
		size_t n = encode(c, bytes);
		bool is_one = c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
		size_t r = ward_text_decode(bytes, &got);

		if (r != (is_one ? n : 0) || (is_one && got != c))
			fail_msg("U+%04X: %zu bytes, U+%04X", c, r, got);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(every_size),
		cmocka_unit_test(decode_every_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
