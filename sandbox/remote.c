/* SPDX-License-Identifier: ISC */
/* What a caller has in its memory. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

#include "common/fd.h"
#include "common/path.h"
#include "sandbox/remote.h"

#define PAGE 4096 /* x86_64's */

bool
ward_remote_path(pid_t tid, uint64_t address, char out[PATH_MAX])
{
	size_t got = 0;

	while (got < PATH_MAX) {
		uint64_t at = address + got;
		/* the next page may not be mapped */
		size_t n = PAGE - (size_t)(at % PAGE);
		if (n > PATH_MAX - got)
			n = PATH_MAX - got;
		struct iovec here = { .iov_base = out + got, .iov_len = n };
		struct iovec there = {
			.iov_base = (void *)(uintptr_t)at,
			.iov_len = n,
		};
		ssize_t r = process_vm_readv(tid, &here, 1, &there, 1, 0);
		if (r <= 0)
			return false;
		if (memchr(out + got, '\0', (size_t)r) != NULL)
			return true;
		got += (size_t)r;
	}
	return false;
}

void
ward_remote_base(pid_t tid, int dirfd_arg, const unsigned long long args[6],
    char out[WARD_REMOTE_BASE_SIZE])
{
	int dirfd = dirfd_arg < 0 ? AT_FDCWD : (int)args[dirfd_arg];

	if (dirfd == AT_FDCWD)
		(void)snprintf(
		    out, WARD_REMOTE_BASE_SIZE, "/proc/%d/cwd", (int)tid);
	else
		(void)snprintf(out, WARD_REMOTE_BASE_SIZE, "/proc/%d/fd/%d",
		    (int)tid, dirfd);
}

bool
ward_remote_spelled(int base_dfd, const char *text, char out[PATH_MAX])
{
	if (base_dfd < 0)
		(void)snprintf(out, PATH_MAX, "/");
	else if (!ward_fd_path(base_dfd, out))
		return false;
	return ward_path_append(out, PATH_MAX, text);
}

uint64_t
ward_remote_flags(pid_t tid, const struct ward_seal_notified *call,
    const unsigned long long args[6])
{
	uint64_t flags = 0;

	if (call->flags_arg < 0)
		/* creat is open with these */
		return call->kind == WARD_SEAL_OPEN
		    ? O_CREAT | O_WRONLY | O_TRUNC
		    : 0;
	if (!call->flags_by_pointer)
		return args[call->flags_arg] & UINT32_MAX;
	struct iovec here = { .iov_base = &flags, .iov_len = sizeof(flags) };
	struct iovec there = {
		.iov_base = (void *)(uintptr_t)args[call->flags_arg],
		.iov_len = sizeof(flags),
	};
	return process_vm_readv(tid, &here, 1, &there, 1, 0) ==
		(ssize_t)sizeof(flags)
	    ? flags
	    : 0;
}
