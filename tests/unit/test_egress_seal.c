/* SPDX-License-Identifier: ISC */
/*
 * What the egress and its resolver can no longer do once they are sealed; each
 * in a child, with a control that shows that it could before.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "egress/seal.h"

/* Each gives 0 where it could do it. */
static int
open_file(void)
{
	return open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 ? errno : 0;
}

static int
make_file(void)
{
	char path[] = "/tmp/ward-seal-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		return errno;
	(void)unlink(path);
	return 0;
}

static int
make_raw(void)
{
	/* where even that needs a capability, it fails in another way */
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);

	return fd >= 0 || errno == EPERM || errno == EACCES ? 0 : errno;
}

static int
make_udp(void)
{
	return socket(AF_INET, SOCK_DGRAM, 0) < 0 ? errno : 0;
}

static int
make_local(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int
make_tcp(void)
{
	return socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) <
		0
	    ? errno
	    : 0;
}

static int
run_program(void)
{
	static char name[] = "true";
	char *const argv[] = { name, NULL };

	(void)execve("/bin/true", argv, NULL);
	return errno;
}

static int
make_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 ? errno : 0;
}

static void *
do_nothing(void *context)
{
	return context;
}

static int
make_thread(void)
{
	pthread_t thread;

	int r = pthread_create(&thread, NULL, do_nothing, NULL);
	return r == 0 ? pthread_join(thread, NULL) : r;
}

static int
map_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
	    ? errno
	    : 0;
}

static int
map_data(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
	    ? errno
	    : 0;
}

static int
signal_parent(void)
{
	return kill(getppid(), 0) != 0 ? errno : 0;
}

static int
look_at_parent(void)
{
	return syscall(SYS_pidfd_open, getppid(), 0) < 0 ? errno : 0;
}

enum { KILLED = -1 };

#ifdef __SANITIZE_ADDRESS__
#define OPENING EACCES /* a sanitizer that tells of something tries to */
#else
#define OPENING KILLED
#endif

static const struct {
	const char *name;
	int (*act)(void);
	int egress, resolver; /* errno, 0 for it can, or KILLED */
} rows[] = {
	{ "open a file", open_file, OPENING, 0 },
	{ "make a file", make_file, OPENING, EACCES },
	{ "a raw socket", make_raw, KILLED, 0 },
	{ "a UDP socket", make_udp, KILLED, 0 },
	{ "a local socket", make_local, KILLED, 0 },
	{ "a TCP socket", make_tcp, 0, 0 },
	{ "run a program", run_program, KILLED, EPERM },
	{ "another process", make_process, KILLED, EPERM },
	{ "a thread", make_thread, KILLED, 0 },
	{ "memory to run", map_code, KILLED, 0 },
	{ "memory", map_data, 0, 0 },
	{ "signal another", signal_parent, KILLED, EPERM },
	{ "a pidfd of another", look_at_parent, KILLED, EPERM },
};

/* What act gives in a child that was sealed by seal, or by nobody. */
static int
try(int (*seal)(void), int (*act)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		    (seal != NULL && seal() != 0))
			_exit(250);
		/* not _exit: sanitizers do things of their own in that */
		(void)syscall(SYS_exit_group, act());
	}
	while (waitpid(pid, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		return KILLED;
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void
table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int control = try(NULL, rows[i].act);
		int egress = try(ward_seal_egress, rows[i].act);
		int resolver = try(ward_seal_resolver, rows[i].act);

		if (control != 0 || egress != rows[i].egress ||
		    resolver != rows[i].resolver)
			fail_msg("%s: unsealed %d, egress %d, resolver %d",
			    rows[i].name, control, egress, resolver);
	}
}

static int
drop(void)
{
	return -ward_seal_privileges();
}

static void
privileges(void **state)
{
	(void)state;
	/* as whom the tests run decides which of the two can be seen */
	assert_int_equal(try(NULL, drop), geteuid() == 0 ? EPERM : 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(privileges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
