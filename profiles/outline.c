/* SPDX-License-Identifier: ISC */
/* What a plan shows of its decisions: entries, links, notes. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "profiles/outline.h"

/*
 * Room for one element more behind the n of array, or NULL.  It doubles when n
 * is a power of two, so that no capacity is kept beside each array.
 */
static void *
grow(void *array, size_t n, size_t size)
{
	if ((n & (n - 1)) != 0)
		return array;
	return reallocarray(array, n == 0 ? 1 : n * 2, size);
}

int
ward_outline_add_place(
    struct ward_outline *outline, const char *path, bool is_directory)
{
	struct ward_outline_place *grown =
	    grow(outline->places, outline->n_places, sizeof(*grown));

	if (grown == NULL)
		return -ENOMEM;
	outline->places = grown;
	grown += outline->n_places;
	*grown = (struct ward_outline_place){ strdup(path), is_directory };
	if (grown->path == NULL)
		return -ENOMEM;
	outline->n_places++;
	return 0;
}

int
ward_outline_add_link(struct ward_outline *outline,
    const struct ward_link *link, const char *target)
{
	struct ward_outline_link *grown =
	    grow(outline->links, outline->n_links, sizeof(*grown));

	if (grown == NULL)
		return -ENOMEM;
	outline->links = grown;
	grown += outline->n_links++;
	*grown = (struct ward_outline_link){
		.link = { strdup(link->at), strdup(link->text) },
		.target = target == NULL ? NULL : strdup(target),
	};
	if (grown->link.at == NULL || grown->link.text == NULL ||
	    (target != NULL && grown->target == NULL))
		return -ENOMEM;
	return 0;
}

int
ward_outline_add_note(struct ward_outline *outline,
    const struct ward_rule *rule, const char *format, ...)
{
	struct ward_plan_note *grown =
	    grow(outline->notes, outline->n_notes, sizeof(*grown));
	char *text = NULL;
	va_list args;
	int n;

	if (grown == NULL)
		return -ENOMEM;
	outline->notes = grown;
	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return -ENOMEM;
	grown[outline->n_notes++] = (struct ward_plan_note){ rule, text };
	return 0;
}

static int
compare_paths(const char *one, const char *other)
{
	size_t one_depth = ward_path_depth(one);
	size_t other_depth = ward_path_depth(other);

	if (one_depth != other_depth)
		return one_depth < other_depth ? -1 : 1;
	return strcmp(one, other);
}

static int
compare_places(const void *a, const void *b)
{
	const struct ward_outline_place *one = a, *other = b;

	return compare_paths(one->path, other->path);
}

static int
compare_links(const void *a, const void *b)
{
	const struct ward_outline_link *one = a, *other = b;

	return compare_paths(one->link.at, other->link.at);
}

static int
compare_notes(const void *a, const void *b)
{
	const struct ward_plan_note *one = a, *other = b;

	if (one->rule != other->rule)
		return one->rule < other->rule ? -1 : 1;
	return strcmp(one->text, other->text);
}

/* The entry of exactly these n bytes of path, which are depth deep. */
static const struct ward_plan_entry *
find_entry(
    const struct ward_plan *plan, const char *path, size_t n, size_t depth)
{
	size_t low = 0, high = plan->n_entries;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct ward_plan_entry *entry = &plan->entries[middle];
		size_t entry_depth = ward_path_depth(entry->path);
		int order = (depth > entry_depth) - (depth < entry_depth);

		if (order == 0)
			order = strncmp(path, entry->path, n);
		if (order == 0 && entry->path[n] != '\0')
			order = -1;
		if (order == 0)
			return entry;
		if (order > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The deepest entry that is truly above path; "/" always is. */
static const struct ward_plan_entry *
nearest_entry(const struct ward_plan *plan, const char *path)
{
	const struct ward_plan_entry *entry;
	size_t depth = ward_path_depth(path);
	size_t n = strlen(path);

	while (depth > 1) {
		while (path[--n] != '/')
			;
		entry = find_entry(plan, path, n, --depth);
		if (entry != NULL)
			return entry;
	}
	return &plan->entries[0];
}

/* Of the reasons of a state, the one that parts it from what is around it. */
static const struct ward_rule *
reason(const struct ward_verdict *verdict, const struct ward_plan_entry *above)
{
	if (verdict->state == WARD_READABLE &&
	    (above == NULL || above->state == WARD_HIDDEN))
		return verdict->read;
	return verdict->rule;
}

static int
add_entry(struct ward_plan *plan, const struct ward_outline_place *place)
{
	struct ward_verdict verdict = ward_plan_decide(plan, place->path);
	const struct ward_plan_entry *above = NULL;
	const struct ward_rule *rule;
	struct ward_plan_entry *grown;

	if (plan->n_entries > 0)
		above = nearest_entry(plan, place->path);
	if (above != NULL && above->state == verdict.state)
		return 0;
	rule = reason(&verdict, above);
	grown = grow(plan->entries, plan->n_entries, sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	plan->entries = grown;
	grown += plan->n_entries;
	*grown = (struct ward_plan_entry){
		.path = strdup(place->path),
		.state = verdict.state,
		.is_directory = place->is_directory,
		.rule = rule,
	};
	if (grown->path == NULL)
		return -ENOMEM;
	plan->n_entries++;
	return 0;
}

static int
finish_entries(struct ward_outline *outline, struct ward_plan *plan)
{
	int r = ward_outline_add_place(outline, "/", true);

	if (r < 0)
		return r;
	qsort(outline->places, outline->n_places, sizeof(*outline->places),
	    compare_places);
	for (size_t i = 0; r == 0 && i < outline->n_places; i++)
		if (i == 0 ||
		    compare_places(
			&outline->places[i - 1], &outline->places[i]) != 0)
			r = add_entry(plan, &outline->places[i]);
	return r;
}

/* A link in a directory that is hidden, by an allow that opens something. */
static bool
is_wanted(const struct ward_plan *plan, const struct ward_outline_link *link)
{
	if (ward_plan_is_private(link->link.at) ||
	    ward_plan_rules_never_show(plan->rules, link->link.at) ||
	    ward_plan_decide(plan, link->link.at).state != WARD_HIDDEN)
		return false;
	return link->target == NULL ||
	    ward_plan_decide(plan, link->target).state != WARD_HIDDEN;
}

static int
finish_links(struct ward_outline *outline, struct ward_plan *plan)
{
	if (outline->n_links == 0)
		return 0;
	qsort(outline->links, outline->n_links, sizeof(*outline->links),
	    compare_links);
	plan->links = calloc(outline->n_links, sizeof(*plan->links));
	if (plan->links == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < outline->n_links; i++) {
		struct ward_link *link = &outline->links[i].link;

		if (!is_wanted(plan, &outline->links[i]))
			continue;
		if (plan->n_links > 0 &&
		    strcmp(plan->links[plan->n_links - 1].at, link->at) == 0)
			continue;
		plan->links[plan->n_links++] = *link;
		*link = (struct ward_link){ 0 };
	}
	return 0;
}

static void
finish_notes(struct ward_outline *outline, struct ward_plan *plan)
{
	struct ward_plan_note *notes = outline->notes;
	size_t n = outline->n_notes, kept = 0;

	if (n == 0)
		return;
	qsort(notes, n, sizeof(*notes), compare_notes);
	for (size_t i = 1; i < n; i++) {
		if (compare_notes(&notes[kept], &notes[i]) == 0)
			free(notes[i].text);
		else
			notes[++kept] = notes[i];
	}
	plan->notes = notes;
	plan->n_notes = kept + 1;
	outline->notes = NULL;
	outline->n_notes = 0;
}

int
ward_outline_finish(struct ward_outline *outline, struct ward_plan *plan)
{
	int r = finish_entries(outline, plan);

	if (r == 0)
		r = finish_links(outline, plan);
	if (r == 0)
		finish_notes(outline, plan);
	return r;
}

void
ward_outline_clear(struct ward_outline *outline)
{
	for (size_t i = 0; i < outline->n_places; i++)
		free(outline->places[i].path);
	free(outline->places);
	for (size_t i = 0; i < outline->n_links; i++) {
		free(outline->links[i].link.at);
		free(outline->links[i].link.text);
		free(outline->links[i].target);
	}
	free(outline->links);
	for (size_t i = 0; i < outline->n_notes; i++)
		free(outline->notes[i].text);
	free(outline->notes);
	*outline = (struct ward_outline){ 0 };
}
