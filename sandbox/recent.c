/* SPDX-License-Identifier: ISC */
/* The last refusals of a sandbox, in memory. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "sandbox/recent.h"

#define WINDOW_US (60 * INT64_C(1000000)) /* as that of rows.c */
#define TIMES     16                      /* of a row's acts, the last ones */

struct row {
	struct ward_wire_why_is is; /* of serial 0: there is none */
	uint64_t times[TIMES];      /* by ward_now_us(); a ring, by count */
};

struct ward_recent {
	const char *profile;
	int64_t revision;
	pthread_mutex_t mutex;
	uint64_t serial; /* of the newest */
	/* untouched pages cost nothing: most sandboxes have few of these */
	struct row rows[WARD_RECENT_MAX];
};

/* As rows.c finds the row whose repeat it is. */
static struct row *
find(struct ward_recent *r, const struct ward_refused_act *act, int64_t when)
{
	for (size_t i = 0; i < WARD_RECENT_MAX; i++) {
		struct row *row = &r->rows[i];
		if (row->is.serial != 0 &&
		    when - (int64_t)row->is.last < WINDOW_US &&
		    strcmp(row->is.kind, act->kind) == 0 &&
		    strcmp(row->is.operation, act->operation) == 0 &&
		    strcmp(row->is.session, act->session) == 0 &&
		    strncmp(row->is.target, act->target,
			sizeof(row->is.target) - 1) == 0)
			return row;
	}
	return NULL;
}

/* NULL is nothing; what is too long is cut. */
static void
copy(char *to, size_t size, const char *from)
{
	(void)snprintf(to, size, "%s", from == NULL ? "" : from);
}

static struct row *
add(struct ward_recent *r, const struct ward_refused_act *act, int64_t when)
{
	struct row *row = &r->rows[r->serial % WARD_RECENT_MAX];
	struct ward_wire_why_is *is = &row->is;

	*row = (struct row){
		.is = { .serial = ++r->serial,
		    .confirmed = act->confirmed,
		    .error = (uint32_t)act->errnum,
		    .first = (uint64_t)when,
		    .revision = (uint64_t)r->revision,
		    .rule_line = act->rule->origin.line },
	};
	copy(is->session, sizeof(is->session), act->session);
	copy(is->kind, sizeof(is->kind), act->kind);
	copy(is->operation, sizeof(is->operation), act->operation);
	copy(is->target, sizeof(is->target), act->target);
	copy(is->program, sizeof(is->program), act->program);
	copy(is->profile, sizeof(is->profile), r->profile);
	copy(is->rule_file, sizeof(is->rule_file), act->rule->origin.file);
	copy(is->rule, sizeof(is->rule), act->rule->path);
	copy(is->reason, sizeof(is->reason), act->reason);
	return row;
}

void
ward_recent_add(struct ward_recent *recent, const struct ward_refused_act *act,
    int64_t when)
{
	(void)pthread_mutex_lock(&recent->mutex);
	struct row *row = find(recent, act, when);
	if (row == NULL)
		row = add(recent, act, when);
	row->times[row->is.count++ % TIMES] = (uint64_t)ward_now_us();
	if ((uint64_t)when > row->is.last)
		row->is.last = (uint64_t)when;
	/* what holds for the last one */
	row->is.asked = act->asked;
	row->is.passing = act->passing;
	(void)pthread_mutex_unlock(&recent->mutex);
}

/* How many of a row's acts there were since then, as far as it remembers. */
static uint64_t
count_since(const struct row *row, uint64_t since)
{
	uint64_t n = 0;

	if (since == 0)
		return row->is.count;
	for (uint64_t i = 0; i < TIMES && i < row->is.count; i++)
		n += row->times[i] >= since;
	return n;
}

void
ward_recent_next(struct ward_recent *recent,
    const struct ward_wire_why *question, const char *session,
    struct ward_wire_why_is *answer)
{
	const struct row *next = NULL;
	const uint64_t seen = answer->seen, judged = answer->judged;

	(void)pthread_mutex_lock(&recent->mutex);
	for (size_t i = 0; i < WARD_RECENT_MAX; i++) {
		const struct row *row = &recent->rows[i];
		if (row->is.serial > question->after &&
		    (next == NULL || row->is.serial < next->is.serial) &&
		    count_since(row, question->since) > 0 &&
		    (!question->own ||
			(session != NULL &&
			    strcmp(row->is.session, session) == 0)))
			next = row;
	}
	if (next != NULL) {
		*answer = next->is;
		answer->lately = count_since(next, question->since);
	}
	(void)pthread_mutex_unlock(&recent->mutex);
	if (next == NULL)
		answer->serial = 0;
	answer->seen = seen;
	answer->judged = judged;
}

struct ward_recent *
ward_recent_new(const char *profile, int64_t revision)
{
	struct ward_recent *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->profile = profile;
	r->revision = revision;
	if (pthread_mutex_init(&r->mutex, NULL) == 0)
		return r;
	free(r);
	return NULL;
}

void
ward_recent_free(struct ward_recent *recent)
{
	if (recent == NULL)
		return;
	(void)pthread_mutex_destroy(&recent->mutex);
	free(recent);
}
