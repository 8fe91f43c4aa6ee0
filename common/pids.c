/* SPDX-License-Identifier: ISC */
/* Processes, by their numbers in /proc. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/number.h"
#include "common/pids.h"

pid_t
ward_pids_next(DIR *proc)
{
	const struct dirent *entry;
	uint64_t pid;

	while ((entry = readdir(proc)) != NULL)
		if (ward_number_parse(entry->d_name, INT32_MAX, &pid) == 0)
			return (pid_t)pid;
	return 0;
}

int
ward_pids_program(pid_t pid, char *out, size_t size)
{
	static const char deleted[] = " (deleted)";
	const size_t tail = sizeof(deleted) - 1;
	char path[64] = "/proc/self/exe";

	if (pid != 0)
		(void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(path, out, size - 1);
	if (n < 0)
		return -errno;
	out[n] = '\0';
	if ((size_t)n > tail && strcmp(out + n - tail, deleted) == 0)
		out[(size_t)n - tail] = '\0';
	return 0;
}
