/* SPDX-License-Identifier: ISC */
/*
 * What the seal answers to which call.  Written from the requirements, with
 * the numbers of the system's headers, not from the seal's table.
 */
#include "config.h"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "tests/unit/seal_cases.h"

/* What a program may leave above the 32 bits of an int. */
#define DIRT   0xdeadbeef00000000ULL
#define FORK   17       /* SIGCHLD */
#define THREAD 0x3d0f00 /* what pthread_create asks for */
#define NEG(n) ((uint64_t)(int64_t)(n))

#define DEFAULT .debug = true, .observe = true
#define QUIET   .debug = true
#define STRICT  .debug = false
#define NESTED  .nested_userns = true, .debug = true
#define MULTI   .multilib = true, .debug = true, .observe = true

/* clang-format off */
#define CASE(options, arch, nr, want, ...)                                     \
	{ __LINE__, { options }, arch, (unsigned)(nr), want, { __VA_ARGS__ } }
/* clang-format on */
#define SAY(nr, want, ...) CASE(DEFAULT, X64, nr, want, __VA_ARGS__)

const struct seal_case seal_cases[] = {
	/* Everyday calls. */
	SAY(SYS_read, ALLOW, 0),
	SAY(SYS_write, ALLOW, 1),
	SAY(SYS_execve, ALLOW, 0),
	SAY(SYS_fork, ALLOW, 0),
	SAY(SYS_vfork, ALLOW, 0),
	SAY(SYS_mmap, ALLOW, 0),
	SAY(SYS_futex, ALLOW, 0),
	SAY(SYS_connect, NOTIFY, 3),
	SAY(SYS_statx, ALLOW, 0),
	SAY(SYS_pidfd_open, ALLOW, 0),
	SAY(SYS_landlock_create_ruleset, ALLOW, 0),
	SAY(334, ALLOW, 0), /* rseq */
	SAY(335, ALLOW, 0), /* uretprobe: the kernel's own trampoline */
	SAY(336, ALLOW, 0), /* uprobe */
	SAY(450, ALLOW, 0), /* set_mempolicy_home_node */
	SAY(451, ALLOW, 0), /* cachestat */
	SAY(453, ALLOW, 0), /* map_shadow_stack */
	SAY(454, ALLOW, 0), /* futex_wake */
	SAY(457, ALLOW, 0), /* statmount */
	SAY(458, ALLOW, 0), /* listmount */
	SAY(462, ALLOW, 0), /* mseal */
	SAY(464, ALLOW, 0), /* getxattrat */
	SAY(468, ALLOW, 0), /* file_getattr */

	/* Numbers that nobody knows. */
	SAY(337, NOSYS, 0),
	SAY(400, NOSYS, 0),
	SAY(423, NOSYS, 0),
	SAY(470, NOSYS, 0),
	SAY(512, NOSYS, 0), /* x32's rt_sigaction without the bit */
	SAY(547, NOSYS, 0),
	SAY(1000, NOSYS, 0),
	SAY(0x3fffffff, NOSYS, 0),
	SAY(0x80000000, NOSYS, 0),
	SAY(0xffffffff, NOSYS, 0),

	/* Foreign ABIs. */
	SAY(X32BIT | SYS_read, NOSYS, 0),
	SAY(X32BIT | SYS_exit_group, NOSYS, 0),
	SAY(X32BIT | 520, NOSYS, 0), /* execve */
	SAY(X32BIT | SYS_mount, NOSYS, 0),
	CASE(DEFAULT, I386, 1, NOSYS, 0),  /* exit */
	CASE(DEFAULT, I386, 3, NOSYS, 0),  /* read */
	CASE(DEFAULT, I386, 11, NOSYS, 0), /* execve */
	CASE(DEFAULT, I386, 102, NOSYS, 3),
	CASE(DEFAULT, AUDIT_ARCH_AARCH64, 63, NOSYS, 0),
	CASE(DEFAULT, 0, SYS_read, NOSYS, 0),
	CASE(MULTI, AUDIT_ARCH_AARCH64, 63, NOSYS, 0),
	CASE(MULTI, AUDIT_ARCH_ARM, 3, NOSYS, 0),

	/* Namespaces. */
	SAY(SYS_clone, ALLOW, FORK),
	SAY(SYS_clone, ALLOW, THREAD),
	SAY(SYS_clone, ALLOW, DIRT | THREAD),
	SAY(SYS_clone, ALLOW, CLONE_IO | 17),
	SAY(SYS_clone, ALLOW, CLONE_NEWTIME), /* here a signal, not a flag */
	SAY(SYS_clone, ALLOW, 0x100000000 | 17),
	SAY(SYS_clone, NOTIFY, CLONE_NEWNS),
	SAY(SYS_clone, NOTIFY, CLONE_NEWCGROUP | 17),
	SAY(SYS_clone, NOTIFY, CLONE_NEWUTS),
	SAY(SYS_clone, NOTIFY, CLONE_NEWIPC),
	SAY(SYS_clone, NOTIFY, CLONE_NEWUSER | 17),
	SAY(SYS_clone, NOTIFY, CLONE_NEWPID),
	SAY(SYS_clone, NOTIFY, CLONE_NEWNET),
	SAY(SYS_clone, NOTIFY, DIRT | CLONE_NEWUSER),
	SAY(SYS_clone, NOTIFY, THREAD | CLONE_NEWUSER | CLONE_NEWNET),
	SAY(SYS_unshare, ALLOW, 0),
	SAY(SYS_unshare, ALLOW, CLONE_FS),
	SAY(SYS_unshare, ALLOW, CLONE_FILES | CLONE_SYSVSEM),
	SAY(SYS_unshare, NOTIFY, CLONE_NEWNS),
	SAY(SYS_unshare, NOTIFY, CLONE_NEWCGROUP),
	SAY(SYS_unshare, NOTIFY, CLONE_NEWUTS),
	SAY(SYS_unshare, NOTIFY, CLONE_NEWIPC),
	SAY(SYS_unshare, NOTIFY, CLONE_NEWUSER),
	SAY(SYS_unshare, NOTIFY, CLONE_NEWPID),
	SAY(SYS_unshare, NOTIFY, CLONE_NEWNET),
	SAY(SYS_unshare, NOTIFY, CLONE_NEWTIME),
	SAY(SYS_unshare, NOTIFY, 0x100000), /* an empty mount namespace */
	SAY(SYS_unshare, NOTIFY, CLONE_FS | CLONE_NEWUSER),
	SAY(SYS_unshare, NOTIFY, DIRT | CLONE_NEWUSER),
	SAY(SYS_unshare, NOTIFY, 0x100000000),
	SAY(SYS_setns, NOTIFY, 3, 0),
	SAY(SYS_setns, NOTIFY, 3, CLONE_NEWNET),
	SAY(SYS_clone3, NOSYS, 0),

	/* Mounts. */
	SAY(SYS_mount, NOTIFY, 0),
	SAY(SYS_umount2, NOTIFY, 0),
	SAY(SYS_pivot_root, NOTIFY, 0),
	SAY(SYS_chroot, NOTIFY, 0),
	SAY(SYS_open_tree, NOTIFY, 0),
	SAY(SYS_move_mount, NOTIFY, 0),
	SAY(SYS_fsopen, NOTIFY, 0),
	SAY(SYS_fsconfig, NOTIFY, 0),
	SAY(SYS_fsmount, NOTIFY, 0),
	SAY(SYS_fspick, NOTIFY, 0),
	SAY(SYS_mount_setattr, NOTIFY, 0),
	SAY(467, PERM, 0), /* open_tree_attr */

	/* Nested sandboxes: those two groups, and nothing else. */
	CASE(NESTED, X64, SYS_clone, ALLOW, CLONE_NEWUSER | CLONE_NEWNS),
	CASE(NESTED, X64, SYS_unshare, ALLOW, CLONE_NEWUSER),
	CASE(NESTED, X64, SYS_setns, ALLOW, 3),
	CASE(NESTED, X64, SYS_mount, ALLOW, 0),
	CASE(NESTED, X64, SYS_umount2, ALLOW, 0),
	CASE(NESTED, X64, SYS_pivot_root, ALLOW, 0),
	CASE(NESTED, X64, SYS_chroot, ALLOW, 0),
	CASE(NESTED, X64, SYS_open_tree, ALLOW, 0),
	CASE(NESTED, X64, SYS_mount_setattr, ALLOW, 0),
	CASE(NESTED, X64, 467, ALLOW, 0),
	CASE(NESTED, X64, SYS_clone3, NOSYS, 0),
	CASE(NESTED, X64, SYS_bpf, NOTIFY, 0),
	CASE(NESTED, X64, SYS_open_by_handle_at, NOTIFY, 0),
	CASE(NESTED, X64, SYS_socket, NOFAM, AF_VSOCK, SOCK_STREAM, 0),
	CASE(NESTED, X64, SYS_io_uring_setup, NOSYS, 0),
	CASE(NESTED, X64, SYS_reboot, NOTIFY, 0),
	CASE(NESTED, X64, SYS_syslog, PERM, 0),

	/* What goes around the rest. */
	SAY(SYS_io_uring_setup, NOSYS, 0),
	SAY(SYS_io_uring_enter, NOSYS, 0),
	SAY(SYS_io_uring_register, NOSYS, 0),
	SAY(SYS_bpf, NOTIFY, 0),
	SAY(SYS_perf_event_open, NOTIFY, 0),
	SAY(SYS_userfaultfd, NOTIFY, 0),
	SAY(SYS_name_to_handle_at, PERM, 0),
	SAY(SYS_open_by_handle_at, NOTIFY, 0),
	SAY(SYS_kcmp, PERM, 0),
	SAY(SYS_pidfd_getfd, NOTIFY, 0),
	SAY(SYS_add_key, PERM, 0),
	SAY(SYS_request_key, PERM, 0),
	SAY(SYS_keyctl, ALLOW, KEYCTL_REVOKE),
	SAY(SYS_keyctl, ALLOW, DIRT | KEYCTL_REVOKE),
	SAY(SYS_keyctl, PERM, 0),
	SAY(SYS_keyctl, PERM, DIRT),
	SAY(SYS_keyctl, PERM, KEYCTL_JOIN_SESSION_KEYRING),
	SAY(SYS_keyctl, PERM, KEYCTL_UPDATE),
	SAY(SYS_keyctl, PERM, KEYCTL_CHOWN),
	SAY(SYS_keyctl, PERM, KEYCTL_READ),
	SAY(SYS_keyctl, PERM, KEYCTL_REVOKE | 0x80000000),
	SAY(SYS_keyctl, PERM, NEG(-1)),
	SAY(SYS_init_module, NOTIFY, 0),
	SAY(SYS_finit_module, NOTIFY, 0),
	SAY(SYS_delete_module, NOTIFY, 0),
	SAY(SYS_kexec_load, NOTIFY, 0),
	SAY(SYS_kexec_file_load, NOTIFY, 0),
	SAY(SYS_syslog, PERM, 3),
	SAY(SYS_quotactl, PERM, 0),
	SAY(SYS_quotactl_fd, PERM, 0),
	SAY(SYS_acct, NOTIFY, 0),
	SAY(SYS_swapon, NOTIFY, 0),
	SAY(SYS_swapoff, NOTIFY, 0),
	SAY(SYS_reboot, NOTIFY, 0),
	SAY(SYS_iopl, PERM, 3),
	SAY(SYS_ioperm, PERM, 0),
	SAY(SYS_settimeofday, NOTIFY, 0),
	SAY(SYS_clock_settime, NOTIFY, 0),
	SAY(SYS_clock_gettime, ALLOW, 0),
	SAY(SYS_adjtimex, ALLOW, 0), /* also reads */

	/* The limit for cores stays what the module made it. */
	SAY(SYS_setrlimit, NOTHING, RLIMIT_CORE),
	SAY(SYS_setrlimit, NOTHING, DIRT | RLIMIT_CORE),
	SAY(SYS_setrlimit, ALLOW, RLIMIT_NOFILE),
	SAY(SYS_setrlimit, ALLOW, (uint64_t)RLIMIT_CORE << 32),
	SAY(SYS_prlimit64, NOTHING, 0, RLIMIT_CORE, 1),
	SAY(SYS_prlimit64, NOTHING, 4711, DIRT | RLIMIT_CORE, 1),
	SAY(SYS_prlimit64, NOTHING, 0, RLIMIT_CORE, 0x100000000),
	SAY(SYS_prlimit64, ALLOW, 0, RLIMIT_CORE, 0),
	SAY(SYS_prlimit64, ALLOW, 0, RLIMIT_NOFILE, 1),

	/* ioctl: an unsigned int, whatever is above it. */
	SAY(SYS_ioctl, NOTIFY, 0, TIOCSTI),
	SAY(SYS_ioctl, NOTIFY, 0, DIRT | TIOCSTI),
	SAY(SYS_ioctl, NOTIFY, 0, 0x100000000 | TIOCSTI),
	SAY(SYS_ioctl, NOTIFY, 0, 0x541C),
	SAY(SYS_ioctl, NOTIFY, 0, NEG(-1) << 32 | 0x541C),
	SAY(SYS_ioctl, NOTIFY, 0, TIOCSETD),
	SAY(SYS_ioctl, NOTIFY, 0, DIRT | TIOCSETD),
	SAY(SYS_ioctl, ALLOW, 0, TIOCGETD),
	SAY(SYS_ioctl, ALLOW, 0, TIOCGWINSZ),
	SAY(SYS_ioctl, ALLOW, 0, DIRT | TIOCGWINSZ),
	SAY(SYS_ioctl, ALLOW, TIOCSTI, 0),
	SAY(SYS_ioctl, ALLOW, 0, (uint64_t)TIOCSTI << 32),
	SAY(SYS_ioctl, ALLOW, 0, 0x10000 | TIOCSTI),

	/* seccomp: a program may confine itself further, unheard. */
	SAY(SYS_seccomp, ALLOW, 1, 0),
	SAY(SYS_seccomp, ALLOW, 1, 1), /* TSYNC */
	SAY(SYS_seccomp, NOTIFY, 1, 8),
	SAY(SYS_seccomp, NOTIFY, 1, 8 | 1 | 16),
	SAY(SYS_seccomp, NOTIFY, 1, DIRT | 8),
	SAY(SYS_seccomp, ALLOW, 1, 0x800000000),
	SAY(SYS_seccomp, ALLOW, 2, 0),

	/* Families. */
	SAY(SYS_socket, ALLOW, AF_UNIX, SOCK_STREAM, 0),
	SAY(SYS_socket, ALLOW, AF_INET, SOCK_STREAM, 0),
	SAY(SYS_socket, ALLOW, AF_INET6, SOCK_STREAM, 0),
	SAY(SYS_socket, ALLOW, AF_NETLINK, SOCK_RAW, 0),
	SAY(SYS_socket, ALLOW, AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, DIRT),
	SAY(SYS_socket, ALLOW, DIRT | AF_INET, DIRT | SOCK_STREAM, DIRT | 6),
	SAY(SYS_socket, NOFAM, AF_AX25, SOCK_DGRAM, 0),
	SAY(SYS_socket, NOFAM, AF_ROSE, SOCK_DGRAM, 0),
	SAY(SYS_socket, NOFAM, AF_KEY, SOCK_RAW, 2),
	SAY(SYS_socket, NOTIFY, AF_PACKET, SOCK_RAW, 0),
	SAY(SYS_socket, NOFAM, AF_RDS, SOCK_SEQPACKET, 0),
	SAY(SYS_socket, NOFAM, AF_CAN, SOCK_RAW, 0),
	SAY(SYS_socket, NOFAM, AF_TIPC, SOCK_STREAM, 0),
	SAY(SYS_socket, NOFAM, AF_BLUETOOTH, SOCK_RAW, 0),
	SAY(SYS_socket, NOFAM, AF_ALG, SOCK_SEQPACKET, 0),
	SAY(SYS_socket, NOFAM, AF_VSOCK, SOCK_STREAM, 0),
	SAY(SYS_socket, NOFAM, AF_QIPCRTR, SOCK_DGRAM, 0),
	SAY(SYS_socket, NOFAM, 43 /* AF_SMC */, SOCK_STREAM, 0),
	SAY(SYS_socket, NOFAM, AF_XDP, SOCK_RAW, 0),
	SAY(SYS_socket, NOFAM, 45 /* AF_MCTP */, SOCK_DGRAM, 0),
	SAY(SYS_socket, NOFAM, 200, SOCK_STREAM, 0),
	SAY(SYS_socket, NOFAM, DIRT | AF_VSOCK, SOCK_STREAM, 0),
	SAY(SYS_socket, NOFAM, NEG(-1), SOCK_STREAM, 0),
	SAY(SYS_socket, NOFAM, 0x10000 | AF_INET, SOCK_STREAM, 0),
	SAY(SYS_socket, NOFAM, AF_NETLINK, SOCK_RAW, 9 /* audit */),
	SAY(SYS_socket, NOFAM, AF_NETLINK, SOCK_RAW, 6 /* xfrm */),
	SAY(SYS_socket, NOFAM, AF_NETLINK, SOCK_RAW, 15 /* uevent */),
	SAY(SYS_socket, NOFAM, DIRT | AF_NETLINK, SOCK_RAW, DIRT | 16),
	SAY(SYS_socket, NOFAM, AF_NETLINK, SOCK_RAW, 0x80000000),

	/* Types and protocols. */
	SAY(SYS_socket, ALLOW, AF_INET, SOCK_STREAM, IPPROTO_TCP),
	SAY(SYS_socket, ALLOW, AF_INET, SOCK_DGRAM, IPPROTO_UDP),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_DGRAM, IPPROTO_ICMP),
	SAY(SYS_socket, NOTIFY, AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6),
	SAY(SYS_socket, ALLOW, AF_INET, SOCK_STREAM, 262 /* MPTCP */),
	SAY(SYS_socket, ALLOW, AF_INET6,
	    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 262),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_RAW, IPPROTO_ICMP),
	SAY(SYS_socket, NOTIFY, AF_INET6, SOCK_RAW | SOCK_CLOEXEC, 255),
	SAY(SYS_socket, NOTIFY, DIRT | AF_INET, DIRT | SOCK_RAW, IPPROTO_TCP),
	SAY(SYS_socket, NOTIFY, AF_INET, 0, 0),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_RDM, 0),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_SEQPACKET, 0),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_DCCP, 0),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_PACKET, 0),
	SAY(SYS_socket, NOTIFY, AF_INET6, 15, 0),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_STREAM, IPPROTO_SCTP),
	SAY(SYS_socket, NOTIFY, AF_INET6, SOCK_SEQPACKET, IPPROTO_SCTP),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_STREAM, DIRT | IPPROTO_SCTP),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_DGRAM, 115 /* L2TP */),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_STREAM, 256 /* SMC */),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_STREAM, 261),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_STREAM, 263),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_STREAM, NEG(-1)),
	SAY(SYS_socket, NOTIFY, AF_INET, SOCK_STREAM, 0x80000006),

	/* Unix datagrams, which the log listens to. */
	SAY(SYS_socket, PERM, AF_UNIX, SOCK_DGRAM, 0),
	SAY(SYS_socket, PERM, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0),
	SAY(SYS_socket, PERM, AF_UNIX, SOCK_RAW, 0),
	SAY(SYS_socket, PERM, DIRT | AF_UNIX, DIRT | SOCK_DGRAM, 0),
	SAY(SYS_socket, ALLOW, AF_UNIX, SOCK_SEQPACKET, 0),
	SAY(SYS_socketpair, PERM, AF_UNIX, SOCK_DGRAM, 0),
	SAY(SYS_socketpair, PERM, AF_UNIX, SOCK_RAW | SOCK_NONBLOCK, 0),
	SAY(SYS_socketpair, PERM, AF_UNIX, DIRT | SOCK_DGRAM, 0),
	SAY(SYS_socketpair, ALLOW, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
	SAY(SYS_socketpair, ALLOW, AF_UNIX, SOCK_SEQPACKET, 0),
	SAY(SYS_socketpair, NOFAM, AF_TIPC, SOCK_STREAM, 0),
	SAY(SYS_socketpair, PERM, AF_INET, SOCK_STREAM, IPPROTO_SCTP),

	/* Tracing. */
	SAY(SYS_ptrace, ALLOW, 0),
	SAY(SYS_process_vm_readv, ALLOW, 0),
	SAY(SYS_process_vm_writev, ALLOW, 0),
	CASE(STRICT, X64, SYS_ptrace, NOTIFY, 0),
	CASE(STRICT, X64, SYS_ptrace, NOTIFY, 16, 1),
	CASE(STRICT, X64, SYS_process_vm_readv, NOTIFY, 0),
	CASE(STRICT, X64, SYS_process_vm_writev, NOTIFY, 0),

	/* Write-intent, with an observer. */
	SAY(SYS_open, ALLOW, 1, O_RDONLY | O_CLOEXEC),
	SAY(SYS_open, NOTIFY, 1, O_WRONLY),
	SAY(SYS_open, NOTIFY, 1, O_RDWR),
	SAY(SYS_open, NOTIFY, 1, O_ACCMODE),
	SAY(SYS_open, NOTIFY, 1, O_CREAT),
	SAY(SYS_open, ALLOW, O_WRONLY, O_RDONLY),
	SAY(SYS_openat, ALLOW, NEG(-100), 1, O_RDONLY | O_DIRECTORY),
	SAY(SYS_openat, ALLOW, NEG(-100), 1, DIRT),
	SAY(SYS_openat, ALLOW, NEG(-100), 1, O_PATH | O_NOFOLLOW),
	SAY(SYS_openat, NOTIFY, NEG(-100), 1, O_WRONLY | O_CREAT | O_TRUNC),
	SAY(SYS_openat, NOTIFY, NEG(-100), 1, DIRT | O_RDWR),
	SAY(SYS_openat, NOTIFY, NEG(-100), 1, O_TRUNC),
	SAY(SYS_openat, NOTIFY, NEG(-100), 1, O_APPEND),
	SAY(SYS_openat, NOTIFY, NEG(-100), 1, O_TMPFILE | O_RDWR),
	SAY(SYS_openat2, NOTIFY, 0),
	SAY(SYS_creat, NOTIFY, 0),
	SAY(SYS_unlink, NOTIFY, 0),
	SAY(SYS_unlinkat, NOTIFY, 0),
	SAY(SYS_mkdir, NOTIFY, 0),
	SAY(SYS_mkdirat, NOTIFY, 0),
	SAY(SYS_mknod, NOTIFY, 0),
	SAY(SYS_mknodat, NOTIFY, 0),
	SAY(SYS_symlink, NOTIFY, 0),
	SAY(SYS_symlinkat, NOTIFY, 0),
	SAY(SYS_link, NOTIFY, 0),
	SAY(SYS_linkat, NOTIFY, 0),
	SAY(SYS_rename, NOTIFY, 0),
	SAY(SYS_renameat, NOTIFY, 0),
	SAY(SYS_renameat2, NOTIFY, 0),
	SAY(SYS_rmdir, NOTIFY, 0),
	SAY(SYS_bind, NOTIFY, 3),
	SAY(SYS_truncate, NOTIFY, 0),
	SAY(SYS_chmod, NOTIFY, 0),
	SAY(SYS_fchmodat, NOTIFY, 0),
	SAY(452, NOTIFY, 0), /* fchmodat2 */
	SAY(SYS_chown, NOTIFY, 0),
	SAY(SYS_lchown, NOTIFY, 0),
	SAY(SYS_fchownat, NOTIFY, 0),
	SAY(SYS_utime, NOTIFY, 0),
	SAY(SYS_utimes, NOTIFY, 0),
	SAY(SYS_futimesat, NOTIFY, 0, 1),
	SAY(SYS_futimesat, ALLOW, 3, 0),
	SAY(SYS_utimensat, NOTIFY, 0, 1),
	SAY(SYS_utimensat, NOTIFY, 0, 0x7f0000000000),
	SAY(SYS_utimensat, ALLOW, 3, 0),
	SAY(SYS_setxattr, NOTIFY, 0),
	SAY(SYS_lsetxattr, NOTIFY, 0),
	SAY(SYS_removexattr, NOTIFY, 0),
	SAY(SYS_lremovexattr, NOTIFY, 0),
	SAY(463, NOTIFY, 0), /* setxattrat */
	SAY(466, NOTIFY, 0), /* removexattrat */
	SAY(469, NOTIFY, 0), /* file_setattr */
	SAY(SYS_ftruncate, ALLOW, 0),
	SAY(SYS_fchmod, ALLOW, 0),
	SAY(SYS_fchown, ALLOW, 0),
	SAY(SYS_fsetxattr, ALLOW, 0),
	SAY(SYS_getxattr, ALLOW, 0),
	SAY(SYS_access, ALLOW, 0),

	/* Without one: connects are decided all the same. */
	CASE(QUIET, X64, SYS_connect, NOTIFY, 3),
	CASE(STRICT, X64, SYS_connect, NOTIFY, 3),
	CASE(NESTED, X64, SYS_connect, NOTIFY, 3),
	CASE(QUIET, X64, SYS_open, ALLOW, 1, O_WRONLY),
	CASE(QUIET, X64, SYS_openat, ALLOW, 0, 1, O_CREAT),
	CASE(QUIET, X64, SYS_openat2, ALLOW, 0),
	CASE(QUIET, X64, SYS_rename, ALLOW, 0),
	CASE(QUIET, X64, SYS_bind, ALLOW, 3),
	CASE(QUIET, X64, SYS_utimensat, ALLOW, 0, 1),
	CASE(QUIET, X64, 452, ALLOW, 0),
	CASE(QUIET, X64, 463, ALLOW, 0),
	CASE(QUIET, X64, 469, ALLOW, 0),
	CASE(QUIET, X64, 467, PERM, 0),

	/* multilib: the same rules for x86_64 ... */
	CASE(MULTI, X64, SYS_read, ALLOW, 0),
	CASE(MULTI, X64, SYS_mount, PERM, 0),
	CASE(MULTI, X64, SYS_clone, PERM, CLONE_NEWUSER),
	CASE(MULTI, X64, SYS_ioctl, PERM, 0, DIRT | TIOCSTI),
	CASE(MULTI, X64, 102, ALLOW, 1), /* getuid, not socketcall */
	CASE(MULTI, X64, 337, NOSYS, 0),
	CASE(MULTI, X64, 390, NOSYS, 0),
	CASE(MULTI, X64, 467, PERM, 0),
	CASE(MULTI, X64, 470, NOSYS, 0),
	CASE(MULTI, X64, 1000, NOSYS, 0),
	CASE(MULTI, X64, 0x3fffffff, NOSYS, 0),
	CASE(MULTI, X64, 0xffffffff, NOSYS, 0),
	CASE(MULTI, X64, 0x80000000, NOSYS, 0),
	/* ... for i386 ... */
	CASE(MULTI, I386, 3, ALLOW, 0),          /* read */
	CASE(MULTI, I386, 21, PERM, 0),          /* mount */
	CASE(MULTI, I386, 22, PERM, 0),          /* umount */
	CASE(MULTI, I386, 52, PERM, 0),          /* umount2 */
	CASE(MULTI, I386, 61, PERM, 0),          /* chroot */
	CASE(MULTI, I386, 25, PERM, 0),          /* stime */
	CASE(MULTI, I386, 404, PERM, 0),         /* clock_settime64 */
	CASE(MULTI, I386, 54, PERM, 0, TIOCSTI), /* ioctl */
	CASE(MULTI, I386, 54, ALLOW, 0, TIOCGWINSZ),
	CASE(MULTI, I386, 75, NOTHING, RLIMIT_CORE),        /* setrlimit */
	CASE(MULTI, I386, 340, NOTHING, 0, RLIMIT_CORE, 1), /* prlimit64 */
	CASE(MULTI, I386, 340, ALLOW, 0, RLIMIT_CORE, 0),
	CASE(MULTI, X64, X32BIT | 160, NOTHING, RLIMIT_CORE),
	CASE(MULTI, X64, X32BIT | 302, NOTHING, 0, RLIMIT_CORE, 1),
	CASE(MULTI, I386, 120, PERM, CLONE_NEWUSER), /* clone */
	CASE(MULTI, I386, 120, ALLOW, 17),
	CASE(MULTI, I386, 310, PERM, CLONE_NEWNS), /* unshare */
	CASE(MULTI, I386, 310, ALLOW, CLONE_FS),
	CASE(MULTI, I386, 102, NOSYS, 1, 0x1003), /* socketcall: socket */
	CASE(MULTI, I386, 102, NOSYS, 8, 0x1000), /* socketpair */
	CASE(MULTI, I386, 102, NOSYS, 3, 0x1003), /* connect */
	CASE(MULTI, I386, 362, NOTIFY, 3),
	CASE(MULTI, I386, 102, ALLOW, 2, 0x1002),
	CASE(MULTI, I386, 117, ALLOW, 1), /* ipc: nothing there is refused */
	CASE(MULTI, I386, 359, NOFAM, AF_VSOCK, SOCK_STREAM, 0), /* socket */
	CASE(MULTI, I386, 359, ALLOW, AF_INET, SOCK_STREAM, 0),
	CASE(MULTI, I386, 360, PERM, AF_UNIX, SOCK_DGRAM, 0), /* socketpair */
	CASE(MULTI, I386, 288, PERM, 1),                      /* keyctl */
	CASE(MULTI, I386, 288, ALLOW, KEYCTL_REVOKE),
	CASE(MULTI, I386, 354, PERM, 1, 8),      /* seccomp */
	CASE(MULTI, I386, 425, NOSYS, 0),        /* io_uring_setup */
	CASE(MULTI, I386, 435, NOSYS, 0),        /* clone3 */
	CASE(MULTI, I386, 428, PERM, 0),         /* open_tree */
	CASE(MULTI, I386, 467, PERM, 0),         /* open_tree_attr */
	CASE(MULTI, I386, 5, NOTIFY, 1, O_RDWR), /* open */
	CASE(MULTI, I386, 5, ALLOW, 1, O_RDONLY),
	CASE(MULTI, I386, 295, NOTIFY, 0, 1, O_CREAT), /* openat */
	CASE(MULTI, I386, 193, NOTIFY, 0),             /* truncate64 */
	CASE(MULTI, I386, 198, NOTIFY, 0),             /* lchown32 */
	CASE(MULTI, I386, 212, NOTIFY, 0),             /* chown32 */
	CASE(MULTI, I386, 412, NOTIFY, 0, 1),          /* utimensat_time64 */
	CASE(MULTI, I386, 412, ALLOW, 3, 0),
	CASE(MULTI, I386, 452, NOTIFY, 0), /* fchmodat2 */
	CASE(MULTI, I386, 466, NOTIFY, 0), /* removexattrat */
	CASE(MULTI, I386, 386, ALLOW, 0),  /* rseq */
	CASE(MULTI, I386, 387, NOSYS, 0),
	CASE(MULTI, I386, 392, NOSYS, 0),
	CASE(MULTI, I386, 393, ALLOW, 0), /* semget */
	CASE(MULTI, I386, 470, NOSYS, 0),
	CASE(MULTI, I386, 1000, NOSYS, 0),
	CASE(MULTI, I386, X32BIT | 3, NOSYS, 0),
	CASE(MULTI, I386, 0xffffffff, NOSYS, 0),
	/* ... and for x32. */
	CASE(MULTI, X64, X32BIT | SYS_read, ALLOW, 0),
	CASE(MULTI, X64, X32BIT | SYS_mount, PERM, 0),
	CASE(MULTI, X64, X32BIT | SYS_clone, PERM, CLONE_NEWUSER),
	CASE(MULTI, X64, X32BIT | SYS_socket, NOFAM, AF_ALG, SOCK_SEQPACKET),
	CASE(MULTI, X64, X32BIT | SYS_socketpair, PERM, AF_UNIX, SOCK_DGRAM),
	CASE(MULTI, X64, X32BIT | 514, PERM, 0, TIOCSTI), /* ioctl */
	CASE(MULTI, X64, X32BIT | 514, ALLOW, 0, TIOCGWINSZ),
	CASE(MULTI, X64, X32BIT | 528, PERM, 0), /* kexec_load */
	CASE(MULTI, X64, X32BIT | SYS_openat, NOTIFY, 0, 1, O_CREAT),
	CASE(MULTI, X64, X32BIT | SYS_clone3, NOSYS, 0),
	CASE(MULTI, X64, X32BIT | 400, NOSYS, 0),
	CASE(MULTI, X64, X32BIT | 467, PERM, 0),
	CASE(MULTI, X64, X32BIT | 452, NOTIFY, 0),
	CASE(MULTI, X64, X32BIT | 470, NOSYS, 0),
	CASE(MULTI, X64, X32BIT | 511, NOSYS, 0),
	CASE(MULTI, X64, X32BIT | 547, ALLOW, 0), /* pwritev2 */
	CASE(MULTI, X64, X32BIT | 548, NOSYS, 0),
	CASE(MULTI, X64, X32BIT | 1000, NOSYS, 0),
	CASE(MULTI, X64, 520, NOSYS, 0),
};

const size_t n_seal_cases = sizeof(seal_cases) / sizeof(seal_cases[0]);
