/* SPDX-License-Identifier: ISC */
/* What went wrong, carried from where it happened to whom it is told. */
#include "config.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/err.h"

static int
keep(struct err *err, int errnum, bool with_errno, const char *format,
    va_list args)
{
	if (err == NULL || err->code != 0)
		return -errnum;
	err->code = errnum;
	int n = vsnprintf(err->text, sizeof(err->text), format, args);
	if (!with_errno || n < 0 || (size_t)n >= sizeof(err->text))
		return -errnum;
	(void)snprintf(err->text + n, sizeof(err->text) - (size_t)n, ": %s",
	    strerrordesc_np(errnum));
	return -errnum;
}

int
ward_err_set(struct err *err, int errnum, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int r = keep(err, errnum, false, format, args);
	va_end(args);
	return r;
}

int
ward_err_sys(struct err *err, int errnum, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int r = keep(err, errnum, true, format, args);
	va_end(args);
	return r;
}
