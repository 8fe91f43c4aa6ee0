/* SPDX-License-Identifier: ISC */
/*
 * What the rules of a sandbox say of a path, a socket or a host, for its own
 * account: by the functions that decide when it is tried.  For agent.c.
 */
#ifndef WARD_SANDBOX_EXPLAIN_H
#define WARD_SANDBOX_EXPLAIN_H

#include "common/wire.h"
#include "profiles/host.h"
#include "sandbox/sandbox.h"

/* 0; -EINVAL for what is no question, -errno where it cannot be told. */
int ward_explain(const struct ward_sandbox *sandbox,
    const struct ward_wire_explain *question, struct ward_wire_explain_is *m);

/*
 * What they say of a host that is asked for.  Only one that no rule names can
 * be granted: then asks is set, and host is what it is called.
 */
int ward_explain_request(const struct ward_sandbox *sandbox,
    const struct ward_wire_request *request, struct ward_wire_explain_is *m,
    struct ward_host *host);

#endif
