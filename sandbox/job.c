/* SPDX-License-Identifier: ISC */
/* A program that the loop does not wait for. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/job.h"

bool
ward_job_runs(const struct ward_job *job)
{
	return job->loop != NULL;
}

void
ward_job_forget(struct ward_job *job)
{
	if (job->loop == NULL)
		return;
	ward_loop_remove(job->loop, &job->end);
	ward_loop_remove(job->loop, &job->limit);
	(void)close(job->end.fd);
	(void)close(job->limit.fd);
	job->loop = NULL;
}

static void
on_end(struct ward_watch *watch, uint32_t events)
{
	/* the watch is the first member */
	struct ward_job *job = (struct ward_job *)(void *)watch;
	siginfo_t info = { .si_pid = 0 };

	(void)events;
	int r = waitid(P_PIDFD, (id_t)watch->fd, &info, WEXITED | WNOHANG);
	if (r == 0 && info.si_pid == 0)
		return;
	bool well = r == 0 && info.si_code == CLD_EXITED && info.si_status == 0;
	ward_job_forget(job);
	if (job->timed_out)
		job->done(job->context, -ETIMEDOUT);
	else
		job->done(job->context, well ? 0 : -EOPNOTSUPP);
}

static void
on_limit(struct ward_watch *watch, uint32_t events)
{
	struct ward_job *job = (struct ward_job *)((char *)watch -
	    offsetof(struct ward_job, limit));
	uint64_t ticks;

	(void)events;
	(void)!read(watch->fd, &ticks, sizeof(ticks));
	job->timed_out = true;
	/* not reaped: the pid is its own still */
	(void)kill(job->pid, SIGKILL);
}

/* 0 or -errno; what could be opened is open. */
static int
watch(
    struct ward_job *job, struct ward_loop *loop, int limit_ms, struct err *err)
{
	const struct itimerspec when = {
		.it_value = { .tv_sec = limit_ms / 1000,
		    .tv_nsec = limit_ms % 1000 * 1000000L },
	};

	job->end.fd = pidfd_open(job->pid, 0);
	job->limit.fd =
	    timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (job->end.fd < 0 || job->limit.fd < 0 ||
	    timerfd_settime(job->limit.fd, 0, &when, NULL) != 0)
		return ward_err_sys(err, errno, "a program's end");
	int r = ward_loop_add(loop, &job->end, EPOLLIN, err);
	if (r != 0)
		return r;
	r = ward_loop_add(loop, &job->limit, EPOLLIN, err);
	if (r != 0)
		ward_loop_remove(loop, &job->end);
	return r;
}

int
ward_job_start(struct ward_job *job, const struct ward_program *program,
    struct ward_loop *loop, ward_job_done *done, void *context, struct err *err)
{
	*job = (struct ward_job){
		.end = { .fd = -1, .callback = on_end },
		.limit = { .fd = -1, .callback = on_limit },
		.done = done,
		.context = context,
	};
	job->pid = ward_program_start(program);
	if (job->pid < 0)
		return ward_err_sys(err, -job->pid, "%s", program->path);
	int r = watch(job, loop, program->limit_ms, err);
	if (r == 0) {
		job->loop = loop;
		return 0;
	}
	/* one that nobody watches does not stay */
	(void)kill(job->pid, SIGKILL);
	while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (job->end.fd >= 0)
		(void)close(job->end.fd);
	if (job->limit.fd >= 0)
		(void)close(job->limit.fd);
	return r;
}
