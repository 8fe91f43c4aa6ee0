/* SPDX-License-Identifier: ISC */
/*
 * Random rules over a small random file system: the plan's decision against one
 * that is written straight from plan.h, and the entries against the decision.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "profiles/plan.h"
#include "tests/unit/fake_fs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_RULES     8
#define MOST_INSTANCES 8192
#define MOST_SPELLINGS 512
#define DEPTH          4

static const struct ward_plan_account account = { "u", "/h/u" };

static const char *const names[] = { "a", "b", ".c", "h", "u", ".ward", "ab",
	"aa" };
static const char *const parts[] = { "a", "b", ".c", "h", "u", ".ward", "*",
	"a*", "*b", "${user}", ".*", "*" };
static const char *const texts[] = { "..", ".", "a", "b", "../a", "/", "/a",
	"/h/u", "/b/a", "../../b", "u", "/h", "/a/b/.c", "/none/a", "/tmp" };

#define N(array) (sizeof(array) / sizeof((array)[0]))

struct input {
	const uint8_t *data;
	size_t size;
};

static unsigned
draw(struct input *in, size_t below)
{
	unsigned byte = 0;

	if (in->size > 0) {
		byte = *in->data++;
		in->size--;
	}
	return byte % (unsigned)below;
}

static void
check(bool holds, const char *what, const char *path)
{
	if (!holds) {
		(void)fprintf(stderr, "%s: %s\n", what, path);
		abort();
	}
}

static void
draw_path(struct input *in, char *path, size_t size, const char *const *from,
    size_t n_from)
{
	size_t depth = 1 + draw(in, DEPTH - 1), used = strlen(path);

	for (size_t i = 0; i < depth; i++)
		used += (size_t)snprintf(
		    path + used, size - used, "/%s", from[draw(in, n_from)]);
}

static void
draw_fs(struct input *in, struct fake_fs *fs)
{
	size_t n = draw(in, 16);

	fake_fs_add(fs, "d /h/u");
	for (size_t i = 0; i < n; i++) {
		/* directories and links matter most */
		static const enum fake_kind kinds[] = { FAKE_DIRECTORY,
			FAKE_DIRECTORY, FAKE_DIRECTORY, FAKE_FILE, FAKE_LINK,
			FAKE_LINK, FAKE_FOREIGN_LINK, FAKE_SPECIAL,
			FAKE_SEARCHLESS, FAKE_LISTLESS };
		enum fake_kind kind = kinds[draw(in, N(kinds))];
		const char *text = NULL;
		char path[64] = "";

		draw_path(in, path, sizeof(path), names, N(names));
		if (kind == FAKE_LINK || kind == FAKE_FOREIGN_LINK)
			text = texts[draw(in, N(texts))];
		fake_fs_add_node(fs, kind, path, text);
	}
}

struct rules {
	struct ward_profile profile;
	struct ward_rule all[MOST_RULES];
	char paths[MOST_RULES][64];
};

static void
draw_rules(struct input *in, struct rules *rules)
{
	static char file[] = "fuzz.conf";

	*rules = (struct rules){ 0 };
	rules->profile.rules = rules->all;
	rules->profile.read_default_allow = draw(in, 2) == 0;
	rules->profile.n_rules = draw(in, MOST_RULES + 1);
	for (size_t i = 0; i < rules->profile.n_rules; i++) {
		char *path = rules->paths[i];

		if (draw(in, 4) == 0)
			path[0] = '~';
		if (draw(in, 16) != 0)
			draw_path(
			    in, path, sizeof(rules->paths[i]), parts, N(parts));
		else if (path[0] == '\0')
			path[0] = '/';
		rules->all[i] = (struct ward_rule){
			.kind = (enum ward_rule_kind)draw(in, 4),
			.path = path,
			.origin = { file, (unsigned)i + 1 },
		};
	}
}

/* The reference: each rule at each place that its path can name. */
struct instance {
	enum ward_rule_kind kind;
	bool reads_only; /* a write.allow that opens reading alone */
	bool yields, hides;
	bool is_void;
	char *path;
};

struct reference {
	struct fake_fs *fs;
	const char *home; /* canonical: what leads there is no link in a rule */
	const char *extra[16]; /* names that are asked about */
	size_t n_extra;
	bool read_default_allow;
	struct instance *instances;
	size_t n_instances;
};

static bool
is_above_a_link(const struct ward_place *place)
{
	for (size_t i = 0; i < place->n_links; i++)
		if (ward_path_is_below(place->links[i].at, place->path))
			return true;
	return false;
}

static void
add_instance(struct reference *ref, const struct ward_rule *rule, bool final,
    const struct ward_place *place)
{
	bool allow =
	    rule->kind == WARD_READ_ALLOW || rule->kind == WARD_WRITE_ALLOW;
	bool unreachable = place->found == WARD_FOUND_UNREACHABLE;
	struct instance *instance = &ref->instances[ref->n_instances];

	if (ward_plan_is_private(place->path))
		return;
	if (allow &&
	    (place->untrusted_link || unreachable ||
		place->found == WARD_FOUND_LOOP || is_above_a_link(place)))
		return;
	check(ref->n_instances < MOST_INSTANCES, "too many", rule->path);
	*instance = (struct instance){
		.kind = rule->kind,
		.reads_only = place->found == WARD_FOUND_SPECIAL,
		.yields = allow && place->n_links > 0,
		.hides = final || (unreachable && rule->kind == WARD_READ_DENY),
		.path = strdup(place->path),
	};
	ref->n_instances++;
}

/* A * by its definition, without any cleverness. */
static bool
matches(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t before, after, n = strlen(name);

	if (star == NULL)
		return strcmp(pattern, name) == 0;
	before = (size_t)(star - pattern);
	after = strlen(star + 1);
	return n >= before + after && memcmp(pattern, name, before) == 0 &&
	    strcmp(star + 1, name + n - after) == 0;
}

/* A * cannot go on from this path. */
static bool
stops_at_star(struct reference *ref, const struct ward_rule *rule, bool final,
    const char *path)
{
	struct ward_place place;
	const struct fake_node *node;
	bool stops;

	if (fake_fs_resolve(ref->fs, path, &place, NULL) < 0)
		abort();
	node = fake_fs_find(ref->fs, place.path);
	if (place.found == WARD_FOUND_DIRECTORY &&
	    (node->kind == FAKE_LISTLESS || node->kind == FAKE_SEARCHLESS))
		place.found = WARD_FOUND_UNREACHABLE;
	if (place.found == WARD_FOUND_UNREACHABLE)
		add_instance(ref, rule, final, &place);
	stops = place.found != WARD_FOUND_DIRECTORY &&
	    place.found != WARD_FOUND_ABSENT;
	ward_place_clear(&place);
	return stops;
}

static bool
is_in(struct reference *ref, const char *directory, const char *name)
{
	struct ward_place place;
	char *path;
	bool is;

	if (fake_fs_resolve(ref->fs, directory, &place, NULL) < 0)
		abort();
	path = ward_path_join(place.path, name);
	is = place.found == WARD_FOUND_DIRECTORY &&
	    fake_fs_find(ref->fs, path) != NULL;
	free(path);
	ward_place_clear(&place);
	return is;
}

struct spellings {
	char paths[MOST_SPELLINGS][96];
	size_t n;
};

static void
add_spelling(struct spellings *to, const char *base, const char *name)
{
	char *path = to->paths[to->n];

	check(to->n < MOST_SPELLINGS - 1, "too many spellings", base);
	(void)snprintf(path, sizeof(to->paths[0]), "%s/%s",
	    strcmp(base, "/") == 0 ? "" : base, name);
	for (size_t i = 0; i < to->n; i++)
		if (strcmp(to->paths[i], path) == 0)
			return;
	to->n++;
}

/* Goes on from base to every name that is there or is asked about. */
static void
spell_star(struct reference *ref, const struct ward_rule *rule, bool final,
    const char *base, const char *part, struct spellings *to)
{
	if (stops_at_star(ref, rule, final, base))
		return;
	for (size_t i = 0; i < N(names); i++)
		if (matches(part, names[i]) && is_in(ref, base, names[i]))
			add_spelling(to, base, names[i]);
	for (size_t i = 0; i < ref->n_extra; i++)
		if (matches(part, ref->extra[i]))
			add_spelling(to, base, ref->extra[i]);
}

static void
add_rule(struct reference *ref, const struct ward_rule *rule, bool final)
{
	static struct spellings now, next;
	char copy[96], *rest = copy, *part;

	now.n = 1;
	(void)snprintf(now.paths[0], sizeof(now.paths[0]), "%s",
	    rule->path[0] == '~' ? ref->home : "/");
	(void)snprintf(
	    copy, sizeof(copy), "%s", rule->path + (rule->path[0] == '~'));
	while ((part = strsep(&rest, "/")) != NULL) {
		if (part[0] == '\0')
			continue;
		next.n = 0;
		for (size_t i = 0; i < now.n; i++) {
			if (strchr(part, '*') != NULL)
				spell_star(ref, rule, final, now.paths[i], part,
				    &next);
			else
				add_spelling(&next, now.paths[i],
				    strcmp(part, "${user}") == 0 ? account.name
								 : part);
		}
		now = next;
	}
	for (size_t i = 0; i < now.n; i++) {
		struct ward_place place;

		if (fake_fs_resolve(ref->fs, now.paths[i], &place, NULL) < 0)
			abort();
		add_instance(ref, rule, final, &place);
		ward_place_clear(&place);
	}
}

/* The deepest read rule at or above path, allow on a tie; NULL if none. */
static const struct instance *
deepest(const struct reference *ref, const char *path, bool with_yielding)
{
	const struct instance *best = NULL;

	for (size_t i = 0; i < ref->n_instances; i++) {
		const struct instance *one = &ref->instances[i];
		size_t depth = ward_path_depth(one->path);

		if (one->kind == WARD_WRITE_DENY ||
		    !ward_path_is_below(path, one->path) || one->is_void ||
		    (one->yields && !with_yielding))
			continue;
		if (best == NULL || depth > ward_path_depth(best->path) ||
		    (depth == ward_path_depth(best->path) &&
			one->kind != WARD_READ_DENY))
			best = one;
	}
	return best;
}

/* An allow that came by a link, and a read.deny decides where it stands. */
static void
find_void(struct reference *ref)
{
	for (size_t i = 0; i < ref->n_instances; i++) {
		struct instance *one = &ref->instances[i];
		const struct instance *best = deepest(ref, one->path, false);

		one->is_void =
		    one->yields && best != NULL && best->kind == WARD_READ_DENY;
	}
}

static enum ward_state
judge(const struct reference *ref, const char *path)
{
	const struct instance *read = deepest(ref, path, true);
	bool allowed = false, denied = false;

	for (size_t i = 0; i < ref->n_instances; i++) {
		const struct instance *one = &ref->instances[i];

		if (!ward_path_is_below(path, one->path))
			continue;
		if (one->hides)
			return WARD_HIDDEN;
		denied |= one->kind == WARD_WRITE_DENY;
		allowed |= one->kind == WARD_WRITE_ALLOW && !one->reads_only &&
		    !one->is_void;
	}
	if (read == NULL ? !ref->read_default_allow
			 : read->kind == WARD_READ_DENY)
		return WARD_HIDDEN;
	return allowed && !denied ? WARD_WRITABLE : WARD_READABLE;
}

static enum ward_state
refer(struct fake_fs *fs, const struct ward_profile *profile, const char *home,
    const char *path)
{
	static struct instance instances[MOST_INSTANCES];
	char real_homes[512];
	const struct ward_rule built_in = { .kind = WARD_READ_DENY,
		.path = real_homes };
	struct reference ref = { .fs = fs,
		.home = home,
		.read_default_allow = profile->read_default_allow,
		.instances = instances };
	char copy[512], *rest = copy, *part;
	enum ward_state state;

	(void)snprintf(real_homes, sizeof(real_homes), "%s", home);
	*strrchr(real_homes, '/') = '\0';
	(void)strncat(real_homes, "/" WARD_REAL_HOMES,
	    sizeof(real_homes) - strlen(real_homes) - 1);
	(void)snprintf(copy, sizeof(copy), "%s", path);
	while ((part = strsep(&rest, "/")) != NULL)
		if (part[0] != '\0' && ref.n_extra < N(ref.extra))
			ref.extra[ref.n_extra++] = part;
	for (size_t i = 0; i < profile->n_rules; i++)
		add_rule(&ref, &profile->rules[i], false);
	add_rule(&ref, &built_in, true);
	find_void(&ref);
	state = judge(&ref, path);
	for (size_t i = 0; i < ref.n_instances; i++)
		free(instances[i].path);
	return state;
}

static enum ward_state
state_by_entries(const struct ward_plan *plan, const char *path)
{
	enum ward_state state = plan->entries[0].state;

	for (size_t i = 0; i < plan->n_entries; i++)
		if (ward_path_is_below(path, plan->entries[i].path))
			state = plan->entries[i].state;
	return state;
}

static void
check_entries(const struct ward_plan *plan)
{
	check(strcmp(plan->entries[0].path, "/") == 0, "first", "");
	for (size_t i = 1; i < plan->n_entries; i++) {
		const struct ward_plan_entry *one = &plan->entries[i];
		const struct ward_plan_entry *last = one - 1;
		size_t depth = ward_path_depth(one->path);
		size_t last_depth = ward_path_depth(last->path);
		char *parent = strdup(one->path);

		ward_path_to_parent(parent);
		check(depth > last_depth ||
			(depth == last_depth &&
			    strcmp(one->path, last->path) > 0),
		    "order", one->path);
		check(state_by_entries(plan, parent) != one->state, "needless",
		    one->path);
		check(one->rule != NULL, "no rule", one->path);
		check(!ward_plan_is_private(one->path), "private", one->path);
		free(parent);
	}
}

/* The case, for whoever looks into a failure. */
static void
tell(const struct fake_fs *fs, const struct ward_profile *profile)
{
	for (size_t i = 0; i < fs->n_nodes; i++)
		(void)fprintf(stderr, "node %d %s %s\n", (int)fs->nodes[i].kind,
		    fs->nodes[i].path,
		    fs->nodes[i].text == NULL ? "" : fs->nodes[i].text);
	(void)fprintf(stderr, "reads %s\n",
	    profile->read_default_allow ? "open" : "closed");
	for (size_t i = 0; i < profile->n_rules; i++)
		(void)fprintf(stderr, "rule %d %s\n",
		    (int)profile->rules[i].kind, profile->rules[i].path);
}

static void
check_at(struct fake_fs *fs, const struct ward_profile *profile,
    const struct ward_plan *plan, const char *spelled)
{
	struct ward_place place;
	struct ward_verdict verdict;
	bool agree;

	if (fake_fs_resolve(fs, spelled, &place, NULL) < 0)
		abort();
	if (place.found == WARD_FOUND_LOOP || ward_plan_is_private(place.path))
		goto out;
	/* nothing can ever be below a file: not asked about */
	for (size_t i = 0; i < fs->n_nodes; i++)
		if ((fs->nodes[i].kind == FAKE_FILE ||
			fs->nodes[i].kind == FAKE_SPECIAL) &&
		    strcmp(place.path, fs->nodes[i].path) != 0 &&
		    ward_path_is_below(place.path, fs->nodes[i].path))
			goto out;
	verdict = ward_plan_decide(plan, place.path);
	agree = verdict.state == refer(fs, profile, plan->home, place.path);
	if (!agree)
		tell(fs, profile);
	check(agree, "decision", place.path);
	check(verdict.rule != NULL && verdict.read != NULL &&
		verdict.write != NULL,
	    "no rule", place.path);
	if (place.found != WARD_FOUND_ABSENT &&
	    place.found != WARD_FOUND_UNREACHABLE)
		check(state_by_entries(plan, place.path) == verdict.state,
		    "entry", place.path);
out:
	ward_place_clear(&place);
}

static void
check_plan(struct fake_fs *fs, const struct ward_profile *profile,
    const struct ward_plan *plan)
{
	check_entries(plan);
	for (size_t i = 0; i < fs->n_nodes; i++) {
		char path[96];

		check_at(fs, profile, plan, fs->nodes[i].path);
		(void)snprintf(path, sizeof(path), "%s/new", fs->nodes[i].path);
		check_at(fs, profile, plan, path);
		(void)snprintf(
		    path, sizeof(path), "%s/ax/b", fs->nodes[i].path);
		check_at(fs, profile, plan, path);
	}
	for (size_t i = 0; i < plan->n_links; i++)
		check(ward_plan_decide(plan, plan->links[i].at).state ==
			WARD_HIDDEN,
		    "link", plan->links[i].at);
	for (size_t i = 0; i < plan->n_notes; i++)
		check(plan->notes[i].rule->origin.line > 0, "note",
		    plan->notes[i].text);
}

static void
check_reversed(struct rules *rules, const struct ward_resolver *resolver,
    const struct ward_plan *plan)
{
	struct ward_plan *other;
	size_t n = rules->profile.n_rules;

	for (size_t i = 0; i < n / 2; i++) {
		struct ward_rule kept = rules->all[i];

		rules->all[i] = rules->all[n - 1 - i];
		rules->all[n - 1 - i] = kept;
	}
	if (ward_plan_compile(
		&rules->profile, &account, resolver, &other, NULL) < 0)
		abort();
	check(plan->n_entries == other->n_entries &&
		plan->n_links == other->n_links &&
		plan->n_notes == other->n_notes,
	    "order matters", "");
	for (size_t i = 0; i < plan->n_entries; i++)
		check(strcmp(plan->entries[i].path, other->entries[i].path) ==
			    0 &&
			plan->entries[i].state == other->entries[i].state &&
			plan->entries[i].rule->origin.line ==
			    other->entries[i].rule->origin.line,
		    "order matters", plan->entries[i].path);
	for (size_t i = 0; i < plan->n_notes; i++)
		check(strcmp(plan->notes[i].text, other->notes[i].text) == 0,
		    "order matters", plan->notes[i].text);
	ward_plan_free(other);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct fake_fs fs = { 0 };
	struct rules rules;
	struct ward_plan *plan;
	struct err err = { 0 };
	const struct ward_resolver resolver = { fake_fs_resolve, fake_fs_list,
		fake_fs_protect, &fs };

	draw_rules(&in, &rules);
	draw_fs(&in, &fs);
	if (ward_plan_compile(
		&rules.profile, &account, &resolver, &plan, &err) == 0) {
		check_plan(&fs, &rules.profile, plan);
		check_reversed(&rules, &resolver, plan);
	} else {
		check(err.code != 0 && err.text[0] != '\0' && plan == NULL,
		    "error", err.text);
	}
	ward_plan_free(plan);
	fake_fs_clear(&fs);
	return 0;
}
