/* SPDX-License-Identifier: ISC */
/* Records of adopted accounts as text: one "key value" a line.  Pure. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/number.h"
#include "ctl/record.h"

#define HEAD                                                                   \
	"# Made by wardctl: what this account was before it became an agent\n" \
	"# account, for 'wardctl account release'.\n"

static const char *const states[] = {
	[WARD_RECORD_ADOPTING] = "adopting",
	[WARD_RECORD_ADOPTED] = "adopted",
	[WARD_RECORD_RELEASING] = "releasing",
};
#define N_STATES (sizeof(states) / sizeof(states[0]))

enum kind { KIND_STATE, KIND_UID, KIND_TEXT, KIND_FLAG, KIND_LINES };

static const struct {
	const char *key;
	enum kind kind;
	size_t at; /* in struct ward_record */
} fields[] = {
	{ "state", KIND_STATE, offsetof(struct ward_record, state) },
	{ "uid", KIND_UID, offsetof(struct ward_record, uid) },
	{ "home", KIND_TEXT, offsetof(struct ward_record, home) },
	{ "shell", KIND_TEXT, offsetof(struct ward_record, shell) },
	{ "expires", KIND_TEXT, offsetof(struct ward_record, expires) },
	{ "password", KIND_FLAG, offsetof(struct ward_record, had_password) },
	{ "agent", KIND_FLAG, offsetof(struct ward_record, was_agent) },
	{ "masked", KIND_FLAG, offsetof(struct ward_record, was_masked) },
	{ "made", KIND_FLAG, offsetof(struct ward_record, made) },
	{ "keys-given", KIND_FLAG, offsetof(struct ward_record, keys_given) },
	{ "profile", KIND_TEXT, offsetof(struct ward_record, profile) },
	{ "assigned", KIND_TEXT, offsetof(struct ward_record, assigned) },
	{ "subuid", KIND_LINES, offsetof(struct ward_record, subuids) },
	{ "subgid", KIND_LINES, offsetof(struct ward_record, subgids) },
};
#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

static void *
at(struct ward_record *record, size_t i)
{
	return (char *)record + fields[i].at;
}

static const void *
at_const(const struct ward_record *record, size_t i)
{
	return (const char *)record + fields[i].at;
}

/* --- reading --- */

static int
parse_state(const char *value, enum ward_record_state *state)
{
	for (size_t i = 0; i < N_STATES; i++)
		if (strcmp(value, states[i]) == 0) {
			*state = (enum ward_record_state)i;
			return 0;
		}
	return -EINVAL;
}

static int
parse_flag(const char *value, bool *flag)
{
	*flag = strcmp(value, "yes") == 0;
	return *flag || strcmp(value, "no") == 0 ? 0 : -EINVAL;
}

static int
add_line(char **lines, const char *value)
{
	char *more = NULL;

	if (asprintf(&more, "%s%s\n", *lines, value) < 0)
		return -ENOMEM;
	free(*lines);
	*lines = more;
	return 0;
}

static int
parse_value(struct ward_record *record, size_t i, const char *value)
{
	char **text = at(record, i);
	uint64_t uid;

	switch (fields[i].kind) {
	case KIND_STATE:
		return parse_state(value, at(record, i));
	case KIND_UID:
		if (ward_number_parse(value, UINT32_MAX - 1, &uid) != 0)
			return -EINVAL;
		record->uid = (uid_t)uid;
		return 0;
	case KIND_FLAG:
		return parse_flag(value, at(record, i));
	case KIND_LINES:
		return add_line(text, value);
	case KIND_TEXT:
		free(*text);
		*text = strdup(value);
		return *text == NULL ? -ENOMEM : 0;
	}
	return -EINVAL;
}

/* line is cut in place.  *seen has a bit for each field. */
static int
parse_line(struct ward_record *record, char *line, unsigned *seen)
{
	char *space = strchr(line, ' ');

	if (line[0] == '#')
		return 0;
	if (space == NULL)
		return -EINVAL;
	*space = '\0';
	for (size_t i = 0; i < N_FIELDS; i++) {
		if (strcmp(line, fields[i].key) != 0)
			continue;
		if ((*seen & 1U << i) != 0 && fields[i].kind != KIND_LINES)
			return -EINVAL;
		*seen |= 1U << i;
		return parse_value(record, i, space + 1);
	}
	return -EINVAL;
}

int
ward_record_init(struct ward_record *record, struct err *err)
{
	*record = (struct ward_record){ 0 };
	for (size_t i = 0; i < N_FIELDS; i++) {
		char **text = at(record, i);
		if (fields[i].kind != KIND_TEXT && fields[i].kind != KIND_LINES)
			continue;
		*text = strdup("");
		if (*text == NULL) {
			ward_record_clear(record);
			return ward_err_sys(err, ENOMEM, "a record");
		}
	}
	return 0;
}

int
ward_record_parse(const char *text, struct ward_record *record, struct err *err)
{
	_cleanup_free_ char *copy = strdup(text);
	unsigned seen = 0, n = 0;

	if (copy == NULL)
		return ward_err_sys(err, ENOMEM, "a record");
	int r = ward_record_init(record, err);
	for (char *line = copy, *next; r == 0 && *line != '\0'; line = next) {
		n++;
		next = strchr(line, '\n');
		if (next == NULL) { /* it was cut */
			r = -EINVAL;
			break;
		}
		*next++ = '\0';
		r = parse_line(record, line, &seen);
	}
	for (size_t i = 0; r == 0 && i < N_FIELDS; i++)
		if ((seen & 1U << i) == 0 && fields[i].kind != KIND_LINES)
			r = -EINVAL;
	if (r == 0)
		return 0;
	ward_record_clear(record);
	return r == -EINVAL
	    ? ward_err_set(err, EINVAL, "line %u is not one of wardctl's", n)
	    : ward_err_sys(err, -r, "a record");
}

void
ward_record_clear(struct ward_record *record)
{
	for (size_t i = 0; i < N_FIELDS; i++) {
		char **text = at(record, i);
		if (fields[i].kind == KIND_TEXT || fields[i].kind == KIND_LINES)
			free(*text);
	}
	*record = (struct ward_record){ 0 };
}

/* --- writing --- */

static void
print_lines(FILE *out, const char *key, const char *lines)
{
	while (*lines != '\0') {
		size_t n = strcspn(lines, "\n");
		(void)fprintf(out, "%s %.*s\n", key, (int)n, lines);
		lines += n;
		lines += *lines == '\n';
	}
}

static void
print_field(FILE *out, const struct ward_record *record, size_t i)
{
	const char *key = fields[i].key;
	const void *value = at_const(record, i);

	switch (fields[i].kind) {
	case KIND_STATE:
		(void)fprintf(out, "%s %s\n", key, states[record->state]);
		break;
	case KIND_UID:
		(void)fprintf(out, "%s %u\n", key, (unsigned)record->uid);
		break;
	case KIND_FLAG:
		(void)fprintf(
		    out, "%s %s\n", key, *(const bool *)value ? "yes" : "no");
		break;
	case KIND_LINES:
		print_lines(out, key, *(char *const *)value);
		break;
	case KIND_TEXT:
		(void)fprintf(out, "%s %s\n", key, *(char *const *)value);
		break;
	}
}

char *
ward_record_print(const struct ward_record *record)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	(void)fputs(HEAD, out);
	for (size_t i = 0; i < N_FIELDS; i++)
		print_field(out, record, i);
	bool failed = ferror(out) != 0;
	if (fclose(out) != 0 || failed) {
		free(text);
		return NULL;
	}
	return text;
}
