/* SPDX-License-Identifier: ISC */
/* One profile file as it is written. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/nearest.h"
#include "profiles/parse.h"
#include "profiles/text.h"

#define PATH_SIZE 256 /* "group.key"; longer ones are unknown anyway */
#define LIST_SIZE 400

#define wrong(parser, setting, ...)                                            \
	ward_diagnostics_add((parser)->findings, WARD_ERROR,                   \
	    (parser)->profile->file, config_setting_source_line(setting),      \
	    __VA_ARGS__)

/* Is path one step below group ("" is the profile itself)? */
static bool
is_child(const char *path, const char *group)
{
	size_t n = strlen(group);

	if (n > 0) {
		if (strncmp(path, group, n) != 0 || path[n] != '.')
			return false;
		path += n + 1;
	}
	return strchr(path, '.') == NULL;
}

/* "a, b, c": what a group can hold in this version. */
static void
list_children(const char *group, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < WARD_KEY_COUNT; i++) {
		int n;

		if (!is_child(ward_keys[i].path, group))
			continue;
		n = snprintf(out + used, size - used, "%s%s",
		    used == 0 ? "" : ", ", ward_key_name((enum ward_key_id)i));
		if (n < 0 || (size_t)n >= size - used)
			return;
		used += (size_t)n;
	}
}

/* The key that was probably meant, or NULL. */
static const char *
nearest_key(const char *path, const char *group, const char *name)
{
	const char *paths[WARD_KEY_COUNT] = { NULL };
	const char *near;

	/* the same word in another group is the commonest slip */
	for (size_t i = 0; i < WARD_KEY_COUNT; i++) {
		if (strcmp(ward_key_name((enum ward_key_id)i), name) == 0)
			return ward_keys[i].path;
		if (is_child(ward_keys[i].path, group))
			paths[i] = ward_key_name((enum ward_key_id)i);
	}
	near = ward_nearest(name, paths, WARD_KEY_COUNT);
	if (near == NULL) {
		for (size_t i = 0; i < WARD_KEY_COUNT; i++)
			paths[i] = ward_keys[i].path;
		return ward_nearest(path, paths, WARD_KEY_COUNT);
	}
	for (size_t i = 0; i < WARD_KEY_COUNT; i++)
		if (paths[i] == near)
			return ward_keys[i].path;
	return near;
}

static int
wrong_key(struct ward_parser *parser, const config_setting_t *setting,
    const char *path, const char *group)
{
	char list[LIST_SIZE];
	const char *near =
	    nearest_key(path, group, config_setting_name(setting));

	if (near != NULL)
		return wrong(parser, setting,
		    "unknown key %.100s: did you mean %s?", path, near);
	list_children(group, list, sizeof(list));
	return wrong(parser, setting, "unknown key %.100s: %s%s has %s", path,
	    group[0] == '\0' ? "a profile" : "", group, list);
}

struct open_group {
	const config_setting_t *setting;
	int next;
	const char *path; /* of the schema */
};

/* The group to go into is left in *inner; NULL if there is none. */
static int
parse_member(struct ward_parser *parser, const struct open_group *group,
    const config_setting_t *setting, const char **inner)
{
	char path[PATH_SIZE];
	const struct ward_key *key;
	enum ward_key_id id;

	*inner = NULL;
	(void)snprintf(path, sizeof(path), "%s%s%s", group->path,
	    group->path[0] == '\0' ? "" : ".", config_setting_name(setting));
	id = ward_key_find(path);
	if (id == WARD_KEY_COUNT)
		return wrong_key(parser, setting, path, group->path);
	key = &ward_keys[id];
	if (key->type != WARD_TYPE_GROUP)
		return ward_value_parse(parser, id, setting);
	if (config_setting_is_group(setting)) {
		*inner = key->path;
		return 0;
	}
	return wrong(parser, setting,
	    "%s is %s here: it is a group, %s: { ... };", key->path,
	    ward_value_type(setting), ward_key_name(id));
}

/* Goes on after what is wrong, so that one run shows all of it. */
static int
parse_groups(struct ward_parser *parser, const config_setting_t *profile)
{
	/* as deep as the schema, which has two groups in each other */
	struct open_group groups[4] = { { .setting = profile, .path = "" } };
	size_t depth = 0;

	for (;;) {
		struct open_group *group = &groups[depth];
		const config_setting_t *setting;
		const char *inner;
		int r;

		if (group->next == config_setting_length(group->setting)) {
			if (depth == 0)
				return 0;
			depth--;
			continue;
		}
		setting = config_setting_get_elem(
		    group->setting, (unsigned)group->next++);
		if (setting == NULL)
			return -EINVAL;
		r = parse_member(parser, group, setting, &inner);
		if (r != 0 && r != -EINVAL)
			return r;
		if (inner != NULL && depth + 1 < 4)
			groups[++depth] = (struct open_group){
				.setting = setting,
				.path = inner,
			};
	}
}

/* A file is one profile: { } and nothing else. */
static int
find_profile(struct ward_parser *parser, const config_setting_t *root,
    const config_setting_t **profile)
{
	int n = config_setting_length(root);

	*profile = NULL;
	for (int i = 0; i < n; i++) {
		const config_setting_t *setting =
		    config_setting_get_elem(root, (unsigned)i);
		const char *name = config_setting_name(setting);

		if (strcmp(name, "profile") != 0) {
			if (ward_key_find(name) != WARD_KEY_COUNT)
				return wrong(parser, setting,
				    "%s stands outside of the profile: write "
				    "profile: { %s ... };",
				    name, name);
			return wrong(parser, setting,
			    "unknown key %.100s: a file holds one "
			    "profile: { ... }; and nothing else",
			    name);
		}
		if (!config_setting_is_group(setting))
			return wrong(parser, setting,
			    "profile is %s here: it is a group, "
			    "profile: { name = \"...\"; ... };",
			    ward_value_type(setting));
		*profile = setting;
	}
	if (*profile == NULL)
		return ward_diagnostics_add(parser->findings, WARD_ERROR,
		    parser->profile->file, 1,
		    "the file holds no profile: write "
		    "profile: { name = \"...\"; ... };");
	return 0;
}

static int
parse_tree(struct ward_parser *parser, const config_t *config)
{
	const struct ward_setting *name =
	    &parser->profile->settings[WARD_KEY_NAME];
	size_t before = parser->findings->n_errors;
	const config_setting_t *profile;
	int r = find_profile(parser, config_root_setting(config), &profile);

	if (r != 0)
		return r;
	assert(profile != NULL);
	r = parse_groups(parser, profile);
	if (r != 0)
		return r;
	if (config_setting_get_member(profile, "name") == NULL)
		return wrong(parser, profile,
		    "the profile has no name: write name = \"...\"; in it");
	if (parser->findings->n_errors != before || name->text == NULL)
		return -EINVAL;
	return 0;
}

int
ward_profile_parse(const char *file, const char *text, size_t size,
    struct ward_profile_text **out, struct ward_diagnostics *findings)
{
	struct ward_profile_text *profile = calloc(1, sizeof(*profile));
	struct ward_parser parser = { profile, findings };
	config_t config;
	int r = -ENOMEM;

	*out = NULL;
	if (profile == NULL)
		return r;
	profile->file = strdup(file);
	if (profile->file == NULL)
		goto out;
	r = ward_text_read(file, text, size, &config, findings);
	if (r != 0)
		goto out;
	r = parse_tree(&parser, &config);
	config_destroy(&config);
	if (r != 0)
		goto out;
	*out = profile;
	profile = NULL;
out:
	ward_profile_text_free(profile);
	return r;
}

static void
clear_setting(struct ward_setting *setting)
{
	for (size_t i = 0; i < setting->n_entries; i++) {
		free(setting->entries[i].text);
		free(setting->entries[i].value);
	}
	free(setting->entries);
	free(setting->text);
}

void
ward_profile_text_free(struct ward_profile_text *profile)
{
	if (profile == NULL)
		return;
	for (size_t i = 0; i < WARD_KEY_COUNT; i++)
		clear_setting(&profile->settings[i]);
	free(profile->file);
	free(profile);
}
