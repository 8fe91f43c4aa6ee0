/* SPDX-License-Identifier: ISC */
/*
 * A stored revision back in memory.  The columns' constraints hold for what
 * Ward wrote; what cannot be is damage and refused, since a profile that lost
 * a rule would open something.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <linux/bpf_common.h>
#include <stdlib.h>
#include <string.h>

#include "db/policy_store.h"

void
ward_policy_found_clear(struct ward_policy_found *found)
{
	ward_profile_free(found->profile);
	ward_seal_clear(&found->seal);
	free(found->source);
	free(found->assigned.file);
	memset(found, 0, sizeof(*found));
}

/*
 * The array with room for one more, zeroed, at the end; NULL without memory,
 * and then the old one stands.
 */
void *
ward_policy_grow(void *array, size_t n, size_t size)
{
	char *more = reallocarray(array, n + 1, size);

	if (more != NULL)
		memset(more + n * size, 0, size);
	return more;
}

static uint64_t
take_limit(struct ward_query *query)
{
	int64_t value = ward_query_take_int_or(query, -1);

	return value < 0 ? WARD_UNLIMITED : (uint64_t)value;
}

/* What must be there. */
static char *
take_needed(struct ward_query *query)
{
	char *text = ward_query_take_copy(query);

	if (text == NULL && query->code == SQLITE_OK)
		query->code = SQLITE_CORRUPT;
	return text;
}

void
ward_policy_take_origin(struct ward_query *query, struct ward_origin *origin)
{
	int64_t line;

	origin->file = ward_query_take_copy(query);
	line = ward_query_take_int(query);
	if (line < 0 || line > UINT_MAX)
		query->code = SQLITE_CORRUPT;
	else
		origin->line = (unsigned)line;
}

static int
take_word(struct ward_query *query, const char *const *words, size_t n)
{
	int word = ward_policy_word(words, n, ward_query_take_text(query));

	if (word < 0 && query->code == SQLITE_OK)
		query->code = SQLITE_CORRUPT;
	return word < 0 ? 0 : word;
}

void
ward_policy_take_hash(
    struct ward_query *query, unsigned char hash[WARD_SHA256_SIZE])
{
	size_t size;
	const void *data = ward_query_take_blob(query, &size);

	if (data == NULL || size != WARD_SHA256_SIZE)
		query->code = SQLITE_CORRUPT;
	else
		memcpy(hash, data, WARD_SHA256_SIZE);
}

static void
take_seal(struct ward_query *query, struct ward_seal *seal)
{
	size_t size;
	const void *data = ward_query_take_blob(query, &size);
	size_t n = size / sizeof(*seal->code);

	if (data == NULL || n == 0 || n > BPF_MAXINSNS ||
	    size % sizeof(*seal->code) != 0) {
		query->code = SQLITE_CORRUPT;
		return;
	}
	seal->code = malloc(size);
	if (seal->code == NULL) {
		query->code = SQLITE_NOMEM;
		return;
	}
	memcpy(seal->code, data, size);
	seal->n_code = (unsigned short)n;
}

static void
take_settings(struct ward_query *query, struct ward_profile *profile)
{
	static const char *const defaults[] = { "deny", "allow" };
	static const char *const modes[] = { "none", "filtered" };
	static const char *const unlisted[] = { "deny", "ask" };
	struct ward_limits *limits = &profile->limits;

	profile->name = take_needed(query);
	profile->description = ward_query_take_copy(query);
	profile->read_default_allow = take_word(query, defaults, 2) == 1;
	ward_policy_take_origin(query, &profile->read_default_origin);
	profile->shell = ward_query_take_copy(query);
	profile->scope = (enum ward_scope)take_word(query,
	    ward_policy_scope_words, POLICY_COUNT(ward_policy_scope_words));
	profile->linger = take_limit(query);
	profile->grace = take_limit(query);
	limits->processes = take_limit(query);
	limits->files = take_limit(query);
	limits->file_size = take_limit(query);
	limits->memory = take_limit(query);
	limits->tmp = take_limit(query);
	profile->seal.multilib = ward_query_take_int(query) != 0;
	profile->seal.nested_userns = ward_query_take_int(query) != 0;
	profile->seal.debug = ward_query_take_int(query) != 0;
	profile->seal.observe = ward_query_take_int(query) != 0;
	profile->network.filtered = take_word(query, modes, 2) == 1;
	profile->network.ask = take_word(query, unlisted, 2) == 1;
	profile->network.allow_private = ward_query_take_int(query) != 0;
	profile->annotate =
	    (enum ward_annotate)take_word(query, ward_policy_annotate_words,
		POLICY_COUNT(ward_policy_annotate_words));
	profile->landlock = take_limit(query);
}

static void
take_rule(struct ward_query *query, struct ward_profile *profile)
{
	struct ward_rule *rule =
	    ward_policy_grow(profile->rules, profile->n_rules, sizeof(*rule));

	if (rule == NULL) {
		query->code = SQLITE_NOMEM;
		return;
	}
	profile->rules = rule;
	rule += profile->n_rules++;
	rule->kind = (enum ward_rule_kind)take_word(query,
	    ward_policy_rule_words, POLICY_COUNT(ward_policy_rule_words));
	rule->path = take_needed(query);
	ward_policy_take_origin(query, &rule->origin);
}

/* Takes the string. */
static void
add_pass(struct ward_query *query, struct ward_profile *profile, char *name)
{
	char **more = ward_policy_grow(
	    profile->env_pass, profile->n_env_pass, sizeof(*more));

	if (more == NULL) {
		free(name);
		query->code = SQLITE_NOMEM;
		return;
	}
	profile->env_pass = more;
	more[profile->n_env_pass++] = name;
}

/* Takes both strings. */
static void
add_variable(struct ward_query *query, struct ward_profile *profile, char *name,
    char *value)
{
	struct ward_env *more = ward_policy_grow(
	    profile->env_set, profile->n_env_set, sizeof(*more));

	if (more == NULL) {
		free(name);
		free(value);
		query->code = SQLITE_NOMEM;
		return;
	}
	profile->env_set = more;
	more += profile->n_env_set++;
	more->name = name;
	more->value = value;
}

static void
take_environment(struct ward_query *query, struct ward_profile *profile)
{
	char *name = take_needed(query);
	char *value = ward_query_take_copy(query);

	/* a value that is absent only for want of memory fails the load */
	if (value == NULL)
		add_pass(query, profile, name);
	else
		add_variable(query, profile, name, value);
}

static void
take_service(struct ward_query *query, struct ward_profile *profile)
{
	char **more = ward_policy_grow(
	    profile->services, profile->n_services, sizeof(*more));

	if (more == NULL) {
		query->code = SQLITE_NOMEM;
		return;
	}
	profile->services = more;
	more[profile->n_services++] = take_needed(query);
}

/* Every row of one list. */
static int
load_list(struct ward_policy *policy, enum ward_policy_statement which,
    int64_t revision_id,
    void (*take)(struct ward_query *, struct ward_profile *),
    struct ward_profile *profile, struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, policy->sqlite, which);
	ward_query_bind_int(&query, revision_id);
	while ((r = ward_query_step(&query, err)) > 0)
		take(&query, profile);
	return r;
}

static int
load_settings(struct ward_policy *policy, struct ward_policy_found *found,
    struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, policy->sqlite, POLICY_LOAD);
	ward_query_bind_int(&query, found->revision_id);
	r = ward_query_step(&query, err);
	if (r == 0)
		return ward_err_set(err, ENOENT, "%s: revision is not there",
		    policy->sqlite->path);
	if (r < 0)
		return r;
	found->number = ward_query_take_int(&query);
	ward_policy_take_hash(&query, found->hash);
	ward_policy_take_hash(&query, found->rest);
	take_seal(&query, &found->seal);
	take_settings(&query, found->profile);
	return ward_query_end(&query, err);
}

static int
load_source(struct ward_policy *policy, struct ward_policy_found *found,
    struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, policy->sqlite, POLICY_LOAD_SOURCE);
	ward_query_bind_int(&query, found->revision_id);
	r = ward_query_step(&query, err);
	if (r <= 0)
		return r;
	found->source = take_needed(&query);
	return ward_query_end(&query, err);
}

/* The parts, in one transaction: apply may renew them. */
static int
load_parts(struct ward_policy *policy, bool with_source,
    struct ward_policy_found *found, struct err *err)
{
	struct ward_profile *profile = found->profile;
	int64_t id = found->revision_id;
	int r = load_settings(policy, found, err);

	if (r == 0)
		r = load_list(
		    policy, POLICY_LOAD_RULES, id, take_rule, profile, err);
	if (r == 0)
		r = ward_policy_load_network(
		    policy, id, &profile->network, err);
	if (r == 0)
		r = load_list(policy, POLICY_LOAD_ENVIRONMENT, id,
		    take_environment, profile, err);
	if (r == 0)
		r = load_list(policy, POLICY_LOAD_SERVICES, id, take_service,
		    profile, err);
	if (r == 0 && with_source)
		r = load_source(policy, found, err);
	return r;
}

int
ward_policy_load_revision(struct ward_policy *policy, int64_t revision_id,
    bool with_source, struct ward_policy_found *found, struct err *err)
{
	int r;

	memset(found, 0, sizeof(*found));
	found->revision_id = revision_id;
	found->profile = calloc(1, sizeof(*found->profile));
	if (found->profile == NULL)
		return ward_err_sys(err, ENOMEM, "%s", policy->sqlite->path);
	r = ward_sqlite_run(policy->sqlite, POLICY_BEGIN, err);
	if (r == 0)
		r = load_parts(policy, with_source, found, err);
	if (r == 0)
		r = ward_sqlite_run(policy->sqlite, POLICY_COMMIT, err);
	ward_sqlite_rollback(policy->sqlite, POLICY_ROLLBACK);
	if (r != 0)
		ward_policy_found_clear(found);
	return r;
}
