/* SPDX-License-Identifier: ISC */
/*
 * Asking the warden from inside its sandbox, at WARD_AGENT_SOCKET.  For wardsh
 * and ward.
 */
#ifndef WARD_COMMON_ASK_H
#define WARD_COMMON_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/wire.h"

/* Connects; the fd, or -errno: outside of a sandbox nobody answers. */
int ward_ask_open(struct err *err);

/* The answer to one question, into the same record; -ETIMEDOUT, -errno. */
int
ward_ask(int fd, struct ward_wire *wire, int64_t deadline_ms, struct err *err);

/* A question that is answered by EXPLAIN_IS; 0 or -errno. */
int ward_ask_explained(int fd, struct ward_wire *question,
    struct ward_wire_explain_is *answer, struct err *err);

/* Each refusal that a question asks for, the oldest first; 0 goes on. */
typedef int
ward_ask_on_refusal(void *context, const struct ward_wire_why_is *refusal);

/*
 * Asks until what was done before is known, as far as that comes in wait_ms,
 * and calls on_refusal for what the question asks for; own and since of it
 * count.  What on_refusal returns other than 0 ends it and is returned.
 */
int ward_ask_why(int fd, const struct ward_wire_why *question, int64_t wait_ms,
    ward_ask_on_refusal *on_refusal, void *context, struct err *err);

#endif
