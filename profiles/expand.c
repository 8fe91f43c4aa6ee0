/* SPDX-License-Identifier: ISC */
/* A rule's path as the places that it names. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "profiles/expand.h"

static const char user_placeholder[] = "${user}";

/* Paths that an expansion has come to so far; spelled, not resolved. */
struct frontier {
	char **paths;
	size_t n;
};

struct job {
	const struct ward_rule *rule;
	const struct ward_expand_for *whom;
	struct ward_expansion *out;
	struct err *err;
};

static int
fail(const struct job *job, int errnum, const char *what)
{
	return ward_err_set(job->err, errnum, "%s:%u: \"%s\": %s",
	    job->rule->origin.file, job->rule->origin.line, job->rule->path,
	    what);
}

static int
fail_memory(const struct job *job)
{
	return ward_err_sys(job->err, ENOMEM, "the plan");
}

static void
frontier_clear(struct frontier *frontier)
{
	for (size_t i = 0; i < frontier->n; i++)
		free(frontier->paths[i]);
	free(frontier->paths);
	*frontier = (struct frontier){ 0 };
}

/* Takes path, also when it fails; a NULL is a failed allocation. */
static int
frontier_take(const struct job *job, struct frontier *frontier, char *path)
{
	char **grown;

	if (path == NULL)
		return fail_memory(job);
	if (frontier->n == WARD_PLAN_EXPANSIONS) {
		free(path);
		return fail(job, E2BIG, "matches too many places");
	}
	grown = reallocarray(frontier->paths, frontier->n + 1, sizeof(*grown));
	if (grown == NULL) {
		free(path);
		return fail_memory(job);
	}
	frontier->paths = grown;
	grown[frontier->n++] = path;
	return 0;
}

/* Takes what place holds, also when it fails. */
static int
take_place(const struct job *job, struct ward_place *place)
{
	struct ward_expansion *out = job->out;
	struct ward_place *grown =
	    reallocarray(out->places, out->n_places + 1, sizeof(*grown));

	if (grown == NULL) {
		ward_place_clear(place);
		return fail_memory(job);
	}
	out->places = grown;
	grown[out->n_places++] = *place;
	*place = (struct ward_place){ 0 };
	return 0;
}

/* A resolver's failure, with the rule in front of what it said. */
static int
fail_resolver(const struct job *job, int r, const struct err *own)
{
	return fail(job, -r, own->code != 0 ? own->text : strerrordesc_np(-r));
}

static int
resolve(const struct job *job, const char *path, struct ward_place *place)
{
	const struct ward_resolver *resolver = job->whom->resolver;
	struct err own = { 0 };
	int r = resolver->resolve(resolver->context, path, place, &own);

	if (r < 0)
		return fail_resolver(job, r, &own);
	if (place->found != WARD_FOUND_LOOP &&
	    (place->path == NULL || place->path[0] != '/')) {
		ward_place_clear(place);
		return fail(job, EINVAL, "was resolved to no path");
	}
	return 0;
}

/* malloc'd. */
static char *
replace_user(const char *path, const char *user)
{
	const size_t skip = sizeof(user_placeholder) - 1;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	while (*path != '\0') {
		if (strncmp(path, user_placeholder, skip) == 0) {
			(void)fputs(user, out);
			path += skip;
		} else {
			(void)fputc(*path++, out);
		}
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Where the rule's path begins, and the rest of it, folded; rest is malloc'd.
 */
static int
spell(const struct job *job, const char **base, char **rest)
{
	const char *path = job->rule->path;
	char *text;

	*base = "/";
	if (path[0] == '~') {
		*base = job->whom->home;
		path++;
	}
	if (path[0] != '/' && (path[0] != '\0' || path == job->rule->path))
		return fail(job, EINVAL, "is neither absolute nor below ~");
	text = replace_user(path, job->whom->user);
	if (text == NULL)
		return fail_memory(job);
	ward_path_fold(text);
	if (text[0] == '/')
		memmove(text, text + 1, strlen(text));
	*rest = text;
	return 0;
}

/* By a pattern that came no worse way than place did. */
static bool
is_covered(const struct ward_expansion *out, const struct ward_place *place,
    const char *path)
{
	for (size_t i = 0; i < out->n_patterns; i++) {
		const struct ward_expand_pattern *p = &out->patterns[i];

		if ((!p->untrusted_link || place->untrusted_link) &&
		    (!p->by_link || place->n_links > 0) &&
		    ward_pattern_matches(&p->pattern, path, strlen(path)))
			return true;
	}
	return false;
}

/*
 * What appears later below place is judged by the pattern.  One that an
 * earlier pattern covers is left out: text with * in it matches as a name.
 */
static int
add_pattern(
    const struct job *job, const struct ward_place *place, const char *rest)
{
	struct ward_expansion *out = job->out;
	struct ward_expand_pattern *grown;
	_cleanup_free_ char *whole = ward_path_join(place->path, rest);

	if (whole == NULL)
		return fail_memory(job);
	if (is_covered(out, place, whole))
		return 0;
	grown =
	    reallocarray(out->patterns, out->n_patterns + 1, sizeof(*grown));
	if (grown == NULL)
		return fail_memory(job);
	out->patterns = grown;
	grown += out->n_patterns;
	grown->untrusted_link = place->untrusted_link;
	grown->by_link = place->n_links > 0;
	if (ward_pattern_init(&grown->pattern, place->path, rest) < 0)
		return fail_memory(job);
	out->n_patterns++;
	return 0;
}

static bool
is_name(const char *name)
{
	return name[0] != '\0' && strcmp(name, ".") != 0 &&
	    strcmp(name, "..") != 0 && strchr(name, '/') == NULL;
}

/* Goes from directory, spelled as path, to each name that star matches. */
static int
list_matching(const struct job *job, const char *path,
    struct ward_place *directory, const char *star, struct frontier *next)
{
	const struct ward_resolver *resolver = job->whom->resolver;
	struct err own = { 0 };
	char **names = NULL;
	size_t n_names = 0;
	int r = resolver->list(
	    resolver->context, directory->path, &names, &n_names, &own);

	if (r == -EACCES) {
		directory->found = WARD_FOUND_UNREACHABLE;
		return take_place(job, directory);
	}
	if (r < 0)
		return fail_resolver(job, r, &own);
	for (size_t i = 0; i < n_names; i++) {
		if (r == 0 && is_name(names[i]) &&
		    ward_match_component(
			star, strlen(star), names[i], strlen(names[i])))
			r = frontier_take(
			    job, next, ward_path_join(path, names[i]));
		free(names[i]);
	}
	free(names);
	return r;
}

/* rest begins with star, and goes on behind it. */
static int
expand_star(const struct job *job, const char *path, const char *star,
    const char *rest, struct frontier *next)
{
	struct ward_place place = { 0 };
	int r = resolve(job, path, &place);

	if (r < 0)
		return r;
	switch (place.found) {
	case WARD_FOUND_DIRECTORY:
		r = list_matching(job, path, &place, star, next);
		/* what may not be listed is not judged by the pattern */
		if (r == 0 && place.path != NULL)
			r = add_pattern(job, &place, rest);
		break;
	case WARD_FOUND_ABSENT:
		r = add_pattern(job, &place, rest);
		break;
	case WARD_FOUND_UNREACHABLE:
		return take_place(job, &place);
	case WARD_FOUND_FILE:
	case WARD_FOUND_SPECIAL:
	case WARD_FOUND_LOOP:
		break;
	}
	ward_place_clear(&place);
	return r;
}

/* One component more for every path of the frontier. */
static int
advance(const struct job *job, struct frontier *frontier, const char *name,
    const char *rest)
{
	struct frontier next = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < frontier->n; i++) {
		if (strchr(name, '*') != NULL)
			r = expand_star(
			    job, frontier->paths[i], name, rest, &next);
		else
			r = frontier_take(job, &next,
			    ward_path_join(frontier->paths[i], name));
	}
	frontier_clear(frontier);
	*frontier = next;
	return r;
}

static int
walk(const struct job *job, struct frontier *frontier, const char *rest)
{
	int r = 0;

	while (r == 0 && *rest != '\0') {
		size_t n = strcspn(rest, "/");
		_cleanup_free_ char *name = strndup(rest, n);

		if (name == NULL)
			return fail_memory(job);
		if (strcmp(name, "..") == 0)
			return fail(job, EINVAL, "has a .. in it");
		r = advance(job, frontier, name, rest);
		rest += n;
		rest += *rest == '/';
	}
	return r;
}

int
ward_expand_rule(const struct ward_rule *rule,
    const struct ward_expand_for *whom, struct ward_expansion *expansion,
    struct err *err)
{
	const struct job job = { rule, whom, expansion, err };
	struct frontier frontier = { 0 };
	char *rest = NULL;
	const char *base;
	int r;

	*expansion = (struct ward_expansion){ 0 };
	expansion->has_star = strchr(rule->path, '*') != NULL;
	r = spell(&job, &base, &rest);
	if (r < 0 || rest == NULL)
		goto out;
	r = frontier_take(&job, &frontier, strdup(base));
	if (r == 0)
		r = walk(&job, &frontier, rest);
	for (size_t i = 0; r == 0 && i < frontier.n; i++) {
		struct ward_place place = { 0 };

		r = resolve(&job, frontier.paths[i], &place);
		if (r == 0)
			r = take_place(&job, &place);
	}
out:
	frontier_clear(&frontier);
	free(rest);
	if (r < 0)
		ward_expansion_clear(expansion);
	return r;
}

void
ward_expansion_clear(struct ward_expansion *expansion)
{
	for (size_t i = 0; i < expansion->n_places; i++)
		ward_place_clear(&expansion->places[i]);
	free(expansion->places);
	for (size_t i = 0; i < expansion->n_patterns; i++)
		ward_pattern_clear(&expansion->patterns[i].pattern);
	free(expansion->patterns);
	*expansion = (struct ward_expansion){ 0 };
}
