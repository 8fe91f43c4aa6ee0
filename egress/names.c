/* SPDX-License-Identifier: ISC */
/* Whether what a client says first names the host that was decided. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "egress/hello.h"
#include "egress/names.h"

/* alert, TLS 1.2, two bytes: fatal, access_denied */
const uint8_t ward_names_alert[7] = { 21, 3, 3, 0, 2, 2, 49 };

static void
differs(struct ward_flow *flow, const char *what, const char *name, size_t size)
{
	char text[256], detail[400];
	size_t n = size < sizeof(text) ? size : sizeof(text) - 1;

	memcpy(text, name, n);
	text[n] = '\0';
	(void)snprintf(detail, sizeof(detail), "%s is \"%s\"", what, text);
	ward_flow_fail(flow, WARD_CAUSE_NAME, 0, detail);
}

bool
ward_names_agree(
    struct ward_flow *flow, const char *what, const char *name, size_t size)
{
	const struct ward_host *decided = &flow->decision.host;
	struct ward_host host;
	const char *why;

	if (ward_host_read(name, size, &host, &why) == 0) {
		if (ward_host_equal(&host, decided))
			return true;
		struct ward_decision decision;
		if (decided->kind != WARD_HOST_NAME &&
		    host.kind == WARD_HOST_NAME) {
			ward_rules_decide(flow->rules, name, size,
			    flow->decision.port, &decision);
			if (decision.allowed)
				return true;
		}
	}
	differs(flow, what, name, size);
	return false;
}

enum ward_relay_verdict
ward_names_look(struct ward_flow *flow, const uint8_t *bytes, size_t n)
{
	char name[256];

	switch (ward_hello_read(bytes, n, name)) {
	case WARD_HELLO_MORE:
		return WARD_RELAY_MORE;
	case WARD_HELLO_NOT_TLS:
	case WARD_HELLO_NO_NAME:
		return WARD_RELAY_PASS;
	case WARD_HELLO_NAME:
		return ward_names_agree(flow, "the name in its TLS hello", name,
			   strlen(name))
		    ? WARD_RELAY_PASS
		    : WARD_RELAY_REFUSE;
	case WARD_HELLO_BAD:
		break;
	}
	ward_flow_fail(flow, WARD_CAUSE_NAME, 0,
	    "it begins as TLS, and its hello cannot be read");
	return WARD_RELAY_REFUSE;
}
