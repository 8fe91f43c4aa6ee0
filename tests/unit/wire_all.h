/* SPDX-License-Identifier: ISC */
/*
 * Every message of the wire as one: for tests and the fuzz target, which do
 * the same to each.
 */
#ifndef WARD_TESTS_UNIT_WIRE_ALL_H
#define WARD_TESTS_UNIT_WIRE_ALL_H

#include "common/wire.h"

struct wire_message {
	int type;
	union {
		struct ward_wire_open open;
		struct ward_wire_opened opened;
		struct ward_wire_refused refused;
		struct ward_wire_unsealed unsealed;
		struct ward_wire_command command;
		struct ward_wire_inside inside;
		struct ward_wire_status_is status_is;
		struct ward_wire_end end;
		struct ward_wire_connect connect;
		struct ward_wire_result result;
		struct ward_wire_egress_start egress_start;
		struct ward_wire_egress_policy egress_policy;
		struct ward_wire_egress_taken egress_taken;
		struct ward_wire_egress_event egress_event;
		struct ward_wire_about_is about_is;
		struct ward_wire_why why;
		struct ward_wire_why_is why_is;
		struct ward_wire_explain explain;
		struct ward_wire_explain_is explain_is;
		struct ward_wire_request request;
		struct ward_wire_look look;
		struct ward_wire_looked looked;
	} as;
};

/* Decodes wire as that type, by the function of that type. */
int wire_message_get(
    const struct ward_wire *wire, int type, struct wire_message *m);

/* Encodes it again. */
int wire_message_put(struct ward_wire *wire, const struct wire_message *m);

/* What a decoded message must never be; NULL where it is none of it. */
const char *wire_message_wrong(const struct wire_message *m);

#endif
