/* SPDX-License-Identifier: ISC */
/* The rules of a plan where they stand, and the decision over them. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "profiles/ruleset.h"

int
ward_plan_rules_add_spot(struct ward_plan_rules *rules, const char *path,
    unsigned does, const struct ward_rule *rule)
{
	struct ward_spot *grown;
	char *copy;

	/* a power of two is full: then there is room for as many again */
	if ((rules->n_spots & (rules->n_spots - 1)) == 0) {
		grown = reallocarray(rules->spots,
		    rules->n_spots == 0 ? 1 : rules->n_spots * 2,
		    sizeof(*grown));
		if (grown == NULL)
			return -ENOMEM;
		rules->spots = grown;
	}
	copy = strdup(path);
	if (copy == NULL)
		return -ENOMEM;
	rules->spots[rules->n_spots++] = (struct ward_spot){
		.path = copy,
		.length = strcmp(path, "/") == 0 ? 0 : strlen(path),
		.does = does,
		.rule = rule,
	};
	return 0;
}

int
ward_plan_rules_add_pattern(struct ward_plan_rules *rules,
    const struct ward_pattern *pattern, unsigned does,
    const struct ward_rule *rule)
{
	struct ward_spot_pattern *grown = reallocarray(
	    rules->patterns, rules->n_patterns + 1, sizeof(*grown));

	if (grown == NULL)
		return -ENOMEM;
	rules->patterns = grown;
	grown += rules->n_patterns;
	*grown = (struct ward_spot_pattern){ .does = does, .rule = rule };
	if (ward_pattern_init(&grown->pattern, pattern->prefix, pattern->rest) <
	    0)
		return -ENOMEM;
	rules->n_patterns++;
	return 0;
}

/* Compares the path of spot with n bytes at path, as strcmp does. */
static int
compare_path(const char *path, size_t n, const struct ward_spot *spot)
{
	size_t least = n < spot->length ? n : spot->length;
	int order = memcmp(path, spot->path, least);

	if (order != 0)
		return order;
	return (n > spot->length) - (n < spot->length);
}

static int
compare_spots(const void *a, const void *b)
{
	const struct ward_spot *one = a, *other = b;
	int order = compare_path(one->path, one->length, other);

	if (order != 0)
		return order;
	if (one->rule != other->rule)
		return one->rule < other->rule ? -1 : 1;
	return (one->does > other->does) - (one->does < other->does);
}

static int
compare_patterns(const void *a, const void *b)
{
	const struct ward_spot_pattern *one = a, *other = b;
	int order;

	if (one->rule != other->rule)
		return one->rule < other->rule ? -1 : 1;
	order = strcmp(one->pattern.prefix, other->pattern.prefix);
	if (order == 0)
		order = strcmp(one->pattern.rest, other->pattern.rest);
	return order;
}

void
ward_plan_rules_sort(struct ward_plan_rules *rules)
{
	size_t kept = 0;

	if (rules->n_patterns > 0)
		qsort(rules->patterns, rules->n_patterns,
		    sizeof(*rules->patterns), compare_patterns);
	if (rules->n_spots == 0)
		return;
	qsort(
	    rules->spots, rules->n_spots, sizeof(*rules->spots), compare_spots);
	for (size_t i = 1; i < rules->n_spots; i++) {
		if (compare_spots(&rules->spots[kept], &rules->spots[i]) == 0)
			free(rules->spots[i].path);
		else
			rules->spots[++kept] = rules->spots[i];
	}
	rules->n_spots = kept + 1;
}

/* The first spot that is not before these n bytes of path. */
static size_t
find_spot(const struct ward_plan_rules *rules, const char *path, size_t n)
{
	size_t low = 0, high = rules->n_spots;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_path(path, n, &rules->spots[middle]) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct ward_rule *
ward_plan_rules_find_closed_below(
    const struct ward_plan_rules *rules, const char *path)
{
	const unsigned closes =
	    WARD_DOES_READ_DENY | WARD_DOES_WRITE_DENY | WARD_DOES_HIDE;
	size_t n = strcmp(path, "/") == 0 ? 0 : strlen(path);

	for (size_t i = find_spot(rules, path, n);
	     i < rules->n_spots && rules->spots[i].length >= n &&
	     memcmp(rules->spots[i].path, path, n) == 0;
	     i++)
		if (rules->spots[i].path[n] == '/' &&
		    (rules->spots[i].does & closes) != 0)
			return rules->spots[i].rule;
	return NULL;
}

/* What was found from the root down to where the decision has come. */
struct findings {
	const struct ward_rule *read;
	bool hidden;
	const struct ward_rule *hide; /* the shallowest that nothing lifts */
	const struct ward_rule *write_allow;
	const struct ward_rule *write_deny;
};

/* The rules that stand at one place, the first of each kind. */
struct here {
	const struct ward_rule *read_allow;
	const struct ward_rule *read_deny;
	const struct ward_rule *write_allow;
	const struct ward_rule *write_deny;
	const struct ward_rule *hide;
};

static void
keep_first(const struct ward_rule **kept, const struct ward_rule *rule)
{
	if (*kept == NULL || rule < *kept)
		*kept = rule;
}

static void
note_here(struct here *here, unsigned does, const struct ward_rule *rule)
{
	if ((does & WARD_DOES_READ_ALLOW) != 0)
		keep_first(&here->read_allow, rule);
	if ((does & WARD_DOES_READ_DENY) != 0)
		keep_first(&here->read_deny, rule);
	if ((does & WARD_DOES_WRITE_ALLOW) != 0)
		keep_first(&here->write_allow, rule);
	if ((does & WARD_DOES_WRITE_DENY) != 0)
		keep_first(&here->write_deny, rule);
	if ((does & WARD_DOES_HIDE) != 0)
		keep_first(&here->hide, rule);
}

/* What is known of a place goes before what its rule's pattern says. */
static bool
is_spoken_for(const struct ward_plan_rules *rules, const char *path, size_t n,
    const struct ward_rule *rule)
{
	size_t above = 0;

	for (;;) {
		for (size_t i = find_spot(rules, path, above);
		     i < rules->n_spots &&
		     compare_path(path, above, &rules->spots[i]) == 0;
		     i++)
			if (rules->spots[i].rule == rule &&
			    (rules->spots[i].does &
				(above == n ? WARD_DOES_ALONE | WARD_DOES_STOP
					    : WARD_DOES_STOP)) != 0)
				return true;
		if (above == n)
			return false;
		above++;
		above += strcspn(path + above, "/");
	}
}

static void
look_here(const struct ward_plan_rules *rules, const char *path, size_t n,
    size_t depth, bool yielding, struct here *here)
{
	const unsigned kind = yielding ? WARD_DOES_YIELD : 0;

	for (size_t i = find_spot(rules, path, n);
	     i < rules->n_spots && compare_path(path, n, &rules->spots[i]) == 0;
	     i++)
		if ((rules->spots[i].does & WARD_DOES_YIELD) == kind)
			note_here(
			    here, rules->spots[i].does, rules->spots[i].rule);
	for (size_t i = 0; i < rules->n_patterns; i++) {
		const struct ward_spot_pattern *p = &rules->patterns[i];

		if ((p->does & WARD_DOES_YIELD) == kind &&
		    p->pattern.depth == depth &&
		    ward_pattern_matches(&p->pattern, path, n) &&
		    !is_spoken_for(rules, path, n, p->rule))
			note_here(here, p->does, p->rule);
	}
}

static void
apply_here(struct findings *found, const struct here *here)
{
	if (here->read_allow != NULL) {
		found->read = here->read_allow;
		found->hidden = false;
	} else if (here->read_deny != NULL) {
		found->read = here->read_deny;
		found->hidden = true;
	}
	if (here->write_allow != NULL)
		found->write_allow = here->write_allow;
	if (here->write_deny != NULL)
		found->write_deny = here->write_deny;
	if (found->hide == NULL)
		found->hide = here->hide;
}

static struct ward_verdict
conclude(const struct ward_plan_rules *rules, const struct findings *found)
{
	struct ward_verdict verdict = { .read = found->read };

	if (found->hide != NULL)
		verdict.read = found->hide;
	if (found->hide != NULL || found->hidden) {
		verdict.state = WARD_HIDDEN;
		verdict.write = found->write_deny != NULL ? found->write_deny
							  : verdict.read;
		verdict.rule = verdict.read;
		return verdict;
	}
	if (found->write_deny != NULL) {
		verdict.state = WARD_READABLE;
		verdict.write = found->write_deny;
	} else if (found->write_allow != NULL) {
		verdict.state = WARD_WRITABLE;
		verdict.write = found->write_allow;
	} else {
		verdict.state = WARD_READABLE;
		verdict.write = rules->closed;
	}
	verdict.rule = verdict.write;
	return verdict;
}

static struct findings
find(const struct ward_plan_rules *rules, const char *path)
{
	struct findings found = {
		.read = rules->read_default,
		.hidden = rules->read_default->kind == WARD_READ_DENY,
	};
	size_t depth = 0, n = 0;

	for (;;) {
		struct here here = { 0 }, yielding = { 0 };

		look_here(rules, path, n, depth, false, &here);
		apply_here(&found, &here);
		look_here(rules, path, n, depth, true, &yielding);
		if (!found.hidden || found.read == rules->read_default)
			apply_here(&found, &yielding);
		if (path[n] == '\0' || path[n + 1] == '\0')
			break;
		n++;
		n += strcspn(path + n, "/");
		depth++;
	}
	return found;
}

static const struct ward_rule *
find_socket_here(const struct ward_plan_rules *rules, const char *path,
    size_t n, size_t depth)
{
	const struct ward_rule *found = NULL;

	for (size_t i = find_spot(rules, path, n);
	     i < rules->n_spots && compare_path(path, n, &rules->spots[i]) == 0;
	     i++)
		if ((rules->spots[i].does & WARD_DOES_SOCKET_ALLOW) != 0)
			keep_first(&found, rules->spots[i].rule);
	for (size_t i = 0; i < rules->n_patterns; i++) {
		const struct ward_spot_pattern *p = &rules->patterns[i];

		if ((p->does & WARD_DOES_SOCKET_ALLOW) != 0 &&
		    p->pattern.depth == depth &&
		    ward_pattern_matches(&p->pattern, path, n) &&
		    !is_spoken_for(rules, path, n, p->rule))
			keep_first(&found, p->rule);
	}
	return found;
}

const struct ward_rule *
ward_plan_rules_find_socket(
    const struct ward_plan_rules *rules, const char *path)
{
	const struct ward_rule *found = NULL;
	size_t depth = 0, n = 0;

	for (;;) {
		const struct ward_rule *here =
		    find_socket_here(rules, path, n, depth);

		if (here != NULL)
			found = here;
		if (path[n] == '\0' || path[n + 1] == '\0')
			return found;
		n++;
		n += strcspn(path + n, "/");
		depth++;
	}
}

struct ward_verdict
ward_plan_rules_decide(const struct ward_plan_rules *rules, const char *path)
{
	int place = ward_private_find(path);
	struct findings found;

	if (place >= 0) {
		const struct ward_rule *own = rules->private_rules[place];

		return (struct ward_verdict){
			.state = ward_private_places[place].state,
			.rule = own,
			.read = own,
			.write = own,
		};
	}
	found = find(rules, path);
	return conclude(rules, &found);
}

bool
ward_plan_rules_never_show(
    const struct ward_plan_rules *rules, const char *path)
{
	return find(rules, path).hide != NULL;
}

void
ward_plan_rules_free(struct ward_plan_rules *rules)
{
	if (rules == NULL)
		return;
	for (size_t i = 0; i < rules->n_spots; i++)
		free(rules->spots[i].path);
	free(rules->spots);
	for (size_t i = 0; i < rules->n_patterns; i++)
		ward_pattern_clear(&rules->patterns[i].pattern);
	free(rules->patterns);
	for (size_t i = 0; i < rules->n_all; i++) {
		free(rules->all[i].path);
		free(rules->all[i].origin.file);
	}
	free(rules->all);
	free(rules);
}
