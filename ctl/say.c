/* SPDX-License-Identifier: ISC */
/* How wardctl and ward speak. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ctl/ctl.h"

static void
complain(const char *format, va_list args)
{
	(void)fflush(stdout);
	(void)fprintf(stderr, "%s: ", ward_ctl_name);
	(void)vfprintf(stderr, format, args);
	(void)fputc('\n', stderr);
}

int
ward_ctl_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(format, args);
	va_end(args);
	return WARD_EXIT_FAILED;
}

int
ward_ctl_fail_err(const struct err *err)
{
	return ward_ctl_fail(
	    "%s", err->code == 0 ? "failed, and nothing says why" : err->text);
}

int
ward_ctl_misuse(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(format, args);
	va_end(args);
	(void)fprintf(
	    stderr, "%s: see '%s --help'\n", ward_ctl_name, ward_ctl_name);
	return WARD_EXIT_USAGE;
}

void
ward_ctl_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vprintf(format, args);
	va_end(args);
	(void)putchar('\n');
	/* what follows may take a while */
	(void)fflush(stdout);
}

int
ward_ctl_flush(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		return ward_ctl_fail("standard output: %s", strerror(errno));
	return WARD_EXIT_OK;
}
