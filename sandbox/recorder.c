/* SPDX-License-Identifier: ISC */
/* The recorder: a thread that owns the handle of violations.db. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#include "common/fd.h"
#include "common/places.h"
#include "db/violations.h"
#include "sandbox/recorder.h"

#define QUEUE_MAX  4096 /* records; at most some 20 MB of paths */
#define RECENT_MAX 256  /* distinct acts whose repeats are counted */
#define WINDOW_US  (60 * INT64_C(1000000))
#define BATCH_MS   100
#define RETRY_MS   1000
#define STOP_MS    2000
#define DB_WAIT_MS 500

enum kind {
	SESSION_START,
	SESSION_END,
	COMMAND,
	VIOLATION,
};

struct record {
	struct record *next;
	enum kind kind;
	int64_t when;
	char session[32];
	pid_t pid;
	/* of a violation */
	struct ward_refused_act act;
	char *text; /* target, command line or reason */
	char *program;
	/* of a session's start */
	struct ward_wire_open *request;
};

/* A violation's row whose repeats are still counted. */
struct recent {
	int64_t row;
	char session[32];
	const char *operation;
	char *target;
	int64_t last, more;
};

struct ward_recorder {
	struct ward_recorder_sandbox sandbox;
	int64_t started;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;

	/* under the mutex */
	struct record *first, **end;
	size_t n_queued;
	int64_t dropped, dropped_from, dropped_to;
	bool stopping;
	const char *stop_reason;

	/* the thread's own */
	struct ward_violations *store;
	struct recent recent[RECENT_MAX];
	size_t next_recent;
	bool complained;
};

static int64_t
now_us(void)
{
	struct timespec ts = { 0 };

	(void)clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void
record_free(struct record *record)
{
	if (record == NULL)
		return;
	free(record->text);
	free(record->program);
	free(record->request);
	free(record);
}

/* Under the mutex: counts what will never be a row. */
static void
count_dropped(struct ward_recorder *r, int64_t count, int64_t when)
{
	if (r->dropped == 0)
		r->dropped_from = when;
	r->dropped += count;
	r->dropped_to = when;
}

/* Takes record; NULL, for want of memory, is counted as dropped. */
static void
enqueue_take(struct ward_recorder *r, struct record *record)
{
	(void)pthread_mutex_lock(&r->mutex);
	if (record == NULL || r->n_queued >= QUEUE_MAX) {
		count_dropped(r, 1, now_us());
		record_free(record);
	} else {
		*r->end = record;
		r->end = &record->next;
		r->n_queued++;
		(void)pthread_cond_signal(&r->wake);
	}
	(void)pthread_mutex_unlock(&r->mutex);
}

static struct record *
record_new(enum kind kind, const char *session, const char *text)
{
	struct record *record = calloc(1, sizeof(*record));

	if (record == NULL)
		return NULL;
	record->kind = kind;
	record->when = now_us();
	(void)snprintf(record->session, sizeof(record->session), "%s", session);
	record->text = strdup(text);
	if (record->text != NULL)
		return record;
	free(record);
	return NULL;
}

void
ward_recorder_session_start(struct ward_recorder *recorder, const char *session,
    pid_t opener, const struct ward_wire_open *request)
{
	struct record *record = record_new(SESSION_START, session, "");

	if (record != NULL) {
		record->pid = opener;
		record->request = malloc(sizeof(*request));
		if (record->request == NULL) {
			record_free(record);
			record = NULL;
		} else {
			*record->request = *request;
		}
	}
	enqueue_take(recorder, record);
}

void
ward_recorder_session_end(
    struct ward_recorder *recorder, const char *session, const char *reason)
{
	enqueue_take(recorder, record_new(SESSION_END, session, reason));
}

void
ward_recorder_command(struct ward_recorder *recorder, const char *session,
    pid_t pid, const char *line)
{
	struct record *record = record_new(COMMAND, session, line);

	if (record != NULL)
		record->pid = pid;
	enqueue_take(recorder, record);
}

void
ward_recorder_violation(
    struct ward_recorder *recorder, const struct ward_refused_act *act)
{
	struct record *record =
	    record_new(VIOLATION, act->session, act->target);

	if (record != NULL) {
		record->act = *act;
		record->pid = act->pid;
		record->program = strdup(act->program);
		if (record->program == NULL) {
			record_free(record);
			record = NULL;
		}
	}
	enqueue_take(recorder, record);
}

void
ward_recorder_dropped(struct ward_recorder *recorder, int64_t count)
{
	(void)pthread_mutex_lock(&recorder->mutex);
	count_dropped(recorder, count, now_us());
	(void)pthread_cond_signal(&recorder->wake);
	(void)pthread_mutex_unlock(&recorder->mutex);
}

/* --- the thread --- */

static void
forget_recent(struct ward_recorder *r)
{
	for (size_t i = 0; i < RECENT_MAX; i++)
		free(r->recent[i].target);
	memset(r->recent, 0, sizeof(r->recent));
}

static int
write_session(
    struct ward_recorder *r, const struct record *record, struct err *err)
{
	const struct ward_wire_open *q = record->request;
	const struct ward_violations_session row = {
		.id = record->session,
		.sandbox = r->sandbox.id,
		.account = r->sandbox.account,
		.uid = r->sandbox.uid,
		.service = q->service,
		.tty = q->tty[0] == '\0' ? NULL : q->tty,
		.rhost = q->rhost[0] == '\0' ? NULL : q->rhost,
		.ruser = q->ruser[0] == '\0' ? NULL : q->ruser,
		.opener_pid = record->pid,
		.audit_session = q->audit_session == UINT32_MAX
		    ? -1
		    : (int64_t)q->audit_session,
		.started = record->when,
	};

	return ward_violations_session_start(r->store, &row, err);
}

static struct recent *
find_recent(struct ward_recorder *r, const struct record *record)
{
	for (size_t i = 0; i < RECENT_MAX; i++) {
		struct recent *recent = &r->recent[i];
		if (recent->target != NULL &&
		    record->when - recent->last < WINDOW_US &&
		    recent->operation == record->act.operation &&
		    strcmp(recent->session, record->session) == 0 &&
		    strcmp(recent->target, record->text) == 0)
			return recent;
	}
	return NULL;
}

static int
flush_recent(struct ward_recorder *r, struct recent *recent, struct err *err)
{
	int64_t more = recent->more;

	if (more == 0)
		return 0;
	recent->more = 0;
	return ward_violations_repeat(
	    r->store, recent->row, more, recent->last, err);
}

/* Remembers a new row in the place of the oldest. */
static int
remember(struct ward_recorder *r, const struct record *record, int64_t row,
    struct err *err)
{
	struct recent *recent = &r->recent[r->next_recent];
	int result = flush_recent(r, recent, err);

	r->next_recent = (r->next_recent + 1) % RECENT_MAX;
	free(recent->target);
	*recent = (struct recent){
		.row = row,
		.operation = record->act.operation,
		.target = strdup(record->text),
		.last = record->when,
	};
	memcpy(recent->session, record->session, sizeof(recent->session));
	/* without memory its repeats are rows of their own */
	return result;
}

static int
write_violation(
    struct ward_recorder *r, const struct record *record, struct err *err)
{
	const struct ward_refused_act *act = &record->act;
	struct recent *recent = find_recent(r, record);
	int64_t row = 0;

	if (recent != NULL) {
		recent->more++;
		recent->last = record->when;
		return 0;
	}
	const struct ward_violation violation = {
		.sandbox = r->sandbox.id,
		.session = record->session[0] == '\0' ? NULL : record->session,
		.kind = act->kind,
		.operation = act->operation,
		.target = record->text,
		.pid = record->pid,
		.program = record->program[0] == '\0' ? NULL : record->program,
		.confirmed = act->confirmed,
		.errnum = act->errnum,
		.count = 1,
		.first = record->when,
		.last = record->when,
		.profile = r->sandbox.profile,
		.revision = r->sandbox.revision,
		.rule_file = act->rule->origin.file,
		.rule_line = act->rule->origin.line,
		.rule_text = act->rule->path,
	};
	int result = ward_violations_add(r->store, &violation, &row, err);
	return result != 0 ? result : remember(r, record, row, err);
}

static int
write_record(
    struct ward_recorder *r, const struct record *record, struct err *err)
{
	int64_t command;

	switch (record->kind) {
	case SESSION_START:
		return write_session(r, record, err);
	case SESSION_END:
		return ward_violations_session_end(r->store, record->session,
		    record->when, record->text, NULL, -1, err);
	case COMMAND:
		return ward_violations_command_start(r->store, record->session,
		    record->pid, record->text, record->when, &command, err);
	case VIOLATION:
		return write_violation(r, record, err);
	}
	return -EINVAL;
}

static int
write_gap(struct ward_recorder *r, int64_t count, int64_t from, int64_t to,
    struct err *err)
{
	const struct ward_violations_gap gap = {
		.sandbox = r->sandbox.id,
		.what = "records dropped",
		.from = from,
		.to = to,
		.count = count,
	};

	return ward_violations_gap_add(r->store, &gap, err);
}

/* One transaction with all of a batch. */
static int
write_batch(struct ward_recorder *r, const struct record *batch,
    int64_t dropped, int64_t from, int64_t to, const char *end_reason,
    struct err *err)
{
	int result = ward_violations_begin(r->store, err);

	if (result != 0)
		return result;
	for (; result == 0 && batch != NULL; batch = batch->next) {
		result = write_record(r, batch, err);
		/* of a session whose start was dropped: nothing to end */
		if (result == -ENOENT) {
			result = 0;
			*err = (struct err){ 0 };
		}
	}
	for (size_t i = 0; result == 0 && i < RECENT_MAX; i++)
		result = flush_recent(r, &r->recent[i], err);
	if (result == 0 && dropped > 0)
		result = write_gap(r, dropped, from, to, err);
	if (result == 0 && end_reason != NULL)
		result = ward_violations_sandbox_end(
		    r->store, r->sandbox.id, now_us(), end_reason, err);
	if (result == 0)
		result = ward_violations_commit(r->store, err);
	if (result == 0)
		return 0;
	/* rows that were not committed have no repeats */
	ward_violations_rollback(r->store);
	forget_recent(r);
	return result;
}

/* Opens the store and announces the sandbox. */
static int
open_store(struct ward_recorder *r, struct err *err)
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
		result = ward_violations_close_lost(r->store, r->sandbox.uid,
		    r->sandbox.living, r->sandbox.n_living, r->started, NULL,
		    err);
	if (result == 0)
		result = ward_violations_sandbox_start(r->store, &row, err);
	if (result == 0)
		return 0;
	ward_violations_close(r->store);
	r->store = NULL;
	return result;
}

static void
complain(struct ward_recorder *r, const struct err *err)
{
	if (!r->complained)
		syslog(LOG_ERR, "ward: refusals of %s wait to be recorded: %s",
		    r->sandbox.account, err->text);
	r->complained = true;
}

/*
 * Writes a batch, with the store opened (again) where that is needed.  False:
 * it has to wait.
 */
static bool
try_batch(struct ward_recorder *r, const struct record *batch, int64_t dropped,
    int64_t from, int64_t to, const char *end_reason)
{
	struct err err = { 0 };
	int result = r->store == NULL ? open_store(r, &err) : 0;

	if (result == 0)
		result =
		    write_batch(r, batch, dropped, from, to, end_reason, &err);
	if (result == 0) {
		r->complained = false;
		return true;
	}
	complain(r, &err);
	/* a lock goes away by itself; for all else a new handle */
	if (result != -EBUSY) {
		ward_violations_close(r->store);
		r->store = NULL;
	}
	return false;
}

/* Under the mutex: until there is something to write, or the time is up. */
static void
wait_for_work(struct ward_recorder *r, int64_t ms)
{
	struct timespec until = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	while (!r->stopping &&
	    pthread_cond_timedwait(&r->wake, &r->mutex, &until) == 0)
		;
}

static void
free_batch(struct record *batch)
{
	while (batch != NULL) {
		struct record *next = batch->next;
		record_free(batch);
		batch = next;
	}
}

/*
 * One round: takes what is queued and writes it.  What could not be written
 * goes back to the head of the queue.
 */
static bool
run_round(struct ward_recorder *r, const char *end_reason)
{
	struct record *batch = r->first;
	struct record **batch_end = r->end;
	size_t n_batch = r->n_queued;
	int64_t dropped = r->dropped;
	int64_t from = r->dropped_from, to = r->dropped_to;

	if (batch == NULL && dropped == 0 && end_reason == NULL)
		return true;
	r->first = NULL;
	r->end = &r->first;
	/* n_queued still counts the batch: memory is bounded by it */
	r->dropped = 0;
	(void)pthread_mutex_unlock(&r->mutex);
	bool written = try_batch(r, batch, dropped, from, to, end_reason);
	if (written)
		free_batch(batch);
	(void)pthread_mutex_lock(&r->mutex);
	if (written) {
		r->n_queued -= n_batch;
		return true;
	}
	if (batch != NULL) {
		*batch_end = r->first;
		if (r->first == NULL)
			r->end = batch_end;
		r->first = batch;
	}
	if (dropped > 0) {
		int64_t since = r->dropped_to;
		count_dropped(r, dropped, to);
		r->dropped_from = from;
		if (since > to)
			r->dropped_to = since;
	}
	return false;
}

static void *
run(void *context)
{
	struct ward_recorder *r = context;
	int64_t deadline_ms = -1;

	(void)pthread_mutex_lock(&r->mutex);
	for (;;) {
		bool stopping = r->stopping;
		if (stopping && deadline_ms < 0)
			deadline_ms = ward_now_ms() + STOP_MS;
		bool written = run_round(r, stopping ? r->stop_reason : NULL);
		if (stopping && (written || ward_now_ms() >= deadline_ms))
			break;
		if (stopping) {
			(void)pthread_mutex_unlock(&r->mutex);
			const struct timespec pause = { .tv_nsec = 50000000 };
			(void)nanosleep(&pause, NULL);
			(void)pthread_mutex_lock(&r->mutex);
		} else if (!written) {
			wait_for_work(r, RETRY_MS);
		} else {
			while (
			    !r->stopping && r->first == NULL && r->dropped == 0)
				(void)pthread_cond_wait(&r->wake, &r->mutex);
			/* gather what comes together with the first */
			wait_for_work(r, BATCH_MS);
		}
	}
	if (r->first != NULL || r->dropped > 0)
		syslog(LOG_ERR,
		    "ward: %zu records of sandbox %s of %s and "
		    "%jd that were dropped are lost",
		    r->n_queued, r->sandbox.id, r->sandbox.account,
		    (intmax_t)r->dropped);
	(void)pthread_mutex_unlock(&r->mutex);
	return NULL;
}

int
ward_recorder_start(const struct ward_recorder_sandbox *sandbox,
    struct ward_recorder **recorder, struct err *err)
{
	struct ward_recorder *r = calloc(1, sizeof(*r));
	pthread_condattr_t attr;

	if (r == NULL)
		return ward_err_sys(err, ENOMEM, "the recorder");
	r->sandbox = *sandbox;
	r->started = now_us();
	r->end = &r->first;
	int result = pthread_condattr_init(&attr);
	if (result == 0)
		result = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (result == 0)
		result = pthread_cond_init(&r->wake, &attr);
	if (result == 0)
		result = pthread_mutex_init(&r->mutex, NULL);
	if (result == 0)
		result = pthread_create(&r->thread, NULL, run, r);
	if (result != 0) {
		free(r);
		return ward_err_sys(err, result, "the recorder");
	}
	*recorder = r;
	return 0;
}

void
ward_recorder_stop(struct ward_recorder *recorder, const char *reason)
{
	(void)pthread_mutex_lock(&recorder->mutex);
	recorder->stopping = true;
	recorder->stop_reason = reason;
	(void)pthread_cond_signal(&recorder->wake);
	(void)pthread_mutex_unlock(&recorder->mutex);
	(void)pthread_join(recorder->thread, NULL);
	ward_violations_close(recorder->store);
	forget_recent(recorder);
	free_batch(recorder->first);
	free(recorder);
}
