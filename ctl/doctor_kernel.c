/* SPDX-License-Identifier: ISC */
/* What Ward needs of the kernel, each tried in a process of its own. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/fence.h"
#include "common/landlock.h"
#include "common/number.h"
#include "common/places.h"
#include "ctl/doctor.h"
#include "ctl/fence.h"
#include "db/policy.h"
#include "sandbox/looks_start.h"

#define FENCED_MAX 1024

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

/* --- each returns 0 or an errno value, in a process of its own --- */

static int
try_landlock(void)
{
	int abi = ward_landlock_abi();

	if (abi < 0)
		return -abi;
	return abi >= WARD_LANDLOCK_LEAST ? 0 : ENOTSUP;
}

static int
try_listener(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { .len = 1, .filter = &allow };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return errno;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		   SECCOMP_FILTER_FLAG_NEW_LISTENER |
		       SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		   &program) < 0
	    ? errno
	    : 0;
}

static int
try_openat2(void)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_NO_MAGICLINKS | RESOLVE_IN_ROOT,
	};

	return syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(how)) < 0
	    ? errno
	    : 0;
}

static int
try_mounts(void)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };

	if (unshare(CLONE_NEWNS) != 0)
		return errno;
	long fd = syscall(
	    SYS_open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd < 0)
		return errno;
	return syscall(SYS_mount_setattr, (int)fd, "", AT_EMPTY_PATH, &attr,
		   sizeof(attr)) != 0
	    ? errno
	    : 0;
}

static int
try_namespaces(void)
{
	return unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC |
		   CLONE_NEWUTS | CLONE_NEWPID) != 0
	    ? errno
	    : 0;
}

static int
try_setns(void)
{
	int pidfd = pidfd_open(getpid(), 0);

	if (pidfd < 0)
		return errno;
	return setns(pidfd, CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) != 0
	    ? errno
	    : 0;
}

static int
try_fuse(void)
{
	int mount_fd = -1;
	int fuse_fd = ward_looks_open(&mount_fd, NULL);

	return fuse_fd < 0 ? -fuse_fd : 0;
}

static const struct {
	int (*try)(void);
	const char *what;
} features[] = {
	{ try_landlock, "Landlock with REFER (ABI 2)" },
	{ try_listener, "seccomp's listener that waits killable" },
	{ try_openat2, "openat2 with its limits on links" },
	{ try_mounts, "detached mounts and their attributes" },
	{ try_namespaces, "mount, net, ipc, uts and pid namespaces" },
	{ try_setns, "entering namespaces by a pidfd" },
};

static int
try_in_child(int (*try)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(try() & 0xff);
	if (pid < 0)
		return errno;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

/* Without it masks hide as well, and nobody sees who looks. */
static void
look_at_fuse(struct ward_doctor *doctor)
{
	int error = try_in_child(try_fuse);

	if (error == 0)
		ward_doctor_pass(
		    doctor, "it has FUSE: looks into hidden places are rows");
	else
		ward_doctor_warn(doctor,
		    "load the module fuse, and let root open /dev/fuse",
		    "looks into hidden places are no rows: FUSE: %s",
		    strerror(error));
}

void
ward_doctor_kernel(struct ward_doctor *doctor)
{
	struct utsname name;
	size_t n_wrong = 0;

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		int error = try_in_child(features[i].try);
		if (error == 0)
			continue;
		n_wrong++;
		ward_doctor_fail(doctor,
		    "run Linux 6.1 or later, built and booted with it; "
		    "sessions are refused until then",
		    "%s: %s", features[i].what, strerror(error));
	}
	if (n_wrong == 0 && uname(&name) == 0)
		ward_doctor_pass(doctor,
		    "Linux %s has what Ward needs; Landlock's ABI is %d",
		    name.release, ward_landlock_abi());
	look_at_fuse(doctor);
}

/* --- sysctls --- */

/* The first line; "" where there is none. */
static void
read_line(const char *path, char *out, size_t size)
{
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

	out[n < 0 ? 0 : n] = '\0';
	out[strcspn(out, "\n")] = '\0';
}

void
ward_doctor_sysctls(struct ward_doctor *doctor)
{
	static const struct {
		const char *path, *bad, *what, *remedy;
	} settings[] = {
		{ "/proc/sys/dev/tty/legacy_tiocsti", "1",
		    "programs may type into their terminal (inside, the seal "
		    "refuses it)",
		    "sysctl -w dev.tty.legacy_tiocsti=0" },
		{ "/proc/sys/fs/protected_symlinks", "0",
		    "root follows links that an account left in /tmp",
		    "sysctl -w fs.protected_symlinks=1" },
		{ "/proc/sys/fs/protected_hardlinks", "0",
		    "accounts may link files of others",
		    "sysctl -w fs.protected_hardlinks=1" },
	};
	char line[256];

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		read_line(settings[i].path, line, sizeof(line));
		if (strcmp(line, settings[i].bad) == 0)
			ward_doctor_warn(doctor, settings[i].remedy, "%s: %s",
			    settings[i].path, settings[i].what);
	}
	read_line("/proc/sys/kernel/core_pattern", line, sizeof(line));
	if (line[0] == '|')
		ward_doctor_pass(doctor,
		    "core_pattern runs a program as root; sessions have a "
		    "core limit that keeps it from them");
}

void
ward_doctor_terminals(struct ward_doctor *doctor)
{
	char line[64];
	uint64_t most;

	read_line("/proc/sys/kernel/pty/max", line, sizeof(line));
	if (ward_number_parse(line, INT32_MAX, &most) != 0)
		return;
	for (size_t i = 0; i < doctor->accounts.n; i++) {
		const struct ward_account *a = &doctor->accounts.list[i];
		struct ward_policy_found found = { 0 };
		if (ward_account_find_policy(a, &found, NULL) == 0 &&
		    found.profile->limits.processes >= most)
			ward_doctor_warn(doctor,
			    "raise kernel.pty.max, or lower limits.processes "
			    "of its profile",
			    "%s may have as many processes as the host has "
			    "terminals (kernel.pty.max is %llu)",
			    a->name, (unsigned long long)most);
		ward_policy_found_clear(&found);
	}
}

/* --- the fence --- */

static void
look_at_fence(struct ward_doctor *doctor, const struct ward_account *account)
{
	static const int families[] = { AF_INET, AF_INET6 };

	for (size_t i = 0; i < 2; i++) {
		/* without a control a refusal would prove nothing */
		if (ward_fence_look(0, families[i]) != 0)
			continue;
		if (ward_fence_look(account->uid, families[i]) == 1)
			continue;
		ward_doctor_fail(doctor,
		    "run 'wardctl fence apply'; a kernel without nftables "
		    "can have no fence",
		    "what %s starts without PAM can send (IPv%d)",
		    account->name, families[i] == AF_INET ? 4 : 6);
	}
}

/* Whom the table holds beyond the accounts: they lost the network by it. */
static void
look_for_strangers(struct ward_doctor *doctor)
{
	uid_t uids[FENCED_MAX];
	size_t n = 0;

	/* where there is none, it is told what that means */
	if (ward_fence_listed(uids, FENCED_MAX, &n, NULL) != 0)
		return;
	for (size_t i = 0; i < n && i < FENCED_MAX; i++) {
		bool known = false;
		for (size_t k = 0; k < doctor->accounts.n; k++)
			known |= doctor->accounts.list[k].uid == uids[i];
		if (!known)
			ward_doctor_warn(doctor, "run 'wardctl fence apply'",
			    "the fence refuses the packets of uid %u, which "
			    "is no agent account",
			    (unsigned)uids[i]);
	}
}

void
ward_doctor_fence(struct ward_doctor *doctor)
{
	for (size_t i = 0; i < doctor->accounts.n; i++)
		look_at_fence(doctor, &doctor->accounts.list[i]);
	look_for_strangers(doctor);
	if (doctor->accounts.n > 0 && ward_fence_look(0, AF_INET) != 0)
		ward_doctor_warn(doctor,
		    "let root send to 127.0.0.1, then ask again",
		    "it cannot be told: root's datagrams are refused, too");
	if (access("/etc/systemd/system", F_OK) == 0 &&
	    !ward_fence_unit_is_enabled())
		ward_doctor_fail(doctor, "run 'wardctl enable'",
		    "ward-fence.service is not started at boot");
}
