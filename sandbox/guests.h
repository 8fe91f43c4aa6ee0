/* SPDX-License-Identifier: ISC */
/*
 * Guests: what the host mounts, while a view stands, in a place that the
 * account can write.  In the account's own namespace nothing is mounted there,
 * so that it could remove or move the directory; the kernel then takes the
 * host's mount away with it.  A mask keeps the place until the host unmounts.
 * Only sandbox/keeper.c uses this, in its thread.
 */
#ifndef WARD_SANDBOX_GUESTS_H
#define WARD_SANDBOX_GUESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "profiles/plan.h"
#include "sandbox/mounts.h"
#include "sandbox/walk.h"

/* All that it points to is borrowed. */
struct ward_guests {
	const struct ward_plan *plan;
	const struct ward_walk_account *account;
	int view_dfd, masks_dfd;
	char **places; /* as the view names them */
	size_t n;
};

/* Of each new one. */
typedef void ward_guests_tell(void *context, const char *place);

/* 0 or -errno: then the view is not what it has to be. */
int ward_guests_tend(struct ward_guests *guests, const struct ward_mounts *host,
    const struct ward_mounts *view, ward_guests_tell *tell, void *context,
    struct err *err);

void ward_guests_clear(struct ward_guests *guests);

/* The directory that a path is in is one that the account can write. */
bool ward_guests_is_in_writable(const struct ward_plan *plan, const char *path);

#endif
