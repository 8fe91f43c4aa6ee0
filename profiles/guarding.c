/* SPDX-License-Identifier: ISC */
/* Protected names as spots of a plan. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "profiles/guarding.h"

/*
 * Links are the account's to make, and one walk may take a while: of more than
 * these, only the link itself is closed.
 */
#define WALKS_MAX 32

struct guarding {
	const struct ward_placing *placing;
	struct ward_plan *plan;
	struct ward_protected_list closed; /* where the rules are to stand */
	unsigned n_walks;
};

/* The names that hold: the profile's, and of the built-in list what is left. */
static int
collect_names(const struct guarding *g, const struct ward_profile *profile)
{
	struct ward_plan *plan = g->plan;
	struct ward_plan_rules *rules = plan->rules;

	plan->protect = calloc(profile->n_rules + ward_n_protected_names + 1,
	    sizeof(*plan->protect));
	if (plan->protect == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < profile->n_rules; i++)
		if (rules->all[i].kind == WARD_PROTECT)
			plan->protect[plan->n_protect++] = &rules->all[i];
	for (size_t i = 0; i < ward_n_protected_names; i++) {
		const char *name = ward_protected_names[i];

		if (ward_protect_find(profile, WARD_PROTECT, name) != NULL ||
		    ward_protect_find(profile, WARD_UNPROTECT, name) != NULL)
			continue;
		struct ward_rule *rule = &rules->all[rules->n_all++];
		*rule = (struct ward_rule){
			.kind = WARD_PROTECT,
			.path = strdup(name),
			.origin.file = strdup("built-in"),
		};
		if (rule->path == NULL || rule->origin.file == NULL)
			return -ENOMEM;
		plan->protect[plan->n_protect++] = rule;
	}
	return 0;
}

/* Where what is found would matter: not in the home, which nobody shares. */
static bool
is_guarded(const struct guarding *g, const char *path)
{
	return !ward_path_is_below(path, g->plan->home) &&
	    ward_plan_decide(g->plan, path).state == WARD_WRITABLE;
}

/* Each writable place once; a file among them has no names in it. */
static int
collect_places(const struct guarding *g)
{
	struct ward_plan *plan = g->plan;
	const struct ward_plan_rules *rules = plan->rules;

	plan->searched = calloc(rules->n_spots + 1, sizeof(*plan->searched));
	if (plan->searched == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < rules->n_spots; i++) {
		const struct ward_spot *spot = &rules->spots[i];

		if ((spot->does & WARD_DOES_WRITE_ALLOW) == 0 ||
		    (plan->n_searched > 0 &&
			strcmp(plan->searched[plan->n_searched - 1],
			    spot->path) == 0) ||
		    !is_guarded(g, spot->path))
			continue;
		plan->searched[plan->n_searched] = strdup(spot->path);
		if (plan->searched[plan->n_searched] == NULL)
			return -ENOMEM;
		plan->n_searched++;
	}
	return 0;
}

/*
 * A link to what is above it, or above a place that is searched, would close
 * more than the name could mean.
 */
static bool
is_too_much(const struct guarding *g, const struct ward_place *place)
{
	for (size_t i = 0; i < g->plan->n_searched; i++)
		if (ward_path_is_below(g->plan->searched[i], place->path))
			return true;
	return ward_place_is_broader(place);
}

static int
note_closed(struct guarding *g, const struct ward_rule *rule, const char *path,
    bool is_directory)
{
	const struct ward_protected closed = {
		/* copied there */
		.path = (char *)(uintptr_t)path,
		.rule = rule,
		.is_directory = is_directory,
	};

	return is_guarded(g, path) ? ward_protected_add(&g->closed, &closed)
				   : 0;
}

/*
 * The links on the way, each where it is, since a link can be replaced; then
 * what is at the end.  In a loop, or with nothing there, that is less.
 */
static int
note_walk(struct guarding *g, const struct ward_rule *rule,
    const struct ward_place *place)
{
	bool is_directory = place->found == WARD_FOUND_DIRECTORY;
	int r = 0;

	for (size_t i = 0; r == 0 && i < place->n_links; i++)
		r = note_closed(g, rule, place->links[i].at, false);
	if (r == 0 &&
	    (is_directory || place->found == WARD_FOUND_FILE ||
		place->found == WARD_FOUND_SPECIAL) &&
	    !is_too_much(g, place))
		r = note_closed(g, rule, place->path, is_directory);
	return r;
}

/* The link that path is, or is behind: what is above it is walked at once. */
static int
note_first_link(struct guarding *g, const struct ward_protected *one)
{
	const struct ward_resolver *resolver = g->placing->whom.resolver;
	_cleanup_free_ char *above = strdup(one->path);
	_cleanup_free_ char *link = NULL;

	if (above == NULL)
		return -ENOMEM;
	for (size_t depth = ward_path_depth(above); depth > 0; depth--) {
		struct ward_place place = { 0 };
		struct err ignored = { 0 };

		free(link);
		link = strdup(above);
		if (link == NULL)
			return -ENOMEM;
		ward_path_to_parent(above);
		int r = resolver->resolve(
		    resolver->context, above, &place, &ignored);
		bool is_clear = r == 0 && place.n_links == 0;
		ward_place_clear(&place);
		if (r == -ENOMEM)
			return r;
		if (is_clear)
			return note_closed(g, one->rule, link, false);
	}
	return 0;
}

static int
note_links(struct guarding *g, const struct ward_protected *one)
{
	const struct ward_resolver *resolver = g->placing->whom.resolver;
	struct ward_place place = { 0 };
	struct err ignored = { 0 };

	if (g->n_walks++ >= WALKS_MAX) {
		g->plan->found.whole = false;
		return note_first_link(g, one);
	}
	int r =
	    resolver->resolve(resolver->context, one->path, &place, &ignored);
	if (r == -ENOMEM)
		return r;
	/* too long, or too many steps: it leads nowhere */
	if (r < 0)
		return note_first_link(g, one);
	r = note_walk(g, one->rule, &place);
	ward_place_clear(&place);
	return r;
}

/* While the spots are sorted: a decision reads them. */
static int
note_all(struct guarding *g)
{
	const struct ward_protected_list *found = &g->plan->found;
	int r = 0;

	for (size_t i = 0; r == 0 && i < found->n; i++) {
		const struct ward_protected *one = &found->list[i];

		r = one->is_link
		    ? note_links(g, one)
		    : note_closed(g, one->rule, one->path, one->is_directory);
	}
	return r;
}

static int
close_all(struct guarding *g)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < g->closed.n; i++) {
		const struct ward_protected *one = &g->closed.list[i];

		r = ward_plan_rules_add_spot(
		    g->plan->rules, one->path, WARD_DOES_WRITE_DENY, one->rule);
		if (r == 0)
			r = ward_outline_add_place(
			    g->placing->outline, one->path, one->is_directory);
	}
	ward_plan_rules_sort(g->plan->rules);
	return r;
}

static int
search(const struct guarding *g)
{
	const struct ward_resolver *resolver = g->placing->whom.resolver;
	struct ward_plan *plan = g->plan;
	int r = 0;

	plan->found.whole = true;
	for (size_t i = 0; r == 0 && i < plan->n_searched; i++)
		r = resolver->protect(resolver->context, plan->searched[i],
		    plan->protect, plan->n_protect, &plan->found,
		    g->placing->err);
	return r;
}

int
ward_guarding_add(const struct ward_placing *placing,
    const struct ward_profile *profile, struct ward_plan *plan)
{
	struct guarding g = { .placing = placing, .plan = plan };
	int r = collect_places(&g);

	/* a profile that opens the home alone pays for nothing */
	if (r == 0 && plan->n_searched == 0)
		return 0;
	if (r == 0)
		r = collect_names(&g, profile);
	if (r == 0)
		r = search(&g);
	if (r == 0)
		r = note_all(&g);
	if (r == 0)
		r = close_all(&g);
	ward_protected_clear(&g.closed);
	return r < 0 ? ward_err_sys(placing->err, -r, "protected names") : 0;
}
