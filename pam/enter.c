/* SPDX-License-Identifier: ISC */
/* Enters the sandbox and seals the calling process. */
#include "config.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/fd.h"
#include "pam/enter.h"

/* Linux 5.19; the headers of Debian 12 know it, older ones may not. */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

void
ward_enter_tell(const struct ward_joined *joined, const char *step, int error)
{
	struct ward_wire_unsealed m = { .error = (uint32_t)error };
	struct ward_wire wire;

	size_t n = strlen(step);
	memcpy(m.step, step, n < sizeof(m.step) ? n : sizeof(m.step) - 1);
	if (ward_wire_put_unsealed(&wire, &m) == 0)
		(void)ward_fd_send(
		    joined->socket_fd, wire.data, wire.size, NULL, 0);
}

/* Fail closed: what is not sealed does not live on. */
static void __attribute__((noreturn))
give_up(const struct ward_joined *joined, const char *step, int error)
{
	ward_enter_tell(joined, step, error);
	_exit(255);
}

/* An empty bounding set: no program gives a capability from here on. */
static int
drop_bounding_set(void)
{
	for (unsigned long cap = 0; cap < 64; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0)
			/* EINVAL is the end of what the kernel knows */
			return errno == EINVAL && cap > CAP_AUDIT_READ ? 0
								       : -errno;
	return 0;
}

static int
drop_ambient_set(void)
{
	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0
	    ? 0
	    : -errno;
}

/* A caller's own may hold some; nothing of it shall reach the account. */
static int
drop_inheritable_set(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, sets) != 0)
		return -errno;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		sets[i].inheritable = 0;
	return syscall(SYS_capset, &header, sets) == 0 ? 0 : -errno;
}

/*
 * The caller's session keyring may be that of a person or of a daemon: whoever
 * possesses it uses its keys, and could revoke it.
 */
static int
leave_keyring(void)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0)
		return 0;
	/* no keys in this kernel, or a container that lets nobody at them */
	return errno == ENOSYS || errno == EPERM ? 0 : -errno;
}

/*
 * Lowers a limit, never raises one.  EPERM is not fatal: sudo's core limit is
 * 0 already, and a container may lack CAP_SYS_RESOURCE.
 */
static int
lower_limit(unsigned resource, rlim_t value)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)resource, &limit) != 0)
		return -errno;
	if (limit.rlim_max > value)
		limit.rlim_max = value;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	if (setrlimit((__rlimit_resource_t)resource, &limit) != 0 &&
	    errno != EPERM)
		return -errno;
	return 0;
}

/*
 * A core_pattern pipe runs as root on the host, on what the account crashed.
 * With a soft limit of 1 the kernel refuses pipes, and with no other, 0
 * included (core(5)); the seal keeps it there.
 */
static int
refuse_core_pipes(void)
{
	static const struct rlimit one = { .rlim_cur = 1, .rlim_max = 1 };

	if (setrlimit(RLIMIT_CORE, &one) != 0 && errno != EPERM)
		return -errno;
	return 0;
}

static int
lower_limits(const struct ward_wire_opened *opened)
{
	int r = refuse_core_pipes();

	for (uint32_t i = 0; r == 0 && i < opened->n_limits; i++)
		r = lower_limit(
		    opened->limits[i].resource, opened->limits[i].value);
	return r;
}

/* Loads the seal; *listener_fd stays -1 where no call is notified. */
static int
load_seal(const struct ward_joined *joined, int *listener_fd)
{
	const struct sock_fprog program = {
		.len = joined->n_seal,
		.filter = joined->seal,
	};
	unsigned long flags = joined->opened.listener
	    ? SECCOMP_FILTER_FLAG_NEW_LISTENER |
		SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	    : 0;

	long r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	if (r < 0)
		return -errno;
	if (joined->opened.listener)
		*listener_fd = (int)r;
	return 0;
}

/* Hands the listener over, if there is one, and waits for no answer. */
static int
tell_warden(const struct ward_joined *joined, int listener_fd)
{
	struct ward_wire wire;
	int r = ward_wire_put_empty(&wire, WARD_WIRE_ENTERED);

	if (r == 0)
		r = ward_fd_send(joined->socket_fd, wire.data, wire.size,
		    &listener_fd, listener_fd >= 0 ? 1 : 0);
	if (listener_fd >= 0)
		(void)close(listener_fd);
	return r;
}

static void
try(const struct ward_joined *joined, const char *step, int r)
{
	if (r < 0)
		give_up(joined, step, -r);
}

static int
checked(long r)
{
	return r == 0 ? 0 : -errno;
}

void
ward_enter(const struct ward_joined *joined, int host_nsfd)
{
	/* The order is the argument; each step needs what the next takes. */

	/* 1. the sandbox's tree, network, ipc and name; the pid namespace is
	 * this child's already */
	try(joined, "setns",
	    checked(setns(joined->init_pidfd,
		CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)));
	try(joined, "chdir", checked(chdir("/")));
	try(joined, "session keyring", leave_keyring());

	/* 2. nothing gives privilege back: needs CAP_SETPCAP, so before the
	 * caller becomes the account */
	try(joined, "bounding set", drop_bounding_set());
	try(joined, "ambient set", drop_ambient_set());
	try(joined, "inheritable set", drop_inheritable_set());
	try(joined, "limits", lower_limits(&joined->opened));
	try(joined, "no_new_privs",
	    checked(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)));

	/* 3. what a read-only mount does not stop: FIFOs (landlock(7)) */
	try(joined, "landlock",
	    checked(
		syscall(SYS_landlock_restrict_self, joined->ruleset_fd, 0)));

	/* 4. the seal, last: the steps above would be refused under it */
	int listener_fd = -1;
	try(joined, "seccomp", load_seal(joined, &listener_fd));
	try(joined, "listener", tell_warden(joined, listener_fd));

	/* 5. the session's descriptors are the opener's alone */
	(void)close(joined->socket_fd);
	(void)close(joined->init_pidfd);
	(void)close(joined->dead_nsfd);
	(void)close(joined->ruleset_fd);
	(void)close(host_nsfd);
}
