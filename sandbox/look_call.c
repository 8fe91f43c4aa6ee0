/* SPDX-License-Identifier: ISC */
/* What a thread is about that looks into a hidden place. */
#include "config.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/path.h"
#include "profiles/seal_table.h"
#include "sandbox/look_call.h"
#include "sandbox/remote.h"

#define TEXT_SIZE      256
#define FALL_ASLEEP_MS 100 /* less than the masks' server waits */

/* A call that is under way (proc(5), /proc/PID/syscall). */
struct call {
	uint32_t arch;
	int nr;
	unsigned long long args[6];
};

/* A path in its arguments. */
struct named {
	enum ward_seal_kind kind;
	int dirfd_arg; /* -1: relative to the working directory */
	int path_arg;  /* -1: there is none */
};

/* Calls with a path that the seal does not notify; x86_64's numbers. */
static const struct {
	int nr;
	int dirfd_arg, path_arg;
} readers[] = {
	{ SYS_open, -1, 0 },
	{ SYS_stat, -1, 0 },
	{ SYS_lstat, -1, 0 },
	{ SYS_access, -1, 0 },
	{ SYS_execve, -1, 0 },
	{ SYS_chdir, -1, 0 },
	{ SYS_readlink, -1, 0 },
	{ SYS_statfs, -1, 0 },
	{ SYS_getxattr, -1, 0 },
	{ SYS_lgetxattr, -1, 0 },
	{ SYS_listxattr, -1, 0 },
	{ SYS_llistxattr, -1, 0 },
	{ SYS_inotify_add_watch, -1, 1 },
	{ SYS_openat, 0, 1 },
	{ SYS_newfstatat, 0, 1 },
	{ SYS_readlinkat, 0, 1 },
	{ SYS_faccessat, 0, 1 },
	{ SYS_name_to_handle_at, 0, 1 },
	{ SYS_execveat, 0, 1 },
	{ SYS_statx, 0, 1 },
	{ SYS_openat2, 0, 1 },
	{ SYS_faccessat2, 0, 1 },
};

static bool
take_number(const char **at, int base, unsigned long long *value)
{
	char *end = NULL;

	*value = strtoull(*at, &end, base);
	bool is_number = end != *at;
	*at = end;
	return is_number;
}

static bool
read_text(pid_t tid, char text[TEXT_SIZE])
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/syscall", (int)tid);
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, TEXT_SIZE - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return true;
}

/*
 * It is "running" until it sleeps, and that may be some time after its request
 * is here: its processor can be taken from it in between.
 */
static bool
read_asleep(pid_t tid, char text[TEXT_SIZE])
{
	const struct timespec pause = { .tv_nsec = 100000 };
	const int64_t until_ms = ward_now_ms() + FALL_ASLEEP_MS;

	while (read_text(tid, text)) {
		if (strncmp(text, "running", strlen("running")) != 0)
			return true;
		if (ward_now_ms() >= until_ms)
			return false;
		(void)nanosleep(&pause, NULL);
	}
	return false;
}

static bool
read_call(pid_t tid, struct call *call)
{
	char text[TEXT_SIZE];
	unsigned long long nr = 0, sp = 0;

	if (!read_asleep(tid, text))
		return false;
	/* -1 where it is in none */
	const char *at = text;
	bool is_call = take_number(&at, 10, &nr) && nr <= INT32_MAX;
	for (size_t i = 0; is_call && i < 6; i++)
		is_call = take_number(&at, 16, &call->args[i]);
	if (!is_call || !take_number(&at, 16, &sp))
		return false;
	call->nr = (int)nr;
	/* it does not say of which ABI; the stack of i386 is low */
	call->arch = sp <= UINT32_MAX ? AUDIT_ARCH_I386 : AUDIT_ARCH_X86_64;
	return true;
}

/* The name of what a relative path starts from, as its own view has it. */
static bool
read_base(pid_t tid, const struct call *call, int dirfd_arg, char out[PATH_MAX])
{
	char path[WARD_REMOTE_BASE_SIZE];

	ward_remote_base(tid, dirfd_arg, call->args, path);
	ssize_t n = readlink(path, out, PATH_MAX - 1);
	if (n <= 0 || out[0] != '/')
		return false;
	out[n] = '\0';
	return true;
}

/* By the text alone: where links lead, nobody asks here. */
static bool
read_named(pid_t tid, const struct call *call, const struct named *named,
    char out[PATH_MAX])
{
	char text[PATH_MAX], base[PATH_MAX];

	if (named->path_arg < 0 ||
	    !ward_remote_path(tid, call->args[named->path_arg], text))
		return false;
	(void)snprintf(out, PATH_MAX, "/");
	if (text[0] != '/' &&
	    (!read_base(tid, call, named->dirfd_arg, base) ||
		!ward_path_append(out, PATH_MAX, base)))
		return false;
	return ward_path_append(out, PATH_MAX, text);
}

/*
 * The paths of a call, at most two.  Of a write that fails since nothing is
 * there, the observer knows nothing: to it, too, it is a look.
 */
static void
find_named(pid_t tid, const struct call *call, struct named named[2])
{
	const struct ward_seal_notified *of =
	    ward_seal_notified_find(call->arch, call->nr);

	named[0] = named[1] = (struct named){ .path_arg = -1 };
	if (of != NULL && of->kind != WARD_SEAL_CONNECT &&
	    of->kind != WARD_SEAL_BIND) {
		named[0] =
		    (struct named){ of->kind, of->dirfd_arg, of->path_arg };
		named[1] =
		    (struct named){ of->kind2, of->dirfd2_arg, of->path2_arg };
		if (of->kind == WARD_SEAL_OPEN &&
		    (ward_remote_flags(tid, of, call->args) & O_CREAT) == 0)
			named[0].kind = WARD_SEAL_NOTHING;
		return;
	}
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (call->arch == AUDIT_ARCH_X86_64 &&
		    call->nr == readers[i].nr)
			named[0] = (struct named){ WARD_SEAL_NOTHING,
				readers[i].dirfd_arg, readers[i].path_arg };
	if (of != NULL && of->kind == WARD_SEAL_BIND)
		named[0].kind = WARD_SEAL_BIND;
}

static bool
makes_entry(enum ward_seal_kind kind)
{
	return kind == WARD_SEAL_OPEN || kind == WARD_SEAL_ENTRY ||
	    kind == WARD_SEAL_BIND;
}

void
ward_look_call_read(pid_t tid, const char *place, struct ward_look_call *call)
{
	struct call under_way = { .nr = -1 };
	struct named named[2];
	char path[PATH_MAX];

	(void)snprintf(call->target, sizeof(call->target), "%s", place);
	call->observed = false;
	if (tid <= 0 || !read_call(tid, &under_way))
		return;
	find_named(tid, &under_way, named);
	for (size_t i = 0; i < 2; i++) {
		if (!read_named(tid, &under_way, &named[i], path) ||
		    !ward_path_is_below(path, place))
			continue;
		(void)snprintf(call->target, sizeof(call->target), "%s", path);
		/* of what is deeper it found no directory, and says nothing */
		call->observed =
		    makes_entry(named[i].kind) && strcmp(path, place) == 0;
		return;
	}
	/* by a link, which is not followed here */
	call->observed =
	    makes_entry(named[0].kind) || makes_entry(named[1].kind);
}
