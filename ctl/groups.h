/* SPDX-License-Identifier: ISC */
/* Groups that let their members around a sandbox.  Pure.  ctl/ only. */
#ifndef WARD_CTL_GROUPS_H
#define WARD_CTL_GROUPS_H

#include <sys/types.h>

enum ward_group_power {
	WARD_GROUP_ORDINARY,
	WARD_GROUP_READS, /* more than an agent need */
	WARD_GROUP_ROOT,  /* amounts to root */
};

enum ward_group_power ward_group_power(const char *name, gid_t gid);

#endif
