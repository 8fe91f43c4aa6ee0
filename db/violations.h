/* SPDX-License-Identifier: ISC */
/*
 * The violation store (violations.db): sandboxes, sessions, commands, refused
 * acts and what of them was dropped.  Wardens write it, several at once;
 * wardctl reads it.  A handle belongs to one thread at a time and is not
 * carried over fork.
 *
 * Times are microseconds since 1970, UTC.  Strings are the raw bytes that were
 * seen: whoever shows one encodes it (common/text.h).
 */
#ifndef WARD_DB_VIOLATIONS_H
#define WARD_DB_VIOLATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/sha256.h"

struct ward_violations;

enum ward_violations_mode {
	WARD_VIOLATIONS_READ,  /* must be there; nothing can be changed */
	WARD_VIOLATIONS_WRITE, /* made if it is not there */
};

/* As ward_policy_open. */
int ward_violations_open(const char *path, enum ward_violations_mode mode,
    unsigned timeout_ms, struct ward_violations **store, struct err *err);
/* Rolls an open batch back.  NULL is fine. */
void ward_violations_close(struct ward_violations *store);

/*
 * A batch: what is written between begin and commit is there as a whole or
 * not at all.  Every writer below may also be called without one.  After an
 * error in a batch, roll back.  begin fails with -ESTALE where the file was
 * moved or deleted: open again, and announce sandbox and sessions again.
 */
int ward_violations_begin(struct ward_violations *store, struct err *err);
int ward_violations_commit(struct ward_violations *store, struct err *err);
void ward_violations_rollback(struct ward_violations *store);

/*
 * Writers.  Announcing the same id twice is fine and changes nothing.  A row
 * that names a sandbox or session which was never announced is -ENOENT, and so
 * is ending one; ending twice keeps the first end.
 */
struct ward_violations_sandbox {
	const char *id;
	const char *account;
	uint32_t uid;
	const char *profile;
	int64_t revision;          /* its number within the profile */
	const unsigned char *hash; /* of the revision, or NULL */
	int64_t started;
};
int ward_violations_sandbox_start(struct ward_violations *store,
    const struct ward_violations_sandbox *sandbox, struct err *err);
/* reason is a word, such as "closed", "lost", "failed". */
int ward_violations_sandbox_end(struct ward_violations *store, const char *id,
    int64_t when, const char *reason, struct err *err);

struct ward_violations_session {
	const char *id;
	const char *sandbox; /* NULL where refused before there was one */
	const char *account;
	uint32_t uid;
	const char *service; /* PAM's; and these as PAM gave them, or NULL */
	const char *tty;
	const char *rhost;
	const char *ruser;
	int64_t opener_pid;
	int64_t audit_session; /* -1: none */
	int64_t started;
};
int ward_violations_session_start(struct ward_violations *store,
    const struct ward_violations_session *session, struct err *err);
/*
 * reason as above, or "refused"; refusal is the code ("W012") or NULL; status
 * the exit status, -1 if unknown.
 */
int ward_violations_session_end(struct ward_violations *store, const char *id,
    int64_t when, const char *reason, const char *refusal, int status,
    struct err *err);

/* argv is the account's claim.  *command is for command_end. */
int ward_violations_command_start(struct ward_violations *store,
    const char *session, int64_t pid, const char *argv, int64_t when,
    int64_t *command, struct err *err);
int ward_violations_command_end(struct ward_violations *store, int64_t command,
    int64_t when, int status, struct err *err);

struct ward_violation {
	const char *sandbox;
	const char *session;   /* NULL: not known, never a guess */
	const char *kind;      /* "write", "read", "network" ... */
	const char *operation; /* "openat", "connect" ... */
	const char *target;    /* path, host:port ... */
	int64_t pid;           /* as the host sees it; 0 if unknown */
	const char *program;   /* or NULL */
	bool confirmed;        /* refused for certain, not merely observed */
	int errnum;            /* what the caller got; 0 if unknown */
	int64_t count;
	int64_t first, last; /* when */
	const char *profile;
	int64_t revision;
	const char *rule_file; /* the rule that decided, as ward_rule */
	unsigned rule_line;
	const char *rule_text;
	const char *reason; /* what was said beside it, or NULL */
};
/* *id is for violation_repeat; may be NULL. */
int ward_violations_add(struct ward_violations *store,
    const struct ward_violation *violation, int64_t *id, struct err *err);
/* The same act again: more is added to its count, last moves forward.  -ENOENT
 * for a row that is sealed. */
int ward_violations_repeat(struct ward_violations *store, int64_t id,
    int64_t more, int64_t last, struct err *err);

/*
 * Hashes a row into its sandbox's chain (db/chain.h), after which it never
 * changes; does nothing for one that is, or whose sandbox has none.  The
 * second does so for every row of a sandbox, oldest first.  Within a batch.
 */
int ward_violations_seal(
    struct ward_violations *store, int64_t id, struct err *err);
int ward_violations_seal_open(
    struct ward_violations *store, const char *sandbox, struct err *err);
/* How many links the chain has had, and the last one's hash.  -ENOENT without
 * a chain. */
int ward_violations_chain(struct ward_violations *store, const char *sandbox,
    int64_t *length, unsigned char head[WARD_SHA256_SIZE], struct err *err);

/* Of the network; one that is over, or never was. */
struct ward_violations_connection {
	const char *sandbox;
	const char *session; /* NULL: not known, never a guess */
	const char *front;   /* "http", "connect", "tcp", "forward" ... */
	const char *host;
	int64_t port;
	const char *address; /* that was dialled, or NULL */
	const char *verdict; /* "allowed", "failed", "lost" */
	const char *rule_file;
	unsigned rule_line;
	const char *rule_text;
	int64_t grant;    /* 0: none */
	int64_t up, down; /* bytes */
	int64_t started, duration;
	int errnum;  /* 0: none */
	int64_t pid; /* 0: unknown */
	const char *program;
};
int ward_violations_connection_add(struct ward_violations *store,
    const struct ward_violations_connection *connection, struct err *err);

struct ward_violations_gap {
	const char *sandbox;
	const char *what; /* "violations dropped", "warden lost" ... */
	int64_t from, to;
	int64_t count; /* -1: not known */
};
int ward_violations_gap_add(struct ward_violations *store,
    const struct ward_violations_gap *gap, struct err *err);

/*
 * Dead wardens: ends what is open of this account (by uid) as "lost", and
 * writes a gap from the last that is known to now, for every sandbox but those
 * that live.  Whether one does is asked while nobody else can write: a sandbox
 * that is asked about lived when it wrote its row.  A transaction of its own.
 * *lost counts the sandboxes; may be NULL.
 */
typedef bool ward_violations_lives(void *context, const char *sandbox);
int ward_violations_close_lost(struct ward_violations *store, uint32_t uid,
    ward_violations_lives *lives, void *context, int64_t now, size_t *lost,
    struct err *err);

/*
 * Readers.  Rows are borrowed until the callback returns; it returns 0 to go
 * on, and anything else ends the listing and is returned.  The callback must
 * not use the same handle.  Of a filter, what is NULL or 0 does not filter; a
 * filter of NULL takes everything, oldest first.
 */
struct ward_violations_filter {
	const char *account;
	const char *session;
	const char *sandbox;
	const char *kind;   /* violations */
	const char *target; /* violations; what begins so, if * is its end */
	bool open_only;     /* sessions */
	int64_t since;      /* seen (or, sessions, open) at or after this */
	int64_t limit;
	bool newest_first;
};

struct ward_violations_violation_row {
	int64_t id;
	const char *account;
	uint32_t uid;
	struct ward_violation violation;
	int64_t sealed; /* of those that are listed by it; else 0 */
};
typedef int ward_violations_on_violation(
    void *context, const struct ward_violations_violation_row *row);
int ward_violations_each(struct ward_violations *store,
    const struct ward_violations_filter *filter,
    ward_violations_on_violation *on_row, void *context, struct err *err);

/*
 * Those with a larger id than after, in the order that they were written in;
 * newest_first does not matter.  What is there now is up to last_id; 0:
 * nothing.
 */
int ward_violations_after(struct ward_violations *store,
    const struct ward_violations_filter *filter, int64_t after,
    ward_violations_on_violation *on_row, void *context, struct err *err);
int ward_violations_last_id(
    struct ward_violations *store, int64_t *last_id, struct err *err);

/*
 * Those that changed for the last time after the one that was the after-th to
 * do so, in that order: limit of them at the most.
 */
int ward_violations_sealed_after(struct ward_violations *store, int64_t after,
    int64_t limit, ward_violations_on_violation *on_row, void *context,
    struct err *err);

/*
 * How many there were, by a column: the most first.  newest_first does not
 * matter.  value is NULL for rows that have none.
 */
enum ward_violations_column {
	WARD_BY_ACCOUNT,
	WARD_BY_SESSION,
	WARD_BY_SANDBOX,
	WARD_BY_KIND,
	WARD_BY_OPERATION,
	WARD_BY_TARGET,
	WARD_BY_PROGRAM,
	WARD_BY_PROFILE,
	WARD_BY_RULE, /* "file:line", or its text */
	WARD_N_COLUMNS,
};
struct ward_violations_group_row {
	const char *value;
	int64_t rows;
	int64_t count; /* with the repeats */
	int64_t last;
};
typedef int ward_violations_on_group(
    void *context, const struct ward_violations_group_row *row);
int ward_violations_each_group(struct ward_violations *store,
    const struct ward_violations_filter *filter,
    enum ward_violations_column column, ward_violations_on_group *on_row,
    void *context, struct err *err);

/* Sessions that began at since or later, by account. */
struct ward_violations_sessions_row {
	const char *account;
	int64_t sessions, open, refused;
	int64_t last; /* when the last one began */
};
typedef int ward_violations_on_sessions(
    void *context, const struct ward_violations_sessions_row *row);
int ward_violations_count_sessions(struct ward_violations *store,
    const char *account, int64_t since, ward_violations_on_sessions *on_row,
    void *context, struct err *err);

/* What a session did, by time. */
struct ward_violations_event {
	const char *what; /* "command", "connection", "violation", "gap" */
	int64_t id;
	int64_t from, to;      /* to is 0: not over, or not known */
	const char *text;      /* argv, host:port, target, what is missing */
	const char *detail;    /* verdict, operation, or NULL */
	int64_t count;         /* -1: none, or not known */
	int64_t pid;           /* 0: not known */
	const char *program;   /* or NULL */
	int errnum;            /* 0: none */
	const char *rule_file; /* as in struct ward_violation */
	unsigned rule_line;
	const char *rule_text;
	const char *reason; /* or NULL */
	int status;         /* of a command; -1: not known */
};
typedef int ward_violations_on_event(
    void *context, const struct ward_violations_event *event);
int
ward_violations_each_event(struct ward_violations *store, const char *session,
    ward_violations_on_event *on_event, void *context, struct err *err);

/* What holding a chain against its rows finds. */
enum ward_chain_fault {
	WARD_CHAIN_CHANGED,   /* a row is not what was hashed, or not there */
	WARD_CHAIN_REMOVED,   /* rows before this one are gone */
	WARD_CHAIN_CUT,       /* rows at the end are gone */
	WARD_CHAIN_UNCHAINED, /* a row that no chain has, though it ended */
	WARD_CHAIN_HEAD,      /* the sandbox's own row was changed */
};
struct ward_violations_fault {
	enum ward_chain_fault fault;
	int64_t row;         /* the row's id; 0: none */
	int64_t first, last; /* links: those that it is about */
};
struct ward_violations_chain_row {
	const char *sandbox;
	const char *account;
	bool is_chained;  /* an older warden's is not */
	bool is_open;     /* the sandbox has not ended */
	int64_t rows;     /* that are links */
	int64_t unlinked; /* rows that are none */
	int64_t length;   /* links that there have been */
	const unsigned char *head;
};
/* fault is NULL where the chain holds; else there is one call for each. */
typedef int ward_violations_on_chain(void *context,
    const struct ward_violations_chain_row *row,
    const struct ward_violations_fault *fault);
/*
 * Holds the chain of every sandbox that was open at since or later against its
 * rows.  In one transaction: what is written meanwhile does not count.
 */
int ward_violations_verify(struct ward_violations *store, int64_t since,
    ward_violations_on_chain *on_chain, void *context, struct err *err);

/*
 * What a log says that a chain was: 1 if it is so, 0 if it is not, or if there
 * is no such sandbox.
 */
int ward_violations_was(struct ward_violations *store, const char *sandbox,
    int64_t length, const unsigned char head[WARD_SHA256_SIZE],
    struct err *err);

/*
 * Removes what is older than before (0: nothing for its age), and then the
 * oldest of what was refused and of connections until the rest takes no more
 * than bytes (0: as much as it likes), or there are a thousand of both.  Of a
 * chain only its beginning goes, and the hash of the last that went stays, so
 * that it verifies as before; what does not verify stays, and is counted as
 * damaged.  Sandboxes stay, and requests.  Many short transactions.
 */
struct ward_violations_limits {
	int64_t before;
	int64_t bytes;
};
struct ward_violations_pruned {
	int64_t rows;
	int64_t damaged; /* sandboxes */
	int64_t bytes;   /* that the rest takes */
};
int ward_violations_prune(struct ward_violations *store,
    const struct ward_violations_limits *limits, int64_t now,
    struct ward_violations_pruned *pruned, struct err *err);
/* 1: the last pruning, or the first sandbox, was before; 0: it was not. */
int ward_violations_prune_due(
    struct ward_violations *store, int64_t before, struct err *err);

struct ward_violations_connection_row {
	int64_t id;
	const char *account;
	struct ward_violations_connection connection;
};
typedef int ward_violations_on_connection(
    void *context, const struct ward_violations_connection_row *row);
int ward_violations_each_connection(struct ward_violations *store,
    const struct ward_violations_filter *filter,
    ward_violations_on_connection *on_row, void *context, struct err *err);

struct ward_violations_session_row {
	struct ward_violations_session session;
	const char *profile; /* of its sandbox; NULL without one */
	int64_t revision;
	int64_t ended; /* 0: still open, and the rest says nothing */
	const char *reason;
	const char *refusal;
	int status;         /* -1: unknown */
	int64_t commands;   /* how many of each it had */
	int64_t violations; /* rows, not repeats */
};
typedef int ward_violations_on_session(
    void *context, const struct ward_violations_session_row *row);
int ward_violations_each_session(struct ward_violations *store,
    const struct ward_violations_filter *filter,
    ward_violations_on_session *on_row, void *context, struct err *err);

struct ward_violations_command_row {
	int64_t id;
	const char *session;
	const char *account;
	int64_t pid;
	const char *argv;
	int64_t started;
	int64_t ended; /* 0: still running */
	int status;    /* -1: unknown */
};
typedef int ward_violations_on_command(
    void *context, const struct ward_violations_command_row *row);
int ward_violations_each_command(struct ward_violations *store,
    const struct ward_violations_filter *filter,
    ward_violations_on_command *on_row, void *context, struct err *err);

struct ward_violations_gap_row {
	int64_t id;
	const char *account;
	struct ward_violations_gap gap;
};
typedef int ward_violations_on_gap(
    void *context, const struct ward_violations_gap_row *row);
int ward_violations_each_gap(struct ward_violations *store,
    const struct ward_violations_filter *filter, ward_violations_on_gap *on_row,
    void *context, struct err *err);
/* With a larger id than after, in the order that they were written in. */
int ward_violations_gaps_after(struct ward_violations *store, int64_t after,
    int64_t limit, ward_violations_on_gap *on_row, void *context,
    struct err *err);

#endif
