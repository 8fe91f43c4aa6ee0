/* SPDX-License-Identifier: ISC */
/* The two stores as commands open them, and who runs them.  ctl/ only. */
#ifndef WARD_CTL_STORES_H
#define WARD_CTL_STORES_H

#include <stddef.h>

#include "db/policy.h"
#include "db/violations.h"

/* -ENOENT, with what to do, where no policy was ever applied. */
int ward_stores_policy(
    enum ward_policy_mode mode, struct ward_policy **policy, struct err *err);

/* A store that no session has made yet is an empty one: *store stays NULL. */
int ward_stores_violations(enum ward_violations_mode mode,
    struct ward_violations **store, struct err *err);

/* Who does this, for the record only: visible text.  Returns out. */
const char *ward_stores_author(char *out, size_t size);

#endif
