/* SPDX-License-Identifier: ISC */
/*
 * What became of a view: its layout, held against the mounts that it has now.
 * A rename or an unlink on the host moves or detaches what stands on the place
 * (mount_namespaces(7)).  Pure; for the keeper.
 */
#ifndef WARD_SANDBOX_FATE_H
#define WARD_SANDBOX_FATE_H

#include <stddef.h>

#include "sandbox/layout.h"
#include "sandbox/mounts.h"

enum ward_fate {
	WARD_FATE_STANDS,
	WARD_FATE_HARMLESS, /* gone, and nothing is open that was not before */
	WARD_FATE_BARE,     /* a simple mask is gone: another one will do */
	WARD_FATE_LOOSE,  /* gone from a protected name: if there is one again,
			     it is kept again */
	WARD_FATE_OWN,    /* gone, and the sandbox's own: put there again */
	WARD_FATE_BROKEN, /* gone, with a rule that nothing else keeps */
};

/* Of mount i of the layout. */
enum ward_fate ward_fate_of(
    const struct ward_layout *layout, size_t i, const struct ward_mounts *now);

/*
 * Where a writable mount is that the layout has elsewhere; NULL: nowhere.  It
 * belongs to now.  In a file system of this device, as "8:1", nothing can be
 * written; NULL: there is no such one.
 */
const char *ward_fate_stray(const struct ward_layout *layout,
    const struct ward_mounts *now, const char *device);

/* The mount at this very path, or NULL. */
const struct ward_mount *
ward_fate_mount_at(const struct ward_mounts *now, const char *path);

#endif
