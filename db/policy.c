/* SPDX-License-Identifier: ISC */
/* The policy store: opening, who is governed by what, listings. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "db/policy_store.h"

#define ROW_COLUMNS                                                            \
	"p.name, p.description, p.retired IS NOT NULL, "                       \
	"r.id IS p.current, r.id, r.number, r.hash, r.author, r.created"

#define ASSIGNED                                                               \
	"SELECT a.name, a.file, a.line, p.current, r.grace, "                  \
	"coalesce(r.rest, r.hash) "                                            \
	"FROM assignments a JOIN profiles p ON p.name = a.profile "            \
	"LEFT JOIN revisions r ON r.id = p.current "

static const char *const statements[POLICY_N_STATEMENTS] = {
	[POLICY_BEGIN] = "BEGIN",
	[POLICY_BEGIN_WRITE] = "BEGIN IMMEDIATE",
	[POLICY_COMMIT] = "COMMIT",
	[POLICY_ROLLBACK] = "ROLLBACK",

	[POLICY_ASSIGNED_USER] = ASSIGNED "WHERE a.kind = 'user' "
					  "AND a.name = ?",
	[POLICY_ASSIGNED_REST] = ASSIGNED "WHERE a.kind IN ('group', "
					  "'default') ORDER BY a.position",
	[POLICY_REVISION_ID] = "SELECT r.id FROM profiles p "
			       "JOIN revisions r ON r.profile = p.name "
			       "WHERE p.name = ?1 AND CASE ?2 WHEN 0 "
			       "THEN r.id = p.current ELSE r.number = ?2 END",
	[POLICY_LOAD] =
	    "SELECT r.number, r.hash, coalesce(r.rest, r.hash), r.seal, "
	    "p.name, p.description, "
	    "r.read_default, r.read_default_file, r.read_default_line, "
	    "r.shell, r.scope, r.linger, r.grace, r.processes, r.files, "
	    "r.file_size, r.memory, r.tmp, r.multilib, r.nested_userns, "
	    "r.debug, r.observe, r.network, r.unlisted, r.allow_private, "
	    "r.annotate, r.landlock "
	    "FROM revisions r "
	    "JOIN profiles p ON p.name = r.profile WHERE r.id = ?",
	[POLICY_LOAD_RULES] = "SELECT kind, path, file, line FROM rules "
			      "WHERE revision = ? ORDER BY position",
	[POLICY_LOAD_NETWORK] =
	    "SELECT kind, entry, say, file, line FROM network_rules "
	    "WHERE revision = ? ORDER BY position",
	[POLICY_LOAD_ENVIRONMENT] = "SELECT name, value FROM environment "
				    "WHERE revision = ? ORDER BY position",
	[POLICY_LOAD_SERVICES] = "SELECT name FROM services "
				 "WHERE revision = ? ORDER BY position",
	[POLICY_LOAD_SOURCE] = "SELECT source FROM sources "
			       "WHERE revision = ?",

	[POLICY_LIST_PROFILES] =
	    "SELECT " ROW_COLUMNS " FROM profiles p "
	    "JOIN revisions r ON r.id = p.current "
	    "WHERE p.retired IS NULL OR ?1 ORDER BY p.name",
	[POLICY_LIST_REVISIONS] = "SELECT " ROW_COLUMNS " FROM profiles p "
				  "JOIN revisions r ON r.profile = p.name "
				  "WHERE p.name = ?1 ORDER BY r.number DESC",
	[POLICY_LIST_ASSIGNMENTS] =
	    "SELECT kind, name, profile, file, line FROM assignments "
	    "ORDER BY position",

	[POLICY_NEXT_APPLY] = "SELECT coalesce(max(applied), 0) + 1 "
			      "FROM profiles",
	[POLICY_STATE] = "SELECT r.id, r.number, r.hash, "
			 "p.retired IS NOT NULL FROM profiles p "
			 "JOIN revisions r ON r.id = p.current "
			 "WHERE p.name = ?",
	[POLICY_PUT_PROFILE] =
	    "INSERT INTO profiles (name, description, applied) "
	    "VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET "
	    "description = excluded.description, applied = excluded.applied, "
	    "retired = NULL",
	[POLICY_PUT_CURRENT] = "UPDATE profiles SET current = ? "
			       "WHERE name = ?",
	[POLICY_PUT_REVISION] =
	    "INSERT INTO revisions (profile, number, hash, author, created, "
	    "read_default, read_default_file, read_default_line, shell, "
	    "scope, linger, grace, processes, files, file_size, memory, tmp, "
	    "multilib, nested_userns, debug, observe, seal, network, "
	    "unlisted, allow_private, rest, annotate, "
	    "landlock) VALUES "
	    "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
	    "?, ?, ?, ?, ?, ?, ?)",
	[POLICY_PUT_SOURCE] =
	    "INSERT INTO sources (revision, source) VALUES (?, ?) "
	    "ON CONFLICT (revision) DO UPDATE SET source = excluded.source",
	[POLICY_RENEW_DEFAULT] = "UPDATE revisions SET read_default_file = ?, "
				 "read_default_line = ? WHERE id = ?",
	[POLICY_DROP_RULES] = "DELETE FROM rules WHERE revision = ?",
	[POLICY_PUT_RULE] =
	    "INSERT INTO rules (revision, position, kind, path, file, line) "
	    "VALUES (?, ?, ?, ?, ?, ?)",
	[POLICY_DROP_NETWORK] = "DELETE FROM network_rules WHERE revision = ?",
	[POLICY_PUT_NETWORK] =
	    "INSERT INTO network_rules (revision, position, kind, entry, say, "
	    "file, line) VALUES (?, ?, ?, ?, ?, ?, ?)",
	[POLICY_PUT_ENVIRONMENT] =
	    "INSERT INTO environment (revision, position, name, value) "
	    "VALUES (?, ?, ?, ?)",
	[POLICY_PUT_SERVICE] =
	    "INSERT INTO services (revision, position, name) "
	    "VALUES (?, ?, ?)",
	[POLICY_RETIRE] = "UPDATE profiles SET retired = ? "
			  "WHERE retired IS NULL AND applied <> ?",
	[POLICY_DROP_ASSIGNMENTS] = "DELETE FROM assignments",
	[POLICY_PUT_ASSIGNMENT] =
	    "INSERT INTO assignments (position, kind, name, profile, file, "
	    "line) VALUES (?, ?, ?, ?, ?, ?)",

	[POLICY_PUT_GRANT] =
	    "INSERT INTO grants (account, entry, until, reason, granted, "
	    "granter, request) VALUES (?, ?, ?, ?, ?, ?, ?)",
	[POLICY_HAS_GRANT] = "SELECT 1 FROM grants WHERE id = ?",
	[POLICY_REVOKE_GRANT] =
	    "UPDATE grants SET revoked = ?2, revoker = ?3 "
	    "WHERE id = ?1 AND revoked IS NULL AND until > ?2",
	[POLICY_REVOKE_GRANTS] =
	    "UPDATE grants SET revoked = ?2, revoker = ?3 "
	    "WHERE account = ?1 AND revoked IS NULL AND until > ?2",
	[POLICY_LIST_GRANTS] =
	    "SELECT id, account, entry, until, reason, granted, granter, "
	    "request, revoked, revoker FROM grants "
	    "WHERE (?1 IS NULL OR account = ?1) "
	    "AND (?2 = 0 OR (until > ?2 AND revoked IS NULL)) ORDER BY id",
};

static const struct ward_sqlite_kind kind = {
	.application_id = 0x57504f4c, /* "WPOL" */
	.migrations = &ward_policy_migrations,
	/* even root cannot read a WAL database on a full disk */
	.journal = "PRAGMA journal_mode = DELETE",
	.pragmas = "PRAGMA synchronous = FULL",
	.sql = statements,
	.n_sql = POLICY_N_STATEMENTS,
};

const char *const ward_policy_rule_words[WARD_RULE_KINDS] = {
	[WARD_READ_ALLOW] = "read-allow",
	[WARD_READ_DENY] = "read-deny",
	[WARD_WRITE_ALLOW] = "write-allow",
	[WARD_WRITE_DENY] = "write-deny",
	[WARD_SOCKET_ALLOW] = "socket-allow",
	[WARD_PROTECT] = "protect",
	[WARD_UNPROTECT] = "unprotect",
};
const char *const ward_policy_scope_words[2] = {
	[WARD_SCOPE_ACCOUNT] = "account",
	[WARD_SCOPE_SESSION] = "session",
};
const char *const ward_policy_annotate_words[3] = {
	[WARD_ANNOTATE_NEVER] = "never",
	[WARD_ANNOTATE_ON_FAILURE] = "on-failure",
	[WARD_ANNOTATE_ALWAYS] = "always",
};
const char *const ward_policy_assignee_words[3] = {
	[WARD_ASSIGNEE_USER] = "user",
	[WARD_ASSIGNEE_GROUP] = "group",
	[WARD_ASSIGNEE_DEFAULT] = "default",
};

int
ward_policy_word(const char *const *words, size_t n, const char *word)
{
	for (size_t i = 0; i < n && word != NULL; i++)
		if (strcmp(words[i], word) == 0)
			return (int)i;
	return -1;
}

int
ward_policy_open(const char *path, enum ward_policy_mode mode,
    unsigned timeout_ms, struct ward_policy **policy, struct err *err)
{
	struct ward_policy *opened = calloc(1, sizeof(*opened));
	int r;

	if (opened == NULL)
		return ward_err_sys(err, ENOMEM, "%s", path);
	r = ward_sqlite_open(&kind, path, mode == WARD_POLICY_WRITE, timeout_ms,
	    &opened->sqlite, err);
	if (r != 0) {
		free(opened);
		return r;
	}
	*policy = opened;
	return 0;
}

void
ward_policy_close(struct ward_policy *policy)
{
	if (policy == NULL)
		return;
	ward_sqlite_close(policy->sqlite);
	free(policy);
}

/* An assignment that may be the one, with what it leads to. */
struct candidate {
	char *name;
	struct ward_origin origin;
	int64_t revision_id;
	uint64_t grace;
	unsigned char rest[WARD_SHA256_SIZE];
};

struct candidates {
	struct candidate *list;
	size_t n;
};

static void
clear_candidates(struct candidates *candidates)
{
	for (size_t i = 0; i < candidates->n; i++) {
		free(candidates->list[i].name);
		free(candidates->list[i].origin.file);
	}
	free(candidates->list);
}

static int
add_candidates(
    struct ward_query *query, struct candidates *candidates, struct err *err)
{
	int r;

	while ((r = ward_query_step(query, err)) > 0) {
		struct candidate *more = reallocarray(
		    candidates->list, candidates->n + 1, sizeof(*more));

		if (more == NULL) {
			(void)ward_query_end(query, NULL);
			return ward_err_sys(err, ENOMEM, "assignments");
		}
		candidates->list = more;
		more += candidates->n++;
		more->name = ward_query_take_copy(query);
		more->origin.file = ward_query_take_copy(query);
		more->origin.line = (unsigned)ward_query_take_int(query);
		more->revision_id = ward_query_take_int(query);
		int64_t grace = ward_query_take_int_or(query, -1);
		more->grace = grace < 0 ? WARD_UNLIMITED : (uint64_t)grace;
		ward_policy_take_hash(query, more->rest);
	}
	return r;
}

/*
 * All that may apply, at one moment, so that no lock is held while groups are
 * looked up.  What it leads to stays: revisions are never deleted.
 */
static int
collect(struct ward_policy *policy, const char *user,
    struct candidates *candidates, struct err *err)
{
	struct ward_query query;
	int r = ward_sqlite_run(policy->sqlite, POLICY_BEGIN, err);

	if (r != 0)
		return r;
	ward_query_begin(&query, policy->sqlite, POLICY_ASSIGNED_USER);
	ward_query_bind_text(&query, user);
	r = add_candidates(&query, candidates, err);
	if (r == 0 && candidates->n == 0) {
		ward_query_begin(&query, policy->sqlite, POLICY_ASSIGNED_REST);
		r = add_candidates(&query, candidates, err);
	} else if (r == 0) {
		/* its own assignment: there is nothing to ask */
		free(candidates->list[0].name);
		candidates->list[0].name = NULL;
	}
	if (r == 0)
		r = ward_sqlite_run(policy->sqlite, POLICY_COMMIT, err);
	ward_sqlite_rollback(policy->sqlite, POLICY_ROLLBACK);
	return r;
}

static int
refuse(const struct ward_policy *policy, const char *user, struct err *err)
{
	return ward_err_set(err, ENOENT,
	    "%s: no profile is assigned to %s, to a group of it, or by default",
	    policy->sqlite->path, user);
}

/* The default comes last and has no name. */
static int
choose(const struct ward_policy *policy, const char *user,
    const struct candidates *candidates, ward_policy_in_group *in_group,
    void *context, const struct candidate **chosen, struct err *err)
{
	for (size_t i = 0; i < candidates->n; i++) {
		const struct candidate *one = &candidates->list[i];
		bool asks = one->name != NULL && one->name[0] != '\0';

		int r = asks ? in_group(context, one->name) : 1;
		/* else it would get what is meant for others */
		if (r < 0)
			return ward_err_sys(err, -r, "%s: group %s",
			    policy->sqlite->path, one->name);
		if (r > 0) {
			*chosen = one;
			return 0;
		}
	}
	return refuse(policy, user, err);
}

int
ward_policy_find(struct ward_policy *policy, const char *user,
    ward_policy_in_group *in_group, void *context,
    struct ward_policy_found *found, struct err *err)
{
	struct candidates candidates = { NULL, 0 };
	const struct candidate *chosen = NULL;
	int r;

	memset(found, 0, sizeof(*found));
	r = collect(policy, user, &candidates, err);
	if (r == 0)
		r = choose(
		    policy, user, &candidates, in_group, context, &chosen, err);
	if (r != 0)
		goto out;
	r = ward_policy_load_revision(
	    policy, chosen->revision_id, false, found, err);
	if (r != 0 || chosen->origin.file == NULL)
		goto out;
	found->assigned.line = chosen->origin.line;
	found->assigned.file = strdup(chosen->origin.file);
	if (found->assigned.file == NULL) {
		ward_policy_found_clear(found);
		r = ward_err_sys(err, ENOMEM, "assignment of %s", user);
	}
out:
	clear_candidates(&candidates);
	return r;
}

int
ward_policy_current(struct ward_policy *policy, const char *user,
    ward_policy_in_group *in_group, void *context, struct ward_policy_now *now,
    struct err *err)
{
	struct candidates candidates = { NULL, 0 };
	const struct candidate *chosen = NULL;
	int r = collect(policy, user, &candidates, err);

	if (r == 0)
		r = choose(
		    policy, user, &candidates, in_group, context, &chosen, err);
	assert(r != 0 || chosen != NULL);
	if (r == 0) {
		now->revision_id = chosen->revision_id;
		now->grace = chosen->grace;
		memcpy(now->rest, chosen->rest, sizeof(now->rest));
	}
	clear_candidates(&candidates);
	return r;
}

int
ward_policy_load(struct ward_policy *policy, const char *name, int64_t number,
    struct ward_policy_found *found, struct err *err)
{
	struct ward_query query;
	int64_t id = 0;
	int r;

	memset(found, 0, sizeof(*found));
	ward_query_begin(&query, policy->sqlite, POLICY_REVISION_ID);
	ward_query_bind_text(&query, name);
	ward_query_bind_int(&query, number);
	r = ward_query_step(&query, err);
	if (r == 0 && number == 0)
		return ward_err_set(err, ENOENT, "%s: there is no profile %s",
		    policy->sqlite->path, name);
	if (r == 0)
		return ward_err_set(err, ENOENT,
		    "%s: profile %s has no revision %lld", policy->sqlite->path,
		    name, (long long)number);
	if (r < 0)
		return r;
	id = ward_query_take_int(&query);
	r = ward_query_end(&query, err);
	if (r == 0)
		r = ward_policy_load_revision(policy, id, true, found, err);
	return r;
}

static int
each_revision(struct ward_query *query, ward_policy_on_revision *on_revision,
    void *context, size_t *n, struct err *err)
{
	int r;

	while ((r = ward_query_step(query, err)) > 0) {
		struct ward_policy_revision row;
		size_t size;

		row.profile = ward_query_take_text(query);
		row.description = ward_query_take_text(query);
		row.retired = ward_query_take_int(query) != 0;
		row.current = ward_query_take_int(query) != 0;
		row.revision_id = ward_query_take_int(query);
		row.number = ward_query_take_int(query);
		row.hash = ward_query_take_blob(query, &size);
		row.author = ward_query_take_text(query);
		row.created = ward_query_take_int(query);
		if (query->code != SQLITE_OK)
			return ward_query_end(query, err);
		(*n)++;
		r = on_revision(context, &row);
		if (r != 0) {
			(void)ward_query_end(query, NULL);
			return r;
		}
	}
	return r;
}

int
ward_policy_each_profile(struct ward_policy *policy, bool retired_too,
    ward_policy_on_revision *on_revision, void *context, struct err *err)
{
	struct ward_query query;
	size_t n = 0;

	ward_query_begin(&query, policy->sqlite, POLICY_LIST_PROFILES);
	ward_query_bind_int(&query, retired_too);
	return each_revision(&query, on_revision, context, &n, err);
}

int
ward_policy_each_revision(struct ward_policy *policy, const char *name,
    ward_policy_on_revision *on_revision, void *context, struct err *err)
{
	struct ward_query query;
	size_t n = 0;
	int r;

	ward_query_begin(&query, policy->sqlite, POLICY_LIST_REVISIONS);
	ward_query_bind_text(&query, name);
	r = each_revision(&query, on_revision, context, &n, err);
	if (r == 0 && n == 0)
		r = ward_err_set(err, ENOENT, "%s: there is no profile %s",
		    policy->sqlite->path, name);
	return r;
}

static void
take_assignment(struct ward_query *query, struct ward_assignment *row)
{
	int assignee = ward_policy_word(ward_policy_assignee_words,
	    POLICY_COUNT(ward_policy_assignee_words),
	    ward_query_take_text(query));

	if (assignee < 0)
		query->code = SQLITE_CORRUPT;
	else
		row->kind = (enum ward_assignee)assignee;
	row->name = ward_query_take_copy(query);
	row->profile = ward_query_take_copy(query);
	row->origin.file = ward_query_take_copy(query);
	row->origin.line = (unsigned)ward_query_take_int(query);
}

static void
clear_assignment(struct ward_assignment *row)
{
	free(row->name);
	free(row->profile);
	free(row->origin.file);
}

int
ward_policy_each_assignment(struct ward_policy *policy,
    ward_policy_on_assignment *on_assignment, void *context, struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, policy->sqlite, POLICY_LIST_ASSIGNMENTS);
	while ((r = ward_query_step(&query, err)) > 0) {
		struct ward_assignment row = { 0 };

		take_assignment(&query, &row);
		if (query.code != SQLITE_OK)
			r = ward_query_end(&query, err);
		else
			r = on_assignment(context, &row);
		clear_assignment(&row);
		if (r != 0) {
			(void)ward_query_end(&query, NULL);
			return r;
		}
	}
	return r;
}
