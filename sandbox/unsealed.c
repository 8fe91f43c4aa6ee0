/* SPDX-License-Identifier: ISC */
/*
 * Looks for processes of the account that are without its seal: in the sandbox,
 * or on the host below who opened a session.  There should be none, whatever
 * failed; so one that is there ends its session, or, where nobody knows whose
 * it is, the sandbox.  A seal cannot be taken off (seccomp(2)), so who has one
 * is never taken for one without.  A process of root's is root's act, until it
 * becomes the account.
 */
#include "config.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/pidfd.h>
#include <syslog.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "sandbox/inside.h"
#include "sandbox/process.h"
#include "sandbox/sandbox.h"

#define SOON_MS  300 /* after something happened */
#define LATER_MS 10000

/* The account, in every id, without what each of its processes has. */
static bool
is_unsealed(const struct ward_sandbox *s, pid_t pid)
{
	struct ward_process_seal seal;

	return ward_process_seal(pid, s->account.uid, &seal) && !seal.is_dead &&
	    (!seal.no_new_privs || seal.n_filters <= s->least_filters ||
		/* in a user namespace of its own it is full again */
		(seal.has_bounding_set &&
		    !s->policy.profile->seal.nested_userns));
}

/* One line, one row, and the end of what it belongs to. */
static void
report(struct ward_sandbox *s, pid_t pid, const char *session)
{
	static const struct ward_rule none;
	struct ward_refused_act act = {
		.kind = "internal",
		.operation = "unsealed",
		.pid = pid,
		.confirmed = true,
		.rule = &none,
	};
	char line[512], detail[160], program[32];
	pid_t process;

	ward_process_of_thread(pid, &process, program, sizeof(program));
	act.target = program;
	act.program = program;
	(void)snprintf(act.session, sizeof(act.session), "%s",
	    session == NULL ? "" : session);
	ward_recorder_violation(s->recorder, &act);
	(void)snprintf(detail, sizeof(detail),
	    "process %d (%s) was found without its seal, and was killed: its "
	    "%s ends",
	    (int)pid, program, session == NULL ? "sandbox" : "session");
	ward_refusal_line(
	    line, sizeof(line), WARD_REFUSED_SEAL, s->account.account, detail);
	syslog(LOG_ERR, "%s", line);
	if (session == NULL)
		s->ending = "a process without its seal";
	else
		ward_session_expel(s, act.session);
}

static void
look_at(void *context, pid_t pid)
{
	struct ward_sandbox *s = context;
	_cleanup_fd_ int pidfd = is_unsealed(s, pid) ? pidfd_open(pid, 0) : -1;

	/* looked at again: the number may be another process's by now */
	if (pidfd < 0 || !is_unsealed(s, pid))
		return;
	const char *session = ward_session_of_process(s, pid);
	if (session == NULL)
		/* its first process says that it has a seal: this never did */
		session = ward_session_of_socket(
		    s, ward_openers_socket_above(&s->openers, pid));
	if (pidfd_send_signal(pidfd, SIGKILL, NULL, 0) == 0)
		report(s, pid, session);
}

void
ward_unsealed_opener(struct ward_sandbox *sandbox, pid_t opener)
{
	unsigned n = ward_process_filters(opener);

	/* what it has itself, its children have before their seal */
	if (n < sandbox->least_filters)
		sandbox->least_filters = n;
	ward_unsealed_soon(sandbox);
}

void
ward_unsealed_soon(struct ward_sandbox *sandbox)
{
	int64_t at_ms = ward_now_ms() + SOON_MS;

	if (at_ms < sandbox->look_at_ms)
		sandbox->look_at_ms = at_ms;
}

int64_t
ward_unsealed_tend(struct ward_sandbox *sandbox)
{
	int64_t now_ms = ward_now_ms();

	if (now_ms >= sandbox->look_at_ms) {
		sandbox->look_at_ms = now_ms + LATER_MS;
		ward_inside_each(sandbox->container.init, look_at, sandbox);
		ward_openers_each_below(&sandbox->openers,
		    sandbox->container.init, look_at, sandbox);
	}
	return sandbox->look_at_ms - now_ms;
}
