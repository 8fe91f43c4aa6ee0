/* SPDX-License-Identifier: ISC */
/*
 * What an admin asks of a sandbox (wardctl sandboxes, wardctl end), over the
 * control socket, and how a sandbox ends that was told to: its terminals learn
 * why, its processes are asked to end, and after a grace nobody is.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "common/fd.h"
#include "common/text.h"
#include "sandbox/inside.h"
#include "sandbox/sandbox.h"

#define LOOK_MS 100 /* between looks at whether they have ended */
#define READ_MS 300 /* for what carries a terminal to its reader */

static uint32_t
state_of(struct ward_sandbox *s)
{
	struct err err = { 0 };
	bool stale = false;

	if (s->ends_at_ms >= 0 || s->ending != NULL)
		return WARD_SANDBOX_ENDING;
	if (ward_sandbox_check_policy(s, &stale, &err) != WARD_REFUSED_NONE)
		return WARD_SANDBOX_UNKNOWN;
	return stale ? WARD_SANDBOX_STALE : WARD_SANDBOX_CURRENT;
}

int
ward_admin_answer_status(struct ward_sandbox *sandbox, int socket_fd)
{
	struct ward_wire_status_is m = {
		.revision = (uint64_t)sandbox->policy.number,
		.since = (uint64_t)sandbox->since,
		.state = state_of(sandbox),
		.sessions = (uint32_t)ward_sessions_count(sandbox),
		.init = (uint32_t)sandbox->container.init,
	};
	struct ward_wire wire;
	int64_t left = ward_sandbox_linger_left(sandbox);

	(void)snprintf(m.id, sizeof(m.id), "%s", sandbox->rundir.id);
	(void)snprintf(
	    m.account, sizeof(m.account), "%s", sandbox->account.account);
	(void)snprintf(
	    m.profile, sizeof(m.profile), "%s", sandbox->policy.profile->name);
	if (left >= 0)
		m.until = (uint64_t)(ward_wall_now() + left * 1000);
	int r = ward_wire_put_status_is(&wire, &m);
	return r == 0 ? ward_fd_send(socket_fd, wire.data, wire.size, NULL, 0)
		      : r;
}

/* The account's own, or one that a session came in on. */
static bool
may_tell(void *context, unsigned number, uid_t owner)
{
	const struct ward_sandbox *sandbox = context;

	return owner == sandbox->account.uid ||
	    ward_sessions_have_terminal(sandbox, number);
}

static void
tell_terminals(struct ward_sandbox *s, const char *reason, uint32_t grace)
{
	char text[1024];

	(void)snprintf(text, sizeof(text),
	    "\r\n\award: this sandbox ends in %u s by order of an "
	    "administrator%s%s\r\n",
	    grace, reason[0] == '\0' ? "" : ": ", reason);
	ward_inside_tell(s->container.init, text, may_tell, s);
}

int
ward_admin_answer_end(
    struct ward_sandbox *sandbox, int socket_fd, const struct ward_wire *wire)
{
	struct ward_wire_end m;
	struct ward_wire answer;
	char reason[512];

	int r = ward_wire_get_end(wire, &m);
	if (r != 0)
		return r;
	(void)ward_text_visible(reason, sizeof(reason), m.reason);
	int64_t now_ms = ward_now_ms();
	int64_t at_ms = now_ms + (int64_t)m.grace * 1000;
	/* said twice: the earlier end holds */
	if (sandbox->ends_at_ms < 0 || at_ms < sandbox->ends_at_ms)
		sandbox->ends_at_ms = at_ms;
	sandbox->hang_up_at_ms = now_ms + READ_MS;
	(void)snprintf(sandbox->end_reason, sizeof(sandbox->end_reason),
	    "ended%s%s", reason[0] == '\0' ? "" : ": ", reason);
	syslog(LOG_NOTICE, "ward: sandbox %s of %s: %s", sandbox->rundir.id,
	    sandbox->account.account, sandbox->end_reason);
	r = ward_wire_put_empty(&answer, WARD_WIRE_ENDING);
	if (r == 0)
		/* who asked may be gone; it ends all the same */
		(void)ward_fd_send(
		    socket_fd, answer.data, answer.size, NULL, 0);
	tell_terminals(sandbox, reason, m.grace);
	return 0;
}

int
ward_admin_end_left(struct ward_sandbox *sandbox)
{
	int64_t now_ms = ward_now_ms();
	int64_t left = sandbox->ends_at_ms - now_ms;

	if (left <= 0 || ward_inside_count(sandbox->container.init) == 0)
		return 0;
	if (sandbox->hang_up_at_ms >= 0 && now_ms >= sandbox->hang_up_at_ms) {
		sandbox->hang_up_at_ms = -1;
		ward_inside_hang_up(sandbox->container.init);
	}
	return left < LOOK_MS ? (int)left : LOOK_MS;
}
