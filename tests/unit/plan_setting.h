/* SPDX-License-Identifier: ISC */
/* A file system and a profile from texts, as plan_cases.h describes them. */
#ifndef WARD_TESTS_UNIT_PLAN_SETTING_H
#define WARD_TESTS_UNIT_PLAN_SETTING_H

#include "common/err.h"
#include "profiles/plan.h"
#include "tests/unit/fake_fs.h"

#define PLAN_SETTING_RULES 32

extern char plan_setting_file[]; /* of each rule's origin */

struct plan_setting {
	struct fake_fs fs;
	struct ward_rule rules[PLAN_SETTING_RULES];
	struct ward_profile profile;
	char *text; /* the rules point into it */
};

/* Each text may be NULL.  Aborts on a text that is none. */
void plan_setting_init(
    struct plan_setting *setting, const char *fs, const char *rules);
void plan_setting_clear(struct plan_setting *setting);

/* err is emptied first. */
int plan_setting_compile(struct plan_setting *setting,
    const struct ward_plan_account *account, struct ward_plan **plan,
    struct err *err);

#endif
