/* SPDX-License-Identifier: ISC */
/* Whether an account has a process, as /proc and the kernel tell. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

#include "common/number.h"
#include "common/text.h"
#include "ctl/processes.h"

#define TRIES 20

struct looked_for {
	const struct ward_id_range *ranges;
	size_t n;
};

static bool
is_among(const struct looked_for *l, unsigned uid)
{
	for (size_t i = 0; i < l->n; i++)
		if (uid >= l->ranges[i].first &&
		    uid - l->ranges[i].first < l->ranges[i].n)
			return true;
	return false;
}

/*
 * Its line of ids, not who owns the files of /proc: those of a process that is
 * not dumpable are root's.
 */
static bool
has_uid(const char *status_path, const struct looked_for *l, char name[64])
{
	char line[512];
	unsigned uids[4];
	bool found = false, dead = false;
	FILE *in = fopen(status_path, "re");

	if (in == NULL) /* it is gone */
		return false;
	while (fgets(line, sizeof(line), in) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "Name:\t", 6) == 0)
			(void)snprintf(name, 64, "%.63s", line + 6);
		/* what is left of one that has ended */
		if (strncmp(line, "State:\t", 7) == 0)
			dead = line[7] == 'Z' || line[7] == 'X';
		/* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
		if (sscanf(line, "Uid:\t%u\t%u\t%u\t%u", &uids[0], &uids[1],
			&uids[2], &uids[3]) != 4)
			continue;
		for (size_t i = 0; i < 4; i++)
			found = found || is_among(l, uids[i]);
		break;
	}
	(void)fclose(in);
	return found && !dead;
}

/* One of its threads: each has ids of its own. */
static bool
thread_has_uid(uint64_t pid, const struct looked_for *l, char name[64])
{
	char path[300];
	const struct dirent *entry;
	bool found = false;

	(void)snprintf(
	    path, sizeof(path), "/proc/%llu/task", (unsigned long long)pid);
	DIR *threads = opendir(path);
	if (threads == NULL)
		return false;
	while (!found && (entry = readdir(threads)) != NULL) {
		(void)snprintf(path, sizeof(path), "/proc/%llu/task/%s/status",
		    (unsigned long long)pid, entry->d_name);
		found = entry->d_name[0] != '.' && has_uid(path, l, name);
	}
	(void)closedir(threads);
	return found;
}

static int
busy(const char *account, uint64_t pid, const char *name, struct err *err)
{
	char visible[160];

	return ward_err_set(err, EBUSY,
	    "%s has a process: %s (pid %llu); end it (all of them: 'pkill "
	    "-KILL -u %s'), then try again",
	    account, ward_text_visible(visible, sizeof(visible), name),
	    (unsigned long long)pid, account);
}

static int
look(const char *account, const struct looked_for *l, struct err *err)
{
	const struct dirent *entry;
	char name[64] = "";
	uint64_t pid;
	int r = 0;
	DIR *proc = opendir("/proc");

	if (proc == NULL)
		return ward_err_sys(err, errno, "/proc");
	errno = 0;
	while (r == 0 && (entry = readdir(proc)) != NULL) {
		if (ward_number_parse(entry->d_name, INT32_MAX, &pid) == 0 &&
		    thread_has_uid(pid, l, name))
			r = busy(account, pid, name, err);
		errno = 0;
	}
	if (r == 0 && errno != 0)
		r = ward_err_sys(err, errno, "/proc");
	(void)closedir(proc);
	return r;
}

/*
 * A process that forks and ends, over and over, can outrun a look by numbers,
 * but not the kernel's walk of its own list, at whose end each child is put.
 */
static bool
kernel_knows_none(uid_t uid)
{
	errno = 0;
	return getpriority(PRIO_USER, uid) == -1 && errno == ESRCH;
}

int
ward_processes_check_none(const char *account,
    const struct ward_id_range *ranges, size_t n, struct err *err)
{
	const struct looked_for l = { .ranges = ranges, .n = n };
	const struct timespec moment = { .tv_nsec = 50000000 };

	/* what was killed just now is there until it is waited for */
	for (int i = 0; i < TRIES; i++) {
		int r = look(account, &l, err);
		if (r != 0 || kernel_knows_none((uid_t)ranges[0].first))
			return r;
		(void)nanosleep(&moment, NULL);
	}
	return ward_err_set(err, EBUSY,
	    "%s has processes that come and go, or that nobody waits for: see "
	    "'ps -u %s'; end them ('pkill -KILL -u %s'), then try again",
	    account, account, account);
}
