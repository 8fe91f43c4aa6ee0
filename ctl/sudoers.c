/* SPDX-License-Identifier: ISC */
/* sudoers: includes and Defaults, as sudo 1.9 reads them. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "ctl/sudoers.h"

#define BLANKS   " \t"
#define DEFAULTS "Defaults"

const struct ward_conf_style ward_sudoers_style = { .comments = "" };

static bool
is_word(const char *line, const char *word)
{
	size_t n = strlen(word);

	return strncmp(line, word, n) == 0 &&
	    (line[n] == '\0' || strchr(BLANKS, line[n]) != NULL);
}

enum ward_sudoers_kind
ward_sudoers_kind_of(char *line, char **rest)
{
	if (line[0] == '@' || line[0] == '#') {
		enum ward_sudoers_kind kind = is_word(line + 1, "include")
		    ? WARD_SUDOERS_FILE
		    : is_word(line + 1, "includedir") ? WARD_SUDOERS_DIRECTORY
						      : WARD_SUDOERS_OTHER;
		if (kind == WARD_SUDOERS_OTHER)
			return kind;
		*rest = line + 1;
		(void)ward_conf_word(rest, "");
		*rest = ward_conf_word(rest, "");
		return *rest == NULL ? WARD_SUDOERS_OTHER : kind;
	}
	return strncmp(line, DEFAULTS, strlen(DEFAULTS)) == 0 &&
		!isalnum((unsigned char)line[strlen(DEFAULTS)]) &&
		line[strlen(DEFAULTS)] != '_'
	    ? WARD_SUDOERS_DEFAULTS
	    : WARD_SUDOERS_OTHER;
}

/* Behind one item of a list: quoted, or until a blank or one of these. */
static const char *
skip_item(const char *s, const char *ends)
{
	bool quoted = false;

	for (; *s != '\0'; s++) {
		if (*s == '\\' && s[1] != '\0')
			s++;
		else if (*s == '"')
			quoted = !quoted;
		else if (!quoted && strchr(ends, *s) != NULL)
			break;
	}
	return s;
}

/* One name of a list of target users cannot be this account. */
static bool
is_anothers(const char *item, size_t n, const char *account)
{
	/* an alias, ALL, %group, #uid, +netgroup, !name or "quoted" */
	if (!islower((unsigned char)item[0]) && item[0] != '_')
		return false;
	return n != strlen(account) || strncmp(item, account, n) != 0;
}

/*
 * Behind the list of whom a Defaults line is for; *concerns: the account may
 * be among them.
 */
static const char *
skip_scope(const char *s, const char *account, bool *concerns)
{
	bool is_target = *s == '>';

	*concerns = true;
	if (*s == '\0' || strchr("@:!>", *s) == NULL)
		return s;
	*concerns = !is_target;
	s++;
	for (;;) {
		s += strspn(s, BLANKS);
		const char *end = skip_item(s, BLANKS ",");
		if (!is_anothers(s, (size_t)(end - s), account))
			*concerns = true;
		s = end + strspn(end, BLANKS);
		if (*s != ',')
			return s;
		s++;
	}
}

bool
ward_sudoers_takes_away(
    const char *line, const char *setting, const char *account)
{
	bool concerns;
	const char *s = skip_scope(line + strlen(DEFAULTS), account, &concerns);

	while (*s != '\0' && *s != '#') {
		bool no = false;
		s += strspn(s, BLANKS ",");
		for (; *s == '!' || (*s != '\0' && strchr(BLANKS, *s)); s++)
			no ^= *s == '!';
		size_t n = strcspn(s, BLANKS ",=+-#");
		if (no && n == strlen(setting) && strncmp(s, setting, n) == 0)
			return concerns;
		s = skip_item(s + n, ",#");
	}
	return false;
}

bool
ward_sudoers_is_skipped(const char *name)
{
	size_t n = strlen(name);

	return strchr(name, '.') != NULL || n == 0 || name[n - 1] == '~';
}

bool
ward_sudoers_path(const char *path, const char *includer, const char *host,
    char *out, size_t size)
{
	size_t n = 0;
	const char *slash = strrchr(includer, '/');

	if (path[0] != '/' && slash != NULL) {
		n = (size_t)(slash - includer) + 1;
		if (n >= size)
			return false;
		memcpy(out, includer, n);
	}
	while (*path != '\0') {
		const char *from = path;
		size_t length = 1;
		if (path[0] == '%' && path[1] == 'h') {
			from = host;
			length = strcspn(host, ".");
			path++;
		} else if (path[0] == '\\' && path[1] != '\0') {
			from = ++path;
		}
		path++;
		if (length >= size - n)
			return false;
		memcpy(out + n, from, length);
		n += length;
	}
	out[n] = '\0';
	return true;
}
