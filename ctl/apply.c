/* SPDX-License-Identifier: ISC */
/* From policy files to the policy store. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/number.h"
#include "common/path.h"
#include "common/places.h"
#include "common/text.h"
#include "ctl/apply.h"
#include "ctl/ctl.h"
#include "ctl/sandboxes.h"
#include "ctl/stores.h"
#include "db/policy.h"
#include "profiles/seal.h"

#define POLICY_WAIT_MS 10000

/* Puts a file in the place of the one with its name, or behind all. */
static int
add_file(struct ward_loaded *loaded, const char *path, struct err *err)
{
	char *text;
	size_t size, at = 0;

	/* it is the admin's own file until it stands in /etc/ward */
	struct err why = { 0 };
	int r = ward_policy_read(path, geteuid(), &text, &size, &why);
	if (r == -EPERM && geteuid() != 0)
		r = ward_policy_read(path, 0, &text, &size, NULL);
	if (r != 0)
		return ward_err_set(err, -r, "%s", why.text);
	char *file = strdup(path);
	struct ward_profile_source *more = reallocarray(
	    loaded->sources, loaded->n + 1, sizeof(*loaded->sources));
	if (more != NULL)
		loaded->sources = more;
	if (file == NULL || more == NULL) {
		free(file);
		free(text);
		return ward_err_sys(err, ENOMEM, "%s", path);
	}
	while (at < loaded->n &&
	    strcmp(ward_path_base(loaded->sources[at].file),
		ward_path_base(path)) != 0)
		at++;
	if (at < loaded->n) {
		/* owned by the list (profiles/load.h) */
		free((void *)(uintptr_t)loaded->sources[at].file);
		free((void *)(uintptr_t)loaded->sources[at].text);
	} else {
		loaded->n++;
	}
	loaded->sources[at] = (struct ward_profile_source){
		.file = file,
		.text = text,
		.size = size,
	};
	return 0;
}

static int
read_assignments(struct ward_site *site, struct err *err)
{
	struct err absent = { 0 };
	char *text;
	size_t size;

	int r = ward_policy_read(WARD_ASSIGNMENTS, 0, &text, &size, &absent);
	if (r == -ENOENT)
		return 0;
	if (r != 0)
		return ward_err_set(err, -r, "%s", absent.text);
	r = ward_assignments_parse(WARD_ASSIGNMENTS, text, size,
	    &site->assignments, &site->findings, err);
	free(text);
	return r;
}

static int
check_assignments(struct ward_site *site, struct err *err)
{
	_cleanup_free_ const char **names =
	    calloc(site->compiled.n + 1, sizeof(*names));

	if (names == NULL)
		return ward_err_sys(err, ENOMEM, "assignments");
	for (size_t i = 0; i < site->compiled.n; i++)
		names[i] = site->compiled.profiles[i].profile->name;
	return ward_assignments_check(
	    &site->assignments, names, site->compiled.n, &site->findings, err);
}

int
ward_site_read(struct ward_site *site, const char *local, char *const *files,
    size_t n_files, struct err *err)
{
	int r =
	    ward_profiles_load(WARD_PROFILESDIR, local, 0, &site->loaded, err);

	for (size_t i = 0; r == 0 && i < n_files; i++)
		r = add_file(&site->loaded, files[i], err);
	if (r != 0)
		return r;
	r = ward_profiles_compile(site->loaded.sources, site->loaded.n,
	    &site->compiled, &site->findings, err);
	if (local[0] == '\0')
		return r;
	/* both, so that one run shows every finding */
	int assigned = read_assignments(site, err);
	if (r == 0 && assigned == 0)
		r = check_assignments(site, err);
	return r != 0 ? r : assigned;
}

void
ward_site_clear(struct ward_site *site)
{
	ward_assignments_clear(&site->assignments);
	ward_compiled_clear(&site->compiled);
	ward_loaded_clear(&site->loaded);
	ward_diagnostics_clear(&site->findings);
}

/* Its own text and those of its parents, each under its name. */
static int
join_sources(const struct ward_site *site,
    const struct ward_compiled_profile *profile, char **joined)
{
	size_t size = 0;
	FILE *out = open_memstream(joined, &size);

	if (out == NULL)
		return -errno;
	for (size_t i = 0; i < profile->n_sources; i++) {
		const struct ward_profile_source *source =
		    &site->loaded.sources[profile->sources[i]];
		(void)fprintf(
		    out, "%s# --- %s\n", i == 0 ? "" : "\n", source->file);
		(void)fwrite(source->text, 1, source->size, out);
	}
	if (fclose(out) != 0) {
		int error = errno;
		free(*joined);
		*joined = NULL;
		return -error;
	}
	return 0;
}

/* What goes into the store; one for each profile. */
struct compiled {
	struct ward_policy_item *items;
	struct ward_policy_result *results;
	struct ward_seal *seals;
	char **sources;
	size_t n;
};

static void
compiled_clear(struct compiled *c)
{
	for (size_t i = 0; i < c->n; i++) {
		ward_seal_clear(&c->seals[i]);
		free(c->sources[i]);
	}
	free(c->items);
	free(c->results);
	free(c->seals);
	free(c->sources);
}

static int
compile(const struct ward_site *site, struct compiled *c, struct err *err)
{
	size_t n = site->compiled.n;

	c->items = calloc(n + 1, sizeof(*c->items));
	c->results = calloc(n + 1, sizeof(*c->results));
	c->seals = calloc(n + 1, sizeof(*c->seals));
	c->sources = calloc(n + 1, sizeof(*c->sources));
	if (c->items == NULL || c->results == NULL || c->seals == NULL ||
	    c->sources == NULL)
		return ward_err_sys(err, ENOMEM, "profiles");
	c->n = n;
	for (size_t i = 0; i < n; i++) {
		const struct ward_compiled_profile *p =
		    &site->compiled.profiles[i];
		int r = ward_seal_compile(&p->profile->seal, &c->seals[i], err);
		if (r == 0)
			r = join_sources(site, p, &c->sources[i]);
		if (r != 0) {
			(void)ward_err_sys(err, -r, "%s", p->profile->name);
			return r;
		}
		c->items[i] = (struct ward_policy_item){
			.profile = p->profile,
			.seal = &c->seals[i],
			.source = c->sources[i],
		};
	}
	return 0;
}

static void
tell(const struct compiled *c)
{
	static const char *const words[] = {
		[WARD_POLICY_ADDED] = "added",
		[WARD_POLICY_CHANGED] = "changed",
		[WARD_POLICY_UNCHANGED] = "unchanged",
	};

	for (size_t i = 0; i < c->n; i++) {
		assert(c->items[i].profile != NULL);
		ward_ctl_say("profile %s: %s, revision %lld",
		    c->items[i].profile->name, words[c->results[i].change],
		    (long long)c->results[i].number);
	}
}

static int
store(const struct ward_site *site, struct err *err)
{
	struct compiled c = { 0 };
	struct ward_policy *policy = NULL;
	char who[64];

	int r = compile(site, &c, err);
	if (r == 0)
		r = ward_policy_open(WARD_POLICY_DB, WARD_POLICY_WRITE,
		    POLICY_WAIT_MS, &policy, err);
	if (r == 0)
		r = ward_policy_apply(policy, c.items, c.n,
		    site->assignments.items, site->assignments.n,
		    ward_stores_author(who, sizeof(who)), c.results, err);
	ward_policy_close(policy);
	if (r == 0)
		tell(&c);
	compiled_clear(&c);
	return r;
}

int
ward_site_apply(struct err *err)
{
	struct ward_site site = { 0 };

	int r = ward_site_read(&site, WARD_ETC_PROFILES, NULL, 0, err);
	(void)fflush(stdout);
	(void)ward_diagnostics_print(&site.findings, stderr);
	if (r == 0)
		r = store(&site, err);
	ward_site_clear(&site);
	if (r == 0)
		ward_live_tell_policy();
	return r;
}

/* Each thing that the store has otherwise than the files. */
struct comparison {
	const struct ward_site *site;
	ward_site_stale *on_stale;
	void *context;
	size_t n_assigned; /* how many of the file's were met in the store */
};

static void stale(struct comparison *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void
stale(struct comparison *c, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	c->on_stale(c->context, text);
}

static bool
is_same_seal(const struct ward_seal *one, const struct ward_seal *two)
{
	return one->n_code == two->n_code &&
	    memcmp(one->code, two->code, one->n_code * sizeof(*one->code)) == 0;
}

/* What the store has of one profile: the text, and what it is compiled to. */
static int
compare_profile(struct comparison *c,
    const struct ward_compiled_profile *profile, struct ward_policy *policy,
    struct err *err)
{
	struct ward_policy_found found = { 0 };
	struct ward_seal seal = { 0 };
	char *text = NULL;
	const char *name = profile->profile->name;

	int r = ward_policy_load(policy, name, 0, &found, NULL);
	if (r == -ENOENT) {
		stale(c, "the profile %s is not applied", name);
		return 0;
	}
	if (r == 0)
		r = join_sources(c->site, profile, &text);
	if (r == 0)
		r = ward_seal_compile(&profile->profile->seal, &seal, err);
	if (r == 0 &&
	    (found.source == NULL || text == NULL ||
		strcmp(found.source, text) != 0))
		stale(
		    c, "the profile %s was changed since it was applied", name);
	else if (r == 0 && !is_same_seal(&found.seal, &seal))
		stale(c,
		    "the seal of the profile %s was compiled by another "
		    "version of Ward or of libseccomp than this one",
		    name);
	free(text);
	ward_seal_clear(&seal);
	ward_policy_found_clear(&found);
	return r == 0 ? 0 : ward_err_sys(err, -r, "the profile %s", name);
}

static int
on_applied(void *context, const struct ward_policy_revision *revision)
{
	struct comparison *c = context;

	for (size_t i = 0; i < c->site->compiled.n; i++)
		if (strcmp(c->site->compiled.profiles[i].profile->name,
			revision->profile) == 0)
			return 0;
	stale(
	    c, "the profile %s is applied, and has no file", revision->profile);
	return 0;
}

/* In the order of the file. */
static int
on_assigned(void *context, const struct ward_assignment *stored)
{
	struct comparison *c = context;
	const struct ward_assignments *file = &c->site->assignments;
	size_t i = c->n_assigned++;

	if (i < file->n && file->items[i].kind == stored->kind &&
	    strcmp(file->items[i].name, stored->name) == 0 &&
	    strcmp(file->items[i].profile, stored->profile) == 0)
		return 0;
	return -ESTALE;
}

static int
compare(struct comparison *c, struct ward_policy *policy, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->site->compiled.n; i++)
		r = compare_profile(
		    c, &c->site->compiled.profiles[i], policy, err);
	if (r == 0)
		r = ward_policy_each_profile(policy, false, on_applied, c, err);
	if (r != 0)
		return r;
	r = ward_policy_each_assignment(policy, on_assigned, c, err);
	if (r == -ESTALE || (r == 0 && c->n_assigned != c->site->assignments.n))
		stale(c, WARD_ASSIGNMENTS " was changed since it was applied");
	return r == -ESTALE ? 0 : r;
}

int
ward_site_compare(ward_site_stale *on_stale, void *context, struct err *err)
{
	struct ward_site site = { 0 };
	struct ward_policy *policy = NULL;
	struct comparison c = {
		.site = &site,
		.on_stale = on_stale,
		.context = context,
	};

	int r = ward_site_read(&site, WARD_ETC_PROFILES, NULL, 0, err);
	if (r == 0)
		r = ward_policy_open(WARD_POLICY_DB, WARD_POLICY_READ,
		    POLICY_WAIT_MS, &policy, err);
	if (r == 0)
		r = compare(&c, policy, err);
	ward_policy_close(policy);
	ward_site_clear(&site);
	return r;
}
