/* SPDX-License-Identifier: ISC */
/* Profiles compiled together and checked; include after cmocka.h. */
#ifndef WARD_TESTS_PROFILE_SET_H
#define WARD_TESTS_PROFILE_SET_H

#include <errno.h>
#include <string.h>

#include "profiles/compile.h"

#define FILES 4

/* Texts as a.conf, b.conf ..., compiled together. */
struct set {
	struct ward_compiled compiled;
	struct ward_diagnostics findings;
	struct err err;
	int r;
};

static inline struct set
compile(const char *const *texts, size_t n)
{
	static const char *const names[FILES] = { "a.conf", "b.conf", "c.conf",
		"d.conf" };
	struct ward_profile_source sources[FILES];
	struct set set = { 0 };

	for (size_t i = 0; i < n; i++)
		sources[i] = (struct ward_profile_source){
			.file = names[i],
			.text = texts[i],
			.size = strlen(texts[i]),
		};
	set.r = ward_profiles_compile(
	    sources, n, &set.compiled, &set.findings, &set.err);
	return set;
}

static inline struct set
compile_one(const char *text)
{
	return compile(&text, 1);
}

static inline void
clear(struct set *set)
{
	ward_compiled_clear(&set->compiled);
	ward_diagnostics_clear(&set->findings);
}

static inline void
expect_error(const char *name, const struct set *set, const char *message)
{
	if (set->r != -EINVAL)
		fail_msg("%s: %d, not refused", name, set->r);
	if (strcmp(set->err.text, message) != 0)
		fail_msg(
		    "%s:\n  is   %s\n  want %s", name, set->err.text, message);
	if (set->compiled.n != 0)
		fail_msg("%s: refused, and yet there are profiles", name);
}

static inline void
expect_taken(const char *name, const struct set *set)
{
	if (set->r != 0)
		fail_msg("%s: %d %s", name, set->r, set->err.text);
}

static inline const struct ward_rule *
find_rule(
    const struct ward_profile *p, enum ward_rule_kind kind, const char *path)
{
	for (size_t i = 0; i < p->n_rules; i++)
		if (p->rules[i].kind == kind &&
		    strcmp(p->rules[i].path, path) == 0)
			return &p->rules[i];
	return NULL;
}

static inline void
expect_rule(const struct ward_profile *p, enum ward_rule_kind kind,
    const char *path, const char *file, unsigned line)
{
	const struct ward_rule *rule = find_rule(p, kind, path);

	if (rule == NULL)
		fail_msg("%s: no rule %d %s", p->name, (int)kind, path);
	else if (strcmp(rule->origin.file, file) != 0 ||
	    rule->origin.line != line)
		fail_msg("%s: %s is from %s:%u, not %s:%u", p->name, path,
		    rule->origin.file, rule->origin.line, file, line);
}

#define NAMED(name, rest) "profile: { name = \"" name "\";\n" rest "\n};\n"

#endif
