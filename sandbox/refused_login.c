/* SPDX-License-Identifier: ISC */
/* What is recorded of a login that is refused. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <syslog.h>

#include "sandbox/process.h"
#include "sandbox/recorder.h"
#include "sandbox/refused_login.h"
#include "sandbox/rundir.h"

void
ward_refused_login_session(struct ward_recorder *recorder, const char *session,
    const char *service, pid_t pid, enum ward_refusal code, const char *detail)
{
	static const struct ward_rule none;
	struct ward_refused_act act = {
		.kind = "session",
		.operation = "open",
		.target = service,
		.pid = pid,
		.errnum = EPERM,
		.confirmed = true,
		.rule = &none,
		/* whoever is in is not told of another's login */
		.untold = true,
	};
	char program[32] = "", reason[256];
	pid_t process;

	if (pid > 0)
		ward_process_of_thread(pid, &process, program, sizeof(program));
	act.program = program;
	(void)snprintf(act.session, sizeof(act.session), "%s", session);
	(void)snprintf(
	    reason, sizeof(reason), "W%03u: %s", (unsigned)code, detail);
	act.reason = reason;
	ward_recorder_violation(recorder, &act);
}

static void
record(struct ward_recorder *recorder, const char *session,
    const struct ward_wire_open *request, pid_t opener, enum ward_refusal code,
    const char *detail)
{
	ward_recorder_session_start(recorder, session, opener, request);
	ward_refused_login_session(
	    recorder, session, request->service, opener, code, detail);
	ward_recorder_session_end(recorder, session, "refused", code);
}

void
ward_refused_login_tell(struct ward_sandbox *sandbox,
    const struct ward_wire_open *request, pid_t opener, enum ward_refusal code,
    const char *detail)
{
	char session[WARD_SESSION_SIZE];

	ward_session_name(sandbox, session);
	record(sandbox->recorder, session, request, opener, code, detail);
}

void
ward_refused_login_first(
    struct ward_sandbox *sandbox, enum ward_refusal code, const char *detail)
{
	struct ward_sandbox *s = sandbox;
	const struct ward_profile *profile = s->policy.profile;
	char id[WARD_ID_SIZE], session[WARD_SESSION_SIZE];
	struct err err = { 0 };

	if (profile == NULL)
		return;
	const struct ward_recorder_sandbox rows = {
		.id = id,
		.account = s->account.account,
		.uid = s->account.uid,
		.profile = profile->name,
		.revision = s->policy.number,
		.hash = s->policy.hash,
	};
	int r = ward_rundir_id(id, &err);
	if (r == 0)
		r = ward_recorder_start(&rows, &s->recorder, &err);
	if (r != 0) {
		syslog(LOG_ERR, "ward: a refused login of %s has no row: %s",
		    rows.account, err.text);
		return;
	}
	(void)snprintf(session, sizeof(session), "%s-1", id);
	record(s->recorder, session, &s->account, s->opener, code, detail);
	(void)ward_recorder_stop(s->recorder, "refused");
	s->recorder = NULL;
}
