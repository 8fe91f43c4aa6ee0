/* SPDX-License-Identifier: ISC */
/* Makes the policy store hold exactly what was compiled, or changes nothing. */
#include "config.h"

#include <errno.h>
#include <linux/bpf_common.h>
#include <string.h>

#include "common/clock.h"
#include "db/policy_store.h"

/* One apply. */
struct apply {
	struct ward_policy *policy;
	const char *author;
	int64_t number;
	int64_t now;
};

static int
check_item(const struct ward_policy_item *item, struct err *err)
{
	const struct ward_profile *profile = item->profile;

	if (profile->name == NULL || profile->name[0] == '\0')
		return ward_err_set(err, EINVAL, "a profile has no name");
	if (item->seal->n_code == 0 || item->seal->n_code > BPF_MAXINSNS)
		return ward_err_set(err, EINVAL,
		    "profile %s: its seal has %u instructions", profile->name,
		    item->seal->n_code);
	return 0;
}

static bool
has_profile(const struct ward_policy_item *items, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(items[i].profile->name, name) == 0)
			return true;
	return false;
}

static int
check_items(const struct ward_policy_item *items, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		int r = check_item(&items[i], err);

		if (r != 0)
			return r;
		if (has_profile(items, i, items[i].profile->name))
			return ward_err_set(err, EINVAL,
			    "profile %s: is there twice",
			    items[i].profile->name);
	}
	return 0;
}

static const char *
file_of(const struct ward_assignment *assignment)
{
	const char *file = assignment->origin.file;

	return file == NULL ? "built-in" : file;
}

static int
check_assignment(const struct ward_assignment *all, size_t i,
    const struct ward_policy_item *items, size_t n_items, struct err *err)
{
	const struct ward_assignment *one = &all[i];
	const char *word = ward_policy_assignee_words[one->kind];
	const char *name = one->kind == WARD_ASSIGNEE_DEFAULT ? "" : one->name;

	if (one->kind != WARD_ASSIGNEE_DEFAULT &&
	    (name == NULL || name[0] == '\0'))
		return ward_err_set(err, EINVAL, "%s:%u: a %s without a name",
		    file_of(one), one->origin.line, word);
	if (one->profile == NULL || !has_profile(items, n_items, one->profile))
		return ward_err_set(err, EINVAL,
		    "%s:%u: there is no profile %s", file_of(one),
		    one->origin.line,
		    one->profile == NULL ? "without a name" : one->profile);
	for (size_t k = 0; k < i; k++)
		if (all[k].kind == one->kind &&
		    (one->kind == WARD_ASSIGNEE_DEFAULT ||
			strcmp(all[k].name, name) == 0))
			return ward_err_set(err, EINVAL,
			    "%s:%u: %s %s has a profile already, by %s:%u",
			    file_of(one), one->origin.line, word, name,
			    file_of(&all[k]), all[k].origin.line);
	return 0;
}

/* Zero or -ERANGE: SQLite's integers have a sign. */
static int
bind_limit(struct ward_query *query, const struct ward_profile *profile,
    const char *what, uint64_t value, struct err *err)
{
	if (value == WARD_UNLIMITED) {
		ward_query_bind_null(query);
		return 0;
	}
	if (value > INT64_MAX)
		return ward_err_set(err, ERANGE, "profile %s: %s is too large",
		    profile->name, what);
	ward_query_bind_int(query, (int64_t)value);
	return 0;
}

static int
bind_limits(struct ward_query *query, const struct ward_profile *profile,
    struct err *err)
{
	const struct ward_limits *limits = &profile->limits;
	int r = bind_limit(query, profile, "linger", profile->linger, err);

	if (r == 0)
		r = bind_limit(query, profile, "grace", profile->grace, err);
	if (r == 0)
		r = bind_limit(
		    query, profile, "processes", limits->processes, err);
	if (r == 0)
		r = bind_limit(query, profile, "files", limits->files, err);
	if (r == 0)
		r = bind_limit(
		    query, profile, "file_size", limits->file_size, err);
	if (r == 0)
		r = bind_limit(query, profile, "memory", limits->memory, err);
	if (r == 0)
		r = bind_limit(query, profile, "tmp", limits->tmp, err);
	return r;
}

static int
put_revision(const struct apply *apply, const struct ward_policy_item *item,
    int64_t number, const unsigned char *hash, const unsigned char *rest,
    int64_t *id, struct err *err)
{
	const struct ward_profile *profile = item->profile;
	struct ward_query query;
	int r;

	ward_query_begin(&query, apply->policy->sqlite, POLICY_PUT_REVISION);
	ward_query_bind_text(&query, profile->name);
	ward_query_bind_int(&query, number);
	ward_query_bind_blob(&query, hash, WARD_SHA256_SIZE);
	ward_query_bind_text(&query, apply->author);
	ward_query_bind_int(&query, apply->now);
	ward_query_bind_text(
	    &query, profile->read_default_allow ? "allow" : "deny");
	ward_query_bind_text(&query, profile->read_default_origin.file);
	ward_query_bind_int(&query, profile->read_default_origin.line);
	ward_query_bind_text(&query, profile->shell);
	ward_query_bind_text(&query, ward_policy_scope_words[profile->scope]);
	r = bind_limits(&query, profile, err);
	if (r != 0) {
		(void)ward_query_end(&query, NULL);
		return r;
	}
	ward_query_bind_int(&query, profile->seal.multilib);
	ward_query_bind_int(&query, profile->seal.nested_userns);
	ward_query_bind_int(&query, profile->seal.debug);
	ward_query_bind_int(&query, profile->seal.observe);
	ward_query_bind_blob(&query, item->seal->code,
	    item->seal->n_code * sizeof(*item->seal->code));
	ward_query_bind_text(
	    &query, profile->network.filtered ? "filtered" : "none");
	ward_query_bind_text(&query, profile->network.ask ? "ask" : "deny");
	ward_query_bind_int(&query, profile->network.allow_private);
	ward_query_bind_blob(&query, rest, WARD_SHA256_SIZE);
	ward_query_bind_text(
	    &query, ward_policy_annotate_words[profile->annotate]);
	ward_query_bind_int(&query, (int64_t)profile->landlock);
	r = ward_query_run(&query, NULL, err);
	if (r == 0)
		*id = sqlite3_last_insert_rowid(apply->policy->sqlite->db);
	return r;
}

static int
put_rules(const struct apply *apply, const struct ward_profile *profile,
    int64_t id, struct err *err)
{
	struct ward_query query;
	int r = 0;

	for (size_t i = 0; i < profile->n_rules && r == 0; i++) {
		const struct ward_rule *rule = &profile->rules[i];

		ward_query_begin(
		    &query, apply->policy->sqlite, POLICY_PUT_RULE);
		ward_query_bind_int(&query, id);
		ward_query_bind_int(&query, (int64_t)i);
		ward_query_bind_text(
		    &query, ward_policy_rule_words[rule->kind]);
		ward_query_bind_text(&query, rule->path);
		ward_query_bind_text(&query, rule->origin.file);
		ward_query_bind_int(&query, rule->origin.line);
		r = ward_query_run(&query, NULL, err);
	}
	return r;
}

static int
put_variable(const struct apply *apply, int64_t id, size_t position,
    const char *name, const char *value, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, apply->policy->sqlite, POLICY_PUT_ENVIRONMENT);
	ward_query_bind_int(&query, id);
	ward_query_bind_int(&query, (int64_t)position);
	ward_query_bind_text(&query, name);
	ward_query_bind_text(&query, value);
	return ward_query_run(&query, NULL, err);
}

static int
put_environment(const struct apply *apply, const struct ward_profile *profile,
    int64_t id, struct err *err)
{
	size_t position = 0;
	int r = 0;

	for (size_t i = 0; i < profile->n_env_pass && r == 0; i++)
		r = put_variable(
		    apply, id, position++, profile->env_pass[i], NULL, err);
	for (size_t i = 0; i < profile->n_env_set && r == 0; i++)
		r = put_variable(apply, id, position++,
		    profile->env_set[i].name, profile->env_set[i].value, err);
	return r;
}

static int
put_services(const struct apply *apply, const struct ward_profile *profile,
    int64_t id, struct err *err)
{
	struct ward_query query;
	int r = 0;

	for (size_t i = 0; i < profile->n_services && r == 0; i++) {
		ward_query_begin(
		    &query, apply->policy->sqlite, POLICY_PUT_SERVICE);
		ward_query_bind_int(&query, id);
		ward_query_bind_int(&query, (int64_t)i);
		ward_query_bind_text(&query, profile->services[i]);
		r = ward_query_run(&query, NULL, err);
	}
	return r;
}

static int
put_source(
    const struct apply *apply, const char *source, int64_t id, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, apply->policy->sqlite, POLICY_PUT_SOURCE);
	ward_query_bind_int(&query, id);
	ward_query_bind_text(&query, source == NULL ? "" : source);
	return ward_query_run(&query, NULL, err);
}

static int
add_revision(const struct apply *apply, const struct ward_policy_item *item,
    int64_t number, const unsigned char *hash, const unsigned char *rest,
    struct err *err)
{
	struct ward_query query;
	int64_t id = 0;
	int r = put_revision(apply, item, number, hash, rest, &id, err);

	if (r == 0)
		r = put_rules(apply, item->profile, id, err);
	if (r == 0)
		r = ward_policy_put_network(
		    apply->policy, &item->profile->network, id, err);
	if (r == 0)
		r = put_environment(apply, item->profile, id, err);
	if (r == 0)
		r = put_services(apply, item->profile, id, err);
	if (r == 0)
		r = put_source(apply, item->source, id, err);
	if (r != 0)
		return r;
	ward_query_begin(&query, apply->policy->sqlite, POLICY_PUT_CURRENT);
	ward_query_bind_int(&query, id);
	ward_query_bind_text(&query, item->profile->name);
	return ward_query_run(&query, NULL, err);
}

/*
 * The same effect from a text that may have moved: files and lines follow, so
 * that what is named in a refusal is where the admin finds it today.
 */
static int
renew_revision(const struct apply *apply, const struct ward_policy_item *item,
    int64_t id, struct err *err)
{
	const struct ward_origin *origin = &item->profile->read_default_origin;
	struct ward_sqlite *sqlite = apply->policy->sqlite;
	struct ward_query query;
	int r;

	ward_query_begin(&query, sqlite, POLICY_RENEW_DEFAULT);
	ward_query_bind_text(&query, origin->file);
	ward_query_bind_int(&query, origin->line);
	ward_query_bind_int(&query, id);
	r = ward_query_run(&query, NULL, err);
	if (r != 0)
		return r;
	ward_query_begin(&query, sqlite, POLICY_DROP_RULES);
	ward_query_bind_int(&query, id);
	r = ward_query_run(&query, NULL, err);
	if (r == 0)
		r = put_rules(apply, item->profile, id, err);
	if (r == 0)
		r = ward_policy_renew_network(
		    apply->policy, &item->profile->network, id, err);
	if (r == 0)
		r = put_source(apply, item->source, id, err);
	return r;
}

/* The profile as it is stored now. */
struct state {
	int64_t id; /* 0: never was */
	int64_t number;
	bool retired;
	unsigned char hash[WARD_SHA256_SIZE];
};

static int
get_state(const struct apply *apply, const char *name, struct state *state,
    struct err *err)
{
	struct ward_query query;
	const void *hash;
	size_t size;
	int r;

	memset(state, 0, sizeof(*state));
	ward_query_begin(&query, apply->policy->sqlite, POLICY_STATE);
	ward_query_bind_text(&query, name);
	r = ward_query_step(&query, err);
	if (r <= 0)
		return r;
	state->id = ward_query_take_int(&query);
	state->number = ward_query_take_int(&query);
	hash = ward_query_take_blob(&query, &size);
	state->retired = ward_query_take_int(&query) != 0;
	if (hash != NULL && size == sizeof(state->hash))
		memcpy(state->hash, hash, size);
	return ward_query_end(&query, err);
}

static int
put_profile(const struct apply *apply, const struct ward_profile *profile,
    struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, apply->policy->sqlite, POLICY_PUT_PROFILE);
	ward_query_bind_text(&query, profile->name);
	ward_query_bind_text(&query, profile->description);
	ward_query_bind_int(&query, apply->number);
	return ward_query_run(&query, NULL, err);
}

static int
apply_item(const struct apply *apply, const struct ward_policy_item *item,
    struct ward_policy_result *result, struct err *err)
{
	unsigned char hash[WARD_SHA256_SIZE], rest[WARD_SHA256_SIZE];
	struct state state;
	bool same;
	int r = ward_policy_hash(item->profile, item->seal, hash, rest);

	if (r != 0)
		return ward_err_sys(err, -r, "profile %s", item->profile->name);
	r = get_state(apply, item->profile->name, &state, err);
	if (r == 0)
		r = put_profile(apply, item->profile, err);
	if (r != 0)
		return r;
	same = state.id != 0 && memcmp(state.hash, hash, sizeof(hash)) == 0;
	if (state.id == 0 || state.retired)
		result->change = WARD_POLICY_ADDED;
	else
		result->change =
		    same ? WARD_POLICY_UNCHANGED : WARD_POLICY_CHANGED;
	result->number = same ? state.number : state.number + 1;
	if (same)
		return renew_revision(apply, item, state.id, err);
	return add_revision(apply, item, result->number, hash, rest, err);
}

/* In the order in which they count, whatever the order in the file. */
static int
put_assignments(const struct apply *apply,
    const struct ward_assignment *assignments, size_t n, struct err *err)
{
	static const enum ward_assignee order[] = { WARD_ASSIGNEE_USER,
		WARD_ASSIGNEE_GROUP, WARD_ASSIGNEE_DEFAULT };
	struct ward_sqlite *sqlite = apply->policy->sqlite;
	int64_t position = 0;
	int r = ward_sqlite_run(sqlite, POLICY_DROP_ASSIGNMENTS, err);

	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
		for (size_t i = 0; i < n && r == 0; i++) {
			const struct ward_assignment *one = &assignments[i];
			struct ward_query query;

			if (one->kind != order[k])
				continue;
			ward_query_begin(&query, sqlite, POLICY_PUT_ASSIGNMENT);
			ward_query_bind_int(&query, ++position);
			ward_query_bind_text(
			    &query, ward_policy_assignee_words[one->kind]);
			ward_query_bind_text(&query,
			    one->kind == WARD_ASSIGNEE_DEFAULT ? ""
							       : one->name);
			ward_query_bind_text(&query, one->profile);
			ward_query_bind_text(&query, one->origin.file);
			ward_query_bind_int(&query, one->origin.line);
			r = ward_query_run(&query, NULL, err);
		}
	}
	return r;
}

static int
next_number(struct apply *apply, struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, apply->policy->sqlite, POLICY_NEXT_APPLY);
	r = ward_query_step(&query, err);
	if (r <= 0)
		return r;
	apply->number = ward_query_take_int(&query);
	return ward_query_end(&query, err);
}

static int
apply_all(struct apply *apply, const struct ward_policy_item *items,
    size_t n_items, const struct ward_assignment *assignments,
    size_t n_assignments, struct ward_policy_result *results, struct err *err)
{
	struct ward_query query;
	int r = next_number(apply, err);

	for (size_t i = 0; i < n_items && r == 0; i++)
		r = apply_item(apply, &items[i], &results[i], err);
	if (r == 0)
		r = put_assignments(apply, assignments, n_assignments, err);
	if (r != 0)
		return r;
	ward_query_begin(&query, apply->policy->sqlite, POLICY_RETIRE);
	ward_query_bind_int(&query, apply->now);
	ward_query_bind_int(&query, apply->number);
	return ward_query_run(&query, NULL, err);
}

int
ward_policy_apply(struct ward_policy *policy,
    const struct ward_policy_item *items, size_t n_items,
    const struct ward_assignment *assignments, size_t n_assignments,
    const char *author, struct ward_policy_result *results, struct err *err)
{
	struct apply apply = { .policy = policy, .author = author };
	int r = check_items(items, n_items, err);

	for (size_t i = 0; i < n_assignments && r == 0; i++)
		r = check_assignment(assignments, i, items, n_items, err);
	if (r != 0)
		return r;
	apply.now = ward_wall_now();
	r = ward_sqlite_run(policy->sqlite, POLICY_BEGIN_WRITE, err);
	if (r == 0)
		r = apply_all(&apply, items, n_items, assignments,
		    n_assignments, results, err);
	if (r == 0)
		r = ward_sqlite_run(policy->sqlite, POLICY_COMMIT, err);
	ward_sqlite_rollback(policy->sqlite, POLICY_ROLLBACK);
	return r;
}
