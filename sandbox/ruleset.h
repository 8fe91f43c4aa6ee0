/* SPDX-License-Identifier: ISC */
/*
 * The Landlock ruleset of a view: writing where the view is writable, on /dev
 * and on /proc, nowhere else.  The read-only mounts say the same for regular
 * files; this says it for FIFOs, which they do not stop.  sandbox/view.c only,
 * in the view.
 */
#ifndef WARD_SANDBOX_RULESET_H
#define WARD_SANDBOX_RULESET_H

#include <sys/types.h>

#include "common/err.h"
#include "sandbox/layout.h"

/* An fd for landlock_restrict_self(2), or -errno. */
int
ward_ruleset_make(const struct ward_layout *layout, uid_t uid, struct err *err);

#endif
