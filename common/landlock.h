/* SPDX-License-Identifier: ISC */
/* What the kernel's Landlock can do (landlock(7)).  Everyone may use it. */
#ifndef WARD_COMMON_LANDLOCK_H
#define WARD_COMMON_LANDLOCK_H

#define WARD_LANDLOCK_LEAST 2 /* REFER: the first with which renames work */

/* The version of its ABI, 1 or more, or -errno where it has none. */
int ward_landlock_abi(void);

#endif
