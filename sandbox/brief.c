/* SPDX-License-Identifier: ISC */
/* Interrupts system calls that take too long. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>

#include "sandbox/brief.h"

#define MOMENT_US 5000

static void
on_alarm(int number)
{
	(void)number;
}

static int
mask(int how)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGALRM);
	return sigprocmask(how, &set, NULL);
}

int
ward_brief_init(struct err *err)
{
	/* without SA_RESTART */
	const struct sigaction action = { .sa_handler = on_alarm };

	if (mask(SIG_BLOCK) != 0 || sigaction(SIGALRM, &action, NULL) != 0)
		return ward_err_sys(err, errno, "SIGALRM");
	return 0;
}

static void
set_timer(long us)
{
	/* again and again: the signal may come just before the call */
	const struct itimerval timer = {
		.it_interval.tv_usec = us,
		.it_value.tv_usec = us,
	};

	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

void
ward_brief_begin(void)
{
	set_timer(MOMENT_US);
	(void)mask(SIG_UNBLOCK);
}

void
ward_brief_end(void)
{
	(void)mask(SIG_BLOCK);
	set_timer(0);
}
