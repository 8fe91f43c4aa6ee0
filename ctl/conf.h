/* SPDX-License-Identifier: ISC */
/*
 * Configuration files of other programs, read for the few lines that doctor
 * looks for: lines, sections, settings, words.  Pure; what is read is cut up in
 * place.  It takes more than those programs would take, never less: a line that
 * is seen and does not count costs an admin a look.  ctl/ only.
 */
#ifndef WARD_CTL_CONF_H
#define WARD_CTL_CONF_H

#include <stdbool.h>

/* How a file is written, beyond lines that a \ continues. */
struct ward_conf_style {
	const char *comments; /* what a line that is one begins with */
	bool indent;          /* a line that begins with a blank continues */
};

struct ward_conf {
	const struct ward_conf_style *style;
	char *next;       /* the rest of the text */
	unsigned line;    /* where the line that was read last begins */
	unsigned n_read;  /* lines of the file until there */
	char section[64]; /* what stood last in [ ]; "" before */
};

/* text is changed, and must stay. */
void ward_conf_begin(
    struct ward_conf *conf, char *text, const struct ward_conf_style *style);

/*
 * The next line that is no comment, no section and not empty, without the
 * blanks around it; NULL at the end.
 */
char *ward_conf_line(struct ward_conf *conf);

/*
 * The next word of a line, and what is behind it; quotes are taken off, and
 * keep blanks and separators together.  NULL at the end.
 */
char *ward_conf_word(char **rest, const char *separators);

/*
 * The value of "key = value", "key value" or "key: value", without quotes and
 * without a ; behind it; NULL if the line is another's.  Neither case nor
 * blanks in the key matter (smb.conf(5)).  The line is changed only if it is
 * the key's.
 */
char *ward_conf_value(char *line, const char *key);

/* Where a user's name stands in a line. */
enum ward_conf_form {
	WARD_CONF_VALUE, /* "key = NAME" */
	WARD_CONF_WORD,  /* some word "...key=NAME" */
	WARD_CONF_FIELD, /* the n-th word, from 0, until one of key's */
	WARD_CONF_CRON,  /* of a system's crontab(5) */
};

/* The name, perhaps with a group behind it, or NULL; the line is changed. */
char *ward_conf_user(
    char *line, enum ward_conf_form form, const char *key, unsigned field);

/* That name is this account's: by name or by number, with a group or not. */
bool ward_conf_is_user(const char *text, const char *name, unsigned uid);

#endif
