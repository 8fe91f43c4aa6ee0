/* SPDX-License-Identifier: ISC */
/* A file system and a profile from texts. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/plan_cases.h"
#include "tests/unit/plan_setting.h"

char plan_setting_file[] = "t.conf";

static enum ward_rule_kind
kind_of(const char *word)
{
	static const char *const kinds[] = { "ra ", "rd ", "wa ", "wd ", "sa ",
		"pr ", "un " };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(word, kinds[i], 3) == 0)
			return (enum ward_rule_kind)i;
	abort();
}

void
plan_setting_init(
    struct plan_setting *setting, const char *fs, const char *rules)
{
	struct ward_profile *profile = &setting->profile;
	char *rest, *word;

	*setting = (struct plan_setting){ 0 };
	fake_fs_add(&setting->fs, plan_cases_fs);
	if (fs != NULL)
		fake_fs_add(&setting->fs, fs);
	profile->read_default_allow = true;
	profile->rules = setting->rules;
	if (rules == NULL)
		return;
	setting->text = strdup(rules);
	if (setting->text == NULL)
		abort();
	rest = setting->text;
	while ((word = strsep(&rest, ";")) != NULL) {
		if (strcmp(word, "closed") == 0) {
			profile->read_default_allow = false;
			profile->read_default_origin =
			    (struct ward_origin){ plan_setting_file, 99 };
			continue;
		}
		if (profile->n_rules == PLAN_SETTING_RULES)
			abort();
		setting->rules[profile->n_rules] = (struct ward_rule){
			.kind = kind_of(word),
			.path = word + 3,
			.origin = { plan_setting_file,
			    (unsigned)profile->n_rules + 1 },
		};
		profile->n_rules++;
	}
}

void
plan_setting_clear(struct plan_setting *setting)
{
	fake_fs_clear(&setting->fs);
	free(setting->text);
}

int
plan_setting_compile(struct plan_setting *setting,
    const struct ward_plan_account *account, struct ward_plan **plan,
    struct err *err)
{
	const struct ward_resolver resolver = {
		.resolve = fake_fs_resolve,
		.list = fake_fs_list,
		.protect = fake_fs_protect,
		.context = &setting->fs,
	};

	*err = (struct err){ 0 };
	return ward_plan_compile(
	    &setting->profile, account, &resolver, plan, err);
}
