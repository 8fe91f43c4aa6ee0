/* SPDX-License-Identifier: ISC */
/*
 * Sockets of the host that a view does not have: those of /run, which each
 * sandbox has for itself, and those in hidden places.  The kernel says of them
 * that nothing is there; here is known whether that is Ward's doing.
 * For connects.c.
 */
#ifndef WARD_SANDBOX_UNSHOWN_H
#define WARD_SANDBOX_UNSHOWN_H

#include "profiles/plan.h"
#include "sandbox/caller.h"
#include "sandbox/connector_start.h"

/*
 * A socket of the host's /run that the profile opens, by its path as it is
 * written, with the account's own rights on the way.  An errno, or 0: then the
 * caller's base is the socket, if there is one that is meant.
 */
int ward_unshown_open(const struct ward_plan *plan,
    const struct ward_connector_of *of, struct ward_caller *caller);

/*
 * The place that a connect means, by its letters, where Ward hides what is
 * there: malloc'd.  NULL where it is another's, or none, or one of those that
 * programs look for by the way and do without.
 */
char *ward_unshown_place(const struct ward_plan *plan,
    const struct ward_connector_of *of, const struct ward_caller *caller);

#endif
