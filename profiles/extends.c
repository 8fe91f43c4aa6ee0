/* SPDX-License-Identifier: ISC */
/* Who extends whom, and what comes of it. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/text.h"
#include "profiles/extends.h"
#include "profiles/nearest.h"
#include "profiles/protect.h"

#define SHOWN 128

#define wrong(family, member, line, findings, ...)                             \
	ward_diagnostics_add(findings, WARD_ERROR,                             \
	    (family)->profiles[member]->file, line, __VA_ARGS__)

static const char *
name_of(const struct ward_family *family, size_t member)
{
	return family->profiles[member]->settings[WARD_KEY_NAME].text;
}

static const struct ward_setting *
setting_of(const struct ward_family *family, size_t member, enum ward_key_id id)
{
	return &family->profiles[member]->settings[id];
}

bool
ward_family_has(const struct ward_family *family, size_t child, size_t member)
{
	return child == member || family->ancestors[child * family->n + member];
}

static size_t
find_by_name(const struct ward_family *family, const char *name)
{
	size_t i = 0;

	while (i < family->n && strcmp(name_of(family, i), name) != 0)
		i++;
	return i;
}

static int
check_names(const struct ward_family *family, struct ward_diagnostics *findings)
{
	int answer = 0;

	for (size_t i = 0; i < family->n; i++) {
		size_t first = find_by_name(family, name_of(family, i));
		const struct ward_setting *name =
		    setting_of(family, first, WARD_KEY_NAME);

		if (first == i)
			continue;
		answer = wrong(family, i,
		    setting_of(family, i, WARD_KEY_NAME)->line, findings,
		    "a profile \"%s\" is already in %s:%u: give one of them "
		    "another name",
		    name->text, family->profiles[first]->file, name->line);
		if (answer == -ENOMEM)
			return answer;
	}
	return answer;
}

static int
unknown_parent(const struct ward_family *family, size_t child,
    const struct ward_entry *entry, struct ward_diagnostics *findings)
{
	const char *names[WARD_PROFILES_MAX];
	const char *near;

	for (size_t i = 0; i < family->n; i++)
		names[i] = i == child ? NULL : name_of(family, i);
	near = ward_nearest(entry->text, names, family->n);
	if (near != NULL)
		return wrong(family, child, entry->line, findings,
		    "extends: there is no profile \"%s\": did you mean "
		    "\"%s\"?",
		    entry->text, near);
	return wrong(family, child, entry->line, findings,
	    "extends: there is no profile \"%s\": wardctl profile list names "
	    "them",
	    entry->text);
}

/* Direct parents into the table of ancestors. */
static int
find_parents(struct ward_family *family, struct ward_diagnostics *findings)
{
	int answer = 0;

	for (size_t i = 0; i < family->n; i++) {
		const struct ward_setting *extends =
		    setting_of(family, i, WARD_KEY_EXTENDS);

		for (size_t j = 0; j < extends->n_entries; j++) {
			const struct ward_entry *entry = &extends->entries[j];
			size_t parent = find_by_name(family, entry->text);

			if (parent < family->n) {
				family->ancestors[i * family->n + parent] =
				    true;
				continue;
			}
			answer = unknown_parent(family, i, entry, findings);
			if (answer == -ENOMEM)
				return answer;
		}
	}
	return answer;
}

static const struct ward_entry *
extends_entry(const struct ward_family *family, size_t child, size_t parent)
{
	const struct ward_setting *extends =
	    setting_of(family, child, WARD_KEY_EXTENDS);
	const struct ward_entry *entry = extends->entries;

	while (strcmp(entry->text, name_of(family, parent)) != 0)
		entry++;
	return entry;
}

static size_t
first_parent(const struct ward_family *family, size_t child, const bool *done)
{
	size_t i = 0;

	while (i < family->n &&
	    (done[i] || !family->ancestors[child * family->n + i]))
		i++;
	return i;
}

/* Whoever is not in the order is in a circle or extends one. */
static int
report_circle(const struct ward_family *family, const bool *done,
    struct ward_diagnostics *findings)
{
	const struct ward_entry *one, *other;
	size_t at = 0, next;

	while (done[at])
		at++;
	/* after as many steps as there are profiles, the walk is inside */
	for (size_t i = 0; i < family->n; i++)
		at = first_parent(family, at, done);
	next = first_parent(family, at, done);
	one = extends_entry(family, at, next);
	if (next == at)
		return wrong(family, at, one->line, findings,
		    "extends: the profile names itself: remove it");
	other = extends_entry(family, next, first_parent(family, next, done));
	return wrong(family, at, one->line, findings,
	    "extends: \"%s\" comes back to \"%s\" by %s:%u: remove one of the "
	    "two",
	    name_of(family, next), name_of(family, at),
	    family->profiles[next]->file, other->line);
}

/* All parents of i are done, or i has none. */
static bool
is_ready(const struct ward_family *family, size_t i, const bool *done)
{
	return !done[i] && first_parent(family, i, done) == family->n;
}

/* Takes member in: its parents' ancestors are its own. */
static int
inherit_ancestors(struct ward_family *family, size_t member, unsigned *depths,
    struct ward_diagnostics *findings)
{
	bool *row = &family->ancestors[member * family->n];

	for (size_t i = 0; i < family->n; i++) {
		if (!row[i])
			continue;
		if (depths[i] + 1 > depths[member])
			depths[member] = depths[i] + 1;
		for (size_t j = 0; j < family->n; j++)
			if (family->ancestors[i * family->n + j])
				row[j] = true;
	}
	if (depths[member] < WARD_EXTENDS_MAX)
		return 0;
	return wrong(family, member,
	    setting_of(family, member, WARD_KEY_EXTENDS)->line, findings,
	    "extends: the line of parents is longer than %d: name the ones "
	    "that are needed directly",
	    WARD_EXTENDS_MAX);
}

static int
find_order(struct ward_family *family, struct ward_diagnostics *findings)
{
	_cleanup_free_ bool *done = calloc(family->n + 1, sizeof(*done));
	_cleanup_free_ unsigned *depths =
	    calloc(family->n + 1, sizeof(*depths));
	size_t n_done = 0;

	if (done == NULL || depths == NULL)
		return -ENOMEM;
	while (n_done < family->n) {
		size_t i = 0;
		int r;

		while (i < family->n && !is_ready(family, i, done))
			i++;
		if (i == family->n)
			return report_circle(family, done, findings);
		r = inherit_ancestors(family, i, depths, findings);
		if (r != 0)
			return r;
		done[i] = true;
		family->order[n_done++] = i;
	}
	return 0;
}

static const struct ward_entry *
find_entry(const struct ward_setting *setting, const char *text, bool removes)
{
	for (size_t i = 0; i < setting->n_entries; i++)
		if (setting->entries[i].removes == removes &&
		    strcmp(setting->entries[i].text, text) == 0)
			return &setting->entries[i];
	return NULL;
}

bool
ward_family_removes(const struct ward_family *family, size_t child,
    enum ward_key_id id, const char *text)
{
	for (size_t i = 0; i < family->n; i++)
		if (ward_family_has(family, child, i) &&
		    find_entry(setting_of(family, i, id), text, true) != NULL)
			return true;
	return false;
}

/* Somebody of child who extends giver takes text out. */
static bool
is_removed(const struct ward_family *family, size_t child, size_t giver,
    enum ward_key_id id, const char *text)
{
	for (size_t i = 0; i < family->n; i++)
		if (i != giver && ward_family_has(family, child, i) &&
		    ward_family_has(family, i, giver) &&
		    find_entry(setting_of(family, i, id), text, true) != NULL)
			return true;
	return false;
}

static bool
is_protected_anyway(const char *text)
{
	for (size_t i = 0; i < ward_n_protected_names; i++)
		if (strcmp(ward_protected_names[i], text) == 0)
			return true;
	return false;
}

/* Is there something of the parents for this ! to take out? */
static bool
parents_give(const struct ward_family *family, size_t member,
    enum ward_key_id id, const char *text)
{
	bool anybody = false;

	for (size_t i = 0; i < family->n; i++) {
		const struct ward_setting *setting = setting_of(family, i, id);

		if (!ward_family_has(family, member, i))
			continue;
		if (find_entry(setting, text, false) != NULL)
			return true;
		anybody =
		    anybody || (setting->is_set && setting->n_entries == 0);
		for (size_t j = 0; j < setting->n_entries; j++)
			anybody = anybody || !setting->entries[j].removes;
	}
	if (id == WARD_KEY_PROTECT)
		return is_protected_anyway(text);
	/* who says nothing has every service, and its children with it */
	return id == WARD_KEY_SERVICES && !anybody;
}

static int
useless_removal(const struct ward_family *family, size_t member,
    enum ward_key_id id, const struct ward_entry *entry,
    struct ward_diagnostics *findings)
{
	_cleanup_free_ const char **names = NULL;
	char shown[SHOWN], shown_near[SHOWN];
	const char *near;
	size_t n = 0;

	for (size_t i = 0; i < family->n; i++)
		n += setting_of(family, i, id)->n_entries;
	names = calloc(n + ward_n_protected_names + 1, sizeof(*names));
	if (names == NULL)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; i < family->n; i++) {
		const struct ward_setting *setting = setting_of(family, i, id);

		if (!family->ancestors[member * family->n + i])
			continue;
		for (size_t j = 0; j < setting->n_entries; j++)
			if (!setting->entries[j].removes)
				names[n++] = setting->entries[j].text;
	}
	for (size_t i = 0; id == WARD_KEY_PROTECT && i < ward_n_protected_names;
	     i++)
		names[n++] = ward_protected_names[i];
	(void)ward_text_visible(shown, sizeof(shown), entry->text);
	near = ward_nearest(entry->text, names, n);
	if (near != NULL)
		return wrong(family, member, entry->line, findings,
		    "%s: \"!%s\" removes nothing that a parent gave: did you "
		    "mean \"!%s\"?",
		    ward_keys[id].path, shown,
		    ward_text_visible(shown_near, sizeof(shown_near), near));
	return wrong(family, member, entry->line, findings,
	    "%s: \"!%s\" removes nothing that a parent gave: remove it",
	    ward_keys[id].path, shown);
}

static int
check_removals_of(const struct ward_family *family, size_t member,
    enum ward_key_id id, struct ward_diagnostics *findings)
{
	const struct ward_setting *setting = setting_of(family, member, id);
	int answer = 0;

	for (size_t i = 0; i < setting->n_entries; i++) {
		const struct ward_entry *entry = &setting->entries[i];

		if (!entry->removes ||
		    parents_give(family, member, id, entry->text))
			continue;
		answer = useless_removal(family, member, id, entry, findings);
		if (answer == -ENOMEM)
			return answer;
	}
	return answer;
}

static int
check_removals(
    const struct ward_family *family, struct ward_diagnostics *findings)
{
	int answer = 0;

	for (size_t i = 0; i < family->n; i++) {
		for (size_t id = 0; id < WARD_KEY_COUNT; id++) {
			int r = check_removals_of(
			    family, i, (enum ward_key_id)id, findings);

			if (r == -ENOMEM)
				return r;
			if (r != 0)
				answer = r;
		}
	}
	return answer;
}

int
ward_family_join(struct ward_profile_text *const *profiles, size_t n,
    struct ward_family *family, struct ward_diagnostics *findings)
{
	int r;

	*family = (struct ward_family){ .profiles = profiles, .n = n };
	if (n > WARD_PROFILES_MAX)
		return ward_diagnostics_add(findings, WARD_ERROR,
		    profiles[WARD_PROFILES_MAX]->file, 0,
		    "more than %d profiles", WARD_PROFILES_MAX);
	family->order = calloc(n + 1, sizeof(*family->order));
	family->ancestors = calloc(n * n + 1, sizeof(*family->ancestors));
	if (family->order == NULL || family->ancestors == NULL)
		return -ENOMEM;
	r = check_names(family, findings);
	if (r == 0)
		r = find_parents(family, findings);
	if (r == 0)
		r = find_order(family, findings);
	if (r == 0)
		r = check_removals(family, findings);
	return r;
}

void
ward_family_clear(struct ward_family *family)
{
	free(family->order);
	free(family->ancestors);
	*family = (struct ward_family){ 0 };
}

static bool
is_same_value(const struct ward_setting *a, const struct ward_setting *b)
{
	if (a->text != NULL && b->text != NULL)
		return strcmp(a->text, b->text) == 0;
	return a->text == b->text && a->number == b->number;
}

/* Does somebody of child who extends member set the scalar again? */
static bool
is_overridden(const struct ward_family *family, size_t child, size_t member,
    enum ward_key_id id)
{
	for (size_t i = 0; i < family->n; i++)
		if (i != member && ward_family_has(family, child, i) &&
		    ward_family_has(family, i, member) &&
		    setting_of(family, i, id)->is_set)
			return true;
	return false;
}

int
ward_family_scalar(const struct ward_family *family, size_t child,
    enum ward_key_id id, size_t *giver, struct ward_diagnostics *findings)
{
	*giver = family->n;
	for (size_t i = 0; i < family->n; i++) {
		size_t member = family->order[i];
		const struct ward_setting *setting =
		    setting_of(family, member, id);
		const struct ward_setting *other;

		if (!setting->is_set ||
		    !ward_family_has(family, child, member) ||
		    is_overridden(family, child, member, id))
			continue;
		if (*giver == family->n) {
			*giver = member;
			continue;
		}
		other = setting_of(family, *giver, id);
		if (is_same_value(setting, other))
			continue;
		return wrong(family, child,
		    setting_of(family, child, WARD_KEY_EXTENDS)->line, findings,
		    "extends: %s:%u and %s:%u disagree on %s: set it in this "
		    "profile",
		    family->profiles[*giver]->file, other->line,
		    family->profiles[member]->file, setting->line,
		    ward_keys[id].path);
	}
	return 0;
}

/* A second giver, unrelated to the first: fine if it means the same. */
static int
settle(const struct ward_family *family, size_t child, enum ward_key_id id,
    struct ward_given *first, const struct ward_given *second,
    struct ward_diagnostics *findings)
{
	const char *a = first->entry->value, *b = second->entry->value;
	char shown[SHOWN];

	if (a != NULL && b != NULL && strcmp(a, b) != 0)
		return wrong(family, child,
		    setting_of(family, child, WARD_KEY_EXTENDS)->line, findings,
		    "extends: %s:%u and %s:%u disagree on %s \"%s\": set it "
		    "in this profile",
		    family->profiles[first->giver]->file, first->entry->line,
		    family->profiles[second->giver]->file, second->entry->line,
		    ward_keys[id].path,
		    ward_text_visible(
			shown, sizeof(shown), first->entry->text));
	*first = *second;
	return 0;
}

/* Somebody of child below giver gives the same text again. */
static bool
is_given_below(const struct ward_family *family, size_t child, size_t giver,
    enum ward_key_id id, const char *text)
{
	for (size_t i = 0; i < family->n; i++)
		if (i != giver && ward_family_has(family, child, i) &&
		    ward_family_has(family, i, giver) &&
		    find_entry(setting_of(family, i, id), text, false) != NULL)
			return true;
	return false;
}

static int
add_given(const struct ward_family *family, size_t child, enum ward_key_id id,
    const struct ward_given *given, struct ward_given *list, size_t *n,
    struct ward_diagnostics *findings)
{
	const char *text = given->entry->text;

	if (given->entry->removes ||
	    is_removed(family, child, given->giver, id, text) ||
	    is_given_below(family, child, given->giver, id, text))
		return 0;
	for (size_t i = 0; i < *n; i++)
		if (strcmp(list[i].entry->text, text) == 0)
			return settle(
			    family, child, id, &list[i], given, findings);
	list[(*n)++] = *given;
	return 0;
}

int
ward_family_list(const struct ward_family *family, size_t child,
    enum ward_key_id id, struct ward_given **out, size_t *n_out,
    struct ward_diagnostics *findings)
{
	struct ward_given *list;
	size_t room = 0, n = 0;
	int r = 0;

	*out = NULL;
	*n_out = 0;
	for (size_t i = 0; i < family->n; i++)
		if (ward_family_has(family, child, i))
			room += setting_of(family, i, id)->n_entries;
	list = calloc(room + 1, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < family->n && r == 0; i++) {
		size_t member = family->order[i];
		const struct ward_setting *setting =
		    setting_of(family, member, id);

		if (!ward_family_has(family, child, member))
			continue;
		for (size_t j = 0; j < setting->n_entries && r == 0; j++) {
			struct ward_given given = {
				.entry = &setting->entries[j],
				.giver = member,
			};

			r = add_given(
			    family, child, id, &given, list, &n, findings);
		}
	}
	if (r != 0) {
		free(list);
		return r;
	}
	*out = list;
	*n_out = n;
	return 0;
}
