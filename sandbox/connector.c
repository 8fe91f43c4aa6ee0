/* SPDX-License-Identifier: ISC */
/*
 * connector: connects the sockets of one sandbox, as the account, in the
 * sandbox's view and namespaces.  Started by the warden as root with the
 * account's groups, and becomes the account here; descriptor 3 is the warden's
 * socket, and each connect comes with a socket of its own for the answers, and
 * has a thread of its own: one that waits holds up nobody else.
 *
 * It decides nothing: of a path it opens the place, hands that to the warden,
 * and connects to exactly what it opened once the warden says so.
 *
 * The account's processes have the same uid, so they may signal it (then their
 * connects are refused); they may not trace it or read its memory, since it is
 * never dumpable.  It holds nothing but what it is about to connect.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/number.h"
#include "common/places.h"
#include "common/wire.h"

#define WARDEN_FD  3
#define STACK_SIZE ((size_t)128 * 1024)
#define AT_ONCE    80 /* more than the warden sends */
#define NUDGE_MS   20

enum state {
	FREE,
	AT_WORK,
	DONE, /* said so; the warden closes its end */
};

/* One connect.  fds are the thread's, but for answer_fd: that is main's. */
struct job {
	enum state state; /* under the mutex */
	bool given_up;    /* the warden closed its end; main's */
	pthread_t thread;
	struct ward_wire_connect request;
	int socket_fd, answer_fd, base_dfd;
};

static struct job jobs[AT_ONCE];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void
close_if(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/* --- one connect, in its thread --- */

static int
open_place(int dfd, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | flags,
		/* a magic link is another process's, or this one's */
		.resolve = resolve | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, dfd, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static bool
same_file(int a, int b)
{
	struct stat of_a, of_b;

	return fstat(a, &of_a) == 0 && fstat(b, &of_b) == 0 &&
	    of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/*
 * The place of a path, as an O_PATH fd that was opened by its canonical path
 * from the view's root: the warden judges by that path, and a directory that
 * somebody handed in from outside has none in the view.
 */
static int
find_place(int base_dfd, const char *path)
{
	char canonical[PATH_MAX];
	int first = open_place(base_dfd, path, 0, 0);

	if (first < 0)
		return first;
	int second = -EACCES;
	if (ward_fd_path(first, canonical)) {
		second = open_place(
		    AT_FDCWD, canonical, O_NOFOLLOW, RESOLVE_NO_SYMLINKS);
		if (second < 0)
			second = -EACCES;
	}
	if (second >= 0 && !same_file(first, second)) {
		(void)close(second);
		second = -EACCES;
	}
	(void)close(first);
	return second;
}

static int
connect_place(int socket_fd, int place_fd)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	(void)snprintf(address.sun_path, sizeof(address.sun_path),
	    "/proc/self/fd/%d", place_fd);
	return connect(socket_fd, (const struct sockaddr *)&address,
		   sizeof(address)) == 0
	    ? 0
	    : -errno;
}

/* 0 where the warden lets the connect go on. */
static int
ask_warden(const struct job *job, int place_fd)
{
	struct ward_wire wire;
	struct ward_wire_result result;
	int r = ward_wire_put_empty(&wire, WARD_WIRE_PLACE);

	if (r == 0)
		r = ward_fd_send(
		    job->answer_fd, wire.data, wire.size, &place_fd, 1);
	if (r != 0)
		return r;
	ssize_t n = recv(job->answer_fd, wire.data, sizeof(wire.data), 0);
	/* a nudge, or the end: nobody waits any more */
	if (n <= 0)
		return -EINTR;
	wire.size = (size_t)n;
	if (ward_wire_get_judged(&wire, &result) != 0)
		return -EACCES;
	return -(int)result.error;
}

/* The path in an address: up to its NUL, or its end (unix(7)). */
static int
take_path(const struct ward_wire_connect *request, char path[PATH_MAX])
{
	const size_t head = offsetof(struct sockaddr_un, sun_path);

	if (request->size <= head || request->size > sizeof(struct sockaddr_un))
		return -EINVAL;
	size_t n = strnlen(
	    (const char *)request->address + head, request->size - head);
	memcpy(path, request->address + head, n);
	path[n] = '\0';
	return n == 0 ? -EINVAL : 0;
}

static int
connect_path(const struct job *job)
{
	char path[PATH_MAX];
	int r = take_path(&job->request, path);

	if (r != 0)
		return r;
	int place_fd =
	    find_place(job->request.how == WARD_CONNECT_RELATIVE ? job->base_dfd
								 : AT_FDCWD,
		path);
	if (place_fd < 0)
		return place_fd;
	r = ask_warden(job, place_fd);
	if (r == 0)
		r = connect_place(job->socket_fd, place_fd);
	(void)close(place_fd);
	return r;
}

static int
connect_plain(const struct job *job)
{
	const struct sockaddr *address =
	    (const struct sockaddr *)(const void *)job->request.address;

	return connect(job->socket_fd, address, job->request.size) == 0
	    ? 0
	    : -errno;
}

static int
do_job(const struct job *job)
{
	switch ((enum ward_connect_how)job->request.how) {
	case WARD_CONNECT_PLAIN:
		return connect_plain(job);
	case WARD_CONNECT_RELATIVE:
	case WARD_CONNECT_ABSOLUTE:
		return connect_path(job);
	case WARD_CONNECT_HERE:
		return connect_place(job->socket_fd, job->base_dfd);
	}
	return -EINVAL;
}

static void *
run_job(void *context)
{
	struct job *job = context;
	struct ward_wire wire;
	const struct ward_wire_result result = {
		.error = (uint32_t)-do_job(job),
	};

	/* before the caller goes on: it may close its own, and mean it */
	close_if(&job->socket_fd);
	close_if(&job->base_dfd);
	int r = ward_wire_put_connected(&wire, &result);
	if (r == 0)
		r = ward_fd_send(job->answer_fd, wire.data, wire.size, NULL, 0);
	/* or the warden, and its caller, would wait for ever */
	if (r != 0)
		(void)shutdown(job->answer_fd, SHUT_RDWR);
	(void)pthread_mutex_lock(&mutex);
	job->state = DONE;
	(void)pthread_mutex_unlock(&mutex);
	return NULL;
}

/* --- the main thread --- */

static void
on_nudge(int number)
{
	(void)number;
}

static struct job *
find_free(void)
{
	for (size_t i = 0; i < AT_ONCE; i++)
		if (jobs[i].state == FREE)
			return &jobs[i];
	return NULL;
}

/* Takes fds.  What cannot be started is answered by closing its socket. */
static void
start_job(const struct ward_wire_connect *request, const int *fds, size_t n_fds)
{
	struct job *job = find_free();
	pthread_attr_t attributes;
	bool started = false;

	if (job != NULL && n_fds > WARD_CONNECT_ANSWER) {
		*job = (struct job){
			.state = AT_WORK,
			.request = *request,
			.socket_fd = fds[WARD_CONNECT_SOCKET],
			.answer_fd = fds[WARD_CONNECT_ANSWER],
			.base_dfd = n_fds > WARD_CONNECT_BASE
			    ? fds[WARD_CONNECT_BASE]
			    : -1,
		};
		if (pthread_attr_init(&attributes) == 0) {
			started = pthread_attr_setstacksize(
				      &attributes, STACK_SIZE) == 0 &&
			    pthread_create(
				&job->thread, &attributes, run_job, job) == 0;
			(void)pthread_attr_destroy(&attributes);
		}
		if (!started)
			job->state = FREE;
	}
	for (size_t i = 0; !started && i < n_fds; i++)
		(void)close(fds[i]);
}

/* False at the end. */
static bool
take_request(void)
{
	struct ward_wire wire;
	struct ward_wire_connect request;
	int fds[WARD_CONNECT_FDS];
	size_t n_fds = WARD_CONNECT_FDS;
	ssize_t n = ward_fd_receive(
	    WARDEN_FD, wire.data, sizeof(wire.data), fds, &n_fds, NULL, -1);

	if (n == -EAGAIN)
		return true;
	if (n <= 0)
		return false;
	wire.size = (size_t)n;
	if (ward_wire_get_connect(&wire, &request) != 0)
		return false;
	start_job(&request, fds, n_fds);
	return true;
}

/* The warden has closed its end, or half of it: it is to end now. */
static void
end_job(struct job *job)
{
	(void)pthread_mutex_lock(&mutex);
	bool done = job->state == DONE;
	(void)pthread_mutex_unlock(&mutex);
	if (!done) {
		/* again later: it may come before the call that waits */
		job->given_up = true;
		(void)pthread_kill(job->thread, SIGUSR1);
		return;
	}
	(void)pthread_join(job->thread, NULL);
	close_if(&job->answer_fd);
	job->given_up = false;
	job->state = FREE;
}

static void
serve(void)
{
	for (;;) {
		struct pollfd fds[AT_ONCE + 1] = {
			{ .fd = WARDEN_FD, .events = POLLIN },
		};
		struct job *polled[AT_ONCE + 1] = { NULL };
		nfds_t n = 1;
		int timeout = -1;

		for (size_t i = 0; i < AT_ONCE; i++) {
			if (jobs[i].answer_fd < 0 || jobs[i].state == FREE)
				continue;
			if (jobs[i].given_up) {
				end_job(&jobs[i]);
				timeout = NUDGE_MS;
				continue;
			}
			polled[n] = &jobs[i];
			fds[n++] = (struct pollfd){
				.fd = jobs[i].answer_fd,
				.events = POLLRDHUP,
			};
		}
		if (poll(fds, n, timeout) < 0 && errno != EINTR)
			return;
		for (nfds_t i = 1; i < n; i++)
			if (fds[i].revents != 0)
				end_job(polled[i]);
		if (fds[0].revents != 0 && !take_request())
			return;
	}
}

/* --- becoming the account --- */

/*
 * Groups and gids are the account's since before the exec.  Until the memory
 * is closed, capabilities are kept: who has fewer may not trace this process.
 */
static int
become(uid_t uid)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { 0 };

	for (unsigned long cap = 0; cap < 64; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0 &&
		    errno != EINVAL)
			return -1;
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 ||
	    setresuid(uid, uid, uid) != 0 ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
	    prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) != 0 ||
	    syscall(SYS_capset, &header, none) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	if (setresuid(0, 0, 0) == 0 || getuid() != uid || geteuid() != uid)
		return -1;
	/* cleared by a change of uid: prctl(2) */
	return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

int
main(int argc, char *argv[])
{
	const struct sigaction nudge = { .sa_handler = on_nudge };
	sigset_t blocked;
	uint64_t uid = 0;

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || argc != 2 ||
	    ward_number_parse(argv[1], UINT32_MAX - 1, &uid) != 0 || uid == 0)
		return 1;
	/* instead of the descriptor's number, which it was exec'd by */
	if (prctl(PR_SET_NAME, WARD_CONNECTOR_NAME, 0, 0, 0) != 0)
		return 1;
	(void)umask(077);
	/* what the account sends to all that it has is not for this one */
	(void)sigfillset(&blocked);
	(void)sigdelset(&blocked, SIGUSR1);
	if (sigprocmask(SIG_SETMASK, &blocked, NULL) != 0 ||
	    sigaction(SIGUSR1, &nudge, NULL) != 0 || become((uid_t)uid) != 0)
		return 1;
	for (size_t i = 0; i < AT_ONCE; i++)
		jobs[i].answer_fd = -1;
	serve();
	return 0;
}
