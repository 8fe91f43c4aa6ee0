/* SPDX-License-Identifier: ISC */
/*
 * Descriptors: passing them over a socket, and what becomes of those that
 * nobody takes.  Each test counts the open descriptors before and after.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/fd.h"

struct setting {
	int pair[2];
	size_t n_open;
};

static size_t
count_open(void)
{
	DIR *directory = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(directory);
	while (readdir(directory) != NULL)
		n++;
	assert_int_equal(closedir(directory), 0);
	return n;
}

static int
set_up(void **state)
{
	static struct setting setting;

	setting.n_open = count_open();
	*state = &setting;
	return socketpair(
	    AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, setting.pair);
}

static void
close_one(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static int
tear_down(void **state)
{
	struct setting *s = *state;

	close_one(&s->pair[0]);
	close_one(&s->pair[1]);
	/* a leak fails the test that made it */
	return count_open() == s->n_open ? 0 : -1;
}

static ssize_t
receive(const struct setting *s, char *data, size_t size, int *fds,
    size_t *n_fds, int64_t deadline_ms)
{
	return ward_fd_receive(
	    s->pair[1], data, size, fds, n_fds, NULL, deadline_ms);
}

static void
data_alone(void **state)
{
	const struct setting *s = *state;
	char data[8] = "";
	int fds[2] = { -7, -7 };
	size_t n_fds = 2;

	assert_int_equal(ward_fd_send(s->pair[0], "hello", 5, NULL, 0), 0);
	assert_int_equal(receive(s, data, sizeof(data), fds, &n_fds, -1), 5);
	assert_memory_equal(data, "hello", 5);
	assert_int_equal(n_fds, 0);
	assert_int_equal(fds[0], -7);
}

static void
records_stay_apart(void **state)
{
	const struct setting *s = *state;
	char data[8];

	assert_int_equal(ward_fd_send(s->pair[0], "one", 3, NULL, 0), 0);
	assert_int_equal(ward_fd_send(s->pair[0], "two!", 4, NULL, 0), 0);
	assert_int_equal(receive(s, data, sizeof(data), NULL, NULL, -1), 3);
	assert_int_equal(receive(s, data, sizeof(data), NULL, NULL, -1), 4);
}

/* Sends n copies of a pipe's reading end. */
static int
send_fds(const struct setting *s, const char *data, size_t size, size_t n)
{
	int pipe_fds[2], fds[WARD_FD_PASS_MAX + 1];

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	for (size_t i = 0; i < n; i++)
		fds[i] = pipe_fds[0];
	int r = ward_fd_send(s->pair[0], data, size, fds, n);
	(void)close(pipe_fds[0]);
	(void)close(pipe_fds[1]);
	return r;
}

static void
descriptors_arrive(void **state)
{
	const struct setting *s = *state;
	int fds[WARD_FD_PASS_MAX];

	for (size_t n = 0; n <= WARD_FD_PASS_MAX; n++) {
		size_t n_fds = WARD_FD_PASS_MAX;
		char data[4];

		assert_int_equal(send_fds(s, "x", 1, n), 0);
		assert_int_equal(
		    receive(s, data, sizeof(data), fds, &n_fds, -1), 1);
		assert_int_equal(n_fds, n);
		for (size_t i = 0; i < n; i++) {
			struct stat st;

			assert_int_equal(fcntl(fds[i], F_GETFD), FD_CLOEXEC);
			assert_int_equal(fstat(fds[i], &st), 0);
			assert_true(S_ISFIFO(st.st_mode));
			(void)close(fds[i]);
		}
	}
}

static void
too_many_to_send(void **state)
{
	const struct setting *s = *state;
	char data[4];

	assert_int_equal(send_fds(s, "x", 1, WARD_FD_PASS_MAX + 1), -EINVAL);
	assert_int_equal(
	    receive(s, data, sizeof(data), NULL, NULL, -1), -EAGAIN);
}

/* More than there is room for: the rest is closed. */
static void
more_than_room(void **state)
{
	const struct setting *s = *state;
	char data[4];
	int fds[1];
	size_t n_fds = 1, before = count_open();

	assert_int_equal(send_fds(s, "x", 1, 5), 0);
	assert_int_equal(receive(s, data, sizeof(data), fds, &n_fds, -1), 1);
	assert_int_equal(n_fds, 1);
	(void)close(fds[0]);
	assert_int_equal(count_open(), before);

	/* whoever asks for none gets no such record */
	assert_int_equal(send_fds(s, "x", 1, 5), 0);
	assert_int_equal(
	    receive(s, data, sizeof(data), NULL, NULL, -1), -EMSGSIZE);
	assert_int_equal(count_open(), before);
}

/* A peer that is not ours may send more than any message of Ward's has. */
static void
a_crowd_is_refused(void **state)
{
	const struct setting *s = *state;
	enum { CROWD = 100 };
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(CROWD * sizeof(int))];
	} control = { 0 };
	struct iovec iov = { .iov_base = &control, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int list[CROWD], fds[WARD_FD_PASS_MAX];
	size_t n_fds = WARD_FD_PASS_MAX, before = count_open();
	char data[4];

	for (size_t i = 0; i < CROWD; i++)
		list[i] = STDIN_FILENO;
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(list));
	memcpy(CMSG_DATA(c), list, sizeof(list));
	assert_int_equal(sendmsg(s->pair[0], &msg, 0), 1);
	assert_int_equal(
	    receive(s, data, sizeof(data), fds, &n_fds, -1), -EMSGSIZE);
	assert_int_equal(n_fds, 0);
	assert_int_equal(count_open(), before);
}

static void
too_long_is_refused(void **state)
{
	const struct setting *s = *state;
	char data[4];
	int fds[2];
	size_t n_fds = 2, before = count_open();

	assert_int_equal(send_fds(s, "hello", 5, 2), 0);
	assert_int_equal(
	    receive(s, data, sizeof(data), fds, &n_fds, -1), -EMSGSIZE);
	assert_int_equal(n_fds, 0);
	assert_int_equal(count_open(), before);
	/* and the next one is whole again */
	assert_int_equal(ward_fd_send(s->pair[0], "next", 4, NULL, 0), 0);
	assert_int_equal(receive(s, data, sizeof(data), NULL, NULL, -1), 4);
}

static void
the_end(void **state)
{
	struct setting *s = *state;
	char data[4];
	size_t n_fds = 1;
	int fds[1];

	assert_int_equal(ward_fd_send(s->pair[0], "last", 4, NULL, 0), 0);
	close_one(&s->pair[0]);
	assert_int_equal(receive(s, data, sizeof(data), fds, &n_fds, -1), 4);
	n_fds = 1;
	assert_int_equal(receive(s, data, sizeof(data), fds, &n_fds, -1), 0);
	assert_int_equal(n_fds, 0);
	/* also for one that waits */
	assert_int_equal(
	    receive(s, data, sizeof(data), NULL, NULL, ward_now_ms() + 5000),
	    0);
	/* and nobody is killed by writing to it */
	assert_int_equal(ward_fd_send(s->pair[1], "x", 1, NULL, 0), -EPIPE);
}

/* An empty record looks like the end: its descriptors must not stay. */
static void
an_empty_record_brings_nothing(void **state)
{
	const struct setting *s = *state;
	char data[4];
	int fds[2];
	size_t n_fds = 2, before = count_open();

	assert_int_equal(send_fds(s, "", 0, 2), 0);
	assert_int_equal(receive(s, data, sizeof(data), fds, &n_fds, -1), 0);
	assert_int_equal(n_fds, 0);
	assert_int_equal(count_open(), before);
}

static void
nothing_comes(void **state)
{
	const struct setting *s = *state;
	char data[4];
	int fds[1];
	size_t n_fds = 1;

	assert_int_equal(
	    receive(s, data, sizeof(data), fds, &n_fds, -1), -EAGAIN);
	assert_int_equal(n_fds, 0);
	/* a deadline that is over is not waited for */
	n_fds = 1;
	assert_int_equal(
	    receive(s, data, sizeof(data), fds, &n_fds, 0), -ETIMEDOUT);
	assert_int_equal(n_fds, 0);
	int64_t start = ward_now_ms();
	assert_int_equal(
	    receive(s, data, sizeof(data), fds, &n_fds, start + 60),
	    -ETIMEDOUT);
	assert_true(ward_now_ms() >= start + 60);
}

static void
on_alarm(int number)
{
	(void)number;
}

/* Signals neither end the waiting nor make it longer. */
static void
signals_do_not_count(void **state)
{
	const struct setting *s = *state;
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval often = {
		.it_interval = { .tv_usec = 5000 },
		.it_value = { .tv_usec = 5000 },
	};
	const struct itimerval never = { 0 };
	struct sigaction before;
	char data[4];

	assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	int64_t start = ward_now_ms();
	ssize_t r = receive(s, data, sizeof(data), NULL, NULL, start + 100);
	int64_t end = ward_now_ms();
	(void)setitimer(ITIMER_REAL, &never, NULL);
	(void)sigaction(SIGALRM, &before, NULL);
	assert_int_equal(r, -ETIMEDOUT);
	assert_in_range((uintmax_t)(end - start), 100, 3000);
}

static void
a_full_socket_does_not_block(void **state)
{
	const struct setting *s = *state;
	static const char block[4096];
	int r = 0;

	for (int i = 0; r == 0 && i < 10000; i++)
		r = ward_fd_send(s->pair[0], block, sizeof(block), NULL, 0);
	assert_int_equal(r, -EAGAIN);
}

static void
bad_sockets(void **state)
{
	char data[4];
	int fds[1];
	size_t n_fds = 1;

	(void)state;
	assert_int_equal(ward_fd_send(-1, "x", 1, NULL, 0), -EBADF);
	assert_int_equal(ward_fd_receive(-1, data, sizeof(data), fds, &n_fds,
			     NULL, ward_now_ms() + 5000),
	    -EBADF);
	assert_int_equal(n_fds, 0);
}

static void
the_sender_is_known(void **state)
{
	const struct setting *s = *state;
	const int on = 1;
	char data[4];
	pid_t pid = 7;
	int fds[WARD_FD_PASS_MAX];
	size_t n_fds = WARD_FD_PASS_MAX;

	assert_int_equal(ward_fd_send(s->pair[0], "x", 1, NULL, 0), 0);
	assert_int_equal(ward_fd_receive(s->pair[1], data, sizeof(data), NULL,
			     NULL, &pid, -1),
	    1);
	assert_int_equal(pid, 0);
	assert_int_equal(
	    setsockopt(s->pair[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)),
	    0);
	/* beside as many descriptors as there may be */
	assert_int_equal(send_fds(s, "x", 1, WARD_FD_PASS_MAX), 0);
	assert_int_equal(ward_fd_receive(s->pair[1], data, sizeof(data), fds,
			     &n_fds, &pid, -1),
	    1);
	assert_int_equal(pid, getpid());
	assert_int_equal(n_fds, WARD_FD_PASS_MAX);
	for (size_t i = 0; i < n_fds; i++)
		(void)close(fds[i]);
}

static void
raise_one(void **state)
{
	size_t before = count_open();

	(void)state;
	int fd = open("/dev/null", O_RDWR);
	assert_true(fd >= 0);
	int raised = ward_fd_raise_take(fd);
	assert_true(raised >= WARD_FD_LOWEST);
	assert_int_equal(fcntl(raised, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(count_open(), before + 1);
	/* one that is high enough stays one */
	raised = ward_fd_raise_take(raised);
	assert_true(raised >= WARD_FD_LOWEST);
	assert_int_equal(count_open(), before + 1);
	(void)close(raised);
	assert_int_equal(ward_fd_raise_take(-1), -EBADF);
}

/* Where there is no higher number, the low one goes all the same. */
static void
raise_without_room(void **state)
{
	struct rlimit saved, low;
	size_t before = count_open();

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &saved), 0);
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	low = saved;
	low.rlim_cur = WARD_FD_LOWEST;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	int r = ward_fd_raise_take(fd);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &saved), 0);
	assert_int_equal(r, -EINVAL);
	assert_int_equal(count_open(), before);
}

#define test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test(data_alone),
		test(records_stay_apart),
		test(descriptors_arrive),
		test(too_many_to_send),
		test(more_than_room),
		test(a_crowd_is_refused),
		test(too_long_is_refused),
		test(the_end),
		test(an_empty_record_brings_nothing),
		test(nothing_comes),
		test(signals_do_not_count),
		test(a_full_socket_does_not_block),
		test(bad_sockets),
		test(the_sender_is_known),
		test(raise_one),
		test(raise_without_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
