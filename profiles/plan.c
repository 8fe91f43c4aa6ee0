/* SPDX-License-Identifier: ISC */
/* The plan: what an account may see and write. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "common/places.h"
#include "profiles/guarding.h"
#include "profiles/outline.h"
#include "profiles/placing.h"
#include "profiles/plan.h"
#include "profiles/private.h"
#include "profiles/ruleset.h"

static const char built_in[] = "built-in";

/*
 * Denied in every plan.  Who can read utmp, wtmp and their like can lock them,
 * and so stop the logins of others.
 */
static const char *const log_places[] = {
	"/var/log",
	"/var/log/btmp",
	"/var/log/lastlog",
	"/var/log/wtmp",
};

/* Nothing lifts these; the third is the directory of real homes. */
#define N_FINAL 3
static const char *const final_places[N_FINAL - 1] = {
	WARD_ETC,
	WARD_STATE,
};

#define N_LOG      (sizeof(log_places) / sizeof(log_places[0]))
#define N_BUILT_IN (3 + WARD_PRIVATE_PLACES + N_LOG + N_FINAL)

struct compilation {
	const struct ward_profile *profile;
	const struct ward_plan_account *account;
	struct ward_plan *plan;
	struct ward_outline outline;
	struct ward_placing placing;
	struct err *err;
};

void
ward_place_clear(struct ward_place *place)
{
	free(place->path);
	for (size_t i = 0; i < place->n_links; i++) {
		free(place->links[i].at);
		free(place->links[i].text);
	}
	free(place->links);
	*place = (struct ward_place){ 0 };
}

static int
fail_memory(const struct compilation *c)
{
	return ward_err_sys(c->err, ENOMEM, "the plan");
}

static bool
has_component(const char *path, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = strchr(path, '/'); s != NULL;
	     s = strchr(s + 1, '/'))
		if (strncmp(s + 1, name, n) == 0 &&
		    (s[n + 1] == '/' || s[n + 1] == '\0'))
			return true;
	return false;
}

/* They become parts of paths, so they may not change what a path means. */
static int
check_account(const struct compilation *c)
{
	const char *name = c->account->name, *home = c->account->home;

	if (name[0] == '\0' || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0 || strpbrk(name, "/*") != NULL)
		return ward_err_set(c->err, EINVAL,
		    "the account's name \"%s\" cannot be part of a path", name);
	if (home[0] != '/' || strchr(home, '*') != NULL ||
	    has_component(home, ".."))
		return ward_err_set(c->err, EINVAL,
		    "%s's home \"%s\" is no absolute path without .. and *",
		    name, home);
	return 0;
}

static int
check_home(const struct compilation *c, const struct ward_place *home)
{
	const char *name = c->account->name;
	const char *path = c->account->home;

	if (home->untrusted_link)
		return ward_err_set(c->err, EPERM,
		    "%s's home %s is behind a link that not only root could "
		    "have made",
		    name, path);
	if (home->path == NULL || home->found == WARD_FOUND_LOOP)
		return ward_err_set(c->err, ELOOP,
		    "%s's home %s is a loop of links", name, path);
	if (home->found == WARD_FOUND_UNREACHABLE)
		return ward_err_set(c->err, EACCES,
		    "%s's home %s cannot be reached by the account: it cannot "
		    "search %s",
		    name, path, home->path);
	if (home->found == WARD_FOUND_FILE || home->found == WARD_FOUND_SPECIAL)
		return ward_err_set(c->err, ENOTDIR,
		    "%s's home %s is no directory", name, path);
	if (strcmp(home->path, "/") == 0 || strchr(home->path, '*') != NULL ||
	    ward_plan_is_private(home->path))
		return ward_err_set(c->err, EINVAL,
		    "%s's home %s cannot be a home: it is %s", name, path,
		    home->path);
	return 0;
}

/* Its links are always wanted: $HOME is the spelling of passwd. */
static int
find_home(struct compilation *c)
{
	const struct ward_resolver *resolver = c->placing.whom.resolver;
	struct ward_place home = { 0 };
	_cleanup_free_ char *folded = strdup(c->account->home);
	int r;

	if (folded == NULL)
		return fail_memory(c);
	ward_path_fold(folded);
	r = resolver->resolve(resolver->context, folded, &home, c->err);
	if (r < 0)
		return ward_err_sys(c->err, -r, "%s's home %s",
		    c->account->name, c->account->home);
	r = check_home(c, &home);
	for (size_t i = 0; r == 0 && i < home.n_links; i++)
		if (ward_outline_add_link(&c->outline, &home.links[i], NULL) <
		    0)
			r = fail_memory(c);
	if (r == 0) {
		c->plan->home = ward_steal_pointer(&home.path);
		c->placing.whom.home = c->plan->home;
	}
	ward_place_clear(&home);
	return r;
}

static int
compare_rules(const void *a, const void *b)
{
	const struct ward_rule *one = a, *other = b;
	int order = strcmp(one->origin.file, other->origin.file);

	if (order != 0)
		return order;
	if (one->origin.line != other->origin.line)
		return one->origin.line < other->origin.line ? -1 : 1;
	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	return strcmp(one->path, other->path);
}

static struct ward_rule *
add_rule(const struct compilation *c, enum ward_rule_kind kind,
    const char *path, const struct ward_origin *origin)
{
	struct ward_plan_rules *rules = c->plan->rules;
	struct ward_rule *rule = &rules->all[rules->n_all++];
	const char *file = built_in;

	*rule = (struct ward_rule){ .kind = kind, .path = strdup(path) };
	if (origin != NULL && origin->file != NULL) {
		file = origin->file;
		rule->origin.line = origin->line;
	}
	rule->origin.file = strdup(file);
	return rule->path == NULL || rule->origin.file == NULL ? NULL : rule;
}

/* All rules are made before one is placed: spots point at them. */
static int
add_profile_rules(struct compilation *c)
{
	const struct ward_profile *profile = c->profile;
	struct ward_plan_rules *rules = c->plan->rules;

	rules->all =
	    calloc(profile->n_rules + N_BUILT_IN + ward_n_protected_names,
		sizeof(*rules->all));
	if (rules->all == NULL)
		return fail_memory(c);
	for (size_t i = 0; i < profile->n_rules; i++)
		if (add_rule(c, profile->rules[i].kind, profile->rules[i].path,
			&profile->rules[i].origin) == NULL)
			return fail_memory(c);
	if (rules->n_all > 0)
		qsort(rules->all, rules->n_all, sizeof(*rules->all),
		    compare_rules);
	return 0;
}

static int
add_default_rules(struct compilation *c)
{
	struct ward_plan_rules *rules = c->plan->rules;

	rules->read_default = add_rule(c,
	    c->profile->read_default_allow ? WARD_READ_ALLOW : WARD_READ_DENY,
	    "/", &c->profile->read_default_origin);
	rules->closed = add_rule(c, WARD_WRITE_DENY, "/", NULL);
	rules->sockets_closed = add_rule(c, WARD_SOCKET_ALLOW, "", NULL);
	if (rules->read_default == NULL || rules->closed == NULL ||
	    rules->sockets_closed == NULL)
		return fail_memory(c);
	for (size_t i = 0; i < WARD_PRIVATE_PLACES; i++) {
		const struct ward_private_place *place =
		    &ward_private_places[i];

		rules->private_rules[i] = add_rule(c,
		    place->state == WARD_WRITABLE ? WARD_WRITE_ALLOW
						  : WARD_WRITE_DENY,
		    place->path, NULL);
		if (rules->private_rules[i] == NULL)
			return fail_memory(c);
	}
	return 0;
}

static int
place_built_in(struct compilation *c, const char *path, bool final)
{
	const struct ward_rule *rule = add_rule(c, WARD_READ_DENY, path, NULL);

	if (rule == NULL)
		return fail_memory(c);
	return ward_placing_add(&c->placing, rule, false, final);
}

static int
place_real_homes(struct compilation *c)
{
	_cleanup_free_ char *parent = strdup(c->plan->home);
	_cleanup_free_ char *homes = NULL;

	if (parent == NULL)
		return fail_memory(c);
	ward_path_to_parent(parent);
	homes = ward_path_join(parent, WARD_REAL_HOMES);
	if (homes == NULL)
		return fail_memory(c);
	return place_built_in(c, homes, true);
}

static int
place_rules(struct compilation *c)
{
	struct ward_plan_rules *rules = c->plan->rules;
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->profile->n_rules; i++)
		if (rules->all[i].kind < WARD_PROTECT)
			r = ward_placing_add(
			    &c->placing, &rules->all[i], true, false);
	for (size_t i = 0; r == 0 && i < N_LOG; i++)
		r = place_built_in(c, log_places[i], false);
	for (size_t i = 0; r == 0 && i < N_FINAL - 1; i++)
		r = place_built_in(c, final_places[i], true);
	if (r == 0)
		r = place_real_homes(c);
	if (r == 0)
		ward_plan_rules_sort(rules);
	return r;
}

static bool
is_of_profile(const struct compilation *c, const struct ward_rule *rule)
{
	return rule < c->plan->rules->all + c->profile->n_rules;
}

static int
note_against(struct compilation *c, const struct ward_rule *rule,
    const char *what, const char *path, const struct ward_rule *against)
{
	return ward_outline_add_note(&c->outline, rule,
	    "%s \"%s\" (%s:%u) %s %s: %s \"%s\" (%s:%u) stands against "
	    "it",
	    ward_rule_kind_name(rule->kind), rule->path, rule->origin.file,
	    rule->origin.line, what, path, ward_rule_kind_name(against->kind),
	    against->path, against->origin.file, against->origin.line);
}

/* An allow that another rule takes back, at the place where it stands. */
static int
note_killed(struct compilation *c, const struct ward_rule *rule, unsigned does,
    const char *path)
{
	struct ward_plan_rules *rules = c->plan->rules;
	struct ward_verdict verdict = ward_plan_rules_decide(rules, path);

	if (!is_of_profile(c, rule))
		return 0;
	if ((does & WARD_DOES_READ_ALLOW) != 0 &&
	    verdict.state == WARD_HIDDEN && verdict.read != rules->read_default)
		return note_against(
		    c, rule, "does not show", path, verdict.read);
	if ((does & WARD_DOES_WRITE_ALLOW) != 0 &&
	    verdict.state == WARD_READABLE &&
	    verdict.write->kind == WARD_WRITE_DENY &&
	    verdict.write != rules->closed)
		return note_against(
		    c, rule, "does not open", path, verdict.write);
	if ((does & WARD_DOES_SOCKET_ALLOW) != 0 &&
	    verdict.state == WARD_WRITABLE)
		return ward_outline_add_note(&c->outline, rule,
		    "%s is in a place that the account can write: only sockets "
		    "that it made itself can be connected to there",
		    path);
	return 0;
}

static int
note_all_killed(struct compilation *c)
{
	struct ward_plan_rules *rules = c->plan->rules;
	int r = 0;

	for (size_t i = 0; r == 0 && i < rules->n_spots; i++)
		r = note_killed(c, rules->spots[i].rule, rules->spots[i].does,
		    rules->spots[i].path);
	/* of what is below the prefix, only a write.deny can be told before */
	for (size_t i = 0; r == 0 && i < rules->n_patterns; i++)
		r = note_killed(c, rules->patterns[i].rule,
		    rules->patterns[i].does & WARD_DOES_WRITE_ALLOW,
		    rules->patterns[i].pattern.prefix);
	return r < 0 ? fail_memory(c) : 0;
}

static int
compile(struct compilation *c)
{
	struct ward_plan *plan = c->plan;
	int r;

	plan->rules = calloc(1, sizeof(*plan->rules));
	if (plan->rules == NULL)
		return fail_memory(c);
	c->placing.rules = plan->rules;
	r = check_account(c);
	if (r == 0)
		r = find_home(c);
	if (r == 0)
		r = add_profile_rules(c);
	if (r == 0)
		r = add_default_rules(c);
	if (r == 0)
		r = place_rules(c);
	if (r < 0)
		return r;
	if (ward_plan_rules_never_show(plan->rules, plan->home))
		return ward_err_set(c->err, EINVAL,
		    "%s's home %s is in a place that is never shown",
		    c->account->name, plan->home);
	r = ward_guarding_add(&c->placing, c->profile, plan);
	if (r == 0)
		r = note_all_killed(c);
	if (r == 0 && ward_outline_finish(&c->outline, plan) < 0)
		r = fail_memory(c);
	return r;
}

int
ward_plan_compile(const struct ward_profile *profile,
    const struct ward_plan_account *account,
    const struct ward_resolver *resolver, struct ward_plan **plan,
    struct err *err)
{
	struct compilation c = {
		.profile = profile,
		.account = account,
		.plan = calloc(1, sizeof(**plan)),
		.placing = {
			.whom = { .user = account->name, .resolver = resolver },
			.err = err,
		},
		.err = err,
	};
	int r;

	*plan = NULL;
	if (c.plan == NULL)
		return fail_memory(&c);
	c.placing.outline = &c.outline;
	r = compile(&c);
	ward_outline_clear(&c.outline);
	if (r < 0)
		ward_plan_free(c.plan);
	else
		*plan = c.plan;
	return r;
}

void
ward_plan_free(struct ward_plan *plan)
{
	if (plan == NULL)
		return;
	for (size_t i = 0; i < plan->n_entries; i++)
		free(plan->entries[i].path);
	free(plan->entries);
	for (size_t i = 0; i < plan->n_links; i++) {
		free(plan->links[i].at);
		free(plan->links[i].text);
	}
	free(plan->links);
	for (size_t i = 0; i < plan->n_notes; i++)
		free(plan->notes[i].text);
	free(plan->notes);
	for (size_t i = 0; i < plan->n_searched; i++)
		free(plan->searched[i]);
	free(plan->searched);
	free(plan->protect);
	ward_protected_clear(&plan->found);
	ward_plan_take_aliases(plan, NULL, 0);
	free(plan->home);
	ward_plan_rules_free(plan->rules);
	free(plan);
}

/* --- other names of hidden places --- */

static int
compare_aliases(const void *a, const void *b)
{
	const struct ward_plan_alias *one = a, *two = b;

	return strcmp(one->path, two->path);
}

static void
alias_clear(struct ward_plan_alias *alias)
{
	free(alias->path);
	free(alias->of);
}

void
ward_plan_take_aliases(
    struct ward_plan *plan, struct ward_plan_alias *list, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < plan->n_aliases; i++)
		alias_clear(&plan->aliases[i]);
	free(plan->aliases);
	if (n > 0)
		qsort(list, n, sizeof(*list), compare_aliases);
	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && strcmp(list[kept - 1].path, list[i].path) == 0)
			alias_clear(&list[i]);
		else
			list[kept++] = list[i];
	}
	plan->aliases = list;
	plan->n_aliases = kept;
}

/* The alias whose path is the first n characters of this one. */
static const struct ward_plan_alias *
alias_at(const struct ward_plan *plan, const char *path, size_t n)
{
	size_t low = 0, high = plan->n_aliases;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *its = plan->aliases[middle].path;
		int order = strncmp(path, its, n);
		if (order == 0 && its[n] == '\0')
			return &plan->aliases[middle];
		/* one that goes on behind these characters is greater */
		if (order > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The deepest one at or above path, unless an entry opens what is below it. */
static const struct ward_plan_alias *
find_alias(const struct ward_plan *plan, const char *path)
{
	const struct ward_plan_alias *alias = NULL;

	if (plan->n_aliases == 0 || ward_plan_is_private(path) ||
	    ward_path_is_below(path, plan->home))
		return NULL;
	for (size_t n = strlen(path); alias == NULL && n > 1; n--)
		if (path[n] == '\0' || path[n] == '/')
			alias = alias_at(plan, path, n);
	for (size_t i = 0; alias != NULL && i < plan->n_entries; i++)
		if (ward_path_is_below(path, plan->entries[i].path) &&
		    ward_path_is_below(plan->entries[i].path, alias->path))
			return NULL;
	return alias;
}

struct ward_verdict
ward_plan_decide(const struct ward_plan *plan, const char *path)
{
	struct ward_verdict verdict = ward_plan_rules_decide(plan->rules, path);
	const struct ward_plan_alias *alias =
	    verdict.state == WARD_HIDDEN ? NULL : find_alias(plan, path);

	if (alias == NULL)
		return verdict;
	return (struct ward_verdict){
		.state = WARD_HIDDEN,
		.rule = &alias->rule,
		.read = &alias->rule,
		.write = &alias->rule,
		.alias_of = alias->of,
	};
}

const char *
ward_plan_spot(const struct ward_plan *plan, size_t i)
{
	const struct ward_plan_rules *rules = plan->rules;

	return i < rules->n_spots ? rules->spots[i].path : NULL;
}

const struct ward_rule *
ward_plan_refuses_write(const struct ward_plan *plan, const char *path)
{
	struct ward_verdict verdict = ward_plan_decide(plan, path);
	const struct ward_rule *below = verdict.state == WARD_WRITABLE
	    ? ward_plan_rules_find_closed_below(plan->rules, path)
	    : NULL;

	return below != NULL ? below : verdict.write;
}

struct ward_socket_verdict
ward_plan_decide_socket(const struct ward_plan *plan, const char *path)
{
	const struct ward_plan_rules *rules = plan->rules;
	struct ward_verdict place = ward_plan_rules_decide(rules, path);
	const struct ward_rule *rule = ward_plan_rules_find_socket(rules, path);

	/* in what it can write, it could give any socket an allowed name */
	if (place.state == WARD_WRITABLE)
		return (
		    struct ward_socket_verdict){ WARD_SOCKET_OWN, place.rule };
	if (rule != NULL && find_alias(plan, path) == NULL &&
	    (!ward_plan_is_private(path) || ward_plan_is_host_run(path)))
		return (struct ward_socket_verdict){ WARD_SOCKET_OPEN, rule };
	return (struct ward_socket_verdict){ WARD_SOCKET_CLOSED,
		rules->sockets_closed };
}
