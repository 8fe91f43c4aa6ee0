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

struct finder {
	const struct ward_plan *plan;
	const struct ward_mounts *mounts;
	const char *const *private_places; /* the roots of those */
	size_t n_private;
	bool *hidden; /* of each mount: the place where it stands is */
	struct ward_aliases *aliases;
};

/* Where path leads that is relative to from, and is or is below it, in to. */
static char *
translate(const char *path, const char *from, const char *to)
{
	const char *rest = path + (strcmp(from, "/") == 0 ? 0 : strlen(from));

	rest += strspn(rest, "/");
	return rest[0] == '\0' ? strdup(to) : ward_path_join(to, rest);
}

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

/* Takes path. */
static int
add_take(struct finder *f, char *path, bool is_directory)
{
	struct ward_aliases *aliases = f->aliases;

	/* the home is the real one, and no host's mount is seen in it */
	if (has_entry(f->plan, path) || ward_plan_is_private(path) ||
	    ward_path_is_below(path, f->plan->home)) {
		free(path);
		return 0;
	}
	struct ward_alias *more =
	    reallocarray(aliases->list, aliases->n + 1, sizeof(*more));
	if (more == NULL) {
		free(path);
		return -ENOMEM;
	}
	aliases->list = more;
	more[aliases->n++] = (struct ward_alias){
		.path = path,
		.is_directory = is_directory,
	};
	return 0;
}

/*
 * Is the root of a mount, which another mount shows as well, hidden there?
 * 1, 0 or -errno.  Binds of one directory are common and many, so that for
 * those nothing is computed.
 */
static int
is_hidden_in(
    const struct finder *f, const struct ward_mount *mount, size_t other_index)
{
	const struct ward_mount *other = &f->mounts->list[other_index];

	if (strcmp(mount->root, other->root) == 0)
		return f->hidden[other_index];
	_cleanup_free_ char *name =
	    translate(mount->root, other->root, other->path);
	if (name == NULL)
		return -ENOMEM;
	return ward_mounts_find(f->mounts, name) == other &&
	    is_hidden(f->plan, name);
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
		int r = is_hidden_in(f, mount, i);
		if (r < 0)
			return r;
		if (r == 0)
			continue;
		char *path = strdup(mount->path);
		/* a file with no entry is taken for a directory, as always */
		return path == NULL ? -ENOMEM : add_take(f, path, true);
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
	    translate(hidden, mount->path, mount->root);
	if (place == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < f->mounts->n; i++) {
		const struct ward_mount *other = &f->mounts->list[i];
		if (other == mount ||
		    strcmp(other->device, mount->device) != 0 ||
		    !ward_path_is_below(place, other->root))
			continue;
		char *name = translate(place, other->root, other->path);
		if (name == NULL)
			return -ENOMEM;
		if (ward_mounts_find(f->mounts, name) != other) {
			free(name);
			continue;
		}
		int r = add_take(f, name, is_directory);
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
	for (size_t i = 0; r == 0 && i < f->n_private; i++)
		r = find_names(f, f->private_places[i], true);
	return r;
}

int
ward_aliases_find(const struct ward_plan *plan,
    const struct ward_mounts *mounts, const char *const *private_places,
    size_t n_private, struct ward_aliases *aliases)
{
	struct finder f = {
		.plan = plan,
		.mounts = mounts,
		.private_places = private_places,
		.n_private = n_private,
		.aliases = aliases,
	};

	*aliases = (struct ward_aliases){ 0 };
	f.hidden = calloc(mounts->n + 1, sizeof(*f.hidden));
	if (f.hidden == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < mounts->n; i++)
		f.hidden[i] = is_hidden(plan, mounts->list[i].path);
	int r = find_all(&f);
	free(f.hidden);
	if (r != 0)
		ward_aliases_clear(aliases);
	return r;
}

void
ward_aliases_clear(struct ward_aliases *aliases)
{
	for (size_t i = 0; i < aliases->n; i++)
		free(aliases->list[i].path);
	free(aliases->list);
	*aliases = (struct ward_aliases){ 0 };
}
