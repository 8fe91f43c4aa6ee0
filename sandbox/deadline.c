/* SPDX-License-Identifier: ISC */
/* Ends the warden that does not end. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/deadline.h"

static struct {
	const char *account;
	struct timespec at;
} deadline;

#define LOG_NS 200000000

/* The log, too, may be what waits. */
static void
kill_soon(void)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGKILL,
	};
	const struct itimerspec soon = { .it_value.tv_nsec = LOG_NS };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
	    timer_settime(timer, 0, &soon, NULL) != 0)
		_exit(1);
}

/* A thread, since whatever waits may be any of the others. */
static void *
run(void *context)
{
	(void)context;
	while (clock_nanosleep(
		   CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline.at, NULL) == EINTR)
		;
	kill_soon();
	syslog(LOG_ERR,
	    "ward: sandbox of %s: its end takes too long: what is not "
	    "recorded by now is lost",
	    deadline.account);
	_exit(1);
}

void
ward_deadline_set(const char *account, int ms)
{
	pthread_t thread;

	deadline.account = account;
	int error =
	    clock_gettime(CLOCK_MONOTONIC, &deadline.at) == 0 ? 0 : errno;
	deadline.at.tv_sec += ms / 1000;
	deadline.at.tv_nsec += ms % 1000 * INT64_C(1000000);
	if (deadline.at.tv_nsec >= 1000000000) {
		deadline.at.tv_sec++;
		deadline.at.tv_nsec -= 1000000000;
	}
	if (error == 0)
		error = pthread_create(&thread, NULL, run, NULL);
	if (error == 0)
		error = pthread_detach(thread);
	if (error != 0)
		syslog(LOG_ERR, "ward: sandbox of %s: no limit to its end: %s",
		    account, strerror(error));
}
