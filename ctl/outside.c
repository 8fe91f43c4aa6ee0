/* SPDX-License-Identifier: ISC */
/* Processes of agent accounts that are in no sandbox, as /proc tells. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/pids.h"
#include "common/places.h"
#include "ctl/outside.h"

struct namespaces {
	ino_t *list;
	size_t n;
};

/* 0 where it cannot be told: the process is gone. */
static ino_t
pid_namespace(pid_t pid)
{
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

static bool
is_init(pid_t pid)
{
	char program[512];

	return ward_pids_program(pid, program, sizeof(program)) == 0 &&
	    strcmp(program, WARD_INIT) == 0;
}

static int
find_sandboxes(DIR *proc, struct namespaces *inside)
{
	pid_t pid;

	rewinddir(proc);
	while ((pid = ward_pids_next(proc)) != 0) {
		if (!is_init(pid))
			continue;
		ino_t *more =
		    reallocarray(inside->list, inside->n + 1, sizeof(*more));
		if (more == NULL)
			return -ENOMEM;
		inside->list = more;
		more[inside->n++] = pid_namespace(pid);
	}
	return 0;
}

static bool
is_inside(const struct namespaces *inside, pid_t pid)
{
	ino_t its = pid_namespace(pid);

	if (its == 0)
		return true;
	for (size_t i = 0; i < inside->n; i++)
		if (inside->list[i] == its)
			return true;
	return false;
}

/* Its name, and whose it is; NULL: nobody's of them. */
static const struct ward_account *
owner(const struct ward_accounts *accounts, pid_t pid, char name[64])
{
	char path[64], line[512];
	unsigned uids[4] = { 0 };
	const struct ward_account *found = NULL;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *in = fopen(path, "re");
	if (in == NULL)
		return NULL;
	name[0] = '\0';
	while (fgets(line, sizeof(line), in) != NULL) {
		if (strncmp(line, "Name:\t", 6) == 0) {
			line[strcspn(line, "\n")] = '\0';
			(void)snprintf(name, 64, "%.63s", line + 6);
		}
		/* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
		if (sscanf(line, "Uid:\t%u\t%u\t%u\t%u", &uids[0], &uids[1],
			&uids[2], &uids[3]) == 4)
			break;
	}
	(void)fclose(in);
	for (size_t i = 0; found == NULL && i < accounts->n; i++)
		for (size_t u = 0; u < 4; u++)
			if (accounts->list[i].uid == uids[u])
				found = &accounts->list[i];
	return found;
}

static bool
is_outside(const struct ward_accounts *accounts,
    const struct namespaces *inside, pid_t pid)
{
	char name[64];

	return owner(accounts, pid, name) != NULL && !is_inside(inside, pid);
}

int
ward_outside_each(const struct ward_accounts *accounts,
    ward_outside_found *found, void *context, struct err *err)
{
	const struct timespec moment = { .tv_nsec = 50000000 };
	struct namespaces inside = { 0 };
	char name[64];
	bool waited = false;
	pid_t pid;
	DIR *proc = opendir("/proc");

	if (proc == NULL)
		return ward_err_sys(err, errno, "/proc");
	int r = find_sandboxes(proc, &inside);
	rewinddir(proc);
	while (r == 0 && (pid = ward_pids_next(proc)) != 0) {
		if (!is_outside(accounts, &inside, pid))
			continue;
		if (!waited) {
			DIR *again = opendir("/proc");
			(void)nanosleep(&moment, NULL);
			waited = true;
			if (again != NULL)
				r = find_sandboxes(again, &inside);
			if (again != NULL)
				(void)closedir(again);
		}
		const struct ward_account *account = owner(accounts, pid, name);
		if (account != NULL && !is_inside(&inside, pid))
			found(context, pid, name, account);
	}
	(void)closedir(proc);
	free(inside.list);
	return r == 0 ? 0 : ward_err_sys(err, -r, "/proc");
}
