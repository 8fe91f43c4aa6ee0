/* SPDX-License-Identifier: ISC */
/*
 * wardctl: what an admin does with Ward.  Run by root; reads and writes policy,
 * accounts, PAM stacks and the stores.  See wardctl(8).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/places.h"
#include "ctl/args.h"
#include "ctl/ctl.h"

/*
 * Ends with the process.  The directory is root's alone, so nobody else can
 * hold it; where it is not there yet, there is nothing to hold.
 */
static int
lock_machine(void)
{
	int dfd = open(WARD_STATE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dfd < 0)
		return errno == ENOENT
		    ? WARD_EXIT_OK
		    : ward_ctl_fail(WARD_STATE ": %s", strerror(errno));
	if (flock(dfd, LOCK_EX | LOCK_NB) == 0)
		return WARD_EXIT_OK;
	(void)fputs(
	    "wardctl: another wardctl is at work: waiting for it\n", stderr);
	while (flock(dfd, LOCK_EX) != 0)
		if (errno != EINTR)
			return ward_ctl_fail(
			    WARD_STATE ": %s", strerror(errno));
	return WARD_EXIT_OK;
}

int
main(int argc, char *argv[])
{
	struct ward_ctl_args args;
	bool help;
	int n_words = 0;

	/* nothing that is opened here reaches a program that is run */
	(void)close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	(void)umask(022);
	const struct ward_ctl_command *command =
	    ward_args_find(argc - 1, argv + 1, &n_words);
	if (command == NULL)
		return ward_args_none(argc, argv);
	int r = ward_args_parse(
	    command, argc - n_words, argv + n_words, &args, &help);
	if (r != WARD_EXIT_OK)
		return r;
	if (help) {
		ward_args_help(stdout, command);
		return ward_ctl_flush();
	}
	if (!command->anyone && geteuid() != 0)
		return ward_ctl_fail(
		    "%s needs root: run it with sudo", command->name);
	if (command->changes && (r = lock_machine()) != WARD_EXIT_OK)
		return r;
	return command->run(&args);
}
