/* SPDX-License-Identifier: ISC */
/*
 * The recorder: a thread that owns the warden's only handle of violations.db.
 * Everybody else hands it copies through a bounded queue and never waits for
 * it; what the queue has no room for is counted, and the count is a row.  A
 * fault of the database holds nothing up: rows wait in the queue.
 * Used by the warden and the observer.
 */
#ifndef WARD_SANDBOX_RECORDER_H
#define WARD_SANDBOX_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "common/refusal.h"
#include "common/wire.h"
#include "profiles/profile.h"

struct ward_recorder;
struct ward_recent;

/* What all rows of a sandbox share; strings are borrowed for good. */
struct ward_recorder_sandbox {
	const char *id;
	const char *account;
	uid_t uid;
	const char *profile;
	int64_t revision;
	const unsigned char *hash;
};

int ward_recorder_start(const struct ward_recorder_sandbox *sandbox,
    struct ward_recorder **recorder, struct err *err);

/* What was handed in lately; the recorder's. */
struct ward_recent *ward_recorder_recent(struct ward_recorder *recorder);

/*
 * Writes what waits, and ends the sandbox's row.  It tries for a second and a
 * half, but a try may take what SQLite does.  True: it is time that somebody
 * removes what is old.
 */
bool ward_recorder_stop(struct ward_recorder *recorder, const char *reason);

void ward_recorder_session_start(struct ward_recorder *recorder,
    const char *session, pid_t opener, const struct ward_wire_open *request);
/* code: of one that was refused; or NONE. */
void ward_recorder_session_end(struct ward_recorder *recorder,
    const char *session, const char *reason, enum ward_refusal code);
void ward_recorder_command(struct ward_recorder *recorder, const char *session,
    pid_t pid, const char *line);

/* A refused act; strings and the rule are copied but for the first two. */
struct ward_refused_act {
	const char *kind;      /* of a static string */
	const char *operation; /* the same */
	char session[32];      /* "": not known */
	const char *target;
	pid_t pid;
	const char *program;
	int errnum;
	bool confirmed;
	const struct ward_rule *rule;
	const char *reason; /* what was said of it, beside the rule; or NULL */
	/* for the account only: as in struct ward_wire_why_is */
	bool asked;
	bool passing;
	bool untold; /* a row, and nothing that the account is to hear of */
};
void ward_recorder_violation(
    struct ward_recorder *recorder, const struct ward_refused_act *act);
/* A connection that is over, or never was; strings are copied but two. */
struct ward_connection {
	const char *front;   /* of a static string */
	const char *verdict; /* the same */
	char session[32];    /* "": not known */
	const char *host;
	unsigned port;
	const char *address;   /* that was dialled; "": none */
	const char *rule_file; /* "": built-in, or a grant */
	unsigned rule_line;
	const char *rule_text;
	int64_t grant; /* 0: none */
	int64_t up, down;
	int64_t began, duration; /* microseconds */
	int errnum;
	pid_t pid; /* 0: not known */
	const char *program;
};
void ward_recorder_connection(
    struct ward_recorder *recorder, const struct ward_connection *connection);
/*
 * A host that no rule names, where the profile files that for the admin, or the
 * account asks for it; why is its reason, or NULL.
 */
void ward_recorder_request(struct ward_recorder *recorder, const char *session,
    const char *host, uint16_t port, const char *why);
/* Something that happened to Ward's own parts; of no session. */
void ward_recorder_internal(
    struct ward_recorder *recorder, const char *operation, const char *target);
/* What somebody else had to drop before it got here. */
void ward_recorder_dropped(struct ward_recorder *recorder, int64_t count);

#endif
