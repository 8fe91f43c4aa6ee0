/* SPDX-License-Identifier: ISC */
/*
 * A login that is refused has its rows, too: a session that ended as it began,
 * with the code, and a violation of the kind "session".  They are written once
 * it has its answer.  The warden only.
 */
#ifndef WARD_SANDBOX_REFUSED_LOGIN_H
#define WARD_SANDBOX_REFUSED_LOGIN_H

#include <sys/types.h>

#include "common/refusal.h"
#include "sandbox/sandbox.h"

/* One that asked a sandbox that stands. */
void ward_refused_login_tell(struct ward_sandbox *sandbox,
    const struct ward_wire_open *request, pid_t opener, enum ward_refusal code,
    const char *detail);

/* A session that was let in before. */
void
ward_refused_login_session(struct ward_recorder *recorder, const char *session,
    const char *service, pid_t pid, enum ward_refusal code, const char *detail);

/*
 * One for which there is no sandbox, and will be none.  Where no profile could
 * be read nobody knows what the row would be of: there is none, and the module
 * has logged it.  Waits for the store as the end of a sandbox does.
 */
void ward_refused_login_first(
    struct ward_sandbox *sandbox, enum ward_refusal code, const char *detail);

#endif
