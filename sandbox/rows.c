/* SPDX-License-Identifier: ISC */
/* Rows: what the recorder's thread writes to violations.db. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "common/clock.h"
#include "common/places.h"
#include "db/requests.h"
#include "db/violations.h"
#include "sandbox/budget.h"
#include "sandbox/journal.h"
#include "sandbox/rows.h"
#include "sandbox/rundir.h"

#define RECENT_MAX 256 /* distinct acts whose repeats are counted */
#define WINDOW_US  (60 * INT64_C(1000000))
#define PRUNE_US   (86400 * INT64_C(1000000))
#define DB_WAIT_MS 500
#define ROW_BYTES  256 /* about what a row takes beside its text */

/* A violation's row whose repeats are still counted. */
struct recent {
	int64_t row;
	char session[32];
	const char *kind, *operation;
	char *target;
	int64_t last, more;
};

/* A session that has a row, for a store that has to be made anew. */
struct open_session {
	struct open_session *next;
	char id[32];
	pid_t opener;
	int64_t started;
	struct ward_wire_open request;
};

struct ward_rows {
	struct ward_recorder_sandbox sandbox;
	int64_t started;
	struct ward_violations *store; /* NULL: not open */
	struct ward_journal journal;
	bool closed_lost;
	struct open_session *sessions;
	struct recent recent[RECENT_MAX];
	size_t next_recent;
	/* connections have one of their own: they hide no refusals */
	struct ward_budget budget, connections;
	struct ward_dropped dropped; /* no row tells of these yet */
	int64_t gap_at;              /* when one last did */
	bool unsealed;    /* rows may be open that recent knows not */
	int64_t head_due; /* since when the log lacks one; 0: not */
	int64_t logged;   /* the length that it has */
};

void
ward_record_free(struct ward_record *record)
{
	if (record == NULL)
		return;
	free(record->text);
	free(record->program);
	free(record->rule_file);
	free(record->rule_text);
	free(record->reason);
	free(record->address);
	free(record->request);
	free(record);
}

static void
forget_recent(struct ward_rows *r)
{
	for (size_t i = 0; i < RECENT_MAX; i++)
		free(r->recent[i].target);
	memset(r->recent, 0, sizeof(r->recent));
	r->unsealed = true;
}

static int
announce_session(
    struct ward_rows *r, const struct open_session *session, struct err *err)
{
	const struct ward_wire_open *q = &session->request;
	const struct ward_violations_session row = {
		.id = session->id,
		.sandbox = r->sandbox.id,
		.account = r->sandbox.account,
		.uid = r->sandbox.uid,
		.service = q->service,
		.tty = q->tty[0] == '\0' ? NULL : q->tty,
		.rhost = q->rhost[0] == '\0' ? NULL : q->rhost,
		.ruser = q->ruser[0] == '\0' ? NULL : q->ruser,
		.opener_pid = session->opener,
		.audit_session = q->audit_session == UINT32_MAX
		    ? -1
		    : (int64_t)q->audit_session,
		.started = session->started,
	};

	return ward_violations_session_start(r->store, &row, err);
}

static struct open_session **
find_session(struct ward_rows *r, const char *id)
{
	struct open_session **at = &r->sessions;

	while (*at != NULL && strcmp((*at)->id, id) != 0)
		at = &(*at)->next;
	return at;
}

static int
start_session(
    struct ward_rows *r, const struct ward_record *record, struct err *err)
{
	struct open_session **at = find_session(r, record->session);

	if (*at == NULL) {
		*at = calloc(1, sizeof(**at));
		if (*at == NULL)
			return ward_err_sys(err, ENOMEM, "a session's row");
		memcpy((*at)->id, record->session, sizeof((*at)->id));
		(*at)->opener = record->pid;
		(*at)->started = record->when;
		(*at)->request = *record->request;
	}
	return announce_session(r, *at, err);
}

static int
end_session(
    struct ward_rows *r, const struct ward_record *record, struct err *err)
{
	struct open_session **at = find_session(r, record->session);
	struct open_session *session = *at;
	char code[8];

	(void)snprintf(
	    code, sizeof(code), "W%03u", (unsigned)record->refusal % 1000);
	if (session != NULL) {
		*at = session->next;
		free(session);
	}
	if (r->head_due == 0)
		r->head_due = record->when;
	return ward_violations_session_end(r->store, record->session,
	    record->when, record->text,
	    record->refusal == WARD_REFUSED_NONE ? NULL : code, -1, err);
}

static struct recent *
find_recent(struct ward_rows *r, const struct ward_record *record)
{
	for (size_t i = 0; i < RECENT_MAX; i++) {
		struct recent *recent = &r->recent[i];
		if (recent->target != NULL &&
		    record->when - recent->last < WINDOW_US &&
		    recent->kind == record->act.kind &&
		    recent->operation == record->act.operation &&
		    strcmp(recent->session, record->session) == 0 &&
		    strcmp(recent->target, record->text) == 0)
			return recent;
	}
	return NULL;
}

static int
flush_recent(struct ward_rows *r, struct recent *recent, struct err *err)
{
	int64_t more = recent->more;

	if (more == 0)
		return 0;
	recent->more = 0;
	return ward_violations_repeat(
	    r->store, recent->row, more, recent->last, err);
}

/* Its window is over: it is hashed, and never changes again. */
static int
close_recent(struct ward_rows *r, struct recent *recent, struct err *err)
{
	if (recent->row == 0)
		return 0;
	int result = flush_recent(r, recent, err);
	if (result == 0)
		result = ward_violations_seal(r->store, recent->row, err);
	free(recent->target);
	*recent = (struct recent){ 0 };
	return result;
}

/* When its window closes, at the latest; also where the clock was set back. */
static int64_t
closes_in(const struct recent *recent, int64_t now)
{
	int64_t left = recent->last + WINDOW_US - now;

	return left < 0 || left > 2 * WINDOW_US ? 0 : left;
}

/* Remembers a new row in the place of the oldest. */
static int
remember(struct ward_rows *r, const struct ward_record *record, int64_t row,
    struct err *err)
{
	struct recent *recent = &r->recent[r->next_recent];
	int result = close_recent(r, recent, err);

	r->next_recent = (r->next_recent + 1) % RECENT_MAX;
	*recent = (struct recent){
		.row = row,
		.kind = record->act.kind,
		.operation = record->act.operation,
		.target = strdup(record->text),
		.last = record->when,
	};
	memcpy(recent->session, record->session, sizeof(recent->session));
	/* without memory its repeats are rows of their own */
	return result;
}

static void
add_dropped(struct ward_dropped *to, const struct ward_dropped *more)
{
	if (more->count == 0)
		return;
	if (to->count == 0 || more->from < to->from)
		to->from = more->from;
	if (to->count == 0 || more->to > to->to)
		to->to = more->to;
	to->count += more->count;
}

/* A row that the account makes; false where it has made too many. */
static bool
may_write(struct ward_rows *r, const struct ward_record *record)
{
	const struct ward_dropped one = { 1, record->when, record->when };
	struct ward_budget *budget = record->kind == WARD_RECORD_CONNECTION
	    ? &r->connections
	    : &r->budget;
	int64_t bytes = (int64_t)strlen(record->text) + ROW_BYTES;

	if (record->reason != NULL)
		bytes += (int64_t)strlen(record->reason);
	if (ward_budget_take(budget, ward_wall_now(), bytes))
		return true;
	add_dropped(&r->dropped, &one);
	return false;
}

/* A new row; strings are borrowed. */
static struct ward_violation
violation_of(const struct ward_rows *r, const struct ward_record *record)
{
	const struct ward_refused_act *act = &record->act;

	return (struct ward_violation){
		.sandbox = r->sandbox.id,
		.session = record->session[0] == '\0' ? NULL : record->session,
		.kind = act->kind,
		.operation = act->operation,
		.target = record->text,
		.pid = record->pid,
		.program = record->program,
		.confirmed = act->confirmed,
		.errnum = act->errnum,
		.count = 1,
		.first = record->when,
		.last = record->when,
		.profile = r->sandbox.profile,
		.revision = r->sandbox.revision,
		.rule_file = record->rule_file,
		.rule_line = record->rule_line,
		.rule_text = record->rule_text,
		.reason = record->reason,
	};
}

static int
write_violation(
    struct ward_rows *r, struct ward_record *record, struct err *err)
{
	struct recent *recent = find_recent(r, record);

	record->row = 0;
	if (recent != NULL) {
		recent->more++;
		recent->last = record->when;
		return 0;
	}
	if (!may_write(r, record))
		return 0;
	struct ward_violation violation = violation_of(r, record);
	int result =
	    ward_violations_add(r->store, &violation, &record->row, err);
	if (result == -ENOENT && violation.session != NULL) {
		/* its session never became a row: better a row without one */
		*err = (struct err){ 0 };
		record->session[0] = '\0';
		violation.session = NULL;
		result = ward_violations_add(
		    r->store, &violation, &record->row, err);
	}
	return result != 0 ? result : remember(r, record, record->row, err);
}

/* What the batch made is there for good: each new row goes to the log. */
static void
tell_log(struct ward_rows *r, const struct ward_record *list)
{
	for (; list != NULL; list = list->next)
		if (list->row != 0) {
			const struct ward_violation violation =
			    violation_of(r, list);
			ward_journal_violation(&r->journal, list->row,
			    r->sandbox.account, r->sandbox.uid, &violation);
		}
}

static int
write_connection(
    struct ward_rows *r, const struct ward_record *record, struct err *err)
{
	const struct ward_connection *c = &record->connection;
	struct ward_violations_connection row = {
		.sandbox = r->sandbox.id,
		.session = record->session[0] == '\0' ? NULL : record->session,
		.front = c->front,
		.host = record->text,
		.port = c->port,
		.address = record->address,
		.verdict = c->verdict,
		.rule_file = record->rule_file,
		.rule_line = record->rule_line,
		.rule_text = record->rule_text,
		.grant = c->grant,
		.up = c->up,
		.down = c->down,
		.started = c->began,
		.duration = c->duration,
		.errnum = c->errnum,
		.pid = record->pid,
		.program = record->program,
	};

	if (!may_write(r, record))
		return 0;
	int result = ward_violations_connection_add(r->store, &row, err);
	if (result == -ENOENT && row.session != NULL) {
		/* as with a violation */
		*err = (struct err){ 0 };
		row.session = NULL;
		result = ward_violations_connection_add(r->store, &row, err);
	}
	return result;
}

/* Their number is limited where they are kept. */
static int
write_request(
    struct ward_rows *r, const struct ward_record *record, struct err *err)
{
	struct ward_violations_request row = {
		.sandbox = r->sandbox.id,
		.session = record->session[0] == '\0' ? NULL : record->session,
		.account = r->sandbox.account,
		.host = record->text,
		.port = record->port,
		.when = record->when,
		.why = record->reason,
	};
	int result = ward_violations_request_add(r->store, &row, err);

	if (result == -ENOENT && row.session != NULL) {
		/* as with a violation */
		*err = (struct err){ 0 };
		row.session = NULL;
		result = ward_violations_request_add(r->store, &row, err);
	}
	return result;
}

static int
write_record(struct ward_rows *r, struct ward_record *record, struct err *err)
{
	int64_t command;

	switch (record->kind) {
	case WARD_RECORD_SESSION_START:
		return start_session(r, record, err);
	case WARD_RECORD_SESSION_END:
		return end_session(r, record, err);
	case WARD_RECORD_COMMAND:
		if (!may_write(r, record))
			return 0;
		return ward_violations_command_start(r->store, record->session,
		    record->pid, record->text, record->when, &command, err);
	case WARD_RECORD_VIOLATION:
		return write_violation(r, record, err);
	case WARD_RECORD_CONNECTION:
		return write_connection(r, record, err);
	case WARD_RECORD_REQUEST:
		return write_request(r, record, err);
	}
	return -EINVAL;
}

/* One gap a window, however long the account goes on; and one at the end. */
static int
write_gap(struct ward_rows *r, bool at_end, struct err *err)
{
	int64_t now = ward_wall_now();
	const struct ward_violations_gap gap = {
		.sandbox = r->sandbox.id,
		.what = "records dropped",
		.from = r->dropped.from,
		.to = r->dropped.to,
		.count = r->dropped.count,
	};

	if (r->dropped.count == 0 ||
	    (!at_end && now >= r->gap_at && now - r->gap_at < WINDOW_US))
		return 0;
	r->gap_at = now;
	r->dropped = (struct ward_dropped){ 0 };
	return ward_violations_gap_add(r->store, &gap, err);
}

static int
write_list(struct ward_rows *r, struct ward_record *list, struct err *err)
{
	int result = 0;

	for (; result == 0 && list != NULL; list = list->next) {
		result = write_record(r, list, err);
		if (result == -ENOENT) {
			/* of a session that never became a row */
			*err = (struct err){ 0 };
			result = 0;
		}
	}
	return result;
}

/* Counts what came again, and closes the windows whose time it is. */
static int
look_at_recent(struct ward_rows *r, struct err *err)
{
	int64_t now = ward_wall_now();
	int result = 0;

	for (size_t i = 0; result == 0 && i < RECENT_MAX; i++) {
		struct recent *recent = &r->recent[i];
		result = closes_in(recent, now) == 0
		    ? close_recent(r, recent, err)
		    : flush_recent(r, recent, err);
	}
	return result;
}

/* The end of the batch, and with a reason of the sandbox. */
static int
write_rest(struct ward_rows *r, const char *end_reason, struct err *err)
{
	int result = look_at_recent(r, err);

	if (result == 0)
		result = write_gap(r, end_reason != NULL, err);
	if (result != 0 || end_reason == NULL)
		return result;
	result = ward_violations_seal_open(r->store, r->sandbox.id, err);
	if (result == 0)
		result = ward_violations_sandbox_end(
		    r->store, r->sandbox.id, ward_wall_now(), end_reason, err);
	return result;
}

/* One transaction with all of it. */
static int
write_all(struct ward_rows *r, struct ward_record *list,
    const struct ward_dropped *dropped, const char *end_reason, struct err *err)
{
	const struct ward_budget budget = r->budget;
	const struct ward_budget connections = r->connections;
	const struct ward_dropped before = r->dropped;
	int64_t gap_at = r->gap_at;
	int result = ward_violations_begin(r->store, err);

	if (result != 0)
		return result;
	/* there is nothing in recent then */
	if (r->unsealed)
		result =
		    ward_violations_seal_open(r->store, r->sandbox.id, err);
	if (result == 0)
		result = write_list(r, list, err);
	add_dropped(&r->dropped, dropped);
	if (result == 0)
		result = write_rest(r, end_reason, err);
	if (result == 0)
		result = ward_violations_commit(r->store, err);
	if (result == 0) {
		r->unsealed = false;
		return 0;
	}
	/* all of it comes again; rows that are none have no repeats */
	ward_violations_rollback(r->store);
	forget_recent(r);
	r->budget = budget;
	r->connections = connections;
	r->dropped = before;
	r->gap_at = gap_at;
	return result;
}

static bool
lives(void *context, const char *id)
{
	const struct ward_recorder_sandbox *own = context;

	return strcmp(id, own->id) == 0 || ward_rundir_lives(own->uid, id);
}

/* What dead wardens left is closed once: later, others may have started. */
static int
close_lost(struct ward_rows *r, struct err *err)
{
	if (r->closed_lost)
		return 0;
	int result = ward_violations_close_lost(r->store, r->sandbox.uid, lives,
	    &r->sandbox, ward_wall_now(), NULL, err);
	r->closed_lost = result == 0;
	return result;
}

/* Opens the store, which may be a new one, and announces what is there. */
static int
open_store(struct ward_rows *r, struct err *err)
{
	const struct ward_violations_sandbox row = {
		.id = r->sandbox.id,
		.account = r->sandbox.account,
		.uid = r->sandbox.uid,
		.profile = r->sandbox.profile,
		.revision = r->sandbox.revision,
		.hash = r->sandbox.hash,
		.started = r->started,
	};
	int result = ward_violations_open(WARD_VIOLATIONS_DB,
	    WARD_VIOLATIONS_WRITE, DB_WAIT_MS, &r->store, err);

	if (result == 0)
		result = close_lost(r, err);
	if (result == 0)
		result = ward_violations_sandbox_start(r->store, &row, err);
	for (const struct open_session *i = r->sessions;
	     result == 0 && i != NULL; i = i->next)
		result = announce_session(r, i, err);
	if (result == 0)
		return 0;
	ward_violations_close(r->store);
	r->store = NULL;
	return result;
}

/*
 * The chain's head, for the log, which the account cannot write and another
 * machine may keep: once a session is over and no window is open, or a while
 * later, and at the end.
 */
static void
log_head(struct ward_rows *r, bool at_end)
{
	unsigned char head[WARD_SHA256_SIZE];
	char hex[2 * WARD_SHA256_SIZE + 1];
	int64_t length = 0, now = ward_wall_now();
	bool quiet = true;

	for (size_t i = 0; i < RECENT_MAX; i++)
		quiet = quiet && r->recent[i].row == 0;
	if (!at_end &&
	    (r->head_due == 0 || (!quiet && now - r->head_due < WINDOW_US)))
		return;
	if (ward_violations_chain(
		r->store, r->sandbox.id, &length, head, NULL) != 0)
		return;
	r->head_due = 0;
	if (length == r->logged)
		return;
	r->logged = length;
	ward_sha256_hex(hex, head);
	syslog(LOG_NOTICE, "ward: chain of sandbox %s of %s: %jd %s",
	    r->sandbox.id, r->sandbox.account, (intmax_t)length, hex);
}

int64_t
ward_rows_due_ms(const struct ward_rows *rows)
{
	int64_t now = ward_wall_now();
	int64_t due = rows->unsealed ? 0 : INT64_MAX;

	for (size_t i = 0; i < RECENT_MAX; i++)
		if (rows->recent[i].row != 0) {
			int64_t left = closes_in(&rows->recent[i], now);
			due = left < due ? left : due;
		}
	return due == INT64_MAX ? -1 : (due + 999) / 1000;
}

int
ward_rows_write(struct ward_rows *rows, struct ward_record *list,
    const struct ward_dropped *dropped, const char *end_reason, struct err *err)
{
	int result = rows->store == NULL ? open_store(rows, err) : 0;

	if (result == 0)
		result = write_all(rows, list, dropped, end_reason, err);
	if (result == 0) {
		tell_log(rows, list);
		log_head(rows, end_reason != NULL);
	}
	/* a lock goes away by itself; for all else a new handle */
	if (result != 0 && result != -EBUSY) {
		ward_violations_close(rows->store);
		rows->store = NULL;
		/* the next may be another file, with other numbers */
		forget_recent(rows);
	}
	return result;
}

bool
ward_rows_prune_due(struct ward_rows *rows)
{
	return rows->store != NULL &&
	    ward_violations_prune_due(
		rows->store, ward_wall_now() - PRUNE_US, NULL) > 0;
}

struct ward_rows *
ward_rows_new(const struct ward_recorder_sandbox *sandbox)
{
	struct ward_rows *rows = calloc(1, sizeof(*rows));

	if (rows == NULL)
		return NULL;
	rows->sandbox = *sandbox;
	rows->started = ward_wall_now();
	rows->journal.fd = -1;
	return rows;
}

void
ward_rows_free(struct ward_rows *rows)
{
	if (rows == NULL)
		return;
	ward_violations_close(rows->store);
	ward_journal_close(&rows->journal);
	forget_recent(rows);
	while (rows->sessions != NULL) {
		struct open_session *next = rows->sessions->next;
		free(rows->sessions);
		rows->sessions = next;
	}
	free(rows);
}
