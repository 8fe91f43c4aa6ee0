/* SPDX-License-Identifier: ISC */
/*
 * What commands list: rows of cells, printed as a table or as JSON.  Text goes
 * through ward_text_visible in both, since an agent may have chosen it.
 * ctl/ only.
 */
#ifndef WARD_CTL_LIST_H
#define WARD_CTL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ward_list;

struct ward_list_column {
	const char *key;   /* in JSON; NULL: not there */
	const char *title; /* in the table; NULL: not there */
	bool is_time;      /* numbers are microseconds since 1970, UTC */
};

/* columns are borrowed.  NULL without memory. */
struct ward_list *
ward_list_new(const struct ward_list_column *columns, size_t n_columns);

/* The next cell; a row begins by itself.  NULL is fine, and is nothing. */
void ward_list_text(struct ward_list *list, const char *text);
void ward_list_format(struct ward_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ward_list_number(struct ward_list *list, int64_t number);
void ward_list_flag(struct ward_list *list, bool flag);
void ward_list_nothing(struct ward_list *list);

bool ward_list_is_empty(const struct ward_list *list);

/*
 * Prints the rows that it has so far, each on a line, and forgets them: JSON,
 * or cells of a table, below its titles if with_titles.  An exit status.
 */
int ward_list_lines(struct ward_list *list, bool json, bool with_titles);

/*
 * Prints all of it, the last row first if asked to, and frees it.  Returns an
 * exit status; what went wrong is said.
 */
int ward_list_end(struct ward_list *list, bool json, bool last_first);
void ward_list_free(struct ward_list *list);

/* "2026-05-04T12:30:01.000000Z", or local time for people. */
void ward_list_time(char *out, size_t size, int64_t when, bool for_people);

#endif
