/* SPDX-License-Identifier: ISC */
/*
 * What an admin asks of a sandbox (wardctl sandboxes, wardctl end), over the
 * control socket, and how a sandbox ends that was told to: its terminals learn
 * why, its processes are asked to end, and after a grace nobody is.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "common/clock.h"
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
	enum ward_refusal code = ward_sandbox_check_policy(s, &stale, &err);
	if (s->stale_since_ms >= 0)
		return WARD_SANDBOX_STALE;
	return code == WARD_REFUSED_NONE ? WARD_SANDBOX_CURRENT
					 : WARD_SANDBOX_UNKNOWN;
}

uint64_t
ward_admin_ends_at(const struct ward_sandbox *s)
{
	int64_t left = s->ends_at_ms >= 0 ? s->ends_at_ms - ward_now_ms()
					  : ward_sandbox_stale_left(s);

	return left < 0 ? 0 : (uint64_t)(ward_wall_now() + left * 1000);
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
	m.ends = ward_admin_ends_at(sandbox);
	int r = ward_wire_put_status_is(&wire, &m);
	return r == 0 ? ward_fd_send(socket_fd, wire.data, wire.size, NULL, 0)
		      : r;
}

/* One that has asked for new rules, and waits for egress to have them. */
struct ward_reloader {
	struct ward_reloader *next;
	int socket_fd;
};

static int
answer_reloaded(int socket_fd, int error)
{
	const struct ward_wire_result m = { .error = (uint32_t)error };
	struct ward_wire wire;
	int r = ward_wire_put_reloaded(&wire, &m);

	return r == 0 ? ward_fd_send(socket_fd, wire.data, wire.size, NULL, 0)
		      : r;
}

static void
answer_reloaders(struct ward_sandbox *sandbox, int error)
{
	while (sandbox->reloaders != NULL) {
		struct ward_reloader *one = sandbox->reloaders;
		sandbox->reloaders = one->next;
		(void)answer_reloaded(one->socket_fd, error);
		(void)close(one->socket_fd);
		free(one);
	}
}

static void
on_taken(void *context, int error)
{
	struct ward_sandbox *sandbox = context;

	/* whoever asked may be gone, or nobody did */
	if (error != 0)
		syslog(LOG_ERR, "ward: egress of %s keeps its rules: %s",
		    sandbox->account.account, strerrordesc_np(error));
	answer_reloaders(sandbox, error);
}

void
ward_admin_stop(struct ward_sandbox *sandbox)
{
	answer_reloaders(sandbox, ECANCELED);
}

int
ward_admin_renew_rules(struct ward_sandbox *sandbox, struct err *err)
{
	if (sandbox->egress == NULL)
		return 0;
	int rules_fd = ward_sandbox_pack_rules(sandbox, err);
	if (rules_fd < 0)
		return rules_fd;
	ward_egress_rules_take(sandbox->egress, rules_fd, on_taken, sandbox);
	return 0;
}

int
ward_admin_answer_reload(struct ward_sandbox *sandbox, int socket_fd)
{
	struct err err = { 0 };

	/* the sandbox was made without a network, and gets none */
	if (sandbox->egress == NULL)
		return answer_reloaded(socket_fd, EOPNOTSUPP);
	int rules_fd = ward_sandbox_pack_rules(sandbox, &err);
	if (rules_fd < 0) {
		syslog(LOG_ERR,
		    "ward: sandbox of %s keeps its network rules: %s",
		    sandbox->account.account, err.text);
		return answer_reloaded(socket_fd, -rules_fd);
	}
	struct ward_reloader *one = calloc(1, sizeof(*one));
	/* its own: the session that this came on may be gone by then */
	int fd = one == NULL ? -1 : fcntl(socket_fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		free(one);
		(void)close(rules_fd);
		return answer_reloaded(socket_fd, ENOMEM);
	}
	*one = (struct ward_reloader){
		.next = sandbox->reloaders,
		.socket_fd = fd,
	};
	sandbox->reloaders = one;
	ward_egress_rules_take(sandbox->egress, rules_fd, on_taken, sandbox);
	return 0;
}

/* The account's own, or one that a session came in on. */
static bool
may_tell(void *context, unsigned number, uid_t owner)
{
	const struct ward_sandbox *sandbox = context;

	return owner == sandbox->account.uid ||
	    ward_sessions_have_terminal(sandbox, number);
}

void
ward_admin_tell(struct ward_sandbox *sandbox, const char *format, ...)
{
	char text[1024], line[1056];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	(void)snprintf(line, sizeof(line), "\r\n\award: %s\r\n", text);
	ward_inside_tell(sandbox->container.init, line, may_tell, sandbox);
}

void
ward_admin_end(struct ward_sandbox *sandbox, uint32_t grace, const char *why,
    const char *reason)
{
	int64_t now_ms = ward_now_ms();
	int64_t at_ms = now_ms + (int64_t)grace * 1000;

	/* said twice: the earlier end holds */
	if (sandbox->ends_at_ms < 0 || at_ms < sandbox->ends_at_ms)
		sandbox->ends_at_ms = at_ms;
	sandbox->hang_up_at_ms = now_ms + READ_MS;
	(void)snprintf(sandbox->end_reason, sizeof(sandbox->end_reason),
	    "ended%s%s", reason[0] == '\0' ? "" : ": ", reason);
	syslog(LOG_NOTICE, "ward: sandbox %s of %s: %s", sandbox->rundir.id,
	    sandbox->account.account, sandbox->end_reason);
	ward_admin_tell(sandbox, "this sandbox ends in %u s%s%s%s", grace, why,
	    reason[0] == '\0' ? "" : ": ", reason);
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
	ward_admin_end(
	    sandbox, m.grace, " by order of an administrator", reason);
	r = ward_wire_put_empty(&answer, WARD_WIRE_ENDING);
	if (r == 0)
		/* who asked may be gone; it ends all the same */
		(void)ward_fd_send(
		    socket_fd, answer.data, answer.size, NULL, 0);
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
