/* SPDX-License-Identifier: ISC */
/* Why a session is refused: a code, what it means, what to do about it. */
#include "config.h"

#include <stdio.h>

#include "common/fd.h"
#include "common/refusal.h"
#include "common/text.h"
#include "common/wire.h"

static const struct ward_refusal_text texts[] = {
	{ WARD_REFUSED_STACK, "the PAM stack is not as Ward made it",
	    "run 'wardctl enable'" },
	{ WARD_REFUSED_SERVICE, "the profile does not open this service",
	    "name it in the profile's services, if it may be" },
	{ WARD_REFUSED_CALLER,
	    "the caller is not one that a session can be left to",
	    "log in by the distribution's own programs" },
	{ WARD_REFUSED_DESCRIPTOR,
	    "a standard descriptor is a directory or a free socket",
	    "start the session without it" },
	{ WARD_REFUSED_ACCOUNT, "the account cannot be looked up",
	    "see 'getent passwd' for it" },
	{ WARD_REFUSED_LOCKED, "the account is locked",
	    "run 'wardctl account unlock' for it, if it may be" },
	{ WARD_REFUSED_NO_WARDEN, "the warden cannot be started",
	    "install Ward again" },
	{ WARD_REFUSED_TIMEOUT, "the warden does not answer",
	    "see 'ps -C warden' and end the one that hangs" },
	{ WARD_REFUSED_RUN, "/run/ward cannot be used",
	    "see that /run is writable, has room and is root's" },
	{ WARD_REFUSED_PROTOCOL, "the warden gave up or speaks another version",
	    "see the log for its reason" },
	{ WARD_REFUSED_ENDED, "its sandbox has ended",
	    "log in again; where that goes on, see the log before this" },
	{ WARD_REFUSED_POLICY, "the policy database cannot be read",
	    "run 'wardctl profile apply'" },
	{ WARD_REFUSED_UNASSIGNED, "no profile is assigned to the account",
	    "name it in /etc/ward/assignments.conf, then "
	    "'wardctl profile apply'" },
	{ WARD_REFUSED_PLAN, "the profile cannot be applied to this account",
	    "run 'wardctl explain' with the path that it names" },
	{ WARD_REFUSED_VIEW, "the view cannot be built",
	    "see the log for the step" },
	{ WARD_REFUSED_HOME, "the account's home is not as Ward made it",
	    "run 'wardctl account list'" },
	{ WARD_REFUSED_KERNEL, "the kernel has less than the profile asks for",
	    "boot a newer one, or see seal.landlock of the profile" },
	{ WARD_REFUSED_ARM, "the session cannot be armed",
	    "see the log for the step" },
	{ WARD_REFUSED_SEAL, "a process of the session cannot be sealed",
	    "see the log for the step" },
	{ WARD_REFUSED_OUTSIDE, "this is not inside a sandbox",
	    "log in through ssh, su, sudo, runuser, cron or at" },
	{ WARD_REFUSED_SHELL, "the shell cannot be run",
	    "see session.shell of the profile" },
	{ WARD_REFUSED_FENCE, "the uid fence does not hold",
	    "it is put back now: see 'wardctl doctor'" },
};

const struct ward_refusal_text *
ward_refusal_find(unsigned code)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if ((unsigned)texts[i].code == code)
			return &texts[i];
	return NULL;
}

void
ward_refusal_line(char *out, size_t size, enum ward_refusal code,
    const char *account, const char *detail)
{
	const struct ward_refusal_text *text = ward_refusal_find(code);
	char name[128], more[512];

	ward_text_visible(name, sizeof(name), account);
	ward_text_visible(more, sizeof(more), detail == NULL ? "" : detail);
	(void)snprintf(out, size,
	    "ward: W%03u: session for %s refused: "
	    "%s%s%s; %s",
	    (unsigned)code, name,
	    text == NULL ? "unknown reason" : text->meaning,
	    more[0] == '\0' ? "" : ": ", more,
	    text == NULL ? "see ward(7)" : text->remedy);
}

void
ward_refusal_send(int socket_fd, enum ward_refusal code, const char *detail)
{
	struct ward_wire_refused m = { .code = (uint32_t)code };
	struct ward_wire wire;

	(void)snprintf(m.detail, sizeof(m.detail), "%s", detail);
	if (ward_wire_put_refused(&wire, &m) == 0)
		(void)ward_fd_send(socket_fd, wire.data, wire.size, NULL, 0);
}
