/* SPDX-License-Identifier: ISC */
/* The violation store: opening and writing. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "db/chain.h"
#include "db/violations_store.h"

int
ward_violations_open(const char *path, enum ward_violations_mode mode,
    unsigned timeout_ms, struct ward_violations **store, struct err *err)
{
	struct ward_violations *opened = calloc(1, sizeof(*opened));
	int r;

	if (opened == NULL)
		return ward_err_sys(err, ENOMEM, "%s", path);
	r = ward_sqlite_open(&ward_violations_kind, path,
	    mode == WARD_VIOLATIONS_WRITE, timeout_ms, &opened->sqlite, err);
	if (r != 0) {
		free(opened);
		return r;
	}
	*store = opened;
	return 0;
}

void
ward_violations_close(struct ward_violations *store)
{
	if (store == NULL)
		return;
	ward_sqlite_close(store->sqlite);
	free(store);
}

int
ward_violations_begin(struct ward_violations *store, struct err *err)
{
	/* SQLite would go on writing into a file that nobody can find */
	if (ward_sqlite_is_moved(store->sqlite))
		return ward_err_set(err, ESTALE,
		    "%s: was moved or deleted while it was open",
		    store->sqlite->path);
	return ward_sqlite_run(store->sqlite, VIOLATIONS_BEGIN, err);
}

int
ward_violations_commit(struct ward_violations *store, struct err *err)
{
	return ward_sqlite_run(store->sqlite, VIOLATIONS_COMMIT, err);
}

void
ward_violations_rollback(struct ward_violations *store)
{
	ward_sqlite_rollback(store->sqlite, VIOLATIONS_ROLLBACK);
}

/* For updates of one row: it has to be there. */
static int
run_on_one(struct ward_query *query, const char *what, struct err *err)
{
	struct ward_sqlite *sqlite = query->store;
	int64_t changed = 0;
	int r = ward_query_run(query, &changed, err);

	if (r == 0 && changed == 0)
		r = ward_err_set(
		    err, ENOENT, "%s: there is no such %s", sqlite->path, what);
	return r;
}

/* For what has a number that says "unknown". */
static void
bind_known(struct ward_query *query, int64_t value, int64_t unknown)
{
	if (value == unknown)
		ward_query_bind_null(query);
	else
		ward_query_bind_int(query, value);
}

int
ward_violations_sandbox_start(struct ward_violations *store,
    const struct ward_violations_sandbox *sandbox, struct err *err)
{
	unsigned char head[WARD_SHA256_SIZE];
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_SANDBOX_START);
	ward_query_bind_text(&query, sandbox->id);
	ward_query_bind_text(&query, sandbox->account);
	ward_query_bind_int(&query, sandbox->uid);
	ward_query_bind_text(&query, sandbox->profile);
	ward_query_bind_int(&query, sandbox->revision);
	ward_query_bind_blob(&query, sandbox->hash, WARD_SHA256_SIZE);
	ward_query_bind_int(&query, sandbox->started);
	ward_chain_start(sandbox, head);
	ward_query_bind_blob(&query, head, sizeof(head));
	return ward_query_run(&query, NULL, err);
}

int
ward_violations_sandbox_end(struct ward_violations *store, const char *id,
    int64_t when, const char *reason, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_SANDBOX_END);
	ward_query_bind_text(&query, id);
	ward_query_bind_int(&query, when);
	ward_query_bind_text(&query, reason);
	return run_on_one(&query, "sandbox", err);
}

int
ward_violations_session_start(struct ward_violations *store,
    const struct ward_violations_session *session, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_SESSION_START);
	ward_query_bind_text(&query, session->id);
	ward_query_bind_text(&query, session->sandbox);
	ward_query_bind_text(&query, session->account);
	ward_query_bind_int(&query, session->uid);
	ward_query_bind_text(&query, session->service);
	ward_query_bind_text(&query, session->tty);
	ward_query_bind_text(&query, session->rhost);
	ward_query_bind_text(&query, session->ruser);
	ward_query_bind_int(&query, session->opener_pid);
	bind_known(&query, session->audit_session, -1);
	ward_query_bind_int(&query, session->started);
	return ward_query_run(&query, NULL, err);
}

int
ward_violations_session_end(struct ward_violations *store, const char *id,
    int64_t when, const char *reason, const char *refusal, int status,
    struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_SESSION_END);
	ward_query_bind_text(&query, id);
	ward_query_bind_int(&query, when);
	ward_query_bind_text(&query, reason);
	ward_query_bind_text(&query, refusal);
	bind_known(&query, status, -1);
	return run_on_one(&query, "session", err);
}

int
ward_violations_command_start(struct ward_violations *store,
    const char *session, int64_t pid, const char *argv, int64_t when,
    int64_t *command, struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_COMMAND_START);
	ward_query_bind_text(&query, session);
	ward_query_bind_int(&query, pid);
	ward_query_bind_text(&query, argv);
	ward_query_bind_int(&query, when);
	r = ward_query_run(&query, NULL, err);
	if (r == 0)
		*command = sqlite3_last_insert_rowid(store->sqlite->db);
	return r;
}

int
ward_violations_command_end(struct ward_violations *store, int64_t command,
    int64_t when, int status, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_COMMAND_END);
	ward_query_bind_int(&query, command);
	ward_query_bind_int(&query, when);
	bind_known(&query, status, -1);
	return run_on_one(&query, "command", err);
}

int
ward_violations_add(struct ward_violations *store,
    const struct ward_violation *violation, int64_t *id, struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_ADD);
	ward_query_bind_text(&query, violation->sandbox);
	ward_query_bind_text(&query, violation->session);
	ward_query_bind_text(&query, violation->kind);
	ward_query_bind_text(&query, violation->operation);
	ward_query_bind_text(&query, violation->target);
	bind_known(&query, violation->pid, 0);
	ward_query_bind_text(&query, violation->program);
	ward_query_bind_int(&query, violation->confirmed);
	bind_known(&query, violation->errnum, 0);
	ward_query_bind_int(&query, violation->count);
	ward_query_bind_int(&query, violation->first);
	ward_query_bind_int(&query, violation->last);
	ward_query_bind_text(&query, violation->profile);
	ward_query_bind_int(&query, violation->revision);
	ward_query_bind_text(&query, violation->rule_file);
	ward_query_bind_int(&query, violation->rule_line);
	ward_query_bind_text(&query, violation->rule_text);
	ward_query_bind_text(&query, violation->reason);
	r = ward_query_run(&query, NULL, err);
	if (r == 0 && id != NULL)
		*id = sqlite3_last_insert_rowid(store->sqlite->db);
	return r;
}

int
ward_violations_repeat(struct ward_violations *store, int64_t id, int64_t more,
    int64_t last, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_REPEAT);
	ward_query_bind_int(&query, id);
	ward_query_bind_int(&query, more);
	ward_query_bind_int(&query, last);
	return run_on_one(&query, "violation", err);
}

int
ward_violations_connection_add(struct ward_violations *store,
    const struct ward_violations_connection *connection, struct err *err)
{
	const struct ward_violations_connection *c = connection;
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_CONNECTION);
	ward_query_bind_text(&query, c->sandbox);
	ward_query_bind_text(&query, c->session);
	ward_query_bind_text(&query, c->front);
	ward_query_bind_text(&query, c->host);
	ward_query_bind_int(&query, c->port);
	ward_query_bind_text(&query, c->address);
	ward_query_bind_text(&query, c->verdict);
	ward_query_bind_text(&query, c->rule_file);
	ward_query_bind_int(&query, c->rule_line);
	ward_query_bind_text(&query, c->rule_text);
	bind_known(&query, c->grant, 0);
	ward_query_bind_int(&query, c->up);
	ward_query_bind_int(&query, c->down);
	ward_query_bind_int(&query, c->started);
	ward_query_bind_int(&query, c->duration);
	bind_known(&query, c->errnum, 0);
	bind_known(&query, c->pid, 0);
	ward_query_bind_text(&query, c->program);
	return ward_query_run(&query, NULL, err);
}

int
ward_violations_gap_add(struct ward_violations *store,
    const struct ward_violations_gap *gap, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_GAP);
	ward_query_bind_text(&query, gap->sandbox);
	ward_query_bind_text(&query, gap->what);
	ward_query_bind_int(&query, gap->from);
	ward_query_bind_int(&query, gap->to);
	bind_known(&query, gap->count, -1);
	return ward_query_run(&query, NULL, err);
}

void
ward_violations_ids_clear(struct ward_violations_ids *ids)
{
	for (size_t i = 0; i < ids->n; i++)
		free(ids->list[i]);
	free(ids->list);
	*ids = (struct ward_violations_ids){ NULL, 0 };
}

int
ward_violations_ids_read(struct ward_violations *store,
    enum ward_violations_statement which, int64_t parameter,
    struct ward_violations_ids *ids, struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, store->sqlite, which);
	ward_query_bind_int(&query, parameter);
	while ((r = ward_query_step(&query, err)) > 0) {
		char **more =
		    reallocarray(ids->list, ids->n + 1, sizeof(*more));

		if (more != NULL) {
			ids->list = more;
			more[ids->n] = ward_query_take_copy(&query);
		}
		if (more == NULL || more[ids->n] == NULL) {
			(void)ward_query_end(&query, NULL);
			return ward_err_sys(err, ENOMEM, "ids of sandboxes");
		}
		ids->n++;
	}
	return r;
}

static int
last_known(struct ward_violations *store, const char *sandbox, int64_t *when,
    struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, store->sqlite, VIOLATIONS_LAST_KNOWN);
	ward_query_bind_text(&query, sandbox);
	r = ward_query_step(&query, err);
	if (r <= 0)
		return r;
	*when = ward_query_take_int(&query);
	return ward_query_end(&query, err);
}

static int
lose_rows(struct ward_violations *store, enum ward_violations_statement which,
    const char *sandbox, int64_t now, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store->sqlite, which);
	ward_query_bind_text(&query, sandbox);
	ward_query_bind_int(&query, now);
	return ward_query_run(&query, NULL, err);
}

static int
lose_sandbox(struct ward_violations *store, const char *sandbox, int64_t now,
    struct err *err)
{
	struct ward_violations_gap gap = { .sandbox = sandbox,
		.what = "warden lost",
		.to = now,
		.count = -1 };
	int r = last_known(store, sandbox, &gap.from, err);

	/* the clock may have been set back since */
	if (gap.from > now)
		gap.from = now;
	if (r == 0)
		r = ward_violations_gap_add(store, &gap, err);
	/* whose windows nobody closes any more */
	if (r == 0)
		r = ward_violations_seal_open(store, sandbox, err);
	if (r == 0)
		r = lose_rows(
		    store, VIOLATIONS_LOSE_COMMANDS, sandbox, now, err);
	if (r == 0)
		r = lose_rows(
		    store, VIOLATIONS_LOSE_SESSIONS, sandbox, now, err);
	if (r == 0)
		r = ward_violations_sandbox_end(
		    store, sandbox, now, "lost", err);
	return r;
}

int
ward_violations_close_lost(struct ward_violations *store, uint32_t uid,
    ward_violations_lives *lives, void *context, int64_t now, size_t *lost,
    struct err *err)
{
	struct ward_violations_ids ids = { NULL, 0 };
	size_t n = 0;
	int r = ward_violations_begin(store, err);

	if (r != 0)
		return r;
	r = ward_violations_ids_read(
	    store, VIOLATIONS_OPEN_SANDBOXES, uid, &ids, err);
	for (size_t i = 0; i < ids.n && r == 0; i++) {
		if (lives(context, ids.list[i]))
			continue;
		r = lose_sandbox(store, ids.list[i], now, err);
		n++;
	}
	if (r == 0)
		r = ward_violations_commit(store, err);
	ward_violations_rollback(store);
	if (r == 0 && lost != NULL)
		*lost = n;
	ward_violations_ids_clear(&ids);
	return r;
}
