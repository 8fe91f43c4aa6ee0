/* SPDX-License-Identifier: ISC */
/*
 * The uid fence: one nftables table of the host that refuses every packet of a
 * socket that a governed uid made in the host's own network.  ctl/ only.
 */
#ifndef WARD_CTL_FENCE_H
#define WARD_CTL_FENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/err.h"

/*
 * Pure: what makes the table anew for these uids, in one transaction, also
 * where it is there; none: removes it.  malloc'd, NULL without memory.
 */
char *ward_fence_text(const uid_t *uids, size_t n);

/*
 * Pure: the numbers of the set, in what "list set" prints of it.  How many
 * there are, of which the first max are in uids.
 */
size_t ward_fence_read(const char *listing, uid_t *uids, size_t max);

/* Those that the table holds now, the first max of them; -errno. */
int ward_fence_listed(uid_t *uids, size_t max, size_t *n, struct err *err);

/*
 * The table for the accounts that are governed now, *n of them (may be NULL).
 * -EOPNOTSUPP where the kernel has no nftables, or not all of it.
 */
int ward_fence_apply(size_t *n, struct err *err);

/* The same where a machine without nftables is no failure: that is said. */
int ward_fence_keep(struct err *err);

int ward_fence_remove(struct err *err);

/* The boot unit is started at boot; a machine without systemd is fine. */
int ward_fence_unit_enable(bool *changed, struct err *err);
int ward_fence_unit_disable(struct err *err);
bool ward_fence_unit_is_enabled(void);

#endif
