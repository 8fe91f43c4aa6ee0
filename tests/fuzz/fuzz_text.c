/* SPDX-License-Identifier: ISC */
/*
 * Visible text of any bytes, with the room that the first byte says; folded
 * paths; numbers.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "common/path.h"
#include "common/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
give_up(const char *why, const char *text)
{
	(void)fprintf(stderr, "%s: \"%s\"\n", why, text);
	abort();
}

static void
check_visible(const char *text, size_t room)
{
	char *out = malloc(room);
	char *all = malloc(10 * strlen(text) + 4);
	uint32_t c;
	size_t n;

	if (out == NULL || all == NULL)
		abort();
	(void)ward_text_visible(all, 10 * strlen(text) + 4, text);
	(void)ward_text_visible(out, room, text);
	if (memchr(out, '\0', room) == NULL)
		abort();
	for (const char *s = out; *s != '\0'; s += n) {
		n = ward_text_decode((const unsigned char *)s, &c);
		if (n == 0)
			give_up("no character", s);
		if (c < 0x20 || (c >= 0x7f && c < 0xa0) ||
		    (c >= 0x200b && c <= 0x200f) ||
		    (c >= 0x202a && c <= 0x202e) ||
		    (c >= 0x2066 && c <= 0x2069) || c == 0xfeff)
			give_up("not visible", s);
	}
	if (strlen(all) < room) {
		if (strcmp(out, all) != 0)
			give_up("cut without need", out);
	} else if (strlen(out) < 3 ||
	    strcmp(out + strlen(out) - 3, "...") != 0 ||
	    strncmp(out, all, strlen(out) - 3) != 0) {
		give_up("cut to something else", out);
	}
	free(out);
	free(all);
}

static void
check_path(char *text)
{
	char *once;

	ward_path_fold(text);
	once = strdup(text);
	if (once == NULL)
		abort();
	ward_path_fold(text);
	if (strcmp(once, text) != 0)
		give_up("folds twice", once);
	if (strstr(text, "//") != NULL || strstr(text, "/./") != NULL)
		give_up("not folded", text);
	size_t depth = ward_path_depth(text);
	for (size_t i = 0; i <= depth && text[0] == '/'; i++)
		ward_path_to_parent(text);
	if (text[0] == '/' && text[1] != '\0')
		give_up("the root is not above", once);
	free(once);
}

static void
check_number(const char *text)
{
	char printed[32];
	uint64_t value = 0;

	if (ward_number_parse(text, UINT64_MAX, &value) != 0)
		return;
	(void)snprintf(printed, sizeof(printed), "%ju", (uintmax_t)value);
	size_t zeros = strspn(text, "0");
	if (text[zeros] == '\0')
		zeros--;
	if (strcmp(printed, text + zeros) != 0)
		give_up("another number", text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t ignored;

	if (size < 1)
		return 0;
	char *text = malloc(size);
	if (text == NULL)
		abort();
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	check_visible(text, (size_t)data[0] + 4);
	check_number(text);
	(void)ward_number_parse_size(text, &ignored);
	(void)ward_number_parse_duration(text, &ignored);
	check_path(text);
	free(text);
	return 0;
}
