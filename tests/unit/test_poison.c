/* SPDX-License-Identifier: ISC */
/*
 * The poison, taken by children of this test: they must not run a program by
 * any call, nor by children of their own, and must do all else.  A child that
 * did not take it shows that the trial can succeed.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "pam/poison.h"

/* What a child ends with; a program that ran ends with 0. */
enum end {
	RAN = 0,
	REFUSED = 41,
	OTHER_ERROR = 42,
	NOT_POISONED = 43,
};

typedef enum end trial(void);

static char name[] = "true";
static char *const arguments[] = { name, NULL };
static char *const no_environment[] = { NULL };

static enum end
refused(void)
{
	return errno == EPERM ? REFUSED : OTHER_ERROR;
}

static enum end
by_execve(void)
{
	(void)execve("/bin/true", arguments, no_environment);
	return refused();
}

static enum end
by_execveat(void)
{
	(void)syscall(
	    SYS_execveat, AT_FDCWD, "/bin/true", arguments, no_environment, 0);
	return refused();
}

static enum end
by_fexecve(void)
{
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return OTHER_ERROR;
	(void)fexecve(fd, arguments, no_environment);
	return refused();
}

static enum end
wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return OTHER_ERROR;
	return (enum end)WEXITSTATUS(status);
}

static enum end
by_a_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(by_execve());
	return wait_for(pid);
}

/* The calls of x32 have numbers of their own; 520 is its execve. */
static enum end
by_x32(void)
{
	if (syscall(
		0x40000000L | 520, "/bin/true", arguments, no_environment) == 0)
		return RAN;
	return errno == EPERM || errno == ENOSYS ? REFUSED : OTHER_ERROR;
}

/* Any call of x32, where the kernel would not know it anyway: EPERM is ours. */
static enum end
x32_getpid(void)
{
	return syscall(0x40000000L | SYS_getpid) < 0 ? refused() : RAN;
}

#ifdef __x86_64__
/* The calls of i386, by its own instruction; 20 is getpid. */
static enum end
i386_getpid(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		long r = 20;
		/* not cmocka's handler, which ends with a status */
		(void)signal(SIGSEGV, SIG_DFL);
		__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "cc");
		_exit(r == -EPERM || r == -ENOSYS ? REFUSED : RAN);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return OTHER_ERROR;
	/* a kernel without i386 calls ends who tries */
	if (WIFSIGNALED(status))
		return REFUSED;
	return (enum end)WEXITSTATUS(status);
}
#endif

static enum end
all_else(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t pid = fork();

	if (pid == 0)
		_exit(RAN);
	if (fd < 0 || close(fd) != 0 || getppid() <= 0)
		return OTHER_ERROR;
	return wait_for(pid);
}

static enum end
twice(void)
{
	return ward_poison_self() == 0 ? by_execve() : NOT_POISONED;
}

static enum end
run_trial(trial *t, int poison)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (poison && ward_poison_self() != 0)
			_exit(NOT_POISONED);
		_exit(t());
	}
	return wait_for(pid);
}

static const struct {
	const char *name;
	trial *trial;
	enum end poisoned;
} rows[] = {
	{ "execve", by_execve, REFUSED },
	{ "execveat", by_execveat, REFUSED },
	{ "fexecve", by_fexecve, REFUSED },
	{ "execve in a child", by_a_child, REFUSED },
	{ "execve of x32", by_x32, REFUSED },
	{ "x32", x32_getpid, REFUSED },
#ifdef __x86_64__
	{ "i386", i386_getpid, REFUSED },
#endif
	{ "everything else", all_else, RAN },
	{ "poisoned twice", twice, REFUSED },
};

static void
poisoned(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum end end = run_trial(rows[i].trial, 1);

		if (end != rows[i].poisoned)
			fail_msg("%s: %d", rows[i].name, end);
	}
}

static void
control(void **state)
{
	static trial *const trials[] = { by_execve, by_execveat, by_fexecve,
		by_a_child, all_else };

	(void)state;
	for (size_t i = 0; i < sizeof(trials) / sizeof(trials[0]); i++)
		assert_int_equal(run_trial(trials[i], 0), RAN);
}

static enum end
no_new_privs(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? RAN : OTHER_ERROR;
}

/* Without CAP_SYS_ADMIN it costs no_new_privs, and must work all the same. */
static void
without_privilege(void **state)
{
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
			_exit(OTHER_ERROR);
		if (ward_poison_self() != 0)
			_exit(NOT_POISONED);
		_exit(no_new_privs() == RAN ? by_execve() : OTHER_ERROR);
	}
	assert_int_equal(wait_for(pid), REFUSED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control),
		cmocka_unit_test(poisoned),
		cmocka_unit_test(without_privilege),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
