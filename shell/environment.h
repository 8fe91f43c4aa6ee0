/* SPDX-License-Identifier: ISC */
/*
 * The environment of a session's shell, made from nothing: what the account
 * is, what the profile passes from the caller's, what the profile sets.  Pure;
 * wardsh only.
 */
#ifndef WARD_SHELL_ENVIRONMENT_H
#define WARD_SHELL_ENVIRONMENT_H

#include "common/err.h"
#include "common/wire.h"

/*
 * *made is for execve and lives until the process ends.  What the profile sets
 * wins over what it passes; neither changes HOME, USER, LOGNAME or SHELL.
 */
int ward_environment_make(const struct ward_wire_inside *inside,
    char *const *caller, char ***made, struct err *err);

#endif
