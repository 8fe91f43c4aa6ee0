/* SPDX-License-Identifier: ISC */
/*
 * Network rules that can never count, of all profiles together: what is dead
 * in one profile may live in another that extends it.  For compile.c only.
 */
#ifndef WARD_PROFILES_NETWORK_CHECK_H
#define WARD_PROFILES_NETWORK_CHECK_H

#include "profiles/compile.h"

/* Adds warnings.  0 or -ENOMEM. */
int ward_networks_check(
    const struct ward_compiled *compiled, struct ward_diagnostics *findings);

#endif
