/* SPDX-License-Identifier: ISC */
/*
 * Rows: what the recorder's thread writes to violations.db, and what it has to
 * remember for that: the sessions that are open, and the last acts, whose
 * repeats are counted.  sandbox/recorder.c only.
 */
#ifndef WARD_SANDBOX_ROWS_H
#define WARD_SANDBOX_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "sandbox/recorder.h"

enum ward_record_kind {
	WARD_RECORD_SESSION_START,
	WARD_RECORD_SESSION_END,
	WARD_RECORD_COMMAND,
	/* of which an account can make as many as it likes */
	WARD_RECORD_VIOLATION,
	WARD_RECORD_CONNECTION,
	WARD_RECORD_REQUEST,
};

/* Something to be written; strings are owned. */
struct ward_record {
	struct ward_record *next;
	enum ward_record_kind kind;
	int64_t when;
	char session[32];
	pid_t pid;
	char *text; /* target, host, command line or reason */
	/* of a violation and of a connection */
	char *program;
	char *rule_file, *rule_text; /* file NULL: built-in */
	unsigned rule_line;
	char *reason;  /* or NULL */
	char *address; /* the same */
	/* the rest of one; its strings are those above */
	struct ward_refused_act act;
	struct ward_connection connection;
	/* of a request; its host is text, and reason is the account's */
	uint16_t port;
	/* of a session's start */
	struct ward_wire_open *request;
	enum ward_refusal refusal; /* of its end */
	int64_t row; /* a violation's, that is new in this batch; 0: none */
};

/* NULL is fine. */
void ward_record_free(struct ward_record *record);

/* What will never be a row. */
struct ward_dropped {
	int64_t count, from, to;
};

struct ward_rows;

/* NULL without memory.  sandbox is copied; what it points to is borrowed. */
struct ward_rows *ward_rows_new(const struct ward_recorder_sandbox *sandbox);
void ward_rows_free(struct ward_rows *rows);

/* When there is something to do without a record; -1: nothing. */
int64_t ward_rows_due_ms(const struct ward_rows *rows);

/* Nobody has removed what is old for a day; of what was written last. */
bool ward_rows_prune_due(struct ward_rows *rows);

/*
 * Writes a whole list, with a gap for what was dropped and, with a reason, the
 * end of the sandbox, in one transaction; opens the store where it is not, or
 * was moved or deleted.  On failure nothing was written.
 */
int ward_rows_write(struct ward_rows *rows, struct ward_record *list,
    const struct ward_dropped *dropped, const char *end_reason,
    struct err *err);

#endif
