/* SPDX-License-Identifier: ISC */
/*
 * Where the sanitizers of a build with --enable-sanitizers write what they
 * find: files in WARD_REPORTS, where the runner of the tests looks for them,
 * since most programs start with an empty environment and nobody's stderr.
 * Linked into the programs of such a build only.
 */
#include "config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/places.h"

/* The view shows it: the runtime makes each directory that is not there. */
#define WARD_REPORTS "/opt/ward-reports"

/*
 * Nothing is looked up: who looks would have to be let.  A session's
 * environment may name libraries that come first.
 */
#define COMMON    "symbolize=0:detect_leaks=0:verify_asan_link_order=0"
#define TO_A_FILE ":log_path=" WARD_REPORTS "/report"

/* The sanitizers ask before they are ready for what they have changed. */
#define EARLY  __attribute__((no_sanitize("address", "undefined")))
#define PUBLIC __attribute__((visibility("default")))

PUBLIC const char *__asan_default_options(void);
PUBLIC const char *__ubsan_default_options(void);

/* Egress can open no file once it finds something, so that it has one. */
EARLY static bool
is_sealed_later(void)
{
	static const char name[] = WARD_EGRESS;
	char path[sizeof(name)];
	long n = syscall(SYS_readlink, "/proc/self/exe", path, sizeof(path));

	for (size_t i = 0; n == sizeof(name) - 1 && i < sizeof(name) - 1; i++)
		if (path[i] != name[i])
			return false;
	return n == sizeof(name) - 1;
}

EARLY const char *
__asan_default_options(void)
{
	return is_sealed_later() ? COMMON : COMMON TO_A_FILE;
}

EARLY const char *
__ubsan_default_options(void)
{
	return is_sealed_later() ? COMMON : COMMON TO_A_FILE;
}

/* Its stderr is nobody's. */
__attribute__((constructor)) static void
open_report(void)
{
	char path[64];

	if (!is_sealed_later())
		return;
	(void)snprintf(
	    path, sizeof(path), WARD_REPORTS "/egress.%d", (int)getpid());
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd >= 0) {
		(void)dup2(fd, STDERR_FILENO);
		(void)close(fd);
	}
}
