/* SPDX-License-Identifier: ISC */
/* A profile to be stored, and short ways to store and find it.  For tests/unit
 * only; include after cmocka.h. */
#ifndef WARD_TESTS_UNIT_POLICY_SAMPLE_H
#define WARD_TESTS_UNIT_POLICY_SAMPLE_H

#include "db/policy_store.h"
#include "tests/unit/scratch.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/*
 * A profile to be bent by the cases.  Its strings are literals: what a test
 * makes is never freed as a profile.
 */
struct sample {
	struct ward_profile profile;
	struct ward_rule rules[4];
	char *pass[3];
	struct ward_env set[2];
	char *services[3];
	struct sock_filter code[3];
	struct ward_seal seal;
	const char *source;
};

/* What a listing said, one line a row. */
struct lines {
	char text[1024];
};

char *text(const char *literal);
void make_sample(struct sample *s, const char *name);
struct ward_policy_item item(const struct sample *s);
struct ward_assignment assign(enum ward_assignee kind, const char *name,
    const char *profile, unsigned line);
void bend_shell(struct sample *s);
struct ward_policy *
open_policy(const struct scratch *s, enum ward_policy_mode mode);
struct ward_policy_result
apply_one(struct ward_policy *policy, const struct sample *s);
int in_none(void *context, const char *group);
struct ward_policy_found find(struct ward_policy *policy, const char *user);
void same_text(const char *what, const char *a, const char *b);
void same_profile(const struct ward_profile *a, const struct ward_profile *b);
int note_revision(void *context, const struct ward_policy_revision *row);
int note_assignment(void *context, const struct ward_assignment *row);
void
check_profiles(struct ward_policy *policy, bool retired, const char *expected);

#endif
