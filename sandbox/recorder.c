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

#include "common/clock.h"
#include "common/fd.h"
#include "sandbox/recent.h"
#include "sandbox/recorder.h"
#include "sandbox/rows.h"

#define QUEUE_MAX 4096 /* violations; some 20 MB of paths at most */
#define SPARE_MAX 1024 /* further ones, of sessions and commands */
#define BATCH_MS  100
#define RETRY_MS  1000
#define STOP_MS   1500

struct ward_recorder {
	const char *account; /* for the log */
	struct ward_recent *recent;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;

	/* under the mutex */
	struct ward_record *first, **end;
	size_t n_queued;
	struct ward_dropped dropped;
	bool stopping;
	const char *stop_reason;

	/* the thread's own */
	struct ward_rows *rows;
	bool complained;
};

/* Under the mutex: counts what will never be a row. */
static void
count_dropped(struct ward_recorder *r, int64_t count, int64_t when)
{
	if (r->dropped.count == 0)
		r->dropped.from = when;
	r->dropped.count += count;
	r->dropped.to = when;
}

/* Takes record; NULL, for want of memory, is counted as dropped. */
static void
enqueue_take(struct ward_recorder *r, struct ward_record *record)
{
	size_t room = record != NULL && record->kind < WARD_RECORD_VIOLATION
	    ? QUEUE_MAX + SPARE_MAX
	    : QUEUE_MAX;

	(void)pthread_mutex_lock(&r->mutex);
	if (record == NULL || r->n_queued >= room) {
		count_dropped(r, 1, ward_wall_now());
		ward_record_free(record);
	} else {
		*r->end = record;
		r->end = &record->next;
		r->n_queued++;
	}
	(void)pthread_cond_signal(&r->wake);
	(void)pthread_mutex_unlock(&r->mutex);
}

static struct ward_record *
record_new(enum ward_record_kind kind, const char *session, const char *text)
{
	struct ward_record *record = calloc(1, sizeof(*record));

	if (record == NULL)
		return NULL;
	record->kind = kind;
	record->when = ward_wall_now();
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
	struct ward_record *record =
	    record_new(WARD_RECORD_SESSION_START, session, "");

	if (record != NULL) {
		record->pid = opener;
		record->request = malloc(sizeof(*request));
		if (record->request == NULL) {
			ward_record_free(record);
			record = NULL;
		} else {
			*record->request = *request;
		}
	}
	enqueue_take(recorder, record);
}

void
ward_recorder_session_end(struct ward_recorder *recorder, const char *session,
    const char *reason, enum ward_refusal code)
{
	struct ward_record *record =
	    record_new(WARD_RECORD_SESSION_END, session, reason);

	if (record != NULL)
		record->refusal = code;
	enqueue_take(recorder, record);
}

void
ward_recorder_command(struct ward_recorder *recorder, const char *session,
    pid_t pid, const char *line)
{
	struct ward_record *record =
	    record_new(WARD_RECORD_COMMAND, session, line);

	if (record != NULL)
		record->pid = pid;
	enqueue_take(recorder, record);
}

/* NULL, and the empty string where that is none, are nothing to be copied. */
static bool
copy(char **to, const char *from)
{
	*to = from == NULL || from[0] == '\0' ? NULL : strdup(from);
	return *to != NULL || from == NULL || from[0] == '\0';
}

void
ward_recorder_violation(
    struct ward_recorder *recorder, const struct ward_refused_act *act)
{
	struct ward_record *record =
	    record_new(WARD_RECORD_VIOLATION, act->session, act->target);

	if (record != NULL) {
		record->act = *act;
		record->pid = act->pid;
		record->rule_line = act->rule->origin.line;
		if (!copy(&record->program, act->program) ||
		    !copy(&record->rule_file, act->rule->origin.file) ||
		    !copy(&record->rule_text, act->rule->path) ||
		    !copy(&record->reason, act->reason)) {
			ward_record_free(record);
			record = NULL;
		}
	}
	/* also where its row is dropped: it was refused all the same */
	if (!act->untold)
		ward_recent_add(recorder->recent, act,
		    record == NULL ? ward_wall_now() : record->when);
	enqueue_take(recorder, record);
}

struct ward_recent *
ward_recorder_recent(struct ward_recorder *recorder)
{
	return recorder->recent;
}

void
ward_recorder_connection(
    struct ward_recorder *recorder, const struct ward_connection *connection)
{
	const struct ward_connection *c = connection;
	struct ward_record *record =
	    record_new(WARD_RECORD_CONNECTION, c->session, c->host);

	if (record != NULL) {
		record->connection = *c;
		record->pid = c->pid;
		record->rule_line = c->rule_line;
		if (!copy(&record->program, c->program) ||
		    !copy(&record->rule_file, c->rule_file) ||
		    !copy(&record->rule_text, c->rule_text) ||
		    !copy(&record->address, c->address)) {
			ward_record_free(record);
			record = NULL;
		}
	}
	enqueue_take(recorder, record);
}

void
ward_recorder_request(struct ward_recorder *recorder, const char *session,
    const char *host, uint16_t port, const char *why)
{
	struct ward_record *record =
	    record_new(WARD_RECORD_REQUEST, session, host);

	if (record != NULL) {
		record->port = port;
		if (!copy(&record->reason, why)) {
			ward_record_free(record);
			record = NULL;
		}
	}
	enqueue_take(recorder, record);
}

void
ward_recorder_internal(
    struct ward_recorder *recorder, const char *operation, const char *target)
{
	static const struct ward_rule none;
	const struct ward_refused_act act = {
		.kind = "internal",
		.operation = operation,
		.target = target,
		.program = "",
		.confirmed = true,
		.rule = &none,
	};

	ward_recorder_violation(recorder, &act);
}

void
ward_recorder_dropped(struct ward_recorder *recorder, int64_t count)
{
	(void)pthread_mutex_lock(&recorder->mutex);
	count_dropped(recorder, count, ward_wall_now());
	(void)pthread_cond_signal(&recorder->wake);
	(void)pthread_mutex_unlock(&recorder->mutex);
}

/* --- the thread --- */

static bool
try_batch(struct ward_recorder *r, struct ward_record *batch,
    const struct ward_dropped *dropped, const char *end_reason)
{
	struct err err = { 0 };
	bool written =
	    ward_rows_write(r->rows, batch, dropped, end_reason, &err) == 0;

	if (!written && !r->complained)
		syslog(LOG_ERR, "ward: refusals of %s wait to be recorded: %s",
		    r->account, err.text);
	r->complained = !written;
	return written;
}

static struct timespec
after_ms(int64_t ms)
{
	struct timespec until = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	return until;
}

/* Under the mutex: until it ends, or the time is up. */
static void
wait_for_work(struct ward_recorder *r, int64_t ms)
{
	const struct timespec until = after_ms(ms);

	while (!r->stopping &&
	    pthread_cond_timedwait(&r->wake, &r->mutex, &until) == 0)
		;
}

/* Under the mutex: until there is a record, or a row's window closes. */
static void
wait_for_record(struct ward_recorder *r)
{
	int64_t due_ms = ward_rows_due_ms(r->rows);
	const struct timespec until = after_ms(due_ms < 0 ? 0 : due_ms);
	int timed_out = 0;

	while (!r->stopping && r->first == NULL && r->dropped.count == 0 &&
	    timed_out == 0) {
		if (due_ms < 0)
			(void)pthread_cond_wait(&r->wake, &r->mutex);
		else
			timed_out =
			    pthread_cond_timedwait(&r->wake, &r->mutex, &until);
	}
}

static void
free_batch(struct ward_record *batch)
{
	while (batch != NULL) {
		struct ward_record *next = batch->next;
		ward_record_free(batch);
		batch = next;
	}
}

/* Under the mutex: what could not be written goes back to the head. */
static void
put_back(struct ward_recorder *r, struct ward_record *batch,
    struct ward_record **batch_end, const struct ward_dropped *dropped)
{
	if (batch != NULL) {
		*batch_end = r->first;
		if (r->first == NULL)
			r->end = batch_end;
		r->first = batch;
	}
	if (dropped->count == 0)
		return;
	if (r->dropped.count == 0)
		r->dropped.to = dropped->to;
	r->dropped.from = dropped->from;
	r->dropped.count += dropped->count;
}

/* One round: takes what is queued and writes it. */
static bool
run_round(struct ward_recorder *r, const char *end_reason)
{
	struct ward_record *batch = r->first;
	struct ward_record **batch_end = r->end;
	size_t n_batch = r->n_queued;
	const struct ward_dropped dropped = r->dropped;

	if (batch == NULL && dropped.count == 0 && end_reason == NULL &&
	    ward_rows_due_ms(r->rows) != 0)
		return true;
	r->first = NULL;
	r->end = &r->first;
	/* n_queued still counts the batch: memory is bounded by it */
	r->dropped = (struct ward_dropped){ 0 };
	(void)pthread_mutex_unlock(&r->mutex);
	bool written = try_batch(r, batch, &dropped, end_reason);
	if (written)
		free_batch(batch);
	(void)pthread_mutex_lock(&r->mutex);
	if (written)
		r->n_queued -= n_batch;
	else
		put_back(r, batch, batch_end, &dropped);
	return written;
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
			wait_for_record(r);
			/* gather what comes together with the first */
			wait_for_work(r, BATCH_MS);
		}
	}
	if (r->first != NULL || r->dropped.count > 0)
		syslog(LOG_ERR,
		    "ward: %zu records of %s are lost, and %jd were dropped",
		    r->n_queued, r->account, (intmax_t)r->dropped.count);
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
	r->account = sandbox->account;
	r->rows = ward_rows_new(sandbox);
	r->recent = ward_recent_new(sandbox->profile, sandbox->revision);
	r->end = &r->first;
	int result = r->rows == NULL || r->recent == NULL
	    ? ENOMEM
	    : pthread_condattr_init(&attr);
	if (result == 0)
		result = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (result == 0)
		result = pthread_cond_init(&r->wake, &attr);
	if (result == 0)
		result = pthread_mutex_init(&r->mutex, NULL);
	if (result == 0)
		result = pthread_create(&r->thread, NULL, run, r);
	if (result != 0) {
		ward_rows_free(r->rows);
		ward_recent_free(r->recent);
		free(r);
		return ward_err_sys(err, result, "the recorder");
	}
	*recorder = r;
	return 0;
}

bool
ward_recorder_stop(struct ward_recorder *recorder, const char *reason)
{
	(void)pthread_mutex_lock(&recorder->mutex);
	recorder->stopping = true;
	recorder->stop_reason = reason;
	(void)pthread_cond_signal(&recorder->wake);
	(void)pthread_mutex_unlock(&recorder->mutex);
	(void)pthread_join(recorder->thread, NULL);
	bool prune_due = ward_rows_prune_due(recorder->rows);
	ward_rows_free(recorder->rows);
	ward_recent_free(recorder->recent);
	free_batch(recorder->first);
	free(recorder);
	return prune_due;
}
