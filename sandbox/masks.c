/* SPDX-License-Identifier: ISC */
/*
 * masks: what a sandbox sees of its hidden places, and who tells the warden of
 * each look into them.  Started by the warden as a user that owns nothing, with
 * an empty environment, its socket as descriptor 3, the only descriptor of the
 * file system as 4 and the tree as 5.  What is served is that tree and nothing
 * of the host's: at its worst it tells the account of names.  When it ends, the
 * kernel refuses all that is asked of the file system.
 *
 * Its main reads as the argument that this is safe: take the tree, answer the
 * kernel's first request, give up all but a few system calls, and only then
 * read what the account asks for.  Linked statically: it begins fast.
 */
#include "config.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fd.h"
#include "common/wire.h"
#include "sandbox/masks_fuse.h"

enum { WARDEN_FD = 3, FUSE_FD = 4, TREE_FD = 5 };

#define TREE_MAX  (INT64_C(1) << 30)
#define ANSWER_MS 1000
#define X32_BIT   0x40000000u

struct server {
	struct ward_masks_tree tree;
	uint64_t now;
	uint64_t serial; /* of the last look that was told */
	uint64_t missed; /* looks since then */
	bool late;       /* the warden owes an answer: nobody waits for it */
};

/* --- what it gives up --- */

/*
 * Reading, answering, telling, waiting, ending.  What a foreign ABI calls by
 * these numbers is something else.
 */
static int
seal(void)
{
	static const int calls[] = { SYS_read, SYS_write, SYS_sendmsg,
		SYS_recvmsg, SYS_poll, SYS_clock_gettime, SYS_close,
		SYS_restart_syscall, SYS_exit_group };
	enum { N = sizeof(calls) / sizeof(calls[0]) };
	struct sock_filter code[N + 6] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, arch)),
		BPF_JUMP(
		    BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, N + 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, N, 0),
	};
	const struct sock_fprog program = { .len = N + 6, .filter = code };

	for (unsigned i = 0; i < N; i++)
		code[4 + i] =
		    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			(unsigned)calls[i], (unsigned char)(N - i), 0);
	code[N + 4] = (struct sock_filter)BPF_STMT(
	    BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[N + 5] =
	    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (getuid() == 0 || geteuid() == 0 || getegid() == 0)
		return -EPERM;
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
		return -errno;
	return 0;
}

/* --- the tree --- */

static int
take_tree(struct ward_masks_tree *tree)
{
	struct stat st;
	size_t got = 0;

	if (fstat(TREE_FD, &st) != 0 || st.st_size <= 0 ||
	    st.st_size > TREE_MAX)
		return -EPROTO;
	char *data = malloc((size_t)st.st_size);
	if (data == NULL)
		return -ENOMEM;
	while (got < (size_t)st.st_size) {
		ssize_t n = pread(
		    TREE_FD, data + got, (size_t)st.st_size - got, (off_t)got);
		if (n <= 0) {
			free(data);
			return -EPROTO;
		}
		got += (size_t)n;
	}
	(void)close(TREE_FD);
	int r = ward_masks_load(data, got, tree);
	/* the tree borrows it, for as long as this process lives */
	if (r != 0)
		free(data);
	return r;
}

/* --- the warden --- */

/* False: it is gone, or says what nobody understands. */
static bool
take_answer(struct server *s, int64_t deadline_ms, bool *came)
{
	struct ward_wire wire;
	struct ward_wire_looked looked;
	ssize_t n = ward_fd_receive(WARDEN_FD, wire.data, sizeof(wire.data),
	    NULL, NULL, NULL, deadline_ms);

	*came = false;
	if (n == -EAGAIN || n == -ETIMEDOUT)
		return true;
	if (n <= 0)
		return false;
	wire.size = (size_t)n;
	if (ward_wire_get_looked(&wire, &looked) != 0)
		return false;
	/* an older one is of a look that was given up */
	*came = looked.serial == s->serial;
	return true;
}

/*
 * Tells of a look, and waits so that the warden can see who looks; a warden
 * that does not answer is waited for once.  False: there is none.
 */
static bool
tell(struct server *s, struct ward_wire_look *look)
{
	struct ward_wire wire;
	bool came = false;

	look->serial = s->serial + 1;
	look->missed = s->missed;
	look->waits = s->late ? 0 : (uint64_t)ward_now_ms() + ANSWER_MS;
	int r = ward_wire_put_look(&wire, look);
	if (r == 0)
		r = ward_fd_send(WARDEN_FD, wire.data, wire.size, NULL, 0);
	if (r != 0) {
		s->missed++;
		return r == -EAGAIN;
	}
	s->serial++;
	s->missed = 0;
	if (s->late)
		return true;
	int64_t deadline_ms = (int64_t)look->waits;
	while (!came && ward_now_ms() < deadline_ms)
		if (!take_answer(s, deadline_ms, &came))
			return false;
	s->late = !came;
	return true;
}

static bool
say_that_it_stands(void)
{
	struct ward_wire wire;

	return ward_wire_put_empty(&wire, WARD_WIRE_MASKS) == 0 &&
	    ward_fd_send(WARDEN_FD, wire.data, wire.size, NULL, 0) == 0;
}

/* --- the kernel --- */

/* 1: one was served; 0: there is none now; or -errno. */
static int
serve_one(struct server *s)
{
	static _Alignas(uint64_t) unsigned char request[WARD_MASKS_REQUEST_MAX];
	static struct ward_masks_answer answer;
	ssize_t n = read(FUSE_FD, request, sizeof(request));

	if (n < 0)
		/* ENOENT: its caller gave up meanwhile */
		return errno == EAGAIN                  ? 0
		    : errno == ENOENT || errno == EINTR ? 1
							: -errno;
	int r =
	    ward_masks_answer(&s->tree, s->now, request, (size_t)n, &answer);
	if (r != 0)
		return r;
	if (answer.looked && !tell(s, &answer.look))
		return -EPIPE;
	if (answer.size > 0 && write(FUSE_FD, answer.data, answer.size) < 0 &&
	    errno != ENOENT && errno != EINTR)
		return -errno;
	return 1;
}

static int
wait_for_more(struct server *s)
{
	struct pollfd fds[] = {
		{ .fd = FUSE_FD, .events = POLLIN },
		{ .fd = WARDEN_FD, .events = POLLIN },
	};
	bool came = false;

	if (poll(fds, 2, -1) < 0)
		return errno == EINTR ? 0 : -errno;
	if (fds[1].revents != 0 && !take_answer(s, -1, &came))
		return -EPIPE;
	if (came)
		s->late = false;
	return (fds[0].revents & (POLLERR | POLLHUP)) != 0 ? -ENODEV : 0;
}

/* The first request is INIT, of the kernel's own. */
static int
serve_first(struct server *s)
{
	struct pollfd fuse = { .fd = FUSE_FD, .events = POLLIN };
	int r = 0;

	while (r == 0)
		r = poll(&fuse, 1, -1) < 0 && errno != EINTR ? -errno
							     : serve_one(s);
	return r;
}

int
main(void)
{
	static struct server server;

	/* nobody else looks into it, whatever its uid */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return 1;
	if (prctl(PR_SET_NAME, "ward-masks", 0, 0, 0) != 0)
		return 1;
	for (int fd = 0; fd < WARDEN_FD; fd++)
		(void)close(fd);
	server.now = (uint64_t)time(NULL);
	if (take_tree(&server.tree) != 0 || seal() != 0 ||
	    serve_first(&server) < 0 || !say_that_it_stands())
		return 1;
	int r = 0;
	while (r >= 0) {
		r = serve_one(&server);
		if (r == 0)
			r = wait_for_more(&server);
	}
	return 0;
}
