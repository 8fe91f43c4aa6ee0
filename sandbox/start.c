/* SPDX-License-Identifier: ISC */
/*
 * start: makes a warden that is nobody's child.  Run by pam_ward.so inside
 * sshd, su, cron ...; small and linked statically, since a login waits for it.
 * Descriptor 3 is the socket on which the warden is asked for its first
 * session.  Exits 0 once the warden runs, else with 1.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/places.h"

#define SOCKET_FD 3

/* What the caller ignored or blocked is no business of the warden's. */
static int
reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		/* fails for those that have no disposition */
		(void)signal(number, SIG_DFL);
	(void)sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL);
}

static int
open_standard_descriptors(void)
{
	for (int fd = 0; fd < SOCKET_FD; fd++)
		(void)close(fd);
	if (open("/dev/null", O_RDWR) != 0 || dup(0) != 1 || dup(0) != 2)
		return -1;
	return close_range(SOCKET_FD + 1, ~0U, 0);
}

int
main(void)
{
	static char name[] = "ward-warden";
	char *const argv[] = { name, NULL };
	/* exec keeps none of the caller's variables; NSS wants a PATH */
	static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
	char *const environment[] = { path, NULL };
	int report[2];
	char failed;

	if (reset_signals() != 0 || open_standard_descriptors() != 0 ||
	    chdir("/") != 0)
		return 1;
	(void)umask(077);
	if (pipe2(report, O_CLOEXEC) != 0)
		return 1;
	pid_t pid = fork();
	if (pid < 0)
		return 1;
	if (pid == 0) {
		if (setsid() >= 0)
			(void)execve(WARD_WARDEN, argv, environment);
		/* the pipe's other end sees a byte instead of its close */
		(void)!write(report[1], "", 1);
		_exit(1);
	}
	(void)close(report[1]);
	return read(report[0], &failed, 1) == 0 ? 0 : 1;
}
