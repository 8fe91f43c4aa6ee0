/* SPDX-License-Identifier: ISC */
/*
 * Profiles and assignments from bytes: up to four files, separated by lines of
 * "%%", compiled together; the first also as assignments.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/assignments.h"
#include "profiles/compile.h"

#define FILES 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is taken must be whole; the sanitizers see whether it can be read. */
static void
check_profile(const struct ward_profile *profile)
{
	for (size_t i = 0; i < profile->n_rules; i++) {
		const struct ward_rule *rule = &profile->rules[i];

		bool is_path = rule->path[0] == '/' || rule->path[0] == '~';
		if (is_path != (rule->kind < WARD_PROTECT) ||
		    rule->path[0] == '\0' || rule->origin.line == 0 ||
		    rule->origin.file == NULL)
			abort();
		if (rule->kind == WARD_WRITE_ALLOW &&
		    strcmp(rule->path, "/") == 0)
			abort();
	}
	if (profile->shell[0] != '/' || profile->name[0] == '\0' ||
	    profile->limits.tmp == WARD_UNLIMITED)
		abort();
}

/* libconfig agrees with the check before it: it never has the word. */
static void
check_findings(const struct ward_diagnostics *findings)
{
	for (size_t i = 0; i < findings->n; i++)
		if (strncmp(findings->items[i].text, "libconfig: ", 11) == 0 ||
		    strncmp(findings->items[i].text, "libconfig read ", 15) ==
			0)
			abort();
}

static void
check_profiles(const struct ward_profile_source *sources, size_t n)
{
	struct ward_compiled compiled;
	struct ward_diagnostics findings = { 0 };
	struct err err = { 0 };
	int r = ward_profiles_compile(sources, n, &compiled, &findings, &err);

	if ((r == 0) != (findings.n_errors == 0) || (r == 0) != (err.code == 0))
		abort();
	if (r == 0 && compiled.n != n)
		abort();
	for (size_t i = 0; i < compiled.n; i++)
		check_profile(compiled.profiles[i].profile);
	check_findings(&findings);
	ward_compiled_clear(&compiled);
	ward_diagnostics_clear(&findings);
}

static void
check_assignments(const struct ward_profile_source *source)
{
	struct ward_assignments assignments;
	struct ward_diagnostics findings = { 0 };
	struct err err = { 0 };
	int r = ward_assignments_parse(source->file, source->text, source->size,
	    &assignments, &findings, &err);

	if ((r == 0) != (findings.n_errors == 0))
		abort();
	check_findings(&findings);
	(void)ward_assignments_find(&assignments, "builder", NULL, 0);
	ward_assignments_clear(&assignments);
	ward_diagnostics_clear(&findings);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[FILES] = { "a", "b", "c", "d" };
	struct ward_profile_source sources[FILES];
	const char *at = (const char *)data, *end = at + size;
	size_t n = 0;

	if (size == 0)
		return 0;
	while (n < FILES && at < end) {
		const char *next = n + 1 == FILES
		    ? NULL
		    : memmem(at, (size_t)(end - at), "%%\n", 3);

		sources[n].file = names[n];
		sources[n].text = at;
		sources[n].size = (size_t)((next == NULL ? end : next) - at);
		n++;
		at = next == NULL ? end : next + 3;
	}
	check_profiles(sources, n);
	check_assignments(&sources[0]);
	return 0;
}
