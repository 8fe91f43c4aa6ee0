/* SPDX-License-Identifier: ISC */
/* The services that can carry a governed session, and their programs. */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "pam/service.h"

struct service {
	const char *name;
	const char *programs[3];
};

/*
 * Each forks after pam_open_session and becomes the account in the child only
 * (OpenSSH 9.2 and 10.0, util-linux 2.38, sudo 1.9, cron 3.0pl1, at 3.2).
 */
static const struct service services[] = {
	{ "sshd", { "/usr/sbin/sshd", "/usr/lib/openssh/sshd-session" } },
	{ "su", { "/usr/bin/su" } },
	{ "su-l", { "/usr/bin/su" } },
	{ "sudo", { "/usr/bin/sudo" } },
	{ "sudo-i", { "/usr/bin/sudo" } },
	{ "runuser", { "/usr/sbin/runuser" } },
	{ "runuser-l", { "/usr/sbin/runuser" } },
	{ "cron", { "/usr/sbin/cron" } },
	{ "atd", { "/usr/sbin/atd" } },
};

static const struct service *
find(const char *name)
{
	for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++)
		if (strcmp(services[i].name, name) == 0)
			return &services[i];
	return NULL;
}

bool
ward_service_is_known(const char *service)
{
	return find(service) != NULL;
}

bool
ward_service_goes_on(const char *service)
{
	return strcmp(service, "sudo") == 0 || strcmp(service, "sudo-i") == 0;
}

bool
ward_service_is_program(const char *service, const char *program)
{
	const struct service *s = find(service);

	if (s == NULL)
		return false;
	for (size_t i = 0; i < sizeof(s->programs) / sizeof(s->programs[0]);
	     i++)
		if (s->programs[i] != NULL &&
		    strcmp(s->programs[i], program) == 0)
			return true;
	return false;
}
