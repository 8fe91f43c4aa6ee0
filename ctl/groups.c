/* SPDX-License-Identifier: ISC */
/* Groups that let their members around a sandbox: the one list of them. */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "ctl/groups.h"

static const struct {
	const char *name;
	enum ward_group_power power;
} groups[] = {
	{ "adm", WARD_GROUP_READS },
	{ "admin", WARD_GROUP_ROOT },
	{ "disk", WARD_GROUP_ROOT },
	{ "docker", WARD_GROUP_ROOT },
	{ "incus", WARD_GROUP_ROOT },
	{ "incus-admin", WARD_GROUP_ROOT },
	{ "kmem", WARD_GROUP_ROOT },
	{ "kvm", WARD_GROUP_READS },
	{ "libvirt", WARD_GROUP_ROOT },
	{ "lxd", WARD_GROUP_ROOT },
	{ "podman", WARD_GROUP_ROOT },
	{ "root", WARD_GROUP_ROOT },
	{ "shadow", WARD_GROUP_ROOT },
	{ "ssl-cert", WARD_GROUP_READS },
	{ "staff", WARD_GROUP_ROOT }, /* writes /usr/local on Debian */
	{ "sudo", WARD_GROUP_ROOT },
	{ "systemd-journal", WARD_GROUP_READS },
	{ "wheel", WARD_GROUP_ROOT },
};

enum ward_group_power
ward_group_power(const char *name, gid_t gid)
{
	if (gid == 0)
		return WARD_GROUP_ROOT;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (strcmp(groups[i].name, name) == 0)
			return groups[i].power;
	return WARD_GROUP_ORDINARY;
}
