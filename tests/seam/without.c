/* SPDX-License-Identifier: ISC */
/*
 * without: runs a command on a kernel that lacks something:
 *	without CALL[,CALL...] COMMAND...
 * CALL is the name of a system call, which then fails with ENOSYS, as it does
 * where it is not known; "listener" are seccomp(2)'s user notifications, which
 * an older kernel does not know as a flag.  For tests/system/49-*.sh.
 */
#include "config.h"

#include <err.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <string.h>
#include <unistd.h>

static int
add_rule(scmp_filter_ctx filter, const char *name)
{
	if (strcmp(name, "listener") == 0)
		return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EINVAL),
		    SCMP_SYS(seccomp), 1,
		    SCMP_A1(SCMP_CMP_MASKED_EQ,
			SECCOMP_FILTER_FLAG_NEW_LISTENER,
			SECCOMP_FILTER_FLAG_NEW_LISTENER));
	int number = seccomp_syscall_resolve_name(name);
	if (number < 0)
		errx(2, "there is no system call %s", name);
	return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), number, 0);
}

int
main(int argc, char *argv[])
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	if (argc < 3)
		errx(2, "usage: without CALL[,CALL...] COMMAND...");
	if (filter == NULL ||
	    seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0) != 0)
		errx(2, "no filter");
	for (char *at = argv[1], *name; (name = strsep(&at, ",")) != NULL;)
		if (add_rule(filter, name) != 0)
			errx(2, "no rule for %s", name);
	if (seccomp_load(filter) != 0)
		errx(2, "the filter is not loaded");
	(void)execvp(argv[2], argv + 2);
	err(2, "%s", argv[2]);
}
