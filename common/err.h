/* SPDX-License-Identifier: ISC */
/*
 * What went wrong, carried from where it happened to whom it is told.
 * Everyone may use it.  A function that can fail returns 0 or -errno and
 * leaves the details here; only the top of a program prints them.
 */
#ifndef WARD_COMMON_ERR_H
#define WARD_COMMON_ERR_H

struct err {
	int code;       /* an errno value, 0 while nothing failed */
	char text[512]; /* one line for people, without newline */
};

/*
 * Keeps the first failure: a later one on the way up does not overwrite it.
 * err may be NULL.  Returns -errnum, so that callers can return it at once.
 */
int ward_err_set(struct err *err, int errnum, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with ": strerror(errnum)" behind the text. */
int ward_err_sys(struct err *err, int errnum, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
