/* SPDX-License-Identifier: ISC */
/* Lines and settings of other programs' files. */
#include "config.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "ctl/conf.h"

#define BLANKS " \t\r\f\v"

/* What may stand behind a user's name: a group, another name, the end. */
#define BEHIND_NAME ":,;)>\"' \t"

void
ward_conf_begin(
    struct ward_conf *conf, char *text, const struct ward_conf_style *style)
{
	*conf = (struct ward_conf){ .style = style };
	conf->next = text;
}

static bool
is_blank(char c)
{
	return c != '\0' && strchr(BLANKS, c) != NULL;
}

static char *
trim(char *text)
{
	char *begin = text + strspn(text, BLANKS);
	size_t n = strlen(begin);

	while (n > 0 && is_blank(begin[n - 1]))
		n--;
	begin[n] = '\0';
	return begin;
}

/* An odd number of \ in front of the end; a comment ends with its line. */
static bool
is_continued(const struct ward_conf *conf, const char *begin, const char *end)
{
	const char *first = begin + strspn(begin, BLANKS);
	size_t n = 0;

	if (*first == '#' ||
	    (*first != '\0' && strchr(conf->style->comments, *first) != NULL))
		return false;
	while (end > begin && end[-1] == '\\') {
		end--;
		n++;
	}
	return n % 2 == 1;
}

/* One line of the file, with those that continue it. */
static char *
take(struct ward_conf *conf)
{
	char *begin = conf->next, *end = begin;

	if (*begin == '\0')
		return NULL;
	conf->line = conf->n_read + 1;
	for (;;) {
		end += strcspn(end, "\n");
		conf->n_read++;
		if (*end == '\0')
			break;
		if (is_continued(conf, begin, end))
			end[-1] = *end = ' ';
		else if (conf->style->indent && is_blank(end[1]))
			*end = ' ';
		else
			break;
	}
	conf->next = *end == '\0' ? end : end + 1;
	*end = '\0';
	return begin;
}

/* "[name]", and not "[::1]:smtp inet ..." */
static bool
take_section(struct ward_conf *conf, const char *line)
{
	size_t n = strcspn(line, "]");

	if (line[0] != '[' || line[n] != ']')
		return false;
	const char *behind = line + n + 1;
	behind += strspn(behind, BLANKS);
	if (*behind != '\0' && strchr("#;", *behind) == NULL)
		return false;
	(void)snprintf(conf->section, sizeof(conf->section), "%.*s",
	    n <= sizeof(conf->section) ? (int)n - 1 : 0, line + 1);
	return true;
}

char *
ward_conf_line(struct ward_conf *conf)
{
	char *line;

	while ((line = take(conf)) != NULL) {
		line = trim(line);
		if (line[0] == '\0' ||
		    strchr(conf->style->comments, line[0]) != NULL ||
		    take_section(conf, line))
			continue;
		return line;
	}
	return NULL;
}

char *
ward_conf_word(char **rest, const char *separators)
{
	char *in = *rest, *out, quote = '\0';

	while (*in != '\0' && (is_blank(*in) || strchr(separators, *in)))
		in++;
	if (*in == '\0') {
		*rest = in;
		return NULL;
	}
	char *word = out = in;
	for (; *in != '\0'; in++) {
		if (quote == '\0' && (*in == '"' || *in == '\'')) {
			quote = *in;
		} else if (quote != '\0' && *in == quote) {
			quote = '\0';
		} else {
			if (quote == '\0' &&
			    (is_blank(*in) || strchr(separators, *in)))
				break;
			*out++ = *in;
		}
	}
	*rest = *in == '\0' ? in : in + 1;
	*out = '\0';
	return word;
}

/* What is behind the key, or NULL. */
static char *
behind_key(char *line, const char *key)
{
	while (*key != '\0') {
		if (*key == ' ') {
			key++;
		} else if (is_blank(*line)) {
			line++;
		} else if (tolower((unsigned char)*line) ==
		    tolower((unsigned char)*key)) {
			line++;
			key++;
		} else {
			return NULL;
		}
	}
	return *line == '\0' || is_blank(*line) || *line == '=' || *line == ':'
	    ? line
	    : NULL;
}

char *
ward_conf_value(char *line, const char *key)
{
	char *value = behind_key(line, key);

	if (value == NULL)
		return NULL;
	value += strspn(value, BLANKS);
	if (*value == '=' || *value == ':')
		value++;
	value = trim(value);
	size_t n = strlen(value);
	if (n > 0 && value[n - 1] == ';')
		value[--n] = '\0';
	value = trim(value);
	n = strlen(value);
	if (n >= 2 && (value[0] == '"' || value[0] == '\'') &&
	    value[n - 1] == value[0]) {
		value[n - 1] = '\0';
		value++;
	}
	return value;
}

/* Some word of which the name, before =, ends so. */
static char *
find_word(char *line, const char *key)
{
	char *word;
	size_t n_key = strlen(key);

	while ((word = ward_conf_word(&line, "")) != NULL) {
		char *equals = strchr(word, '=');
		if (equals == NULL)
			continue;
		size_t n = (size_t)(equals - word);
		if (n >= n_key && strncasecmp(equals - n_key, key, n_key) == 0)
			return equals + 1;
	}
	return NULL;
}

/* cut: what a name ends at, beyond blanks; NULL for nothing. */
static char *
find_field(char *line, unsigned field, const char *cut)
{
	char *word = NULL;

	for (unsigned i = 0; i <= field; i++) {
		word = ward_conf_word(&line, "");
		if (word == NULL)
			return NULL;
	}
	if (cut != NULL)
		word[strcspn(word, cut)] = '\0';
	return word;
}

/* "NAME = value" sets a variable; else five fields of time, or "@daily". */
static char *
find_cron(char *line)
{
	size_t n = strcspn(line, BLANKS "=");

	if (line[n + strspn(line + n, BLANKS)] == '=')
		return NULL;
	return find_field(line, line[0] == '@' ? 1 : 5, NULL);
}

char *
ward_conf_user(
    char *line, enum ward_conf_form form, const char *key, unsigned field)
{
	switch (form) {
	case WARD_CONF_VALUE:
		return ward_conf_value(line, key);
	case WARD_CONF_WORD:
		return find_word(line, key);
	case WARD_CONF_FIELD:
		return find_field(line, field, key);
	case WARD_CONF_CRON:
		return find_cron(line);
	}
	return NULL;
}

static bool
begins_with(const char *text, const char *name)
{
	size_t n = strlen(name);

	return strncmp(text, name, n) == 0 &&
	    (text[n] == '\0' || strchr(BEHIND_NAME, text[n]) != NULL);
}

bool
ward_conf_is_user(const char *text, const char *name, unsigned uid)
{
	char number[16];

	(void)snprintf(number, sizeof(number), "%u", uid);
	/* apache's "User #1001" */
	return begins_with(text, name) ||
	    begins_with(text + (text[0] == '#'), number);
}
