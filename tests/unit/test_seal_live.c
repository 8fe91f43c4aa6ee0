/* SPDX-License-Identifier: ISC */
/*
 * The seal in the kernel that runs here: children load it as any program may
 * (no_new_privs, no root) and try.  Each refused call is also tried without
 * the seal and must then do something else, or the line says that it proves
 * nothing on this machine.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/keyctl.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiles/seal.h"
#include "profiles/seal_table.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define DIRT    0xdeadbeef00000000ULL
#define NOWHERE ((uint64_t)(uintptr_t) "/nonexistent/ward")

/* What the marker answers; no call that is tried here ever says so. */
#define MARK EXFULL

static const struct ward_seal_options usual = { .debug = true };

static int
load(const struct sock_filter *code, unsigned short n)
{
	/* The kernel does not write there. */
	const struct sock_fprog program = { .len = n,
		.filter = (struct sock_filter *)(uintptr_t)code };

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0
	    ? 0
	    : errno;
}

/*
 * For numbers that the kernel would answer with ENOSYS as well: a filter below
 * the seal that answers with a mark.  Of two filters that both refuse the
 * later decides, so ENOSYS is then the seal's.
 */
static int
load_marker(void)
{
	static const struct sock_filter marker[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, WARD_SEAL_HIGHEST, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | MARK),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return load(marker, COUNT(marker));
}

/* An act: 0, or the errno that it met. */
struct act {
	const char *name;
	int (*run)(const struct act *act);
	long nr;          /* for run_call */
	uint64_t args[6]; /* for run_call */
	int want;
};

static int
run_call(const struct act *act)
{
	const uint64_t *a = act->args;

	return syscall(act->nr, a[0], a[1], a[2], a[3], a[4], a[5]) >= 0
	    ? 0
	    : errno;
}

_Noreturn static void
child(const struct act *act, const struct ward_seal *seal, int out)
{
	int result;

	/* An act that hangs is a failure, not a hung test. */
	(void)alarm(20);
	/* not cmocka's handler: a kernel without i386 calls ends who tries */
	(void)signal(SIGSEGV, SIG_DFL);
	(void)setsid();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || load_marker() != 0)
		_exit(101);
	if (seal != NULL && load(seal->code, seal->n_code) != 0)
		_exit(102);
	result = act->run(act);
	if (write(out, &result, sizeof(result)) != sizeof(result))
		_exit(103);
	_exit(0);
}

/* The act's result in a child of its own, or -signal if that died. */
static int
outcome(const struct act *act, const struct ward_seal *seal)
{
	int ends[2], status, result = 0;
	ssize_t got;
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		child(act, seal, ends[1]);
	assert_int_equal(close(ends[1]), 0);
	got = read(ends[0], &result, sizeof(result));
	assert_int_equal(close(ends[0]), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		return -WTERMSIG(status);
	if (WEXITSTATUS(status) != 0)
		fail_msg("%s: the child ended with %d", act->name,
		    WEXITSTATUS(status));
	assert_int_equal(got, sizeof(result));
	return result;
}

static const char *
said(int result)
{
	return result < 0 ? strsignal(-result) : strerror(result);
}

static void
compile(const struct ward_seal_options *options, struct ward_seal *seal)
{
	struct err err = { 0 };

	if (ward_seal_compile(options, seal, &err) != 0)
		fail_msg("%s", err.text);
}

/* Acts that the seal refuses and nothing else does. */
static void
check_refused(
    const struct ward_seal_options *options, const struct act *acts, size_t n)
{
	size_t i, proven = 0, failed = 0;
	struct ward_seal seal;
	int with, without;

	compile(options, &seal);
	for (i = 0; i < n; i++) {
		with = outcome(&acts[i], &seal);
		without = outcome(&acts[i], NULL);
		if (with < 0 && without == with) {
			print_message("SKIP %s: this kernel ends who tries: "
				      "%s\n",
			    acts[i].name, said(with));
		} else if (with != acts[i].want) {
			print_error("%s: %s, not: %s\n", acts[i].name,
			    said(with), strerror(acts[i].want));
			failed++;
		} else if (without == with || without < 0) {
			print_message("SKIP %s: without the seal it says the "
				      "same here: %s\n",
			    acts[i].name, said(without));
		} else {
			proven++;
		}
	}
	ward_seal_clear(&seal);
	assert_int_equal(failed, 0);
	assert_true(proven > 0);
}

/* Acts to which the seal makes no difference. */
static void
check_same(
    const struct ward_seal_options *options, const struct act *acts, size_t n)
{
	size_t i, failed = 0;
	struct ward_seal seal;
	int with, without;

	compile(options, &seal);
	for (i = 0; i < n; i++) {
		with = outcome(&acts[i], &seal);
		without = outcome(&acts[i], NULL);
		if (with < 0 && without == with)
			print_message("SKIP %s: this kernel ends who tries: "
				      "%s\n",
			    acts[i].name, said(with));
		else if (with != without || (acts[i].want == 0 && with != 0)) {
			print_error("%s: %s; without the seal: %s\n",
			    acts[i].name, said(with), said(without));
			failed++;
		}
	}
	ward_seal_clear(&seal);
	assert_int_equal(failed, 0);
}

/* Typing a letter into the child's own terminal. */
static int
run_tiocsti(const struct act *act)
{
	const char *name;
	int master, slave;

	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		return -1;
	name = ptsname(master);
	slave = name != NULL ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
	if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) != 0)
		return -1;
	return syscall(SYS_ioctl, slave, act->args[1], "x") == 0 ? 0 : errno;
}

static int
run_clone(const struct act *act)
{
	long pid = syscall(SYS_clone, act->args[0] | SIGCHLD, 0, 0, 0, 0);

	if (pid < 0)
		return errno;
	if (pid == 0)
		_exit(0);
	return waitpid((pid_t)pid, NULL, 0) == pid ? 0 : errno;
}

/* i386's getpid; without that ABI in the kernel it is SIGSEGV. */
static int
run_i386(const struct act *act)
{
	long result = act->nr;

	__asm__ volatile("int $0x80"
			 : "+a"(result)
			 : "b"(0), "c"(0), "d"(0)
			 : "memory", "r8", "r9", "r10", "r11");
	return result < 0 ? (int)-result : 0;
}

#define CALL(number, want, ...)                                                \
	{                                                                      \
#number, run_call, number, { __VA_ARGS__ }, want               \
	}
#define NAMED(name, number, want, ...)                                         \
	{                                                                      \
		name, run_call, number, { __VA_ARGS__ }, want                  \
	}
#define FAMILY(family, type, protocol, want)                                   \
	{                                                                      \
		"socket " #family " " #type " " #protocol, run_call,           \
		    SYS_socket, { family, type, protocol }, want               \
	}

/*
 * Arguments are such that nothing happens where nothing refuses.  What the
 * warden is told of finds none here: ENOSYS (seccomp(2)).
 */
static const struct act refused[] = {
	{ "TIOCSTI", run_tiocsti, 0, { 0, TIOCSTI }, ENOSYS },
	{ "TIOCSTI with high bits", run_tiocsti, 0, { 0, DIRT | TIOCSTI },
	    ENOSYS },
	{ "TIOCLINUX", run_tiocsti, 0, { 0, 0x541C }, ENOSYS },
	{ "clone NEWUSER", run_clone, 0, { CLONE_NEWUSER }, ENOSYS },
	{ "clone NEWNET", run_clone, 0, { CLONE_NEWNET }, ENOSYS },
	NAMED("unshare NEWUSER", SYS_unshare, ENOSYS, CLONE_NEWUSER),
	NAMED("unshare NEWNS", SYS_unshare, ENOSYS, CLONE_NEWNS),
	NAMED("unshare NEWTIME", SYS_unshare, ENOSYS, CLONE_NEWTIME),
	NAMED("unshare 0x100000", SYS_unshare, ENOSYS, 0x100000),
	CALL(SYS_clone3, ENOSYS, 0, 0),
	CALL(SYS_setns, ENOSYS, -1, CLONE_NEWNET),
	CALL(SYS_mount, ENOSYS, NOWHERE, NOWHERE, 0, 0, 0),
	CALL(SYS_umount2, ENOSYS, NOWHERE, 0),
	CALL(SYS_pivot_root, ENOSYS, NOWHERE, NOWHERE),
	CALL(SYS_chroot, ENOSYS, NOWHERE),
	CALL(SYS_open_tree, ENOSYS, -1, NOWHERE, 0),
	CALL(SYS_move_mount, ENOSYS, -1, NOWHERE, -1, NOWHERE, ~0U),
	CALL(SYS_fsopen, ENOSYS, 0, ~0U),
	CALL(SYS_fsconfig, ENOSYS, -1, ~0U),
	CALL(SYS_fsmount, ENOSYS, -1, ~0U, ~0U),
	CALL(SYS_fspick, ENOSYS, -1, NOWHERE, ~0U),
	CALL(SYS_mount_setattr, ENOSYS, -1, NOWHERE, ~0U, 0, 0),
	NAMED("open_tree_attr", 467, EPERM, -1, NOWHERE, ~0U, 0, 0),
	CALL(SYS_io_uring_setup, ENOSYS, 0, 0),
	CALL(SYS_io_uring_enter, ENOSYS, -1, 0, 0, ~0U, 0, 0),
	CALL(SYS_io_uring_register, ENOSYS, -1, ~0U, 0, 0),
	CALL(SYS_bpf, ENOSYS, ~0U, 0, 0),
	CALL(SYS_perf_event_open, ENOSYS, 0, -1, -1, -1, ~0U),
	CALL(SYS_userfaultfd, ENOSYS, ~0U),
	CALL(SYS_add_key, EPERM, 0, 0, 0, 0, 0),
	CALL(SYS_request_key, EPERM, 0, 0, 0, 0),
	NAMED("keyctl GET_KEYRING_ID", SYS_keyctl, EPERM, KEYCTL_GET_KEYRING_ID,
	    (uint32_t)KEY_SPEC_SESSION_KEYRING, 0),
	NAMED("keyctl 9999", SYS_keyctl, EPERM, 9999),
	CALL(SYS_name_to_handle_at, EPERM, -1, NOWHERE, 0, 0, ~0U),
	CALL(SYS_open_by_handle_at, ENOSYS, -1, 0, 0),
	CALL(SYS_kcmp, EPERM, -1, -1, 0, 0, 0),
	CALL(SYS_pidfd_getfd, ENOSYS, -1, -1, 0),
	CALL(SYS_init_module, ENOSYS, 0, 0, 0),
	CALL(SYS_finit_module, ENOSYS, -1, 0, ~0U),
	CALL(SYS_delete_module, ENOSYS, 0, 0),
	CALL(SYS_kexec_load, ENOSYS, 0, 0, 0, ~0U),
	CALL(SYS_kexec_file_load, ENOSYS, -1, -1, 0, 0, ~0UL),
	CALL(SYS_syslog, EPERM, 9999, 0, 0),
	CALL(SYS_quotactl, EPERM, ~0U, NOWHERE, 0, 0),
	CALL(SYS_quotactl_fd, EPERM, -1, ~0U, 0, 0),
	CALL(SYS_acct, ENOSYS, NOWHERE),
	CALL(SYS_swapon, ENOSYS, NOWHERE, ~0U),
	CALL(SYS_swapoff, ENOSYS, NOWHERE),
	CALL(SYS_reboot, ENOSYS, 0, 0, 0, 0),
	CALL(SYS_iopl, EPERM, 99),
	CALL(SYS_ioperm, EPERM, ~0UL, 1, 0),
	CALL(SYS_settimeofday, ENOSYS, 1, 0),
	CALL(SYS_clock_settime, ENOSYS, 9999, 0),
	NAMED("seccomp NEW_LISTENER", SYS_seccomp, ENOSYS,
	    SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, 0),
	FAMILY(AF_VSOCK, SOCK_STREAM, 0, EAFNOSUPPORT),
	FAMILY(AF_ALG, SOCK_SEQPACKET, 0, EAFNOSUPPORT),
	FAMILY(AF_BLUETOOTH, SOCK_RAW, 0, EAFNOSUPPORT),
	FAMILY(AF_XDP, SOCK_RAW, 0, EAFNOSUPPORT),
	FAMILY(AF_QIPCRTR, SOCK_DGRAM, 0, EAFNOSUPPORT),
	FAMILY(AF_TIPC, SOCK_STREAM, 0, EAFNOSUPPORT),
	FAMILY(AF_KEY, SOCK_RAW, 2, EAFNOSUPPORT),
	FAMILY(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT, EAFNOSUPPORT),
	FAMILY(AF_NETLINK, SOCK_RAW, NETLINK_XFRM, EAFNOSUPPORT),
	FAMILY(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER, EAFNOSUPPORT),
	FAMILY(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT, EAFNOSUPPORT),
	FAMILY(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC, EAFNOSUPPORT),
	/* the warden's to refuse, and there is none here */
	FAMILY(AF_PACKET, SOCK_RAW, 0, ENOSYS),
	FAMILY(AF_INET, SOCK_RAW, IPPROTO_ICMP, ENOSYS),
	FAMILY(AF_INET, SOCK_DGRAM, IPPROTO_ICMP, ENOSYS),
	FAMILY(AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6, ENOSYS),
	FAMILY(AF_INET, SOCK_STREAM, IPPROTO_SCTP, ENOSYS),
	FAMILY(AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE, ENOSYS),
	FAMILY(AF_UNIX, SOCK_DGRAM, 0, EPERM),
	FAMILY(AF_UNIX, SOCK_RAW, 0, EPERM),
	FAMILY(DIRT | AF_UNIX, DIRT | SOCK_DGRAM, 0, EPERM),
	NAMED("socketpair AF_UNIX SOCK_DGRAM", SYS_socketpair, EPERM, AF_UNIX,
	    SOCK_DGRAM, 0, 0),
	NAMED("socketpair AF_UNIX SOCK_RAW", SYS_socketpair, EPERM, AF_UNIX,
	    SOCK_RAW, 0, 0),
	NAMED("call 470", 470, ENOSYS, 0),
	NAMED("call 600", 600, ENOSYS, 0),
	NAMED("call 1000", 1000, ENOSYS, 0),
	NAMED("x32 getpid", WARD_SEAL_X32_BIT | SYS_getpid, ENOSYS, 0),
	NAMED("x32 execve", WARD_SEAL_X32_BIT | 520, ENOSYS, 0),
	{ "i386 getpid", run_i386, 20, { 0 }, ENOSYS },
};

static void
test_refused(void **state)
{
	(void)state;
	check_refused(&usual, refused, COUNT(refused));
}

/* Everyday life. */

static void *
thread(void *argument)
{
	*(int *)argument = 1;
	return NULL;
}

static int
run_thread(const struct act *act)
{
	int ran = 0, ret;
	pthread_t id;

	(void)act;
	ret = pthread_create(&id, NULL, thread, &ran);
	if (ret == 0)
		ret = pthread_join(id, NULL);
	return ret == 0 && ran != 1 ? EPROTO : ret;
}

static int
run_fork(const struct act *act)
{
	int status;
	pid_t pid = fork();

	(void)act;
	if (pid < 0)
		return errno;
	if (pid == 0)
		_exit(7);
	if (waitpid(pid, &status, 0) != pid)
		return errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 0 : EPROTO;
}

/* A shell's output through a pipe. */
static int
run_spawn(const struct act *act)
{
	char sh[] = "/bin/sh", dash_c[] = "-c", command[] = "echo sealed | cat",
	     text[16] = "";
	char *const argv[] = { sh, dash_c, command, NULL };
	char *const none[] = { NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], ret, status;
	pid_t pid;

	(void)act;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	ret = posix_spawn_file_actions_init(&actions);
	if (ret == 0)
		ret = posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	if (ret == 0)
		ret = posix_spawn(&pid, sh, &actions, NULL, argv, none);
	if (ret != 0)
		return ret;
	if (read(ends[0], text, sizeof(text) - 1) < 0 ||
	    waitpid(pid, &status, 0) != pid)
		return errno;
	return strcmp(text, "sealed\n") == 0 && status == 0 ? 0 : EPROTO;
}

static int
run_pair(const struct act *act)
{
	int ends[2];
	char byte = 0;

	if (socketpair(AF_UNIX, (int)act->args[0], 0, ends) != 0)
		return errno;
	if (write(ends[0], "x", 1) != 1 || read(ends[1], &byte, 1) != 1)
		return errno;
	return byte == 'x' ? 0 : EPROTO;
}

static int
run_traceme(const struct act *act)
{
	(void)act;
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : errno;
}

/* A program may confine itself further. */
static int
run_seccomp(const struct act *act)
{
	const struct sock_filter allow[] = { BPF_STMT(
	    BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };

	(void)act;
	return load(allow, COUNT(allow));
}

static int
run_write(const struct act *act)
{
	FILE *file = tmpfile();

	(void)act;
	if (file == NULL)
		return errno;
	return fputs("x", file) >= 0 && fclose(file) == 0 ? 0 : errno;
}

#define SAME (-1) /* an error, but the same as without the seal */

static const struct act everyday[] = {
	{ "a thread", run_thread, 0, { 0 }, 0 },
	{ "fork", run_fork, 0, { 0 }, 0 },
	{ "a shell and a pipe", run_spawn, 0, { 0 }, 0 },
	{ "a stream pair", run_pair, 0, { SOCK_STREAM }, 0 },
	{ "a seqpacket pair", run_pair, 0, { SOCK_SEQPACKET }, 0 },
	{ "traceme", run_traceme, 0, { 0 }, 0 },
	{ "a filter of one's own", run_seccomp, 0, { 0 }, 0 },
	{ "a file", run_write, 0, { 0 }, 0 },
	FAMILY(AF_UNIX, SOCK_STREAM, 0, 0),
	FAMILY(AF_INET, SOCK_STREAM, 0, 0),
	FAMILY(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP, 0),
	FAMILY(DIRT | AF_INET, DIRT | SOCK_STREAM, DIRT | IPPROTO_TCP, 0),
	FAMILY(AF_INET6, SOCK_STREAM, 0, SAME),
	FAMILY(AF_INET, SOCK_STREAM, 262, SAME),
	FAMILY(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE, 0),
	NAMED("unshare FILES", SYS_unshare, 0, CLONE_FILES | CLONE_FS),
	NAMED("keyctl REVOKE", SYS_keyctl, SAME, KEYCTL_REVOKE, 0),
	NAMED("TIOCGWINSZ", SYS_ioctl, SAME, 0, TIOCGWINSZ, 0),
	NAMED("statmount", 457, SAME, 0, 0, 0, 0),
	NAMED("file_getattr", 468, SAME, -1, 0, 0, 0, 0),
	NAMED("process_vm_readv", SYS_process_vm_readv, SAME, -1, 0, 0, 0, 0),
};

static void
test_everyday(void **state)
{
	(void)state;
	check_same(&usual, everyday, COUNT(everyday));
}

static void
test_without_debug(void **state)
{
	static const struct ward_seal_options options = { .debug = false };
	static const struct act acts[] = {
		{ "traceme", run_traceme, 0, { 0 }, ENOSYS },
		CALL(SYS_process_vm_readv, ENOSYS, -1, 0, 0, 0, 0),
		CALL(SYS_process_vm_writev, ENOSYS, -1, 0, 0, 0, 0),
	};

	(void)state;
	check_refused(&options, acts, COUNT(acts));
}

static void
test_nested(void **state)
{
	static const struct ward_seal_options options = { .nested_userns = true,
		.debug = true };
	static const struct act acts[] = {
		NAMED("unshare NEWUSER", SYS_unshare, SAME, CLONE_NEWUSER),
		{ "clone NEWUSER", run_clone, 0, { CLONE_NEWUSER }, SAME },
		CALL(SYS_mount, SAME, NOWHERE, NOWHERE, 0, 0, 0),
		CALL(SYS_setns, SAME, -1, 0),
	};

	(void)state;
	check_same(&options, acts, COUNT(acts));
}

/* With multilib, i386 works as far as the kernel has it. */
static void
test_multilib(void **state)
{
	static const struct ward_seal_options options = { .multilib = true };
	static const struct act foreign[] = {
		{ "i386 getpid", run_i386, 20, { 0 }, MARK },
		{ "a thread", run_thread, 0, { 0 }, 0 },
	};
	static const struct act refusals[] = {
		CALL(SYS_mount, EPERM, NOWHERE, NOWHERE, 0, 0, 0),
		NAMED("call 1000", 1000, ENOSYS, 0),
		{ "i386 call 1000", run_i386, 1000, { 0 }, ENOSYS },
	};

	(void)state;
	check_same(&options, foreign, COUNT(foreign));
	check_refused(&options, refusals, COUNT(refusals));
}

/* Every program that there is passes the kernel's own checks. */
static void
test_kernel_takes_all(void **state)
{
	static const struct act nothing = { "nothing", run_fork, 0, { 0 }, 0 };
	unsigned bits;

	(void)state;
	for (bits = 0; bits < 16; bits++) {
		const struct ward_seal_options options = { .multilib =
							       (bits & 1) != 0,
			.nested_userns = (bits & 2) != 0,
			.debug = (bits & 4) != 0,
			.observe = (bits & 8) != 0 };

		check_same(&options, &nothing, 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_everyday),
		cmocka_unit_test(test_without_debug),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_multilib),
		cmocka_unit_test(test_kernel_takes_all),
	};

	return cmocka_run_group_tests_name(
	    "seal in the kernel", tests, NULL, NULL);
}
