/* SPDX-License-Identifier: ISC */
/* Runs another program. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/text.h"
#include "ctl/run.h"

/* Tools in Debian's scripts are found by PATH; nothing asks a person. */
static const char *const environment[] = {
	"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
	"LC_ALL=C",
	"DEBIAN_FRONTEND=noninteractive",
	"HOME=/nonexistent",
	NULL,
};

static int
prepare(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes,
    int output_fd)
{
	sigset_t none, all;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	int r = posix_spawn_file_actions_addopen(
	    actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(
		    actions, output_fd, STDOUT_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(
		    actions, output_fd, STDERR_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_addclosefrom_np(actions, 3);
	if (r == 0)
		r = posix_spawnattr_setsigmask(attributes, &none);
	if (r == 0)
		r = posix_spawnattr_setsigdefault(attributes, &all);
	if (r == 0)
		r = posix_spawnattr_setflags(
		    attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	return r;
}

/* 0 or an errno value, as posix_spawn(3). */
static int
spawn(const char *const argv[], int output_fd, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;

	int r = posix_spawn_file_actions_init(&actions);
	if (r != 0)
		return r;
	r = posix_spawnattr_init(&attributes);
	if (r != 0) {
		(void)posix_spawn_file_actions_destroy(&actions);
		return r;
	}
	r = prepare(&actions, &attributes, output_fd);
	if (r == 0)
		/* neither array is written to (posix_spawn(3p)) */
		r = posix_spawn(pid, argv[0], &actions, &attributes,
		    (char *const *)(uintptr_t)argv,
		    (char *const *)(uintptr_t)environment);
	(void)posix_spawnattr_destroy(&attributes);
	(void)posix_spawn_file_actions_destroy(&actions);
	return r;
}

/* To the end, so that the program is never stopped by a full pipe. */
static void
collect(int fd, struct ward_run *run)
{
	char rest[4096];

	for (;;) {
		size_t room = sizeof(run->output) - 1 - run->n_output;
		ssize_t n = room > 0
		    ? read(fd, run->output + run->n_output, room)
		    : read(fd, rest, sizeof(rest));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (room > 0)
			run->n_output += (size_t)n;
	}
	run->output[run->n_output] = '\0';
}

int
ward_run(const char *const argv[], struct ward_run *run, struct err *err)
{
	int pipe_fds[2], wait_status;
	pid_t pid;

	run->n_output = 0;
	run->status = 0;
	if (pipe2(pipe_fds, O_CLOEXEC) != 0)
		return ward_err_sys(err, errno, "%s: pipe", argv[0]);
	_cleanup_fd_ int read_fd = pipe_fds[0];
	int r = spawn(argv, pipe_fds[1], &pid);
	(void)close(pipe_fds[1]);
	if (r != 0)
		return ward_err_sys(err, r, "%s", argv[0]);
	collect(read_fd, run);
	while (waitpid(pid, &wait_status, 0) < 0)
		if (errno != EINTR)
			return ward_err_sys(err, errno, "%s: waitpid", argv[0]);
	run->status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
					     : 128 + WTERMSIG(wait_status);
	return 0;
}

int
ward_run_check(const char *const argv[], struct err *err)
{
	char line[400];
	_cleanup_free_ struct ward_run *run = malloc(sizeof(*run));

	if (run == NULL)
		return ward_err_sys(err, ENOMEM, "%s", argv[0]);
	int r = ward_run(argv, run, err);
	if (r != 0 || run->status == 0)
		return r;
	run->output[strcspn(run->output, "\n")] = '\0';
	ward_text_visible(line, sizeof(line), run->output);
	return ward_err_set(err, EIO, "%s ended with status %d%s%s", argv[0],
	    run->status, line[0] == '\0' ? "" : ": ", line);
}

bool
ward_run_is_there(const char *program)
{
	return access(program, X_OK) == 0;
}
