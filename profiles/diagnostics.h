/* SPDX-License-Identifier: ISC */
/*
 * What is wrong with policy texts: a list, so that an admin sees every finding
 * of a run and not only the first.  profiles/ fills it, ctl/ prints it.
 */
#ifndef WARD_PROFILES_DIAGNOSTICS_H
#define WARD_PROFILES_DIAGNOSTICS_H

#include <stddef.h>
#include <stdio.h>

#include "common/err.h"

enum ward_severity {
	WARD_ERROR,
	WARD_WARNING,
};

struct ward_diagnostic {
	enum ward_severity severity;
	char *file;
	unsigned line; /* 0: the file as a whole */
	char *text;    /* one line, fit for a terminal */
};

/* Starts zeroed. */
struct ward_diagnostics {
	struct ward_diagnostic *items;
	size_t n;
	size_t n_errors;  /* also those that were dropped */
	size_t n_dropped; /* above the 100 that are kept */
};

/*
 * Adds one.  Returns -EINVAL for an error, 0 for a warning, -ENOMEM; so that
 * what found an error can return it at once.  What a file says goes through
 * ward_text_visible before it comes here.
 */
int ward_diagnostics_add(struct ward_diagnostics *list,
    enum ward_severity severity, const char *file, unsigned line,
    const char *format, ...) __attribute__((format(printf, 5, 6)));

/* 0, or -EINVAL with the first error as "file:line: text" in err. */
int
ward_diagnostics_result(const struct ward_diagnostics *list, struct err *err);

/* One line each, as compilers print them: "file:line: [warning: ]text". */
int ward_diagnostics_print(const struct ward_diagnostics *list, FILE *out);

void ward_diagnostics_clear(struct ward_diagnostics *list);

#endif
