/* SPDX-License-Identifier: ISC */
/* All profile files of a machine into profiles. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/build.h"
#include "profiles/compile.h"
#include "profiles/extends.h"
#include "profiles/network_check.h"
#include "profiles/parse.h"

/* Goes on behind a bad file, so that one run shows all of them. */
static int
parse_all(const struct ward_profile_source *sources, size_t n,
    struct ward_profile_text **texts, struct ward_diagnostics *findings)
{
	int answer = 0;

	for (size_t i = 0; i < n; i++) {
		int r = ward_profile_parse(sources[i].file, sources[i].text,
		    sources[i].size, &texts[i], findings);

		if (r != 0 && r != -EINVAL)
			return r;
		if (r != 0)
			answer = r;
	}
	return answer;
}

static int
list_sources(const struct ward_family *family, size_t member,
    struct ward_compiled_profile *compiled)
{
	compiled->sources = calloc(family->n + 1, sizeof(*compiled->sources));
	if (compiled->sources == NULL)
		return -ENOMEM;
	compiled->sources[compiled->n_sources++] = member;
	for (size_t i = 0; i < family->n; i++)
		if (i != member && ward_family_has(family, member, i))
			compiled->sources[compiled->n_sources++] = i;
	return 0;
}

static int
build_all(const struct ward_family *family, struct ward_compiled *out,
    struct ward_diagnostics *findings)
{
	int answer = 0;

	for (size_t i = 0; i < family->n; i++) {
		struct ward_compiled_profile *one = &out->profiles[i];
		int r = ward_profile_build(family, i, &one->profile, findings);

		out->n++;
		if (r == 0)
			r = list_sources(family, i, one);
		if (r != 0 && r != -EINVAL)
			return r;
		if (r != 0)
			answer = r;
	}
	return answer;
}

static int
compile_texts(struct ward_profile_text *const *texts, size_t n,
    struct ward_compiled *out, struct ward_diagnostics *findings)
{
	struct ward_family family;
	int r = ward_family_join(texts, n, &family, findings);

	if (r == 0) {
		out->profiles = calloc(n + 1, sizeof(*out->profiles));
		r = out->profiles == NULL ? -ENOMEM
					  : build_all(&family, out, findings);
	}
	if (r == 0)
		r = ward_networks_check(out, findings);
	ward_family_clear(&family);
	return r;
}

int
ward_profiles_compile(const struct ward_profile_source *sources, size_t n,
    struct ward_compiled *out, struct ward_diagnostics *findings,
    struct err *err)
{
	struct ward_profile_text **texts = calloc(n + 1, sizeof(*texts));
	int r = -ENOMEM;

	*out = (struct ward_compiled){ 0 };
	if (texts != NULL) {
		r = parse_all(sources, n, texts, findings);
		if (r == 0)
			r = compile_texts(texts, n, out, findings);
		for (size_t i = 0; i < n; i++)
			ward_profile_text_free(texts[i]);
		free(texts);
	}
	if (r == 0)
		return 0;
	ward_compiled_clear(out);
	if (r == -EINVAL && ward_diagnostics_result(findings, err) != 0)
		return r;
	return ward_err_sys(err, -r, "compiling profiles");
}

void
ward_compiled_clear(struct ward_compiled *compiled)
{
	for (size_t i = 0; i < compiled->n; i++) {
		ward_profile_free(compiled->profiles[i].profile);
		free(compiled->profiles[i].sources);
	}
	free(compiled->profiles);
	*compiled = (struct ward_compiled){ 0 };
}

const struct ward_profile *
ward_compiled_find(const struct ward_compiled *compiled, const char *name)
{
	for (size_t i = 0; i < compiled->n; i++)
		if (strcmp(compiled->profiles[i].profile->name, name) == 0)
			return compiled->profiles[i].profile;
	return NULL;
}
