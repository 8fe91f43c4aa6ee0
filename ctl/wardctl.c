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
#include "common/text.h"
#include "ctl/args.h"
#include "ctl/ctl.h"

static int
no_command(int argc, char *const argv[])
{
	char word[128];

	if (argc < 2) {
		ward_args_usage(stderr, NULL);
		return WARD_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		ward_args_usage(stdout, NULL);
		return ward_ctl_flush();
	}
	if (strcmp(argv[1], "--version") == 0) {
		(void)puts("wardctl " PACKAGE_VERSION);
		return ward_ctl_flush();
	}
	if (ward_args_is_group(argv[1])) {
		bool help = argc > 2 && strcmp(argv[2], "--help") == 0;
		ward_args_usage(help ? stdout : stderr, argv[1]);
		return help ? ward_ctl_flush() : WARD_EXIT_USAGE;
	}
	return ward_ctl_misuse("%s: no such command",
	    ward_text_visible(word, sizeof(word), argv[1]));
}

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
		return no_command(argc, argv);
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
