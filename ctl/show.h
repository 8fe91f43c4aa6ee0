/* SPDX-License-Identifier: ISC */
/* What the listings of the violation store share.  ctl/ only. */
#ifndef WARD_CTL_SHOW_H
#define WARD_CTL_SHOW_H

#include "ctl/list.h"
#include "db/violations.h"

/* The words behind --since and --limit; an exit status. */
int ward_show_filter(const char *since, const char *limit,
    struct ward_violations_filter *filter);
/* Prints the list, or says what went wrong; an exit status. */
int ward_show_end_take(
    struct ward_list *list, int r, const struct err *err, bool json);

/* What fits, counted by a column of this name; an exit status. */
int ward_show_groups(
    const struct ward_violations_filter *filter, const char *column, bool json);

/* What a violation is in a list, and its cells. */
extern const struct ward_list_column ward_show_violation_columns[];
extern const size_t ward_show_n_violation_columns;
void ward_show_violation(
    struct ward_list *list, const struct ward_violations_violation_row *row);

/* Cells: program, pid, and both for people; rule, its file, its line, all. */
void
ward_show_program(struct ward_list *list, const char *program, int64_t pid);
void ward_show_rule(struct ward_list *list, const char *text, const char *file,
    unsigned line, const char *reason);

#endif
