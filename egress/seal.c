/* SPDX-License-Identifier: ISC */
/* What the egress and its resolver give up. */
#include "config.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "egress/seal.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

int
ward_seal_privileges(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	const struct __user_cap_data_struct none[2] = { { 0 } };

	if (getuid() == 0 || geteuid() == 0 || getegid() == 0)
		return -EPERM;
	if (syscall(SYS_capset, &header, none) != 0 ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return -errno;
	return 0;
}

/* --- files --- */

#define READING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

/* Every right that its version of Landlock knows (landlock(7)). */
static uint64_t
all_rights(long abi)
{
	uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1; /* ABI 1 */

	if (abi >= 2)
		rights |= UINT64_C(1) << 13; /* REFER */
	if (abi >= 3)
		rights |= UINT64_C(1) << 14; /* TRUNCATE */
	if (abi >= 5)
		rights |= UINT64_C(1) << 15; /* IOCTL_DEV */
	return rights;
}

/* No rule follows: what is handled is refused everywhere. */
static int
refuse_files(uint64_t but)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);

	if (abi < 0)
		return -errno;
	const struct landlock_ruleset_attr attr = {
		.handled_access_fs = all_rights(abi) & ~but,
	};
	_cleanup_fd_ int fd =
	    (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (fd < 0 || syscall(SYS_landlock_restrict_self, fd, 0) != 0)
		return -errno;
	return 0;
}

/* --- system calls --- */

/* Adds the calls with one action; 0 or -errno. */
static int
add_all(
    scmp_filter_ctx filter, uint32_t action, const int *calls, size_t n_calls)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n_calls; i++)
		r = seccomp_rule_add(filter, action, calls[i], 0);
	return r;
}

static int
fill_egress(scmp_filter_ctx filter)
{
	static const int calls[] = { SCMP_SYS(accept4), SCMP_SYS(brk),
		SCMP_SYS(clock_gettime), SCMP_SYS(close), SCMP_SYS(connect),
		SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_pwait),
		SCMP_SYS(epoll_pwait2), SCMP_SYS(epoll_wait),
		SCMP_SYS(exit_group), SCMP_SYS(fcntl), SCMP_SYS(futex),
		SCMP_SYS(getpeername), SCMP_SYS(getrandom),
		SCMP_SYS(getsockname), SCMP_SYS(getsockopt), SCMP_SYS(lseek),
		SCMP_SYS(gettimeofday), SCMP_SYS(madvise), SCMP_SYS(mremap),
		SCMP_SYS(munmap), SCMP_SYS(pread64), SCMP_SYS(read),
		SCMP_SYS(recvfrom), SCMP_SYS(recvmsg),
		SCMP_SYS(restart_syscall), SCMP_SYS(rt_sigreturn),
		SCMP_SYS(sendmsg), SCMP_SYS(sendto), SCMP_SYS(setsockopt),
		SCMP_SYS(shutdown), SCMP_SYS(time), SCMP_SYS(write) };
	int r = add_all(filter, SCMP_ACT_ALLOW, calls, N(calls));

#ifdef __SANITIZE_ADDRESS__
	/* what a finding is told with; no egress that is installed has it */
	static const int telling[] = { SCMP_SYS(getpid), SCMP_SYS(gettid),
		SCMP_SYS(readlink), SCMP_SYS(rt_sigaction),
		SCMP_SYS(rt_sigprocmask), SCMP_SYS(sched_yield),
		SCMP_SYS(sigaltstack) };
	static const int tried[] = { SCMP_SYS(ioctl), SCMP_SYS(newfstatat),
		SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(prlimit64),
		SCMP_SYS(stat) };
	if (r == 0)
		r = add_all(filter, SCMP_ACT_ALLOW, telling, N(telling));
	if (r == 0)
		r = add_all(filter, SCMP_ACT_ERRNO(EACCES), tried, N(tried));
#endif
	/* memory that cannot be run */
	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
		    SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect),
		    1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	/* TCP, and nothing raw, local or of the kernel's */
	for (int family = AF_INET; r == 0 && family != 0;
	     family = family == AF_INET ? AF_INET6 : 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket),
		    3, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)family),
		    SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, SOCK_STREAM),
		    SCMP_A2(SCMP_CMP_EQ, 0));
	return r;
}

static int
fill_resolver(scmp_filter_ctx filter)
{
	static const int refused[] = { SCMP_SYS(accept), SCMP_SYS(accept4),
		SCMP_SYS(acct), SCMP_SYS(add_key), SCMP_SYS(bpf),
		SCMP_SYS(chroot), SCMP_SYS(delete_module), SCMP_SYS(execve),
		SCMP_SYS(execveat), SCMP_SYS(finit_module), SCMP_SYS(fork),
		SCMP_SYS(fsmount), SCMP_SYS(fsopen), SCMP_SYS(init_module),
		SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
		SCMP_SYS(io_uring_setup), SCMP_SYS(ioperm), SCMP_SYS(iopl),
		SCMP_SYS(kexec_file_load), SCMP_SYS(kexec_load),
		SCMP_SYS(keyctl), SCMP_SYS(kill), SCMP_SYS(listen),
		SCMP_SYS(mount), SCMP_SYS(move_mount),
		SCMP_SYS(name_to_handle_at), SCMP_SYS(open_by_handle_at),
		SCMP_SYS(open_tree), SCMP_SYS(perf_event_open),
		SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_open),
		SCMP_SYS(pidfd_send_signal), SCMP_SYS(pivot_root),
		SCMP_SYS(process_madvise), SCMP_SYS(process_vm_readv),
		SCMP_SYS(process_vm_writev), SCMP_SYS(ptrace), SCMP_SYS(reboot),
		SCMP_SYS(request_key), SCMP_SYS(setns), SCMP_SYS(splice),
		SCMP_SYS(swapoff), SCMP_SYS(swapon), SCMP_SYS(syslog),
		SCMP_SYS(tkill), SCMP_SYS(umount2), SCMP_SYS(unshare),
		SCMP_SYS(userfaultfd), SCMP_SYS(vfork), SCMP_SYS(vhangup) };
	int r = add_all(filter, SCMP_ACT_ERRNO(EPERM), refused, N(refused));

	/* threads, and no processes; a C library then asks clone for them */
	if (r == 0)
		r = seccomp_rule_add(
		    filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM),
		    SCMP_SYS(clone), 1,
		    SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM),
		    SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_GT, AF_NETLINK));
	return r;
}

static int
load_filter(uint32_t otherwise, int (*fill)(scmp_filter_ctx filter))
{
	scmp_filter_ctx filter = seccomp_init(otherwise);

	if (filter == NULL)
		return -ENOMEM;
	int r = seccomp_attr_set(
	    filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (r == 0)
		r = fill(filter);
	if (r == 0)
		r = seccomp_load(filter);
	seccomp_release(filter);
	return r;
}

int
ward_seal_egress(void)
{
	int r = refuse_files(0);

	return r == 0 ? load_filter(SCMP_ACT_KILL_PROCESS, fill_egress) : r;
}

int
ward_seal_resolver(void)
{
	int r = refuse_files(READING);

	return r == 0 ? load_filter(SCMP_ACT_ALLOW, fill_resolver) : r;
}
