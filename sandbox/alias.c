/* SPDX-License-Identifier: ISC */
/* Finds other names of hidden places. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "sandbox/alias.h"
#include "sandbox/layout.h"

struct finder {
	const struct ward_plan *plan;
	const struct ward_mounts *mounts;
	bool *hidden; /* of each mount: the place where it stands is */
	struct ward_plan_alias *list;
	size_t n;
};

static bool
has_entry(const struct ward_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->n_entries; i++)
		if (strcmp(plan->entries[i].path, path) == 0)
			return true;
	return false;
}

static bool
is_hidden(const struct ward_plan *plan, const char *path)
{
	return ward_plan_is_private(path) ||
	    ward_plan_decide(plan, path).state == WARD_HIDDEN;
}

/* What hides the place; of a private one no rule of the plan says it. */
static struct ward_rule
hiding_rule(const struct ward_plan *plan, char *of)
{
	static char built_in[] = "built-in";

	if (!ward_plan_is_private(of))
		return *ward_plan_decide(plan, of).read;
	return (struct ward_rule){
		.kind = WARD_READ_DENY,
		.path = of,
		.origin = { .file = built_in },
	};
}

/* path shows what is hidden at the place of. */
static int
add(struct finder *f, const char *path, const char *of, bool is_directory)
{
	/* the home is the real one, and no host's mount is seen in it */
	if (has_entry(f->plan, path) || ward_plan_is_private(path) ||
	    ward_path_is_below(path, f->plan->home))
		return 0;
	_cleanup_free_ char *its_path = strdup(path);
	_cleanup_free_ char *its_of = strdup(of);
	struct ward_plan_alias *more =
	    reallocarray(f->list, f->n + 1, sizeof(*more));
	if (more != NULL)
		f->list = more;
	if (more == NULL || its_path == NULL || its_of == NULL)
		return -ENOMEM;
	/* it borrows the name */
	struct ward_rule rule = hiding_rule(f->plan, its_of);
	more[f->n++] = (struct ward_plan_alias){
		.path = ward_steal_pointer(&its_path),
		.of = ward_steal_pointer(&its_of),
		.rule = rule,
		.is_directory = is_directory,
	};
	return 0;
}

/*
 * The place of another mount that shows what a mount has for its root, if that
 * is hidden there; "" if not, NULL without memory.  Binds of one directory are
 * common and many, so that for those nothing is computed.
 */
static char *
hidden_name(
    const struct finder *f, const struct ward_mount *mount, size_t other_index)
{
	const struct ward_mount *other = &f->mounts->list[other_index];

	if (strcmp(mount->root, other->root) == 0)
		return strdup(f->hidden[other_index] ? other->path : "");
	char *name = ward_path_rebase(mount->root, other->root, other->path);
	if (name != NULL &&
	    (ward_mounts_find(f->mounts, name) != other ||
		!is_hidden(f->plan, name)))
		name[0] = '\0';
	return name;
}

/* Is what stands at the root of this mount hidden under another name? */
static int
judge_mount(struct finder *f, const struct ward_mount *mount)
{
	for (size_t i = 0; i < f->mounts->n; i++) {
		const struct ward_mount *other = &f->mounts->list[i];
		if (other == mount ||
		    strcmp(other->device, mount->device) != 0 ||
		    !ward_path_is_below(mount->root, other->root))
			continue;
		_cleanup_free_ char *name = hidden_name(f, mount, i);
		if (name == NULL)
			return -ENOMEM;
		/* a file with no entry is taken for a directory, as always;
		 * one name of it is enough */
		if (name[0] != '\0')
			return add(f, mount->path, name, true);
	}
	return 0;
}

/* A hidden place: under which names do other mounts show it? */
static int
find_names(struct finder *f, const char *hidden, bool is_directory)
{
	const struct ward_mount *mount = ward_mounts_find(f->mounts, hidden);

	if (mount == NULL || ward_path_is_below(hidden, f->plan->home))
		return 0;
	_cleanup_free_ char *place =
	    ward_path_rebase(hidden, mount->path, mount->root);
	if (place == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < f->mounts->n; i++) {
		const struct ward_mount *other = &f->mounts->list[i];
		if (other == mount ||
		    strcmp(other->device, mount->device) != 0 ||
		    !ward_path_is_below(place, other->root))
			continue;
		_cleanup_free_ char *name =
		    ward_path_rebase(place, other->root, other->path);
		if (name == NULL)
			return -ENOMEM;
		int r = ward_mounts_find(f->mounts, name) == other
		    ? add(f, name, hidden, is_directory)
		    : 0;
		if (r != 0)
			return r;
	}
	return 0;
}

static int
find_all(struct finder *f)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < f->mounts->n; i++)
		if (f->mounts->list[i].class != WARD_MOUNT_NEVER &&
		    strcmp(f->mounts->list[i].path, "/") != 0)
			r = judge_mount(f, &f->mounts->list[i]);
	for (size_t i = 0; r == 0 && i < f->plan->n_entries; i++)
		if (f->plan->entries[i].state == WARD_HIDDEN &&
		    strcmp(f->plan->entries[i].path, "/") != 0)
			r = find_names(f, f->plan->entries[i].path,
			    f->plan->entries[i].is_directory);
	for (size_t i = 0; r == 0 && ward_layout_private(i) != NULL; i++)
		r = find_names(f, ward_layout_private(i), true);
	return r;
}

int
ward_aliases_find(
    struct ward_plan *plan, const struct ward_mounts *mounts, struct err *err)
{
	struct finder f = { .plan = plan, .mounts = mounts };

	/* what is hidden by itself, not by another name of another time */
	ward_plan_take_aliases(plan, NULL, 0);
	f.hidden = calloc(mounts->n + 1, sizeof(*f.hidden));
	if (f.hidden == NULL)
		return ward_err_sys(err, ENOMEM, "other names");
	for (size_t i = 0; i < mounts->n; i++)
		f.hidden[i] = is_hidden(plan, mounts->list[i].path);
	int r = find_all(&f);
	free(f.hidden);
	ward_plan_take_aliases(plan, f.list, f.n);
	return r == 0 ? 0 : ward_err_sys(err, -r, "other names");
}
