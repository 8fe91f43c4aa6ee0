/* SPDX-License-Identifier: ISC */
/*
 * The groups of an account, as the host's name services tell them.  They choose
 * its profile, so that what cannot be told is an error, never a no.
 */
#ifndef WARD_COMMON_GROUP_H
#define WARD_COMMON_GROUP_H

#include <stddef.h>
#include <sys/types.h>

/*
 * As getgrouplist(3); *n is how many groups has room for, then how many there
 * are.  0, -E2BIG, or -errno where a source could not be read.
 */
int ward_group_list(const char *account, gid_t gid, gid_t *groups, size_t *n);

/*
 * The account, whose groups these are, is in the group of that name: 1, 0, or
 * -errno where it cannot be told.
 */
int ward_group_has(
    const char *name, const char *account, const gid_t *groups, size_t n);

#endif
