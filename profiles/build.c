/* SPDX-License-Identifier: ISC */
/* One merged profile out of a family of texts. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/wire.h"
#include "profiles/build.h"
#include "profiles/builder.h"
#include "profiles/protect.h"

static const struct ward_profile_text *
text_of(const struct ward_builder *builder, size_t member)
{
	return builder->family->profiles[member];
}

int
ward_builder_origin(struct ward_origin *origin, const char *file, unsigned line)
{
	origin->line = line;
	origin->file = strdup(file);
	return origin->file == NULL ? -ENOMEM : 0;
}

int
ward_builder_scalar(const struct ward_builder *builder, enum ward_key_id id,
    const struct ward_setting **setting, size_t *giver)
{
	int r = ward_family_scalar(
	    builder->family, builder->member, id, giver, builder->findings);

	*setting = NULL;
	if (r == 0 && *giver < builder->family->n)
		*setting = &text_of(builder, *giver)->settings[id];
	return r;
}

int
ward_builder_number(
    const struct ward_builder *builder, enum ward_key_id id, uint64_t *out)
{
	const struct ward_setting *setting;
	size_t giver;
	int r = ward_builder_scalar(builder, id, &setting, &giver);

	if (r != 0)
		return r;
	if (setting == NULL)
		return ward_key_number(id, ward_keys[id].initial, out);
	*out = setting->number;
	return 0;
}

int
ward_builder_boolean(
    const struct ward_builder *builder, enum ward_key_id id, bool *out)
{
	uint64_t number = 0;
	int r = ward_builder_number(builder, id, &number);

	*out = number == 1;
	return r;
}

static int
build_names(const struct ward_builder *builder)
{
	struct ward_profile *profile = builder->profile;
	const struct ward_setting *settings =
	    text_of(builder, builder->member)->settings;
	const char *description = settings[WARD_KEY_DESCRIPTION].text;

	profile->name = strdup(settings[WARD_KEY_NAME].text);
	profile->description = strdup(description == NULL ? "" : description);
	if (profile->name == NULL || profile->description == NULL)
		return -ENOMEM;
	return 0;
}

static int
build_read_default(const struct ward_builder *builder)
{
	struct ward_profile *profile = builder->profile;
	const struct ward_setting *setting;
	uint64_t choice = WARD_CHOICE_ALLOW;
	size_t giver;
	int r = ward_builder_scalar(
	    builder, WARD_KEY_READ_DEFAULT, &setting, &giver);

	if (r != 0)
		return r;
	r = ward_builder_number(builder, WARD_KEY_READ_DEFAULT, &choice);
	if (r != 0)
		return r;
	profile->read_default_allow = choice == WARD_CHOICE_ALLOW;
	if (setting == NULL)
		return ward_builder_origin(
		    &profile->read_default_origin, "built-in", 0);
	return ward_builder_origin(&profile->read_default_origin,
	    text_of(builder, giver)->file, setting->line);
}

static int
build_session(const struct ward_builder *builder)
{
	struct ward_profile *profile = builder->profile;
	const struct ward_setting *setting;
	uint64_t scope = WARD_CHOICE_ACCOUNT;
	uint64_t annotate = WARD_CHOICE_ON_FAILURE;
	size_t giver;
	int r = ward_builder_scalar(builder, WARD_KEY_SHELL, &setting, &giver);

	if (r != 0)
		return r;
	profile->shell =
	    strdup(setting == NULL ? ward_keys[WARD_KEY_SHELL].initial
				   : setting->text);
	if (profile->shell == NULL)
		return -ENOMEM;
	r = ward_builder_number(builder, WARD_KEY_SCOPE, &scope);
	if (r != 0)
		return r;
	profile->scope = scope == WARD_CHOICE_ACCOUNT ? WARD_SCOPE_ACCOUNT
						      : WARD_SCOPE_SESSION;
	r = ward_builder_number(builder, WARD_KEY_ANNOTATE, &annotate);
	if (r != 0)
		return r;
	/* in the order of the choices */
	profile->annotate = (enum ward_annotate)annotate;
	r = ward_builder_number(builder, WARD_KEY_LINGER, &profile->linger);
	return r == 0
	    ? ward_builder_number(builder, WARD_KEY_GRACE, &profile->grace)
	    : r;
}

/* What has one number or one flag each. */
static int
build_numbers(const struct ward_builder *builder)
{
	struct ward_limits *limits = &builder->profile->limits;
	struct ward_seal_options *seal = &builder->profile->seal;
	const struct {
		enum ward_key_id id;
		uint64_t *number;
	} numbers[] = {
		{ WARD_KEY_PROCESSES, &limits->processes },
		{ WARD_KEY_FILES, &limits->files },
		{ WARD_KEY_FILE_SIZE, &limits->file_size },
		{ WARD_KEY_MEMORY, &limits->memory },
		{ WARD_KEY_TMP, &limits->tmp },
		{ WARD_KEY_LANDLOCK, &builder->profile->landlock },
	};
	const struct {
		enum ward_key_id id;
		bool *flag;
	} flags[] = {
		{ WARD_KEY_MULTILIB, &seal->multilib },
		{ WARD_KEY_NESTED_USERNS, &seal->nested_userns },
		{ WARD_KEY_DEBUG, &seal->debug },
	};
	uint64_t observe = WARD_CHOICE_WRITES;
	int r = 0;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		r = ward_builder_number(
		    builder, numbers[i].id, numbers[i].number);
		if (r != 0)
			return r;
	}
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		r = ward_builder_boolean(builder, flags[i].id, flags[i].flag);
		if (r != 0)
			return r;
	}
	r = ward_builder_number(builder, WARD_KEY_OBSERVE, &observe);
	if (r != 0)
		return r;
	seal->observe = observe == WARD_CHOICE_WRITES;
	return 0;
}

static int
add_rule(const struct ward_builder *builder, enum ward_rule_kind kind,
    const struct ward_given *given)
{
	struct ward_profile *profile = builder->profile;
	struct ward_rule *rule;

	if (profile->n_rules == WARD_BUILDER_RULES_MAX)
		return ward_diagnostics_add(builder->findings, WARD_ERROR,
		    text_of(builder, builder->member)->file, 0,
		    "more than %d rules with the parents': name directories "
		    "rather than what is in them",
		    WARD_BUILDER_RULES_MAX);
	rule =
	    reallocarray(profile->rules, profile->n_rules + 1, sizeof(*rule));
	if (rule == NULL)
		return -ENOMEM;
	profile->rules = rule;
	rule += profile->n_rules++;
	*rule = (struct ward_rule){ .kind = kind };
	rule->path = strdup(given->entry->text);
	if (rule->path == NULL)
		return -ENOMEM;
	return ward_builder_origin(&rule->origin,
	    text_of(builder, given->giver)->file, given->entry->line);
}

static int
build_rules(const struct ward_builder *builder)
{
	static const struct {
		enum ward_key_id id;
		enum ward_rule_kind kind;
	} lists[] = {
		{ WARD_KEY_READ_ALLOW, WARD_READ_ALLOW },
		{ WARD_KEY_READ_DENY, WARD_READ_DENY },
		{ WARD_KEY_WRITE_ALLOW, WARD_WRITE_ALLOW },
		{ WARD_KEY_WRITE_DENY, WARD_WRITE_DENY },
		{ WARD_KEY_SOCKETS_ALLOW, WARD_SOCKET_ALLOW },
		{ WARD_KEY_PROTECT, WARD_PROTECT },
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && r == 0;
	     i++) {
		struct ward_given *given;
		size_t n;

		r = ward_family_list(builder->family, builder->member,
		    lists[i].id, &given, &n, builder->findings);
		for (size_t j = 0; j < n && r == 0; j++)
			r = add_rule(builder, lists[i].kind, &given[j]);
		free(given);
	}
	return r;
}

/* The entry of a ! that counts; there is one. */
static struct ward_given
find_removal(
    const struct ward_builder *builder, enum ward_key_id id, const char *text)
{
	for (size_t i = builder->family->n; i-- > 0;) {
		size_t member = builder->family->order[i];
		const struct ward_setting *setting =
		    &text_of(builder, member)->settings[id];

		if (!ward_family_has(builder->family, builder->member, member))
			continue;
		for (size_t j = 0; j < setting->n_entries; j++)
			if (setting->entries[j].removes &&
			    strcmp(setting->entries[j].text, text) == 0)
				return (struct ward_given){
					&setting->entries[j], member
				};
	}
	abort();
}

/* What a ! takes out of the built-in list, unless it is given anew. */
static int
build_unprotected(const struct ward_builder *builder)
{
	int r = 0;

	for (size_t i = 0; i < ward_n_protected_names && r == 0; i++) {
		const char *name = ward_protected_names[i];

		if (!ward_family_removes(builder->family, builder->member,
			WARD_KEY_PROTECT, name) ||
		    ward_protect_find(builder->profile, WARD_PROTECT, name) !=
			NULL)
			continue;
		struct ward_given given =
		    find_removal(builder, WARD_KEY_PROTECT, name);
		r = add_rule(builder, WARD_UNPROTECT, &given);
	}
	return r;
}

/* The texts of a list, in an array that the profile owns at once. */
static int
build_texts(const struct ward_builder *builder, enum ward_key_id id,
    char ***out, size_t *n_out)
{
	struct ward_given *given;
	size_t n;
	int r = ward_family_list(builder->family, builder->member, id, &given,
	    &n, builder->findings);

	if (r != 0)
		return r;
	*out = calloc(n + 1, sizeof(**out));
	if (*out == NULL)
		r = -ENOMEM;
	for (size_t i = 0; i < n && r == 0; i++) {
		(*out)[i] = strdup(given[i].entry->text);
		if ((*out)[i] == NULL)
			r = -ENOMEM;
		else
			(*n_out)++;
	}
	free(given);
	return r;
}

/* wardsh gets both lists in one record. */
static int
check_environment(const struct ward_builder *builder)
{
	const struct ward_profile *profile = builder->profile;
	size_t used = 0;

	for (size_t i = 0; i < profile->n_env_pass; i++) {
		assert(profile->env_pass[i] != NULL);
		used += strlen(profile->env_pass[i]) + 1;
	}
	for (size_t i = 0; i < profile->n_env_set; i++) {
		const struct ward_env *env = &profile->env_set[i];

		assert(env->name != NULL && env->value != NULL);
		used += strlen(env->name) + strlen(env->value) + 2;
	}
	if (used <= WARD_WIRE_LISTS_MAX)
		return 0;
	return ward_diagnostics_add(builder->findings, WARD_ERROR,
	    text_of(builder, builder->member)->file, 0,
	    "environment: pass and set have %zu bytes with the parents', of "
	    "%d: shorten values, or set them in a file of the home",
	    used, WARD_WIRE_LISTS_MAX);
}

static int
build_environment(const struct ward_builder *builder)
{
	struct ward_profile *profile = builder->profile;
	struct ward_given *given;
	size_t n;
	int r = build_texts(
	    builder, WARD_KEY_PASS, &profile->env_pass, &profile->n_env_pass);

	if (r != 0)
		return r;
	r = ward_family_list(builder->family, builder->member, WARD_KEY_SET,
	    &given, &n, builder->findings);
	if (r != 0)
		return r;
	profile->env_set = calloc(n + 1, sizeof(*profile->env_set));
	if (profile->env_set == NULL)
		r = -ENOMEM;
	for (size_t i = 0; i < n && r == 0; i++) {
		struct ward_env *env = &profile->env_set[profile->n_env_set++];

		env->name = strdup(given[i].entry->text);
		env->value = strdup(given[i].entry->value);
		if (env->name == NULL || env->value == NULL)
			r = -ENOMEM;
	}
	free(given);
	return r == 0 ? check_environment(builder) : r;
}

/* Where nobody names services, all are open that no ! takes out. */
static int
build_default_services(const struct ward_builder *builder)
{
	struct ward_profile *profile = builder->profile;

	free(profile->services);
	profile->services = calloc(ward_n_services, sizeof(char *));
	if (profile->services == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < ward_n_services; i++) {
		char *copy;

		if (ward_family_removes(builder->family, builder->member,
			WARD_KEY_SERVICES, ward_services[i]))
			continue;
		copy = strdup(ward_services[i]);
		if (copy == NULL)
			return -ENOMEM;
		profile->services[profile->n_services++] = copy;
	}
	return 0;
}

static bool
has_services(const struct ward_builder *builder)
{
	for (size_t i = 0; i < builder->family->n; i++) {
		const struct ward_setting *setting =
		    &text_of(builder, i)->settings[WARD_KEY_SERVICES];

		if (!ward_family_has(builder->family, builder->member, i) ||
		    !setting->is_set)
			continue;
		/* an empty list opens nothing, and is not "nothing said" */
		if (setting->n_entries == 0)
			return true;
		for (size_t j = 0; j < setting->n_entries; j++)
			if (!setting->entries[j].removes)
				return true;
	}
	return false;
}

static int
build_services(const struct ward_builder *builder)
{
	struct ward_profile *profile = builder->profile;
	int r = build_texts(builder, WARD_KEY_SERVICES, &profile->services,
	    &profile->n_services);

	if (r != 0 || has_services(builder))
		return r;
	return build_default_services(builder);
}

int
ward_profile_build(const struct ward_family *family, size_t member,
    struct ward_profile **out, struct ward_diagnostics *findings)
{
	static int (*const steps[])(const struct ward_builder *builder) = {
		build_names,
		build_read_default,
		build_session,
		build_numbers,
		build_rules,
		build_unprotected,
		ward_builder_network,
		build_environment,
		build_services,
	};
	struct ward_builder builder = {
		.family = family,
		.member = member,
		.profile = calloc(1, sizeof(struct ward_profile)),
		.findings = findings,
	};
	int r = builder.profile == NULL ? -ENOMEM : 0;

	*out = NULL;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && r == 0; i++)
		r = steps[i](&builder);
	if (r != 0) {
		ward_profile_free(builder.profile);
		return r;
	}
	*out = builder.profile;
	return 0;
}
