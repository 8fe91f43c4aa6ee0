/* SPDX-License-Identifier: ISC */
/* From a rule to where it stands. */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "common/path.h"
#include "profiles/placing.h"

static const char no_rule_counts[] =
    "is a place that every sandbox has for itself: no rule counts there";

/* One rule on its way. */
struct course {
	const struct ward_placing *placing;
	const struct ward_rule *rule;
	bool is_profile;
	bool has_star;
	unsigned does; /* where nothing stands against it */
};

const char *
ward_rule_kind_name(enum ward_rule_kind kind)
{
	switch (kind) {
	case WARD_READ_ALLOW:
		return "read.allow";
	case WARD_READ_DENY:
		return "read.deny";
	case WARD_WRITE_ALLOW:
		return "write.allow";
	case WARD_WRITE_DENY:
		return "write.deny";
	case WARD_SOCKET_ALLOW:
		return "unix_sockets.allow";
	case WARD_PROTECT:
	case WARD_UNPROTECT:
		return "protect";
	case WARD_RULE_KINDS:
		break;
	}
	return "rule";
}

static unsigned
what_it_does(enum ward_rule_kind kind, bool final)
{
	switch (kind) {
	case WARD_READ_ALLOW:
		return WARD_DOES_READ_ALLOW;
	case WARD_READ_DENY:
		return final ? WARD_DOES_HIDE : WARD_DOES_READ_DENY;
	case WARD_WRITE_ALLOW:
		return WARD_DOES_WRITE_ALLOW | WARD_DOES_READ_ALLOW;
	case WARD_WRITE_DENY:
		return WARD_DOES_WRITE_DENY;
	case WARD_SOCKET_ALLOW:
		return WARD_DOES_SOCKET_ALLOW;
	case WARD_PROTECT:
	case WARD_UNPROTECT:
	case WARD_RULE_KINDS:
		break;
	}
	return WARD_DOES_HIDE; /* fail closed */
}

static bool
is_allow(const struct ward_rule *rule)
{
	return rule->kind == WARD_READ_ALLOW ||
	    rule->kind == WARD_WRITE_ALLOW || rule->kind == WARD_SOCKET_ALLOW;
}

/* What a deny does to all of a place, for notes. */
static const char *
fate(const struct ward_rule *rule)
{
	return rule->kind == WARD_READ_DENY ? "hidden" : "closed for writing";
}

static int
add_spot(const struct course *course, const char *path, unsigned does)
{
	return ward_plan_rules_add_spot(
	    course->placing->rules, path, does, course->rule);
}

static int
add_place(const struct course *course, const struct ward_place *place)
{
	return ward_outline_add_place(course->placing->outline, place->path,
	    place->found == WARD_FOUND_DIRECTORY ||
		place->found == WARD_FOUND_UNREACHABLE);
}

/* A note with one path in it. */
static int
note(const struct course *course, const char *path, const char *what)
{
	if (!course->is_profile)
		return 0;
	return ward_outline_add_note(
	    course->placing->outline, course->rule, "%s %s", path, what);
}

/* The same about something that befalls denies in different ways. */
static int
note_fate(const struct course *course, const char *path, const char *what)
{
	if (!course->is_profile)
		return 0;
	return ward_outline_add_note(course->placing->outline, course->rule,
	    "%s %s: all of it is %s", path, what, fate(course->rule));
}

bool
ward_place_is_broader(const struct ward_place *place)
{
	for (size_t i = 0; i < place->n_links; i++)
		if (ward_path_is_below(place->links[i].at, place->path))
			return true;
	return false;
}

/* The rule does nothing here, and its pattern is not to say otherwise. */
static int
open_nothing(const struct course *course, const struct ward_place *place,
    const char *why)
{
	const char *path =
	    place->path == NULL ? course->rule->path : place->path;
	int r = note(course, path, why);

	/* what is not there may come to be what the pattern matches itself */
	if (r == 0 && course->has_star && place->path != NULL &&
	    place->found != WARD_FOUND_ABSENT)
		r = add_spot(course, place->path,
		    place->found == WARD_FOUND_UNREACHABLE ? WARD_DOES_STOP
							   : WARD_DOES_ALONE);
	return r;
}

static int
keep_links(const struct course *course, const struct ward_place *place)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < place->n_links; i++)
		r = ward_outline_add_link(
		    course->placing->outline, &place->links[i], place->path);
	return r;
}

static int
put_allow(const struct course *course, const struct ward_place *place)
{
	unsigned does = course->does;
	int r = 0;

	if (place->untrusted_link)
		return open_nothing(course, place,
		    "is behind a link that not only root could have made: "
		    "nothing is opened");
	if (place->found == WARD_FOUND_UNREACHABLE)
		return open_nothing(course, place,
		    "cannot be searched by the account: nothing is opened");
	if (place->found == WARD_FOUND_LOOP)
		return open_nothing(
		    course, place, "is a loop of links: nothing is opened");
	if (ward_place_is_broader(place))
		return open_nothing(course, place,
		    "is above the link that leads there: nothing is opened");
	if (place->n_links > 0)
		does |= WARD_DOES_YIELD;
	if (place->found == WARD_FOUND_SPECIAL &&
	    (does & WARD_DOES_WRITE_ALLOW) != 0) {
		does &= ~(unsigned)WARD_DOES_WRITE_ALLOW;
		does |= WARD_DOES_ALONE;
		r = note(course, place->path,
		    "is a FIFO, socket or device: it is not made writable");
	}
	if (r == 0)
		r = add_spot(course, place->path, does);
	if (r == 0)
		r = keep_links(course, place);
	return r;
}

/*
 * What is denied somewhere in a directory that the account cannot search now
 * is denied by that directory: the account may be its owner, and open it again
 * from inside.  So no allow may lift it, however near.
 */
static int
put_unreachable_deny(
    const struct course *course, const struct ward_place *place)
{
	const struct ward_rule *rule = course->rule;
	unsigned does = course->does;
	int r;

	if (ward_path_is_below(course->placing->whom.home, place->path))
		return ward_err_set(course->placing->err, EACCES,
		    "%s:%u: \"%s\": the account cannot search %s, and without "
		    "it would have no home",
		    rule->origin.file, rule->origin.line, rule->path,
		    place->path);
	if (does == WARD_DOES_READ_DENY)
		does = WARD_DOES_HIDE;
	r = note_fate(course, place->path, "cannot be searched by the account");
	if (r == 0)
		r = add_spot(course, place->path, does);
	if (r == 0)
		r = add_place(course, place);
	return r;
}

static int
put_deny(const struct course *course, const struct ward_place *place)
{
	int r = 0;

	if (place->found == WARD_FOUND_UNREACHABLE)
		return put_unreachable_deny(course, place);
	if (place->found == WARD_FOUND_LOOP) {
		r = note(course, course->rule->path, "is a loop of links");
		if (r < 0 || place->path == NULL)
			return r;
	} else if (ward_place_is_broader(place)) {
		r = note_fate(
		    course, place->path, "is above the link that leads there");
	}
	if (r == 0)
		r = add_spot(course, place->path, course->does);
	return r;
}

/* Where a pattern meets a link, the link's target is what counts. */
static int
pass_over_links(const struct course *course, const struct ward_place *place)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < place->n_links; i++)
		r = add_spot(course, place->links[i].at, WARD_DOES_ALONE);
	return r;
}

/*
 * A socket changes nothing of what is seen: it has no entry.  That it is not
 * there is nothing either, while its server does not run.
 */
static int
put_socket(const struct course *course, const struct ward_place *place)
{
	if (place->untrusted_link)
		return open_nothing(course, place,
		    "is behind a link that not only root could have made: "
		    "nothing is opened");
	if (place->found == WARD_FOUND_UNREACHABLE)
		return open_nothing(course, place,
		    "cannot be searched by the account: nothing is opened");
	if (place->found == WARD_FOUND_LOOP)
		return open_nothing(
		    course, place, "is a loop of links: nothing is opened");
	if (ward_place_is_broader(place))
		return open_nothing(course, place,
		    "is above the link that leads there: nothing is opened");
	return add_spot(course, place->path, course->does);
}

/* A private place that the rule cannot mean anything by. */
static bool
is_out_of_reach(const struct course *course, const char *path)
{
	return ward_plan_is_private(path) &&
	    (course->rule->kind != WARD_SOCKET_ALLOW ||
		!ward_plan_is_host_run(path));
}

static int
put(const struct course *course, const struct ward_place *place)
{
	int r = 0;

	if (course->has_star) {
		/* the pattern says the same where there is nothing yet */
		if (place->found == WARD_FOUND_ABSENT && place->n_links == 0)
			return 0;
		r = pass_over_links(course, place);
	}
	if (r < 0)
		return r;
	if (place->path != NULL && is_out_of_reach(course, place->path))
		/* what a * comes across was not named by anybody */
		return course->has_star
		    ? 0
		    : note(course, place->path, no_rule_counts);
	if (course->rule->kind == WARD_SOCKET_ALLOW)
		return put_socket(course, place);
	r = is_allow(course->rule) ? put_allow(course, place)
				   : put_deny(course, place);
	if (r < 0)
		return r;
	switch (place->found) {
	case WARD_FOUND_DIRECTORY:
	case WARD_FOUND_FILE:
	case WARD_FOUND_SPECIAL:
		return add_place(course, place);
	case WARD_FOUND_ABSENT:
		return course->has_star || place->untrusted_link
		    ? 0
		    : note(course, place->path, "is not there");
	case WARD_FOUND_LOOP:
	case WARD_FOUND_UNREACHABLE:
		break;
	}
	return 0;
}

static int
put_pattern(
    const struct course *course, const struct ward_expand_pattern *pattern)
{
	unsigned does = course->does;

	if (is_out_of_reach(course, pattern->pattern.prefix))
		return note(course, pattern->pattern.prefix, no_rule_counts);
	if (is_allow(course->rule)) {
		if (pattern->untrusted_link)
			return note(course, pattern->pattern.prefix,
			    "is behind a link that not only root could have "
			    "made: nothing is opened");
		if (pattern->by_link)
			does |= WARD_DOES_YIELD;
	}
	return ward_plan_rules_add_pattern(
	    course->placing->rules, &pattern->pattern, does, course->rule);
}

static bool
is_there(const struct ward_place *place)
{
	return place->found != WARD_FOUND_ABSENT &&
	    place->found != WARD_FOUND_LOOP;
}

static int
put_all(const struct course *course, const struct ward_expansion *expansion)
{
	size_t there = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < expansion->n_places; i++) {
		there += is_there(&expansion->places[i]);
		r = put(course, &expansion->places[i]);
	}
	for (size_t i = 0; r == 0 && i < expansion->n_patterns; i++)
		r = put_pattern(course, &expansion->patterns[i]);
	if (r == 0 && there == 0 && course->has_star)
		r = note(course, course->rule->path, "matches nothing");
	return r;
}

int
ward_placing_add(const struct ward_placing *placing,
    const struct ward_rule *rule, bool is_profile, bool final)
{
	struct course course = {
		.placing = placing,
		.rule = rule,
		.is_profile = is_profile,
		.does = what_it_does(rule->kind, final),
	};
	struct ward_expansion expansion = { 0 };
	int r =
	    ward_expand_rule(rule, &placing->whom, &expansion, placing->err);

	if (r < 0)
		return r;
	course.has_star = expansion.has_star;
	r = put_all(&course, &expansion);
	ward_expansion_clear(&expansion);
	if (r == -ENOMEM)
		(void)ward_err_sys(placing->err, ENOMEM, "the plan");
	return r;
}
