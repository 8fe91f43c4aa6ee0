/* SPDX-License-Identifier: ISC */
/* What /proc tells of a process. */
#include "config.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/number.h"
#include "sandbox/process.h"

/* All of a status: its groups are what makes it long. */
#define STATUS_MAX 65536

/*
 * The head of /proc/PID/status, which has all that is wanted (proc(5));
 * proc_dfd: AT_FDCWD, or another /proc than that of the calling thread's view.
 */
static bool
read_status_at(int proc_dfd, pid_t pid, char *out, size_t size)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%s%d/status",
	    proc_dfd == AT_FDCWD ? "/proc/" : "", (int)pid);
	_cleanup_fd_ int fd = openat(proc_dfd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, out, size - 1);
	if (n <= 0)
		return false;
	out[n] = '\0';
	return true;
}

static bool
read_status(pid_t pid, char *out, size_t size)
{
	return read_status_at(AT_FDCWD, pid, out, size);
}

static pid_t
number_of(const char *status, const char *key)
{
	char digits[16];
	uint64_t value;
	const char *at = strstr(status, key);

	if (at == NULL)
		return 0;
	at += strlen(key);
	(void)snprintf(
	    digits, sizeof(digits), "%.*s", (int)strcspn(at, "\n"), at);
	return ward_number_parse(digits, INT32_MAX, &value) == 0 ? (pid_t)value
								 : 0;
}

void
ward_process_of_thread(pid_t tid, pid_t *pid, char *program, size_t size)
{
	ward_process_of_thread_at(AT_FDCWD, tid, pid, program, size);
}

void
ward_process_of_thread_at(
    int proc_dfd, pid_t tid, pid_t *pid, char *program, size_t size)
{
	char status[512];

	*pid = tid;
	program[0] = '\0';
	if (!read_status_at(proc_dfd, tid, status, sizeof(status)))
		return;
	if (strncmp(status, "Name:\t", 6) == 0)
		(void)snprintf(program, size, "%.*s",
		    (int)strcspn(status + 6, "\n"), status + 6);
	pid_t tgid = number_of(status, "\nTgid:\t");
	if (tgid > 0)
		*pid = tgid;
}

pid_t
ward_process_parent(pid_t pid)
{
	char status[512];

	return read_status(pid, status, sizeof(status))
	    ? number_of(status, "\nPPid:\t")
	    : 0;
}

unsigned
ward_process_filters(pid_t pid)
{
	char status[STATUS_MAX];

	return read_status(pid, status, sizeof(status))
	    ? (unsigned)number_of(status, "\nSeccomp_filters:\t")
	    : 0;
}

bool
ward_process_seal(pid_t pid, uid_t uid, struct ward_process_seal *seal)
{
	char status[STATUS_MAX], ids[64];

	/* proc(5): real, effective, saved, file system */
	(void)snprintf(
	    ids, sizeof(ids), "\nUid:\t%u\t%u\t%u\t%u\n", uid, uid, uid, uid);
	if (!read_status(pid, status, sizeof(status)) ||
	    strstr(status, ids) == NULL ||
	    /* the last of what is wanted: else it is not all there */
	    strstr(status, "\nSeccomp_filters:\t") == NULL)
		return false;
	*seal = (struct ward_process_seal){
		/* a dead first thread may have others that live */
		.is_dead = strstr(status, "\nState:\tZ") != NULL &&
		    number_of(status, "\nThreads:\t") <= 1,
		.no_new_privs = strstr(status, "\nNoNewPrivs:\t1\n") != NULL,
		.has_bounding_set =
		    strstr(status, "\nCapBnd:\t0000000000000000\n") == NULL,
		.n_filters =
		    (unsigned)number_of(status, "\nSeccomp_filters:\t"),
	};
	return true;
}

bool
ward_process_same_namespace(pid_t a, pid_t b)
{
	char path[64];
	struct stat of_a, of_b;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)a);
	if (stat(path, &of_a) != 0)
		return false;
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)b);
	return stat(path, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
	    of_a.st_ino == of_b.st_ino;
}

/* A field of /proc/PID/stat; at stands before the third, the state. */
static bool
stat_field(const char *at, int number, uint64_t *value)
{
	char digits[24];

	for (int i = 3; at != NULL && i <= number; i++)
		at = strchr(at + (i > 3), ' ');
	if (at == NULL)
		return false;
	(void)snprintf(digits, sizeof(digits), "%.*s",
	    (int)strcspn(at + 1, " \n"), at + 1);
	return ward_number_parse(digits, UINT64_MAX, value) == 0;
}

bool
ward_process_stat(pid_t pid, struct ward_process_stat *stat)
{
	char path[64], text[1024];
	uint64_t terminal;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	/* the name before it can hold anything */
	const char *at = strrchr(text, ')');
	if (at == NULL || !stat_field(at + 1, 7, &terminal) ||
	    !stat_field(at + 1, 22, &stat->started))
		return false;
	stat->terminal = (unsigned)terminal;
	return true;
}
