/* SPDX-License-Identifier: ISC */
/* The PAM stacks of the services that Ward can open, as they are.  ctl/ only.
 */
#ifndef WARD_CTL_SERVICES_H
#define WARD_CTL_SERVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "profiles/diagnostics.h"

#define WARD_PAM_DIRECTORY "/etc/pam.d"

/* Where libpam looks for stacks, in its order. */
const char *const *ward_service_directories(size_t *n);

/* The machine has a stack for it in the first of them. */
bool ward_service_is_there(const char *service);

/*
 * Every one that is there has Ward's lines, in order, where nothing goes
 * around them.  0 if they could be read; *n_wrong of *n are not as they must
 * be, each with its findings.
 */
int ward_services_check(struct ward_diagnostics *findings, size_t *n,
    size_t *n_wrong, struct err *err);
/* The same, each finding printed to stderr; -EINVAL if there is one. */
int ward_services_verify(struct err *err);

/* Its session lines, or those of "other" for it, lead to pam_ward.so. */
bool ward_service_has_ward(const char *service);

/* pam_env.so reads a file of the user's in front of pam_systemd.so. */
bool ward_service_reads_home_early(const char *service);

#endif
