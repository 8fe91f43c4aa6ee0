/* SPDX-License-Identifier: ISC */
/* Edits of subuid(5) and subgid(5).  Pure. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/number.h"
#include "ctl/subids.h"

struct line {
	const char *text;
	size_t length; /* without the newline */
};

/* The next line of *text, which is moved behind it; false at the end. */
static bool
next_line(const char **text, struct line *line)
{
	if (**text == '\0')
		return false;
	*line = (struct line){ *text, strcspn(*text, "\n") };
	*text += line->length;
	*text += **text == '\n';
	return true;
}

static bool
is_of(const struct line *line, const char *owner)
{
	size_t n = strlen(owner);

	return line->length > n && line->text[n] == ':' &&
	    strncmp(line->text, owner, n) == 0;
}

/* OWNER:FIRST:COUNT */
static bool
read_range(const struct line *line, struct ward_id_range *range)
{
	char text[64];

	const char *colon = memchr(line->text, ':', line->length);
	if (colon == NULL)
		return false;
	size_t n = line->length - (size_t)(colon + 1 - line->text);
	if (n >= sizeof(text))
		return false;
	memcpy(text, colon + 1, n);
	text[n] = '\0';
	char *count = strchr(text, ':');
	if (count == NULL)
		return false;
	*count++ = '\0';
	return ward_number_parse(text, UINT32_MAX, &range->first) == 0 &&
	    ward_number_parse(count, UINT32_MAX, &range->n) == 0;
}

static void
put_line(FILE *out, const struct line *line)
{
	(void)fprintf(out, "%.*s\n", (int)line->length, line->text);
}

/* Closes it; NULL if not all could be written. */
static char *
finish(FILE *out, char **text)
{
	bool failed = ferror(out) != 0;

	if (fclose(out) != 0 || failed) {
		free(*text);
		*text = NULL;
	}
	return *text;
}

int
ward_subids_split(
    const char *text, const char *name, uid_t uid, char **its, char **others)
{
	char number[16];
	size_t sizes[2];
	struct line line;

	*its = NULL;
	*others = NULL;
	(void)snprintf(number, sizeof(number), "%u", (unsigned)uid);
	FILE *out_its = open_memstream(its, &sizes[0]);
	if (out_its == NULL)
		return -ENOMEM;
	FILE *out_others = open_memstream(others, &sizes[1]);
	while (out_others != NULL && next_line(&text, &line))
		put_line(is_of(&line, name) || is_of(&line, number)
			? out_its
			: out_others,
		    &line);
	bool done = finish(out_its, its) != NULL;
	done = out_others != NULL && finish(out_others, others) != NULL && done;
	if (done)
		return 0;
	free(*its);
	free(*others);
	*its = NULL;
	*others = NULL;
	return -ENOMEM;
}

static bool
has_line(const char *text, const struct line *line)
{
	struct line other;

	while (next_line(&text, &other))
		if (other.length == line->length &&
		    memcmp(other.text, line->text, line->length) == 0)
			return true;
	return false;
}

/* A line of text that has ids of this one. */
static bool
find_overlap(const char *text, const struct line *line, struct line *found)
{
	struct ward_id_range its, other;

	if (!read_range(line, &its))
		return false;
	while (next_line(&text, found))
		if (read_range(found, &other) &&
		    its.first < other.first + other.n &&
		    other.first < its.first + its.n)
			return true;
	return false;
}

int
ward_subids_join(
    const char *text, const char *lines, char **out, struct err *err)
{
	size_t size;
	struct line line, found;
	const char *whole = text;
	int r = 0;

	FILE *made = open_memstream(out, &size);
	if (made == NULL)
		return ward_err_sys(err, ENOMEM, "subordinate ids");
	while (next_line(&text, &line))
		put_line(made, &line);
	while (r == 0 && next_line(&lines, &line)) {
		if (has_line(whole, &line))
			continue;
		if (find_overlap(whole, &line, &found))
			r = ward_err_set(err, EEXIST,
			    "the subordinate ids %.*s are taken by now: %.*s",
			    (int)line.length, line.text, (int)found.length,
			    found.text);
		else
			put_line(made, &line);
	}
	if (finish(made, out) == NULL && r == 0)
		r = ward_err_sys(err, ENOMEM, "subordinate ids");
	if (r != 0) {
		free(*out);
		*out = NULL;
	}
	return r;
}

size_t
ward_subids_ranges(const char *lines, struct ward_id_range *out, size_t size)
{
	struct line line;
	size_t n = 0;

	while (n < size && next_line(&lines, &line))
		if (read_range(&line, &out[n]))
			n++;
	return n;
}
