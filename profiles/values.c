/* SPDX-License-Identifier: ISC */
/* What stands right of an = in a profile, judged by the schema. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "profiles/nearest.h"
#include "profiles/parse.h"
#include "profiles/protect.h"
#include "profiles/rulepath.h"

#define TEXT_MAX 4096 /* bytes of a description or a variable */
#define SHOWN    128

#define wrong(parser, setting, ...)                                            \
	ward_diagnostics_add((parser)->findings, WARD_ERROR,                   \
	    (parser)->profile->file, config_setting_source_line(setting),      \
	    __VA_ARGS__)

const char *
ward_value_type(const config_setting_t *value)
{
	switch (config_setting_type(value)) {
	case CONFIG_TYPE_GROUP:
		return "a group";
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		return "a number";
	case CONFIG_TYPE_STRING:
		return "a string";
	case CONFIG_TYPE_BOOL:
		return "a boolean";
	case CONFIG_TYPE_ARRAY:
	case CONFIG_TYPE_LIST:
		return "a list";
	default:
		return "something else";
	}
}

static const char *
wanted_type(enum ward_key_id id)
{
	const struct ward_key *key = &ward_keys[id];

	if (ward_key_is_list(id))
		return "a list";
	if (key->type == WARD_TYPE_BOOLEAN)
		return "true or false";
	if (key->type == WARD_TYPE_NUMBER)
		return key->may_be_unlimited ? "a number or \"unlimited\""
					     : "a number";
	if (key->type == WARD_TYPE_SIZE)
		return "a size";
	if (key->type == WARD_TYPE_DURATION)
		return "a time";
	return "a string";
}

static int
wrong_type(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *value)
{
	return wrong(parser, value,
	    "%s is %s here: it wants %s, such as "
	    "%s = %s;",
	    ward_keys[id].path, ward_value_type(value), wanted_type(id),
	    ward_key_name(id), ward_keys[id].example);
}

/* A visible copy of what the file says; its end may be cut. */
static const char *
visible(char out[SHOWN], const char *text)
{
	return ward_text_visible(out, SHOWN, text);
}

static bool
has_control(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	return false;
}

static int
wrong_choice(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *value, const char *text)
{
	const struct ward_key *key = &ward_keys[id];
	char shown[SHOWN];

	bool three = key->choices[2] != NULL;

	return wrong(parser, value,
	    "%s cannot be \"%s\": write \"%s\"%s%s%s or \"%s\"", key->path,
	    visible(shown, text), key->choices[0], three ? ", \"" : "",
	    three ? key->choices[1] : "", three ? "\"" : "",
	    key->choices[three ? 2 : 1]);
}

/* The bounds as an admin writes them. */
static void
show_bound(enum ward_key_id id, uint64_t bound, char out[32])
{
	static const char units[] = { 'K', 'M', 'G', 'T' };
	size_t i = 0;

	if (ward_keys[id].type == WARD_TYPE_DURATION && bound >= 86400) {
		(void)snprintf(out, 32, "\"%ud\"", (unsigned)(bound / 86400));
		return;
	}
	if (ward_keys[id].type != WARD_TYPE_SIZE) {
		(void)snprintf(out, 32, "%u", (unsigned)bound);
		return;
	}
	for (bound >>= 10; bound >= 1024 && i + 1 < sizeof(units); i++)
		bound >>= 10;
	(void)snprintf(out, 32, "\"%u%c\"", (unsigned)bound, units[i]);
}

static int
wrong_number(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *value, const char *text, int r)
{
	const struct ward_key *key = &ward_keys[id];
	const char *form = key->type == WARD_TYPE_SIZE
	    ? "a number and one of K M G T"
	    : "a number and one of s m h d";
	char least[32], most[32], shown[SHOWN];

	if (r == -ERANGE) {
		show_bound(id, key->least, least);
		show_bound(id, key->most, most);
		return wrong(parser, value,
		    "%s = %s is out of bounds: it can be %s to %s%s", key->path,
		    visible(shown, text), least, most,
		    key->may_be_unlimited ? ", or \"unlimited\"" : "");
	}
	if (key->type == WARD_TYPE_NUMBER)
		return wrong(parser, value,
		    "%s cannot be \"%s\": write a number without quotes%s",
		    key->path, visible(shown, text),
		    key->may_be_unlimited ? ", or \"unlimited\"" : "");
	return wrong(parser, value,
	    "%s cannot be \"%s\": write %s, such as %s%s", key->path,
	    visible(shown, text), form, key->example,
	    key->may_be_unlimited ? ", or \"unlimited\"" : "");
}

/* Scalars that have a number: choices, booleans, numbers with their units. */
static int
parse_number(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *value, uint64_t *number)
{
	enum ward_key_type type = ward_keys[id].type;
	const char *text = config_setting_get_string(value);
	char digits[32];
	int r;

	if (config_setting_type(value) == CONFIG_TYPE_BOOL) {
		if (type != WARD_TYPE_BOOLEAN)
			return wrong_type(parser, id, value);
		*number = config_setting_get_bool(value) != 0;
		return 0;
	}
	if (type == WARD_TYPE_BOOLEAN)
		return wrong_type(parser, id, value);
	if (text == NULL) {
		if (!config_setting_is_number(value) ||
		    type == WARD_TYPE_CHOICE)
			return wrong_type(parser, id, value);
		(void)snprintf(digits, sizeof(digits), "%lld",
		    config_setting_get_int64(value));
		if (digits[0] == '-')
			return wrong_number(parser, id, value, digits, -ERANGE);
		text = digits;
	} else if (type == WARD_TYPE_NUMBER && text[0] >= '0' &&
	    text[0] <= '9') {
		/* 1024 and "1024" would be two spellings of one thing */
		return wrong_number(parser, id, value, text, -EINVAL);
	}
	r = ward_key_number(id, text, number);
	if (r != 0 && type == WARD_TYPE_CHOICE)
		return wrong_choice(parser, id, value, text);
	return r == 0 ? 0 : wrong_number(parser, id, value, text, r);
}

static int
check_shell(
    struct ward_parser *parser, const config_setting_t *value, char *path)
{
	const char *base;
	char why[400];

	if (ward_rulepath_check_plain(path, why, sizeof(why)) != 0)
		return wrong(parser, value, "session.shell: %s", why);
	base = strrchr(path, '/');
	if (base != NULL && strcmp(base, "/wardsh") == 0)
		return wrong(parser, value,
		    "session.shell: wardsh would run itself: name the shell "
		    "that it is to run, such as \"/bin/bash\"");
	return 0;
}

static int
check_profile_name(
    struct ward_parser *parser, const config_setting_t *value, const char *name)
{
	char shown[SHOWN];

	if (ward_profile_name_is_valid(name))
		return 0;
	return wrong(parser, value,
	    "\"%s\" is no name of a profile: write a lower-case letter, then "
	    "up to %d of a-z, 0-9 and -",
	    visible(shown, name), WARD_PROFILE_NAME_MAX - 1);
}

static int
parse_string(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *value, char **out)
{
	const char *text = config_setting_get_string(value);
	int r = 0;

	if (text == NULL)
		return wrong_type(parser, id, value);
	*out = strdup(text);
	if (*out == NULL)
		return -ENOMEM;
	if (ward_keys[id].type == WARD_TYPE_NAME)
		r = check_profile_name(parser, value, text);
	else if (ward_keys[id].type == WARD_TYPE_SHELL)
		r = check_shell(parser, value, *out);
	else if (ward_keys[id].type == WARD_TYPE_PROXY)
		r = ward_value_check_network(parser, id, value, text, NULL);
	else if (strlen(text) > TEXT_MAX || has_control(text))
		r = wrong(parser, value,
		    "%s: write one line of at most %d bytes, without control "
		    "characters",
		    ward_keys[id].path, TEXT_MAX);
	if (r != 0) {
		free(*out);
		*out = NULL;
	}
	return r;
}

static bool
is_variable(const char *name, size_t n)
{
	return n > 0 && (name[0] < '0' || name[0] > '9') &&
	    strspn(name,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789_") >= n;
}

static int
check_variable(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *element, const char *name)
{
	size_t n = strlen(name);
	char shown[SHOWN];

	if (ward_keys[id].type == WARD_TYPE_VARIABLES) {
		if (strcmp(name, "*") == 0)
			return wrong(parser, element,
			    "%s: \"*\" would pass everything: name the "
			    "variables, or prefixes such as \"LC_*\"",
			    ward_keys[id].path);
		if (n > 0 && name[n - 1] == '*')
			n--;
	}
	if (is_variable(name, n) && n <= 255)
		return 0;
	return wrong(parser, element,
	    "%s: \"%s\" is no variable: write letters, digits and _%s",
	    ward_keys[id].path, visible(shown, name),
	    ward_keys[id].type == WARD_TYPE_VARIABLES
		? ", and * only at the end"
		: "");
}

static int
check_service(struct ward_parser *parser, const config_setting_t *element,
    const char *name)
{
	const char *near;
	char shown[SHOWN];

	for (size_t i = 0; i < ward_n_services; i++)
		if (strcmp(ward_services[i], name) == 0)
			return 0;
	near = ward_nearest(name, ward_services, ward_n_services);
	return wrong(parser, element,
	    "services: \"%s\" cannot be opened: %s%s%sWard knows sshd, su, "
	    "su-l, sudo, sudo-i, runuser, runuser-l, cron and atd",
	    visible(shown, name), near == NULL ? "" : "did you mean ",
	    near == NULL ? "" : near, near == NULL ? "" : "? ");
}

static int
check_element(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *element, char *text, const char *value)
{
	char why[400];

	switch (ward_keys[id].type) {
	case WARD_TYPE_PARENTS:
		return check_profile_name(parser, element, text);
	case WARD_TYPE_PATHS:
		if (ward_rulepath_check(text, id, why, sizeof(why)) == 0)
			return 0;
		return wrong(
		    parser, element, "%s: %s", ward_keys[id].path, why);
	case WARD_TYPE_SETTINGS:
		if (value != NULL &&
		    (strlen(value) > TEXT_MAX || has_control(value)))
			return wrong(parser, element,
			    "%s: write a value of at most %d bytes, without "
			    "control characters",
			    ward_keys[id].path, TEXT_MAX);
		return check_variable(parser, id, element, text);
	case WARD_TYPE_VARIABLES:
		return check_variable(parser, id, element, text);
	case WARD_TYPE_SERVICES:
		return check_service(parser, element, text);
	case WARD_TYPE_PROTECTED:
		if (ward_protect_check(text, why, sizeof(why)) == 0)
			return 0;
		return wrong(
		    parser, element, "%s: %s", ward_keys[id].path, why);
	case WARD_TYPE_ENDPOINTS:
	case WARD_TYPE_REASONS:
	case WARD_TYPE_BLOCKS:
		return ward_value_check_network(
		    parser, id, element, text, value);
	case WARD_TYPE_GROUP:
	case WARD_TYPE_NAME:
	case WARD_TYPE_TEXT:
	case WARD_TYPE_CHOICE:
	case WARD_TYPE_BOOLEAN:
	case WARD_TYPE_NUMBER:
	case WARD_TYPE_SIZE:
	case WARD_TYPE_DURATION:
	case WARD_TYPE_SHELL:
	case WARD_TYPE_PROXY:
	default:
		return -EINVAL;
	}
}

/* An entry that is a group of two strings, such as { name = ""; value = ""; }.
 */
static int
read_pair(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *element, const char *pair[2])
{
	const struct ward_key *key = &ward_keys[id];
	const char *const *members = key->members;
	int n = config_setting_length(element);

	pair[0] = pair[1] = NULL;
	for (int i = 0; i < n; i++) {
		const config_setting_t *member =
		    config_setting_get_elem(element, (unsigned)i);
		const char *name = config_setting_name(member);
		const char *text = config_setting_get_string(member);

		if (strcmp(name, members[0]) != 0 &&
		    strcmp(name, members[1]) != 0)
			return wrong(parser, member,
			    "unknown key %.100s: an entry of %s has %s and %s",
			    name, key->path, members[0], members[1]);
		if (text == NULL)
			return wrong(parser, member,
			    "%s is %s here: it wants a string, such as %s = "
			    "%s;",
			    name, ward_value_type(member), ward_key_name(id),
			    key->example);
		pair[strcmp(name, members[1]) == 0] = text;
	}
	if (pair[0] == NULL || pair[1] == NULL)
		return wrong(parser, element,
		    "%s: an entry wants %s and %s, such as %s", key->path,
		    members[0], members[1], key->example);
	return 0;
}

/* The element's text, without its !. */
static int
read_element(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *element, struct ward_entry *entry)
{
	const char *text = config_setting_get_string(element);
	const char *pair[2] = { text, NULL };

	if (text != NULL && text[0] == '!' &&
	    ward_keys[id].type != WARD_TYPE_PARENTS) {
		entry->removes = true;
		pair[0]++;
	} else if (ward_keys[id].members[0] != NULL) {
		if (!config_setting_is_group(element))
			return wrong_type(parser, id, element);
		int r = read_pair(parser, id, element, pair);

		if (r != 0)
			return r;
	} else if (text == NULL) {
		return wrong(parser, element,
		    "%s: %s stands in the list: it wants strings, such as %s",
		    ward_keys[id].path, ward_value_type(element),
		    ward_keys[id].example);
	}
	assert(pair[0] != NULL);
	entry->text = strdup(pair[0]);
	entry->value = pair[1] == NULL ? NULL : strdup(pair[1]);
	if (entry->text == NULL || (pair[1] != NULL && entry->value == NULL))
		return -ENOMEM;
	return check_element(parser, id, element, entry->text, entry->value);
}

/* The same thing twice in one list: a slip, or a contradiction. */
static int
check_repeat(struct ward_parser *parser, enum ward_key_id id,
    const struct ward_setting *setting, const config_setting_t *element,
    const struct ward_entry *entry)
{
	char shown[SHOWN];

	for (size_t i = 0; i < setting->n_entries; i++) {
		const struct ward_entry *other = &setting->entries[i];

		assert(other->text != NULL && entry->text != NULL);
		if (strcmp(other->text, entry->text) != 0)
			continue;
		if (other->removes != entry->removes)
			return wrong(parser, element,
			    "%s: \"%s\" is given and removed in one list, "
			    "first on line %u: keep one",
			    ward_keys[id].path, visible(shown, entry->text),
			    other->line);
		return wrong(parser, element,
		    "%s: \"%s%s\" is given twice, first on line %u: keep one",
		    ward_keys[id].path, entry->removes ? "!" : "",
		    visible(shown, entry->text), other->line);
	}
	return 0;
}

static int
parse_list(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *value, struct ward_setting *setting)
{
	int n = config_setting_length(value);
	int answer = 0;

	if (!config_setting_is_list(value) && !config_setting_is_array(value))
		return wrong_type(parser, id, value);
	if (n > WARD_ENTRIES_MAX)
		return wrong(parser, value,
		    "%s has %d entries, and %d are the limit: name "
		    "directories rather than what is in them",
		    ward_keys[id].path, n, WARD_ENTRIES_MAX);
	setting->entries = calloc((size_t)n + 1, sizeof(*setting->entries));
	if (setting->entries == NULL)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		const config_setting_t *element =
		    config_setting_get_elem(value, (unsigned)i);
		struct ward_entry entry = { 0 };
		int r;

		entry.line = config_setting_source_line(element);
		r = read_element(parser, id, element, &entry);
		if (r == 0)
			r = check_repeat(parser, id, setting, element, &entry);
		if (r == 0) {
			setting->entries[setting->n_entries++] = entry;
			continue;
		}
		free(entry.text);
		free(entry.value);
		if (r != -EINVAL)
			return r;
		answer = r;
	}
	return answer;
}

int
ward_value_parse(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *value)
{
	struct ward_setting *setting = &parser->profile->settings[id];
	enum ward_key_type type = ward_keys[id].type;
	int r;

	if (ward_key_is_list(id))
		r = parse_list(parser, id, value, setting);
	else if (type == WARD_TYPE_NAME || type == WARD_TYPE_TEXT ||
	    type == WARD_TYPE_SHELL || type == WARD_TYPE_PROXY)
		r = parse_string(parser, id, value, &setting->text);
	else
		r = parse_number(parser, id, value, &setting->number);
	if (r != 0)
		return r;
	setting->is_set = true;
	setting->line = config_setting_source_line(value);
	if (id == WARD_KEY_MEMORY && setting->number != UINT64_MAX)
		return ward_diagnostics_add(parser->findings, WARD_WARNING,
		    parser->profile->file, setting->line,
		    "limits.memory is not enforced by this version: processes "
		    "can use more");
	return 0;
}
