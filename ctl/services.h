/* SPDX-License-Identifier: ISC */
/* The PAM stacks of the services that Ward can open, as they are.  ctl/ only.
 */
#ifndef WARD_CTL_SERVICES_H
#define WARD_CTL_SERVICES_H

#include <stdbool.h>

#include "common/err.h"

#define WARD_PAM_DIRECTORY "/etc/pam.d"

/* The machine has a stack for it. */
bool ward_service_is_there(const char *service);

/*
 * Every one that is there has Ward's lines, in order, where nothing goes
 * around them.  0, or -EINVAL when each finding was printed to stderr.
 */
int ward_services_verify(struct err *err);

#endif
