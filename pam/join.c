/* SPDX-License-Identifier: ISC */
/* Gets a session of the account's sandbox, by joining or by starting one. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/places.h"
#include "pam/join.h"
#include "pam/spawn.h"

/* How an attempt ended, when it is not a refusal. */
#define AGAIN (-1)

void
ward_joined_clear(struct ward_joined *joined)
{
	const int fds[] = { joined->socket_fd, joined->init_pidfd,
		joined->dead_nsfd, joined->ruleset_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
	free(joined->seal);
	*joined = (struct ward_joined){
		.socket_fd = -1,
		.init_pidfd = -1,
		.dead_nsfd = -1,
		.ruleset_fd = -1,
	};
}

static void
pause_ms(long ms)
{
	const struct timespec ts = { .tv_nsec = ms * 1000000 };

	(void)nanosleep(&ts, NULL);
}

/* Reads the seal's program out of its memfd. */
static int
read_seal(int seal_fd, struct ward_joined *joined, struct err *err)
{
	struct stat st;
	size_t size = 0;

	if (fstat(seal_fd, &st) != 0)
		return ward_err_sys(err, errno, "cannot look at the seal");
	if (st.st_size <= 0 ||
	    (size_t)st.st_size > BPF_MAXINSNS * sizeof(struct sock_filter) ||
	    (size_t)st.st_size % sizeof(struct sock_filter) != 0)
		return ward_err_set(err, EPROTO, "the seal has a wrong size");
	size = (size_t)st.st_size;
	joined->seal = malloc(size);
	if (joined->seal == NULL)
		return ward_err_sys(err, ENOMEM, "no room for the seal");
	ssize_t n = pread(seal_fd, joined->seal, size, 0);
	if (n < 0)
		return ward_err_sys(err, errno, "cannot read the seal");
	if ((size_t)n != size)
		return ward_err_set(err, EPROTO, "the seal is cut short");
	joined->n_seal = (unsigned short)(size / sizeof(struct sock_filter));
	return 0;
}

/* Keeps what OPENED brought; fds are taken, also on failure. */
static int
keep_opened(const struct ward_wire *wire, int *fds, size_t n_fds,
    struct ward_joined *joined, struct err *err)
{
	int r = 0;

	if (n_fds != WARD_OPENED_FDS)
		r = ward_err_set(
		    err, EPROTO, "the warden sent %zu descriptors", n_fds);
	if (r == 0 && ward_wire_get_opened(wire, &joined->opened) != 0)
		r = ward_err_set(err, EPROTO, "the warden's answer is broken");
	if (r == 0)
		r = read_seal(fds[WARD_OPENED_SEAL], joined, err);
	int *const places[WARD_OPENED_FDS] = {
		[WARD_OPENED_INIT] = &joined->init_pidfd,
		[WARD_OPENED_DEAD] = &joined->dead_nsfd,
		[WARD_OPENED_RULESET] = &joined->ruleset_fd,
	};
	for (size_t i = 0; i < n_fds; i++) {
		if (r != 0 || places[i] == NULL) {
			(void)close(fds[i]);
			continue;
		}
		int fd = ward_fd_raise_take(fds[i]);
		if (fd < 0)
			r = ward_err_sys(err, -fd, "no descriptor left");
		else
			*places[i] = fd;
	}
	return r;
}

/*
 * Waits for the warden's answer on a socket that the request went to.  Takes
 * socket_fd.  AGAIN where that sandbox is ending or is of an older revision.
 */
static int
receive_answer(int socket_fd, int64_t deadline_ms, struct ward_joined *joined,
    struct err *err)
{
	_cleanup_fd_ int fd = socket_fd;
	struct ward_wire wire;
	struct ward_wire_refused refused;
	int fds[WARD_FD_PASS_MAX];
	size_t n_fds = WARD_FD_PASS_MAX;

	ssize_t n = ward_fd_receive(
	    fd, wire.data, sizeof(wire.data), fds, &n_fds, NULL, deadline_ms);
	if (n == -ETIMEDOUT) {
		ward_err_set(
		    err, ETIMEDOUT, "no answer in %d s", WARD_JOIN_MS / 1000);
		return WARD_REFUSED_TIMEOUT;
	}
	if (n <= 0)
		return AGAIN;
	wire.size = (size_t)n;
	int type = ward_wire_type(&wire);
	if (type == WARD_WIRE_OPENED) {
		if (keep_opened(&wire, fds, n_fds, joined, err) != 0)
			return WARD_REFUSED_PROTOCOL;
		joined->socket_fd = ward_fd_raise_take(ward_steal_fd(&fd));
		if (joined->socket_fd >= 0)
			return WARD_REFUSED_NONE;
		ward_err_sys(err, -joined->socket_fd, "no descriptor left");
		return WARD_REFUSED_PROTOCOL;
	}
	for (size_t i = 0; i < n_fds; i++)
		(void)close(fds[i]);
	if (type == WARD_WIRE_RETRY)
		return AGAIN;
	if (ward_wire_get_refused(&wire, &refused) != 0) {
		ward_err_set(err, EPROTO, "%s",
		    type == -EPROTONOSUPPORT ? "it speaks another version"
					     : "its answer is broken");
		return WARD_REFUSED_PROTOCOL;
	}
	ward_err_set(err, EACCES, "%s", refused.detail);
	return ward_refusal_find(refused.code) == NULL ? WARD_REFUSED_PROTOCOL
						       : (int)refused.code;
}

/* Asks the account's live sandbox.  AGAIN where there is none to be had. */
static int
ask_live(int account_dfd, const struct ward_wire *request, int64_t deadline_ms,
    struct ward_joined *joined, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	(void)snprintf(address.sun_path, sizeof(address.sun_path),
	    "/proc/self/fd/%d/" WARD_CURRENT "/control", account_dfd);
	for (;;) {
		int fd = socket(
		    AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd < 0) {
			ward_err_sys(err, errno, "cannot make a socket");
			return WARD_REFUSED_RUN;
		}
		if (connect(fd, (const struct sockaddr *)&address,
			sizeof(address)) == 0) {
			if (ward_fd_send(
				fd, request->data, request->size, NULL, 0) == 0)
				return receive_answer(
				    fd, deadline_ms, joined, err);
			(void)close(fd);
			return AGAIN;
		}
		int error = errno;
		(void)close(fd);
		if (error != EAGAIN)
			return AGAIN;
		/* its queue is full: a crowd, or a stopped warden */
		if (ward_now_ms() >= deadline_ms) {
			ward_err_set(err, ETIMEDOUT, "its queue is full");
			return WARD_REFUSED_TIMEOUT;
		}
		pause_ms(2);
	}
}

/*
 * Makes the new sandbox the one that is joined.  The lock is ours: a warden
 * that comes too late cannot put itself in the place of one that came in time.
 */
static int
make_current(
    int account_dfd, const struct ward_wire_opened *opened, struct err *err)
{
	static const char temporary[] = "new";
	char id[sizeof(opened->session)];

	(void)snprintf(id, sizeof(id), "%.*s",
	    (int)strcspn(opened->session, "-/"), opened->session);
	/* one that was killed between the two lines below left it */
	if (unlinkat(account_dfd, temporary, 0) != 0 && errno != ENOENT)
		return ward_err_sys(err, errno, "the link to the sandbox");
	if (symlinkat(id, account_dfd, temporary) != 0 ||
	    renameat(account_dfd, temporary, account_dfd, WARD_CURRENT) != 0)
		return ward_err_sys(err, errno, "the link to the sandbox");
	return 0;
}

/* Starts a warden; the session's socket is one end of a pair. */
static int
start_warden(int account_dfd, const struct ward_wire *request,
    const char *account, int64_t deadline_ms, struct ward_joined *joined,
    struct err *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
		ward_err_sys(err, errno, "cannot make a socket");
		return WARD_REFUSED_RUN;
	}
	/* sent before anyone reads: the warden finds it as it starts */
	int r = ward_fd_send(pair[0], request->data, request->size, NULL, 0);
	if (r != 0)
		ward_err_sys(err, -r, "cannot write to a new socket");
	else
		r = ward_spawn_warden(pair[1], account, err);
	(void)close(pair[1]);
	if (r != 0) {
		(void)close(pair[0]);
		return WARD_REFUSED_NO_WARDEN;
	}
	r = receive_answer(pair[0], deadline_ms, joined, err);
	if (r == WARD_REFUSED_NONE && joined->opened.shared &&
	    make_current(account_dfd, &joined->opened, err) != 0)
		return WARD_REFUSED_RUN;
	if (r != AGAIN)
		return r;
	ward_err_set(err, ECONNRESET, "it ended without an answer");
	return WARD_REFUSED_PROTOCOL;
}

/* /run/ward/UID, made when it is not there.  An fd or -errno. */
static int
open_account_directory(uid_t uid, struct err *err)
{
	char name[16];
	struct stat st;

	if (mkdir(WARD_RUN, 0700) != 0 && errno != EEXIST)
		return ward_err_sys(err, errno, "cannot make " WARD_RUN);
	_cleanup_fd_ int run_dfd =
	    open(WARD_RUN, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (run_dfd < 0)
		return ward_err_sys(err, errno, "cannot open " WARD_RUN);
	if (fstat(run_dfd, &st) != 0)
		return ward_err_sys(err, errno, "cannot look at " WARD_RUN);
	if (st.st_uid != 0 || (st.st_mode & 077) != 0)
		return ward_err_set(
		    err, EPERM, WARD_RUN " is not root's alone");
	(void)snprintf(name, sizeof(name), "%u", (unsigned)uid);
	if (mkdirat(run_dfd, name, 0700) != 0 && errno != EEXIST)
		return ward_err_sys(
		    err, errno, "cannot make " WARD_RUN "/%s", name);
	int fd = openat(
	    run_dfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return ward_err_sys(
		    err, errno, "cannot open " WARD_RUN "/%s", name);
	return fd;
}

/*
 * Who starts a sandbox of the account holds this.  An fd or -errno.  The less
 * time a login has left, the oftener it tries, from 40 ms to 1: of many at
 * once, who came first is let in first, more or less, and is answered in time.
 */
static int
lock_account(int account_dfd, int64_t deadline_ms)
{
	int fd = openat(account_dfd, "lock",
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		int error = errno;
		if (error != EWOULDBLOCK && error != EINTR) {
			(void)close(fd);
			return -error;
		}
		int64_t left_ms = deadline_ms - ward_now_ms();
		if (left_ms <= 0) {
			(void)close(fd);
			return -ETIMEDOUT;
		}
		pause_ms(1 + left_ms * left_ms / 625000);
	}
	return fd;
}

static int
join_or_start(const struct ward_wire *wire,
    const struct ward_wire_open *request, struct ward_joined *joined,
    struct err *err)
{
	int64_t deadline_ms = ward_now_ms() + WARD_JOIN_MS;

	_cleanup_fd_ int account_dfd =
	    open_account_directory(request->uid, err);
	if (account_dfd < 0)
		return WARD_REFUSED_RUN;
	int r = ask_live(account_dfd, wire, deadline_ms, joined, err);
	if (r != AGAIN)
		return r;
	_cleanup_fd_ int lock_fd = lock_account(account_dfd, deadline_ms);
	if (lock_fd == -ETIMEDOUT) {
		ward_err_set(err, ETIMEDOUT,
		    "another login of the account "
		    "does not finish starting it");
		return WARD_REFUSED_TIMEOUT;
	}
	if (lock_fd < 0) {
		ward_err_sys(err, -lock_fd, "cannot lock the account");
		return WARD_REFUSED_RUN;
	}
	/* somebody may have started it while we waited for the lock */
	r = ask_live(account_dfd, wire, deadline_ms, joined, err);
	if (r != AGAIN)
		return r;
	return start_warden(
	    account_dfd, wire, request->account, deadline_ms, joined, err);
}

void
ward_joined_refuse(
    struct ward_joined *joined, enum ward_refusal code, const char *detail)
{
	ward_refusal_send(joined->socket_fd, code, detail);
	ward_joined_clear(joined);
}

enum ward_refusal
ward_join(const struct ward_wire_open *request, struct ward_joined *joined,
    struct err *err)
{
	struct ward_wire wire;
	sigset_t all, saved;

	*joined = (struct ward_joined){
		.socket_fd = -1,
		.init_pidfd = -1,
		.dead_nsfd = -1,
		.ruleset_fd = -1,
	};
	if (ward_wire_put_open(&wire, request) != 0) {
		ward_err_set(
		    err, EMSGSIZE, "the account is in too many groups");
		return WARD_REFUSED_ACCOUNT;
	}
	/*
	 * Whoever sits at the caller's terminal could stop it while it holds
	 * the lock, and with it every other login of the account.
	 */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &saved);
	int r = join_or_start(&wire, request, joined, err);
	(void)pthread_sigmask(SIG_SETMASK, &saved, NULL);
	if (r != WARD_REFUSED_NONE)
		ward_joined_clear(joined);
	return (enum ward_refusal)r;
}
