/* SPDX-License-Identifier: ISC */
/*
 * What the rules of a sandbox say of a path, a socket or a host, for its own
 * account: by the functions that decide when it is tried.  For agent.c.
 */
#ifndef WARD_SANDBOX_EXPLAIN_H
#define WARD_SANDBOX_EXPLAIN_H

#include "common/wire.h"
#include "sandbox/sandbox.h"

/* 0; -EINVAL for what is no question, -errno where it cannot be told. */
int ward_explain(const struct ward_sandbox *sandbox,
    const struct ward_wire_explain *question, struct ward_wire_explain_is *m);

#endif
