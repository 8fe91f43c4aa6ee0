/* SPDX-License-Identifier: ISC */
/* What became of a view. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "common/path.h"
#include "profiles/plan.h"
#include "sandbox/fate.h"

const struct ward_mount *
ward_fate_mount_at(const struct ward_mounts *now, const char *path)
{
	for (size_t i = 0; i < now->n; i++)
		if (strcmp(now->list[i].path, path) == 0)
			return &now->list[i];
	return NULL;
}

/* What a path is in where nothing is mounted on it itself. */
static bool
is_in_writable(const struct ward_mounts *now, const char *path)
{
	bool writable = false;

	/* what is above stands before what is below */
	for (size_t i = 0; i < now->n; i++)
		if (ward_path_is_below(path, now->list[i].path))
			writable = now->list[i].writable;
	return writable;
}

enum ward_fate
ward_fate_of(
    const struct ward_layout *layout, size_t i, const struct ward_mounts *now)
{
	const struct ward_layout_mount *m = &layout->mounts[i];

	if (ward_fate_mount_at(now, m->path) != NULL)
		return WARD_FATE_STANDS;
	if (m->kept)
		return m->writable ? WARD_FATE_HARMLESS : WARD_FATE_LOOSE;
	switch (m->kind) {
	case WARD_LAYOUT_HIDE_DIRECTORY:
		return m->skeleton == WARD_LAYOUT_EMPTY ? WARD_FATE_BARE
							: WARD_FATE_BROKEN;
	case WARD_LAYOUT_HIDE_FILE:
		return WARD_FATE_BARE;
	case WARD_LAYOUT_SHOW:
		return !m->writable && is_in_writable(now, m->path)
		    ? WARD_FATE_BROKEN
		    : WARD_FATE_HARMLESS;
	case WARD_LAYOUT_OWN_FILE:
		return WARD_FATE_OWN;
	case WARD_LAYOUT_HOME:
	case WARD_LAYOUT_PRIVATE:
		break;
	}
	return WARD_FATE_BROKEN;
}

/*
 * It may be written where it is now: there it is mounted, or what led to a
 * protected name was moved within what is writable in any case.
 */
static bool
is_writable_in(const struct ward_layout *layout, const char *path)
{
	bool writable = false;

	/* what is above stands before what is below */
	for (size_t i = 0; i < layout->n_mounts; i++)
		if (ward_path_is_below(path, layout->mounts[i].path))
			writable = layout->mounts[i].writable;
	return writable;
}

const char *
ward_fate_stray(const struct ward_layout *layout, const struct ward_mounts *now,
    const char *device)
{
	for (size_t i = 0; i < now->n; i++)
		if (now->list[i].writable &&
		    (device == NULL ||
			strcmp(now->list[i].device, device) != 0) &&
		    !ward_plan_is_private(now->list[i].path) &&
		    !is_writable_in(layout, now->list[i].path))
			return now->list[i].path;
	return NULL;
}
