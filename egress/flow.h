/* SPDX-License-Identifier: ISC */
/*
 * A flow: one host and port that a client asked for, what was decided of it,
 * and what became of it.  Each event to the warden is of one.
 */
#ifndef WARD_EGRESS_FLOW_H
#define WARD_EGRESS_FLOW_H

#include "egress/egress.h"
#include "profiles/decision_text.h"

struct ward_flow {
	struct ward_egress *egress;
	struct ward_rules
	    *rules; /* that the decision points into; NULL: none */
	struct ward_decision decision;
	char spelt[256]; /* visible, of a host that is malformed */
	enum ward_egress_front front;
	struct ward_wire_end_point from, to; /* inside the sandbox */
	uint32_t mark;                       /* of the client's connection */
	struct ward_wire_end_point dialled;
	uint64_t id;       /* once it is opened */
	int64_t since;     /* microseconds; it was decided then */
	uint64_t up, down; /* bytes */
	uint32_t requests;

	/* why there is no connection */
	enum ward_egress_cause cause;
	int error;        /* errno, or of RESOLVE EAI_* */
	char detail[400]; /* a part of a sentence */
};

/* Decides; whether it is allowed.  What flow held before has been ended. */
bool ward_flow_decide(struct ward_flow *flow, struct ward_egress *egress,
    const char *host, size_t size, uint16_t port);

/* It is no connection, for this reason; error may be 0, detail NULL. */
void ward_flow_fail(struct ward_flow *flow, enum ward_egress_cause cause,
    int error, const char *detail);

/* One line, visible text: why there is no connection. */
void
ward_flow_said(const struct ward_flow *flow, char out[WARD_DECISION_TEXT_MAX]);
/* What decided, in short ASCII; "" where no rule did. */
void
ward_flow_rule(const struct ward_flow *flow, char out[WARD_DECISION_RULE_MAX]);

/* Whether a rule refused it, or it failed all the same. */
bool ward_flow_is_refused(const struct ward_flow *flow);

/* The events.  A flow that was opened is closed once; end is for any. */
void ward_flow_opened(struct ward_flow *flow);
void ward_flow_told(struct ward_flow *flow); /* REFUSED or FAILED */
void ward_flow_end(struct ward_flow *flow, int error);

/* For egress->tell_again: tells of the events that found no room. */
void ward_flow_on_tell_again(evutil_socket_t fd, short what, void *context);

/* Where a socket is connected from or to, as the wire has it. */
void ward_flow_end_point(
    int (*ask)(int fd, struct sockaddr *address, socklen_t *size), int fd,
    struct ward_wire_end_point *out);

#endif
