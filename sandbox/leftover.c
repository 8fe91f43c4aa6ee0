/* SPDX-License-Identifier: ISC */
/*
 * What a session leaves behind on a terminal that is not the account's: "su
 * agent" runs on root's own.  A process that stays there while the sandbox
 * lives on could read what root types next; it is asked to end, and a moment
 * later it is killed.  A terminal that sshd made is the account's, and sshd
 * hangs it up.
 */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>

#include "common/clock.h"
#include "common/fd.h"
#include "sandbox/inside.h"
#include "sandbox/sandbox.h"

#define MOMENT_MS 1000

/* Fills path, too.  0 where it is none, or the account's. */
static dev_t
find_terminal(const char *tty, uid_t account, char *path, size_t size)
{
	struct stat st;

	(void)snprintf(path, size, "/dev/%s",
	    strncmp(tty, "/dev/", 5) == 0 ? tty + 5 : tty);
	if (tty[0] == '\0' || strstr(path, "..") != NULL ||
	    lstat(path, &st) != 0 || !S_ISCHR(st.st_mode) ||
	    st.st_uid == account)
		return 0;
	return st.st_rdev;
}

/* No open session's: another one may have begun on the same terminal. */
static bool
is_left(void *context, pid_t pid)
{
	const struct ward_sandbox *sandbox = context;

	return ward_session_of_process(sandbox, pid) == NULL;
}

static void
kill_at(struct ward_sandbox *s, const struct ward_leftover *left)
{
	char path[80];

	if (find_terminal(left->tty, s->account.uid, path, sizeof(path)) !=
	    left->terminal)
		return;
	size_t n = ward_inside_leave_terminal(
	    s->container.init, left->terminal, path, SIGKILL, is_left, s);
	if (n > 0)
		syslog(LOG_NOTICE,
		    "ward: sandbox of %s: %zu processes that stayed on %s "
		    "after their session were killed",
		    s->account.account, n, left->tty);
}

void
ward_leftover_begin(struct ward_sandbox *sandbox, const char *tty)
{
	struct ward_leftover left = { .kill_at_ms = ward_now_ms() + MOMENT_MS };
	char path[80];

	left.terminal =
	    find_terminal(tty, sandbox->account.uid, path, sizeof(path));
	if (left.terminal == 0 ||
	    ward_inside_leave_terminal(sandbox->container.init, left.terminal,
		path, SIGHUP, is_left, sandbox) == 0)
		return;
	(void)snprintf(left.tty, sizeof(left.tty), "%s", tty);
	if (sandbox->n_leftovers < WARD_LEFTOVERS_MAX)
		sandbox->leftovers[sandbox->n_leftovers++] = left;
	else
		/* so many at once have no moment */
		kill_at(sandbox, &left);
}

int64_t
ward_leftover_tend(struct ward_sandbox *sandbox)
{
	int64_t now_ms = ward_now_ms();

	/* they stand in the order of their time */
	while (sandbox->n_leftovers > 0 &&
	    now_ms >= sandbox->leftovers[0].kill_at_ms) {
		kill_at(sandbox, &sandbox->leftovers[0]);
		sandbox->n_leftovers--;
		memmove(sandbox->leftovers, sandbox->leftovers + 1,
		    sandbox->n_leftovers * sizeof(sandbox->leftovers[0]));
	}
	return sandbox->n_leftovers == 0
	    ? -1
	    : sandbox->leftovers[0].kill_at_ms - now_ms;
}
