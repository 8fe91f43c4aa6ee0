/* SPDX-License-Identifier: ISC */
/*
 * The seal's one table.  To change what the seal refuses, change it here, and
 * the golden files and the cases of tests/unit/test_seal.c with it.
 */
#include "config.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/keyctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "profiles/seal_table.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Kernel interfaces that the C library's headers may be too old to know. */
#ifndef TIOCLINUX
#define TIOCLINUX 0x541C
#endif
#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef KEYCTL_REVOKE
#define KEYCTL_REVOKE 3
#endif

#define LOW32 0xffffffffULL

/* clang-format off */
/* struct ward_seal_condition, short enough for a row of the table. */
#define ANY_BIT(arg, mask)       { WARD_SEAL_ANY_BIT, arg, mask, 0 }
#define MASKED(arg, mask, value) { WARD_SEAL_MASKED, arg, mask, value }
#define INT_IS(arg, value)       { WARD_SEAL_MASKED, arg, LOW32, value }
#define WITHIN(arg, low, high)   { WARD_SEAL_WITHIN, arg, low, high }
#define ABOVE(arg, value)        { WARD_SEAL_ABOVE, arg, value, 0 }
#define NOT_NULL(arg)            { WARD_SEAL_NOT_NULL, arg, 0, 0 }
#define ANY_CALL                 { WARD_SEAL_ALWAYS, 0, 0, 0 }
#define ANY                      { ANY_CALL }
/* clang-format on */

/*
 * clone's low byte is the signal, so that CLONE_NEWTIME (0x80) means nothing
 * there; unshare is the only other way to it.
 */
#define CLONE_NAMESPACES                                                       \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |         \
	    CLONE_NEWUSER | CLONE_NEWPID | (uint64_t)CLONE_NEWNET)

/*
 * What unshare may do without a namespace.  A list of what is allowed, since
 * later kernels give old bits a new meaning here (0x100000, an empty mount
 * namespace).
 */
#define UNSHARE_HARMLESS                                                       \
	(CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_THREAD |               \
	    CLONE_SIGHAND | CLONE_VM)

/* socket's and socketpair's arguments; the high bits of the type are flags. */
#define FAMILY(family)    INT_IS(0, family)
#define TYPE(mask, value) MASKED(1, mask, value)

/* AF_INET is 2 and AF_INET6 10: without the bit between them, one test. */
#define INET MASKED(0, LOW32 & ~(uint64_t)(AF_INET ^ AF_INET6), AF_INET)
_Static_assert((AF_INET ^ AF_INET6) == 8 && (AF_INET & 8) == 0,
    "INET tests both families at once");

/*
 * The kernel makes both ends of a pair before it asks whether the family has
 * pairs (and may load the family's module), hence the same rows for both.
 * What INET refuses is EPERM, which SOCK_RAW always was for the account; the
 * families' error is the one that programs take for "not on this machine".
 * AF_UNSPEC is refused by the kernel with the same error.  AF_UNIX takes
 * SOCK_RAW for SOCK_DGRAM; a datagram socket, also one of a pair, can be
 * pointed at any path, the log's included.  What of socket's would be a way out
 * of the network is told to the warden, which refuses it and makes a row:
 * ICMP (its sockets are closed in a new net namespace anyway), raw ones,
 * others' protocols, packets.
 */
/* clang-format off */
#define SOCKET_RULE(name, nr, errnum, group, ...)                              \
	{ name, nr, errnum, group, { __VA_ARGS__ } }
#define ALL WARD_SEAL_FOR_ALL
#define SOCKET_RULES(name, nr, out)                                            \
	SOCKET_RULE(name, nr, EAFNOSUPPORT, ALL, WITHIN(0, 3, 9)),             \
	SOCKET_RULE(name, nr, EAFNOSUPPORT, ALL, WITHIN(0, 11, 15)),           \
	SOCKET_RULE(name, nr, EAFNOSUPPORT, out, FAMILY(AF_PACKET)),           \
	SOCKET_RULE(name, nr, EAFNOSUPPORT, ALL, WITHIN(0, 18, UINT32_MAX)),   \
	SOCKET_RULE(name, nr, EAFNOSUPPORT, ALL, FAMILY(AF_NETLINK),           \
	    ANY_BIT(2, LOW32) /* anything but NETLINK_ROUTE */),               \
	SOCKET_RULE(name, nr, EPERM, ALL, FAMILY(AF_UNIX),                     \
	    TYPE(0xf, SOCK_DGRAM)),                                            \
	SOCKET_RULE(name, nr, EPERM, ALL, FAMILY(AF_UNIX),                     \
	    TYPE(0xf, SOCK_RAW)),                                              \
	SOCKET_RULE(name, nr, EPERM, out, INET, TYPE(0xf, 0)),                 \
	SOCKET_RULE(name, nr, EPERM, out, INET, TYPE(0xf, SOCK_RAW)),          \
	SOCKET_RULE(name, nr, EPERM, out, INET, TYPE(0xc, 4) /* 4 to 7 */),    \
	SOCKET_RULE(name, nr, EPERM, out, INET, TYPE(0x8, 8) /* 8 to 15 */),   \
	SOCKET_RULE(name, nr, EPERM, out, INET,                                \
	    WITHIN(2, 1, IPPROTO_TCP - 1)),                                    \
	SOCKET_RULE(name, nr, EPERM, out, INET,                                \
	    WITHIN(2, IPPROTO_TCP + 1, IPPROTO_UDP - 1)),                      \
	SOCKET_RULE(name, nr, EPERM, out, INET,                                \
	    WITHIN(2, IPPROTO_UDP + 1, IPPROTO_MPTCP - 1)),                    \
	SOCKET_RULE(name, nr, EPERM, out, INET,                                \
	    WITHIN(2, IPPROTO_MPTCP + 1, UINT32_MAX))
/* clang-format on */

static const struct ward_seal_rule rules[] = {
	/* Namespaces: each opens much of the kernel to root inside it. */
	{ "clone", 56, EPERM, WARD_SEAL_NAMESPACES,
	    { ANY_BIT(0, CLONE_NAMESPACES) } },
	{ "unshare", 272, EPERM, WARD_SEAL_NAMESPACES,
	    { ANY_BIT(0, LOW32 & ~(uint64_t)UNSHARE_HARMLESS) } },
	{ "unshare", 272, EPERM, WARD_SEAL_NAMESPACES, { ABOVE(0, LOW32) } },
	{ "setns", 308, EPERM, WARD_SEAL_NAMESPACES, ANY },
	/*
	 * Its flags are in memory, where no filter sees them: libc falls back
	 * to clone.  Also with nested namespaces, which need clone only.
	 */
	{ "clone3", 435, ENOSYS, WARD_SEAL_FOR_ALL, ANY },

	/* Mounts, old and new.  statmount and listmount only tell. */
	{ "mount", 165, EPERM, WARD_SEAL_NAMESPACES, ANY },
	{ "umount2", 166, EPERM, WARD_SEAL_NAMESPACES, ANY },
	{ "umount", -1, EPERM, WARD_SEAL_NAMESPACES, ANY },
	{ "pivot_root", 155, EPERM, WARD_SEAL_NAMESPACES, ANY },
	{ "chroot", 161, EPERM, WARD_SEAL_NAMESPACES, ANY },
	{ "open_tree", 428, EPERM, WARD_SEAL_NAMESPACES, ANY },
	{ "open_tree_attr", 467, EPERM, WARD_SEAL_NAMESPACES, ANY },
	{ "move_mount", 429, EPERM, WARD_SEAL_NAMESPACES, ANY },
	{ "fsopen", 430, EPERM, WARD_SEAL_NAMESPACES, ANY },
	{ "fsconfig", 431, EPERM, WARD_SEAL_NAMESPACES, ANY },
	{ "fsmount", 432, EPERM, WARD_SEAL_NAMESPACES, ANY },
	{ "fspick", 433, EPERM, WARD_SEAL_NAMESPACES, ANY },
	{ "mount_setattr", 442, EPERM, WARD_SEAL_NAMESPACES, ANY },

	/* Does what other calls do, unseen by any filter. */
	{ "io_uring_setup", 425, ENOSYS, WARD_SEAL_FOR_ALL, ANY },
	{ "io_uring_enter", 426, ENOSYS, WARD_SEAL_FOR_ALL, ANY },
	{ "io_uring_register", 427, ENOSYS, WARD_SEAL_FOR_ALL, ANY },

	/* Large, privileged by nature, and the classic ways into a kernel. */
	{ "bpf", 321, EPERM, WARD_SEAL_TOLD, ANY },
	{ "perf_event_open", 298, EPERM, WARD_SEAL_TOLD, ANY },
	{ "userfaultfd", 323, EPERM, WARD_SEAL_TOLD, ANY },

	/*
	 * Keyrings belong to a uid, not to a sandbox, and are shared with what
	 * runs outside.  pam_keyinit revokes its own from sealed children.
	 */
	{ "add_key", 248, EPERM, WARD_SEAL_FOR_ALL, ANY },
	{ "request_key", 249, EPERM, WARD_SEAL_FOR_ALL, ANY },
	{ "keyctl", 250, EPERM, WARD_SEAL_FOR_ALL,
	    { WITHIN(0, 0, KEYCTL_REVOKE - 1) } },
	{ "keyctl", 250, EPERM, WARD_SEAL_FOR_ALL,
	    { WITHIN(0, KEYCTL_REVOKE + 1, UINT32_MAX) } },

	/*
	 * Files by handle go past every path; kcmp and pidfd_getfd reach into
	 * other processes.
	 */
	{ "name_to_handle_at", 303, EPERM, WARD_SEAL_FOR_ALL, ANY },
	{ "open_by_handle_at", 304, EPERM, WARD_SEAL_TOLD, ANY },
	{ "kcmp", 312, EPERM, WARD_SEAL_FOR_ALL, ANY },
	{ "pidfd_getfd", 438, EPERM, WARD_SEAL_TOLD, ANY },

	/* Another kernel, or more of this one. */
	{ "init_module", 175, EPERM, WARD_SEAL_TOLD, ANY },
	{ "finit_module", 313, EPERM, WARD_SEAL_TOLD, ANY },
	{ "delete_module", 176, EPERM, WARD_SEAL_TOLD, ANY },
	{ "kexec_load", 246, EPERM, WARD_SEAL_TOLD, ANY },
	{ "kexec_file_load", 320, EPERM, WARD_SEAL_TOLD, ANY },

	/*
	 * Of the machine, not of a sandbox.  All but syslog and quotactl need
	 * a capability that the account lacks; here their code is not even
	 * reached.  syslog reads the host's kernel log where
	 * kernel.dmesg_restrict is 0.
	 */
	{ "syslog", 103, EPERM, WARD_SEAL_FOR_ALL, ANY },
	{ "quotactl", 179, EPERM, WARD_SEAL_FOR_ALL, ANY },
	{ "quotactl_fd", 443, EPERM, WARD_SEAL_FOR_ALL, ANY },
	{ "acct", 163, EPERM, WARD_SEAL_TOLD, ANY },
	{ "swapon", 167, EPERM, WARD_SEAL_TOLD, ANY },
	{ "swapoff", 168, EPERM, WARD_SEAL_TOLD, ANY },
	{ "reboot", 169, EPERM, WARD_SEAL_TOLD, ANY },
	{ "iopl", 172, EPERM, WARD_SEAL_FOR_ALL, ANY },
	{ "ioperm", 173, EPERM, WARD_SEAL_FOR_ALL, ANY },
	{ "settimeofday", 164, EPERM, WARD_SEAL_TOLD, ANY },
	{ "clock_settime", 227, EPERM, WARD_SEAL_TOLD, ANY },
	{ "clock_settime64", -1, EPERM, WARD_SEAL_FOR_ALL, ANY },
	{ "stime", -1, EPERM, WARD_SEAL_FOR_ALL, ANY },

	/*
	 * Typing into the terminal that a login was started from; and giving
	 * it another line discipline, which any process may that has it open.
	 * N_NULL makes it deaf and dumb, also for whom it belongs to, and the
	 * kernel loads modules for others (tty_ldisc_open).
	 */
	{ "ioctl", 16, EPERM, WARD_SEAL_TOLD, { INT_IS(1, TIOCSTI) } },
	{ "ioctl", 16, EPERM, WARD_SEAL_TOLD, { INT_IS(1, TIOCLINUX) } },
	{ "ioctl", 16, EPERM, WARD_SEAL_TOLD, { INT_IS(1, TIOCSETD) } },

	/*
	 * Of the limits that a process may have for its cores, 1 alone keeps
	 * the host's core_pattern program from running (core(5)), and the
	 * module set it.  No error: programs that guard secrets set 0 and end
	 * where they cannot, and with 1 there is no core either.
	 */
	{ "setrlimit", 160, 0, WARD_SEAL_FOR_ALL, { INT_IS(0, RLIMIT_CORE) } },
	{ "prlimit64", 302, 0, WARD_SEAL_FOR_ALL,
	    { INT_IS(1, RLIMIT_CORE), NOT_NULL(2) } },

	/* The one listener of a process tree is the warden's. */
	{ "seccomp", 317, EPERM, WARD_SEAL_TOLD,
	    { ANY_BIT(1, SECCOMP_FILTER_FLAG_NEW_LISTENER) } },

	SOCKET_RULES("socket", 41, WARD_SEAL_TOLD),
	SOCKET_RULES("socketpair", 53, ALL),

	/* /proc/PID/mem does the same, under the same check of the kernel. */
	{ "ptrace", 101, EPERM, WARD_SEAL_TRACING, ANY },
	{ "process_vm_readv", 310, EPERM, WARD_SEAL_TRACING, ANY },
	{ "process_vm_writev", 311, EPERM, WARD_SEAL_TRACING, ANY },
};

#define ONE(kind, dirfd, path) kind, dirfd, path, WARD_SEAL_NOTHING, -1, -1
#define NO_FLAGS               -1, false
#define FLAGS(arg)             arg, false
#define OPEN                   WARD_SEAL_OPEN
#define ENTRY                  WARD_SEAL_ENTRY
#define INODE                  WARD_SEAL_INODE
#define SOURCE                 WARD_SEAL_SOURCE
#define ALWAYS                 WARD_SEAL_FOLLOW
#define NEVER                  WARD_SEAL_NOFOLLOW
#define BY_FLAGS               WARD_SEAL_FOLLOW_BY_FLAGS

/*
 * Write-intent calls by path; what acts on an fd that can be written through
 * was seen when the fd was opened, and the rest of such calls (fchmod and the
 * like, on one opened for reading) would cost every archiver more than the few
 * rows are worth.  openat2's flags are in memory: it is always notified.  And
 * connect.
 */
static const struct ward_seal_notified notified[] = {
	{ "open", 2, 5, ONE(OPEN, -1, 0), FLAGS(1), BY_FLAGS,
	    ANY_BIT(1, WARD_SEAL_OPEN_WRITES) },
	{ "openat", 257, 295, ONE(OPEN, 0, 1), FLAGS(2), BY_FLAGS,
	    ANY_BIT(2, WARD_SEAL_OPEN_WRITES) },
	{ "openat2", 437, 437, ONE(OPEN, 0, 1), 2, true, BY_FLAGS, ANY_CALL },
	{ "creat", 85, 8, ONE(OPEN, -1, 0), NO_FLAGS, ALWAYS, ANY_CALL },

	{ "unlink", 87, 10, ONE(ENTRY, -1, 0), NO_FLAGS, NEVER, ANY_CALL },
	{ "unlinkat", 263, 301, ONE(ENTRY, 0, 1), FLAGS(2), NEVER, ANY_CALL },
	{ "rmdir", 84, 40, ONE(ENTRY, -1, 0), NO_FLAGS, NEVER, ANY_CALL },
	{ "mkdir", 83, 39, ONE(ENTRY, -1, 0), NO_FLAGS, NEVER, ANY_CALL },
	{ "mkdirat", 258, 296, ONE(ENTRY, 0, 1), NO_FLAGS, NEVER, ANY_CALL },
	{ "mknod", 133, 14, ONE(ENTRY, -1, 0), NO_FLAGS, NEVER, ANY_CALL },
	{ "mknodat", 259, 297, ONE(ENTRY, 0, 1), NO_FLAGS, NEVER, ANY_CALL },
	{ "symlink", 88, 83, ONE(ENTRY, -1, 1), NO_FLAGS, NEVER, ANY_CALL },
	{ "symlinkat", 266, 304, ONE(ENTRY, 1, 2), NO_FLAGS, NEVER, ANY_CALL },
	{ "link", 86, 9, ENTRY, -1, 1, SOURCE, -1, 0, NO_FLAGS, NEVER,
	    ANY_CALL },
	{ "linkat", 265, 303, ENTRY, 2, 3, SOURCE, 0, 1, FLAGS(4), NEVER,
	    ANY_CALL },
	{ "rename", 82, 38, ENTRY, -1, 0, ENTRY, -1, 1, NO_FLAGS, NEVER,
	    ANY_CALL },
	{ "renameat", 264, 302, ENTRY, 0, 1, ENTRY, 2, 3, NO_FLAGS, NEVER,
	    ANY_CALL },
	{ "renameat2", 316, 353, ENTRY, 0, 1, ENTRY, 2, 3, FLAGS(4), NEVER,
	    ANY_CALL },

	/* Of any family: the address is in memory. */
	{ "bind", 49, 361, ONE(WARD_SEAL_BIND, -1, 1), NO_FLAGS, NEVER,
	    ANY_CALL },

	/*
	 * Whatever the socket is: its number, and the address, can be others
	 * by the time that the kernel looks.
	 */
	{ "connect", 42, 362, ONE(WARD_SEAL_CONNECT, -1, -1), NO_FLAGS, NEVER,
	    ANY_CALL },

	{ "truncate", 76, 92, ONE(INODE, -1, 0), NO_FLAGS, ALWAYS, ANY_CALL },
	{ "truncate64", -1, 193, ONE(INODE, -1, 0), NO_FLAGS, ALWAYS,
	    ANY_CALL },
	{ "chmod", 90, 15, ONE(INODE, -1, 0), NO_FLAGS, ALWAYS, ANY_CALL },
	{ "fchmodat", 268, 306, ONE(INODE, 0, 1), NO_FLAGS, ALWAYS, ANY_CALL },
	{ "fchmodat2", 452, 452, ONE(INODE, 0, 1), FLAGS(3), BY_FLAGS,
	    ANY_CALL },
	{ "chown", 92, 182, ONE(INODE, -1, 0), NO_FLAGS, ALWAYS, ANY_CALL },
	{ "chown32", -1, 212, ONE(INODE, -1, 0), NO_FLAGS, ALWAYS, ANY_CALL },
	{ "lchown", 94, 16, ONE(INODE, -1, 0), NO_FLAGS, NEVER, ANY_CALL },
	{ "lchown32", -1, 198, ONE(INODE, -1, 0), NO_FLAGS, NEVER, ANY_CALL },
	{ "fchownat", 260, 298, ONE(INODE, 0, 1), FLAGS(4), BY_FLAGS,
	    ANY_CALL },
	{ "utime", 132, 30, ONE(INODE, -1, 0), NO_FLAGS, ALWAYS, ANY_CALL },
	{ "utimes", 235, 271, ONE(INODE, -1, 0), NO_FLAGS, ALWAYS, ANY_CALL },
	/* Without a path these two are futimes and futimens. */
	{ "futimesat", 261, 299, ONE(INODE, 0, 1), NO_FLAGS, ALWAYS,
	    NOT_NULL(1) },
	{ "utimensat", 280, 320, ONE(INODE, 0, 1), FLAGS(3), BY_FLAGS,
	    NOT_NULL(1) },
	{ "utimensat_time64", -1, 412, ONE(INODE, 0, 1), FLAGS(3), BY_FLAGS,
	    NOT_NULL(1) },
	{ "setxattr", 188, 226, ONE(INODE, -1, 0), NO_FLAGS, ALWAYS, ANY_CALL },
	{ "lsetxattr", 189, 227, ONE(INODE, -1, 0), NO_FLAGS, NEVER, ANY_CALL },
	{ "setxattrat", 463, 463, ONE(INODE, 0, 1), FLAGS(2), BY_FLAGS,
	    ANY_CALL },
	{ "removexattr", 197, 235, ONE(INODE, -1, 0), NO_FLAGS, ALWAYS,
	    ANY_CALL },
	{ "lremovexattr", 198, 236, ONE(INODE, -1, 0), NO_FLAGS, NEVER,
	    ANY_CALL },
	{ "removexattrat", 466, 466, ONE(INODE, 0, 1), FLAGS(2), BY_FLAGS,
	    ANY_CALL },
	{ "file_setattr", 469, 469, ONE(INODE, 0, 1), FLAGS(4), BY_FLAGS,
	    ANY_CALL },
};

/*
 * arch/x86/entry/syscalls/syscall_{32,64}.tbl of Linux 6.18.  A number that
 * lies in none of these is as unknown as one above them all.
 */
static const struct ward_seal_range known[] = {
	{ WARD_SEAL_X86_64, 0, 336 },
	{ WARD_SEAL_X86_64, 424, WARD_SEAL_HIGHEST },
	{ WARD_SEAL_I386, 0, 386 },
	{ WARD_SEAL_I386, 393, WARD_SEAL_HIGHEST },
	{ WARD_SEAL_X32, 0, 336 },
	{ WARD_SEAL_X32, 424, WARD_SEAL_HIGHEST },
	{ WARD_SEAL_X32, 512, 547 },
};

const struct ward_seal_rule *
ward_seal_rules(size_t *n)
{
	*n = COUNT(rules);
	return rules;
}

const struct ward_seal_notified *
ward_seal_notified(size_t *n)
{
	*n = COUNT(notified);
	return notified;
}

const struct ward_seal_range *
ward_seal_known(size_t *n)
{
	*n = COUNT(known);
	return known;
}

const struct ward_seal_notified *
ward_seal_notified_find(uint32_t arch, int nr)
{
	size_t i;

	if (nr < 0)
		return NULL;
	if (arch == AUDIT_ARCH_X86_64)
		nr = (int)((unsigned)nr & ~WARD_SEAL_X32_BIT);
	else if (arch != AUDIT_ARCH_I386)
		return NULL;
	for (i = 0; i < COUNT(notified); i++)
		if (nr ==
		    (arch == AUDIT_ARCH_I386 ? notified[i].nr_i386
					     : notified[i].nr))
			return &notified[i];
	return NULL;
}

bool
ward_seal_rule_is_told(const struct ward_seal_rule *rule)
{
	return rule->group != WARD_SEAL_FOR_ALL && rule->nr >= 0 &&
	    rule->nr <= WARD_SEAL_HIGHEST_NAMED;
}

const struct ward_seal_rule *
ward_seal_told_find(uint32_t arch, int nr)
{
	for (size_t i = 0; i < COUNT(rules) && arch == AUDIT_ARCH_X86_64; i++)
		if (rules[i].nr == nr && ward_seal_rule_is_told(&rules[i]))
			return &rules[i];
	return NULL;
}

bool
ward_seal_notified_follows(
    const struct ward_seal_notified *call, uint64_t flags)
{
	switch (call->follow) {
	case WARD_SEAL_FOLLOW:
		return true;
	case WARD_SEAL_NOFOLLOW:
		return false;
	case WARD_SEAL_FOLLOW_BY_FLAGS:
		break;
	}
	if (call->kind == WARD_SEAL_OPEN)
		return (flags & O_NOFOLLOW) == 0 &&
		    (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
	return (flags & AT_SYMLINK_NOFOLLOW) == 0;
}
