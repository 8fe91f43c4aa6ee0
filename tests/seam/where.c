/* SPDX-License-Identifier: ISC */
/* Where a process is, and what it can do. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "tests/seam/where.h"

__attribute__((format(printf, 3, 4))) static void
add(char *out, size_t size, const char *format, ...)
{
	size_t n = strlen(out);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(out + n, size - n, format, args);
	va_end(args);
}

static void
look_at_namespaces(pid_t pid, char *out, size_t size)
{
	static const char *const names[] = { "mnt", "net", "ipc", "uts",
		"pid" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct stat ours, its;
		char path[64];
		(void)snprintf(
		    path, sizeof(path), "/proc/self/ns/%s", names[i]);
		if (stat(path, &ours) != 0)
			add(out, size, " ns?");
		(void)snprintf(
		    path, sizeof(path), "/proc/%d/ns/%s", (int)pid, names[i]);
		if (stat(path, &its) != 0 || its.st_ino == ours.st_ino)
			add(out, size, " %s", names[i]);
	}
}

void
seam_where_status(pid_t pid, char *out, size_t size)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "re");
	size_t n = file == NULL ? 0 : fread(out, 1, size - 1, file);
	out[n] = '\0';
	if (file != NULL)
		(void)fclose(file);
}

/* The lines of proc(5)'s status that must be there as they are. */
static void
look_at_status(pid_t pid, uid_t uid, char *out, size_t size)
{
	char ids[64], status[4096];
	const char *const lines[] = { ids, "\nCapInh:\t0000000000000000\n",
		"\nCapPrm:\t0000000000000000\n",
		"\nCapEff:\t0000000000000000\n",
		"\nCapBnd:\t0000000000000000\n",
		"\nCapAmb:\t0000000000000000\n", "\nNoNewPrivs:\t1\n",
		"\nSeccomp:\t2\n" };

	(void)snprintf(
	    ids, sizeof(ids), "\nUid:\t%u\t%u\t%u\t%u\n", uid, uid, uid, uid);
	seam_where_status(pid, status, sizeof(status));
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (strstr(status, lines[i]) == NULL)
			add(out, size, " %.*s", (int)strcspn(lines[i] + 1, ":"),
			    lines[i] + 1);
}

void
seam_where_outside(pid_t pid, uid_t uid, char *out, size_t size)
{
	out[0] = '\0';
	look_at_namespaces(pid, out, size);
	look_at_status(pid, uid, out, size);
}

bool
seam_where_string(pid_t pid, uint64_t at, char *out, size_t size)
{
	struct iovec here = { .iov_base = out, .iov_len = size };
	struct iovec there = { .iov_base = (void *)(uintptr_t)at,
		.iov_len = size };
	ssize_t n;

	/* as far as the page, and the next one */
	there.iov_len = 4096 - (at & 4095);
	if (there.iov_len > size)
		there.iov_len = size;
	n = process_vm_readv(pid, &here, 1, &there, 1, 0);
	if (n > 0 && memchr(out, '\0', (size_t)n) != NULL)
		return true;
	there.iov_len = size;
	n = process_vm_readv(pid, &here, 1, &there, 1, 0);
	return n > 0 && memchr(out, '\0', (size_t)n) != NULL;
}
