/* SPDX-License-Identifier: ISC */
/* The groups of an account. */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "common/group.h"

/*
 * getgrouplist(3) leaves out a source that it cannot read, and says nothing;
 * what went wrong is still in errno.  These are never its own.
 */
static bool
is_failure(int error)
{
	return error == EIO || error == EINTR || error == EMFILE ||
	    error == ENFILE || error == ENOMEM;
}

int
ward_group_list(const char *account, gid_t gid, gid_t *groups, size_t *n)
{
	int count = *n > INT_MAX ? INT_MAX : (int)*n;

	errno = 0;
	if (getgrouplist(account, gid, groups, &count) < 0)
		return -E2BIG;
	if (is_failure(errno))
		return -errno;
	*n = (size_t)count;
	return 0;
}

int
ward_group_has(
    const char *name, const char *account, const gid_t *groups, size_t n)
{
	errno = 0;
	const struct group *group = getgrnam(name);
	if (group == NULL)
		/* getgrnam(3): there is none */
		return errno == ENOENT || errno == ESRCH ? 0 : -errno;
	for (size_t i = 0; i < n; i++)
		if (groups[i] == group->gr_gid)
			return 1;
	/* the list may be short of a source that failed unnoticed */
	for (char *const *member = group->gr_mem; *member != NULL; member++)
		if (strcmp(*member, account) == 0)
			return 1;
	return 0;
}
