/* SPDX-License-Identifier: ISC */
/* Which account has which profile. */
#include "config.h"

#include <errno.h>
#include <libconfig.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "profiles/assignments.h"
#include "profiles/nearest.h"
#include "profiles/schema.h"
#include "profiles/text.h"

#define SHOWN        128
#define ITEMS_MAX    4096
#define EXAMPLE_USER "{ name = \"builder\"; profile = \"base\"; }"

struct reader {
	const char *file;
	struct ward_assignments *out;
	struct ward_diagnostics *findings;
};

#define wrong(reader, setting, ...)                                            \
	ward_diagnostics_add((reader)->findings, WARD_ERROR, (reader)->file,   \
	    config_setting_source_line(setting), __VA_ARGS__)

/* As in the file, for messages. */
static const char *
kind_name(enum ward_assignee kind)
{
	static const char *const names[] = { "users", "groups", "default" };

	return names[kind];
}

/* What passwd and group can hold, directory services included. */
static bool
is_account_name(const char *name)
{
	size_t n = strlen(name);

	if (n == 0 || n > 255 || strspn(name, "0123456789") == n ||
	    name[0] == '-' || name[0] == ' ' || name[n - 1] == ' ')
		return false;
	for (; *name != '\0'; name++)
		if ((unsigned char)*name < 0x20 || *name == 0x7f ||
		    strchr(":,/*\"", *name) != NULL)
			return false;
	return true;
}

static int
check_account(const struct reader *reader, const config_setting_t *setting,
    enum ward_assignee kind, const char *name)
{
	bool is_user = kind == WARD_ASSIGNEE_USER;
	char shown[SHOWN];

	if (is_account_name(name))
		return 0;
	return wrong(reader, setting,
	    "\"%s\" is no name of a %s: write one as getent %s prints it%s",
	    ward_text_visible(shown, sizeof(shown), name),
	    is_user ? "user" : "group", is_user ? "passwd" : "group",
	    strcmp(name, "*") == 0
		? "; what holds for all others is default = \"...\";"
		: "");
}

static int
check_profile(const struct reader *reader, const config_setting_t *setting,
    const char *name)
{
	char shown[SHOWN];

	if (ward_profile_name_is_valid(name))
		return 0;
	return wrong(reader, setting,
	    "\"%s\" is no name of a profile: write a lower-case letter, then "
	    "up to %d of a-z, 0-9 and -",
	    ward_text_visible(shown, sizeof(shown), name),
	    WARD_PROFILE_NAME_MAX - 1);
}

/* A user or group that already has a line. */
static int
check_repeat(const struct reader *reader, const config_setting_t *setting,
    enum ward_assignee kind, const char *name)
{
	char shown[SHOWN];

	for (size_t i = 0; i < reader->out->n; i++) {
		const struct ward_assignment *item = &reader->out->items[i];

		if (item->kind != kind || strcmp(item->name, name) != 0)
			continue;
		return wrong(reader, setting,
		    "%s: \"%s\" already has a profile on line %u: keep one",
		    kind_name(kind),
		    ward_text_visible(shown, sizeof(shown), name),
		    item->origin.line);
	}
	return 0;
}

static void
clear_item(struct ward_assignment *item)
{
	free(item->name);
	free(item->profile);
	free(item->origin.file);
}

static int
add(const struct reader *reader, const config_setting_t *setting,
    enum ward_assignee kind, const char *name, const char *profile)
{
	struct ward_assignments *out = reader->out;
	struct ward_assignment *items;
	struct ward_assignment item = { .kind = kind };

	if (out->n == ITEMS_MAX)
		return wrong(reader, setting,
		    "more than %d assignments: use groups", ITEMS_MAX);
	items = reallocarray(out->items, out->n + 1, sizeof(*items));
	if (items == NULL)
		return -ENOMEM;
	out->items = items;
	item.name = strdup(name);
	item.profile = strdup(profile);
	item.origin.file = strdup(reader->file);
	item.origin.line = config_setting_source_line(setting);
	if (item.name == NULL || item.profile == NULL ||
	    item.origin.file == NULL) {
		clear_item(&item);
		return -ENOMEM;
	}
	items[out->n++] = item;
	return 0;
}

/* { name = "builder"; profile = "base"; } */
static int
read_members(const struct reader *reader, const config_setting_t *element,
    const char **name, const char **profile)
{
	static const char *const keys[] = { "name", "profile" };

	*name = *profile = NULL;
	for (int i = 0; i < config_setting_length(element); i++) {
		const config_setting_t *member =
		    config_setting_get_elem(element, (unsigned)i);
		const char *key = config_setting_name(member);
		const char *text = config_setting_get_string(member);
		bool is_name = strcmp(key, "name") == 0;

		if (!is_name && strcmp(key, "profile") != 0)
			return ward_text_unknown_key(reader->findings,
			    reader->file, member, keys, 2,
			    "an assignment has name and profile");
		if (text == NULL)
			return wrong(reader, member,
			    "%s wants a string, such as %s = \"%s\";", key, key,
			    is_name ? "builder" : "base");
		*(is_name ? name : profile) = text;
	}
	return 0;
}

static int
read_element(const struct reader *reader, enum ward_assignee kind,
    const config_setting_t *element)
{
	const char *name, *profile;
	int r;

	if (!config_setting_is_group(element))
		return wrong(reader, element,
		    "%s: an entry is a group, such as " EXAMPLE_USER,
		    kind_name(kind));
	r = read_members(reader, element, &name, &profile);
	if (r != 0)
		return r;
	if (name == NULL || profile == NULL)
		return wrong(reader, element,
		    "%s: an entry wants both name and profile, such "
		    "as " EXAMPLE_USER,
		    kind_name(kind));
	r = check_account(reader, element, kind, name);
	if (r == 0 && kind == WARD_ASSIGNEE_USER && strcmp(name, "root") == 0)
		r = wrong(reader, element,
		    "users: root is never confined: remove it");
	if (r == 0)
		r = check_profile(reader, element, profile);
	if (r == 0)
		r = check_repeat(reader, element, kind, name);
	return r != 0 ? r : add(reader, element, kind, name, profile);
}

/* Goes on after what is wrong, so that one run shows all of it. */
static int
read_list(const struct reader *reader, enum ward_assignee kind,
    const config_setting_t *list)
{
	int answer = 0;

	if (list == NULL)
		return 0;
	if (!config_setting_is_list(list) && !config_setting_is_array(list))
		return wrong(reader, list,
		    "%s wants a list, such as %s = ( " EXAMPLE_USER " );",
		    kind_name(kind), kind_name(kind));
	for (int i = 0; i < config_setting_length(list); i++) {
		int r = read_element(
		    reader, kind, config_setting_get_elem(list, (unsigned)i));

		if (r == -ENOMEM)
			return r;
		if (r != 0)
			answer = r;
	}
	return answer;
}

static int
read_default(const struct reader *reader, const config_setting_t *setting)
{
	const char *profile;
	int r;

	if (setting == NULL)
		return 0;
	profile = config_setting_get_string(setting);
	if (profile == NULL)
		return wrong(reader, setting,
		    "default wants the name of a profile, such as "
		    "default = \"strict\";");
	r = check_profile(reader, setting, profile);
	return r != 0
	    ? r
	    : add(reader, setting, WARD_ASSIGNEE_DEFAULT, "", profile);
}

static int
check_keys(const struct reader *reader, const config_setting_t *root)
{
	static const char *const keys[] = { "users", "groups", "default" };
	int answer = 0;

	for (int i = 0; i < config_setting_length(root); i++) {
		const config_setting_t *setting =
		    config_setting_get_elem(root, (unsigned)i);
		const char *name = config_setting_name(setting);
		size_t known = 0;

		while (known < 3 && strcmp(name, keys[known]) != 0)
			known++;
		if (known < 3)
			continue;
		answer = ward_text_unknown_key(reader->findings, reader->file,
		    setting, keys, 3, "the file has users, groups and default");
		if (answer == -ENOMEM)
			return answer;
	}
	return answer;
}

/* The order of the sections in the file means nothing. */
static int
read_tree(const struct reader *reader, const config_t *config)
{
	const config_setting_t *root = config_root_setting(config);
	int r = check_keys(reader, root);

	if (r != -ENOMEM)
		r = read_list(reader, WARD_ASSIGNEE_USER,
		    config_setting_get_member(root, "users"));
	if (r != -ENOMEM)
		r = read_list(reader, WARD_ASSIGNEE_GROUP,
		    config_setting_get_member(root, "groups"));
	if (r != -ENOMEM)
		r = read_default(
		    reader, config_setting_get_member(root, "default"));
	return r;
}

int
ward_assignments_parse(const char *file, const char *text, size_t size,
    struct ward_assignments *out, struct ward_diagnostics *findings,
    struct err *err)
{
	const struct reader reader = { file, out, findings };
	config_t config;
	int r;

	*out = (struct ward_assignments){ 0 };
	r = ward_text_read(file, text, size, &config, findings);
	if (r == 0) {
		r = read_tree(&reader, &config);
		config_destroy(&config);
	}
	if (r == 0 || r == -EINVAL)
		r = ward_diagnostics_result(findings, err);
	else
		(void)ward_err_sys(err, -r, "%s", file);
	if (r != 0)
		ward_assignments_clear(out);
	return r;
}

void
ward_assignments_clear(struct ward_assignments *assignments)
{
	for (size_t i = 0; i < assignments->n; i++)
		clear_item(&assignments->items[i]);
	free(assignments->items);
	*assignments = (struct ward_assignments){ 0 };
}

int
ward_assignments_check(const struct ward_assignments *assignments,
    const char *const *profiles, size_t n_profiles,
    struct ward_diagnostics *findings, struct err *err)
{
	for (size_t i = 0; i < assignments->n; i++) {
		const struct ward_assignment *item = &assignments->items[i];
		const char *near;
		size_t j = 0;
		int r;

		while (
		    j < n_profiles && strcmp(profiles[j], item->profile) != 0)
			j++;
		if (j < n_profiles)
			continue;
		near = ward_nearest(item->profile, profiles, n_profiles);
		r = ward_diagnostics_add(findings, WARD_ERROR,
		    item->origin.file, item->origin.line,
		    "there is no profile \"%s\": %s%s%s", item->profile,
		    near == NULL ? "wardctl profile list names them"
				 : "did you mean \"",
		    near == NULL ? "" : near, near == NULL ? "" : "\"?");
		if (r == -ENOMEM)
			return ward_err_sys(
			    err, ENOMEM, "%s", item->origin.file);
	}
	return ward_diagnostics_result(findings, err);
}

/* Is item's group among the account's? */
static bool
is_member(const struct ward_assignment *item, const char *const *groups,
    size_t n_groups)
{
	for (size_t i = 0; i < n_groups; i++)
		if (strcmp(item->name, groups[i]) == 0)
			return true;
	return false;
}

const struct ward_assignment *
ward_assignments_find(const struct ward_assignments *assignments,
    const char *user, const char *const *groups, size_t n_groups)
{
	for (size_t i = 0; i < assignments->n; i++) {
		const struct ward_assignment *item = &assignments->items[i];

		if (item->kind == WARD_ASSIGNEE_DEFAULT ||
		    (item->kind == WARD_ASSIGNEE_USER &&
			strcmp(item->name, user) == 0) ||
		    (item->kind == WARD_ASSIGNEE_GROUP &&
			is_member(item, groups, n_groups)))
			return item;
	}
	return NULL;
}
