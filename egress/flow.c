/* SPDX-License-Identifier: ISC */
/* A flow, and what the warden is told of it. */
#include "config.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "common/clock.h"
#include "common/fd.h"
#include "common/text.h"
#include "egress/flow.h"

/* Bytes that nobody has looked at, as text that can be shown. */
static void
show_bytes(const char *bytes, size_t size, char out[256])
{
	char text[WARD_HOST_SPELT_MAX + 2];
	size_t n = size < sizeof(text) ? size : sizeof(text) - 1;

	memcpy(text, bytes, n);
	text[n] = '\0';
	for (size_t i = 0; i < n; i++)
		if (text[i] == '\0')
			text[i] = '\x01'; /* a NUL would hide the rest */
	(void)ward_text_visible(out, 256, text);
}

bool
ward_flow_decide(struct ward_flow *flow, struct ward_egress *egress,
    const char *host, size_t size, uint16_t port)
{
	flow->egress = egress;
	flow->rules = ward_rules_hold(egress->rules);
	flow->since = ward_now_us();
	flow->id = 0;
	flow->up = flow->down = 0;
	flow->requests = 0;
	flow->cause = WARD_CAUSE_NONE;
	flow->error = 0;
	flow->detail[0] = flow->spelt[0] = '\0';
	memset(&flow->dialled, 0, sizeof(flow->dialled));
	ward_rules_decide(flow->rules, host, size, port, &flow->decision);
	if (flow->decision.allowed)
		return true;
	flow->cause = WARD_CAUSE_DECISION;
	show_bytes(host, size, flow->spelt);
	return false;
}

void
ward_flow_fail(struct ward_flow *flow, enum ward_egress_cause cause, int error,
    const char *detail)
{
	flow->cause = cause;
	flow->error = error;
	if (detail != NULL)
		(void)ward_text_visible(
		    flow->detail, sizeof(flow->detail), detail);
}

bool
ward_flow_is_refused(const struct ward_flow *flow)
{
	return flow->cause == WARD_CAUSE_DECISION ||
	    flow->cause == WARD_CAUSE_NAME ||
	    flow->cause == WARD_CAUSE_PROTOCOL ||
	    flow->cause == WARD_CAUSE_LIMIT || flow->cause == WARD_CAUSE_SPENT;
}

static const char *
error_text(const struct ward_flow *flow)
{
	const char *text = strerrordesc_np(flow->error);

	return text == NULL ? "unknown error" : text;
}

void
ward_flow_said(const struct ward_flow *flow, char out[WARD_DECISION_TEXT_MAX])
{
	const struct ward_decision *d = &flow->decision;
	bool six = d->host.kind == WARD_HOST_IPV6;
	char at[WARD_HOST_TEXT_MAX + sizeof("[]:65535")];

	(void)snprintf(at, sizeof(at), "%s%s%s:%u", six ? "[" : "",
	    d->host.text, six ? "]" : "", d->port);
	out[0] = '\0';
	switch (flow->cause) {
	case WARD_CAUSE_NONE:
	case WARD_CAUSE_DECISION:
		(void)ward_decision_text(d, out, WARD_DECISION_TEXT_MAX);
		return;
	case WARD_CAUSE_RESOLVE:
		(void)snprintf(out, WARD_DECISION_TEXT_MAX,
		    "%s is allowed, but its name has no address: %s", at,
		    gai_strerror(flow->error));
		return;
	case WARD_CAUSE_CONNECT:
		(void)snprintf(out, WARD_DECISION_TEXT_MAX,
		    "%s is allowed, but cannot be reached: %s", at,
		    error_text(flow));
		return;
	case WARD_CAUSE_UPSTREAM:
		(void)snprintf(out, WARD_DECISION_TEXT_MAX,
		    "%s is allowed, but the upstream proxy does not reach it: "
		    "%s",
		    at, flow->detail);
		return;
	case WARD_CAUSE_NAME:
		(void)snprintf(out, WARD_DECISION_TEXT_MAX,
		    "a connection to %s is refused: %s; ask for that host "
		    "itself",
		    at, flow->detail);
		return;
	case WARD_CAUSE_PROTOCOL:
	case WARD_CAUSE_LIMIT:
	case WARD_CAUSE_SPENT:
		(void)snprintf(out, WARD_DECISION_TEXT_MAX, "%s", flow->detail);
		return;
	}
}

void
ward_flow_rule(const struct ward_flow *flow, char out[WARD_DECISION_RULE_MAX])
{
	out[0] = '\0';
	if (flow->rules != NULL)
		(void)ward_decision_rule(
		    &flow->decision, out, WARD_DECISION_RULE_MAX);
}

/* --- events --- */

static const struct timeval again_in = { .tv_sec = 1 };

static void
copy(char *out, size_t size, const char *text)
{
	size_t n = text == NULL ? 0 : strnlen(text, size - 1);

	if (n > 0)
		memcpy(out, text, n);
	out[n] = '\0';
}

static void
fill_rule(const struct ward_flow *flow, struct ward_wire_egress_event *event)
{
	const struct ward_decision *d = &flow->decision;
	const struct ward_origin *origin = NULL;

	event->ground = d->ground;
	if (d->ground == WARD_GROUND_DENIED_BLOCK) {
		origin = &d->block->origin;
		copy(event->rule, sizeof(event->rule), d->block->text);
	} else if (d->rule != NULL) {
		origin = &d->rule->origin;
		copy(event->rule, sizeof(event->rule), d->rule->text);
	}
	if (origin != NULL) {
		copy(event->file, sizeof(event->file), origin->file);
		event->line = origin->line;
	}
	if (d->grant != NULL)
		event->grant = (uint64_t)d->grant->id;
	copy(event->reason, sizeof(event->reason), d->reason);
	event->ask = d->ask;
}

static void
fill(const struct ward_flow *flow, struct ward_wire_egress_event *event)
{
	const char *host = flow->decision.host.text;

	memset(event, 0, sizeof(*event));
	event->front = flow->front;
	event->cause = flow->cause;
	event->id = flow->id;
	copy(event->host, sizeof(event->host),
	    host[0] != '\0' ? host : flow->spelt);
	event->port = flow->decision.port;
	event->dialled = flow->dialled;
	event->from = flow->from;
	event->to = flow->to;
	event->mark = flow->mark;
	if (flow->rules != NULL)
		fill_rule(flow, event);
	event->up = flow->up;
	event->down = flow->down;
	event->duration =
	    flow->since == 0 ? 0 : (uint64_t)(ward_now_us() - flow->since);
	event->count = flow->requests;
}

static int
send_event(
    struct ward_egress *egress, const struct ward_wire_egress_event *event)
{
	struct ward_wire wire;
	int r = ward_wire_put_egress_event(&wire, event);

	return r == 0
	    ? ward_fd_send(egress->events_fd, wire.data, wire.size, NULL, 0)
	    : r;
}

static void
tell_dropped(struct ward_egress *egress)
{
	const struct ward_wire_egress_event event = {
		.kind = WARD_EGRESS_DROPPED,
		.count = egress->dropped,
	};

	if (egress->dropped > 0 && send_event(egress, &event) == 0)
		egress->dropped = 0;
}

/* Never waits: what finds no room is counted. */
static void
tell(struct ward_egress *egress, const struct ward_wire_egress_event *event)
{
	tell_dropped(egress);
	if (egress->dropped == 0 && send_event(egress, event) == 0)
		return;
	if (egress->dropped < UINT32_MAX)
		egress->dropped++;
	(void)evtimer_add(egress->tell_again, &again_in);
}

void
ward_flow_on_tell_again(evutil_socket_t fd, short what, void *context)
{
	struct ward_egress *egress = context;

	(void)fd;
	(void)what;
	tell_dropped(egress);
	if (egress->dropped > 0)
		(void)evtimer_add(egress->tell_again, &again_in);
}

void
ward_flow_opened(struct ward_flow *flow)
{
	struct ward_wire_egress_event event;

	flow->id = ++flow->egress->last_id;
	fill(flow, &event);
	event.kind = WARD_EGRESS_OPENED;
	tell(flow->egress, &event);
}

void
ward_flow_told(struct ward_flow *flow)
{
	struct ward_wire_egress_event event;
	char said[WARD_DECISION_TEXT_MAX];

	fill(flow, &event);
	event.kind = ward_flow_is_refused(flow) ? WARD_EGRESS_REFUSED
						: WARD_EGRESS_FAILED;
	/* EAI_* are negative, and the sentence has them */
	event.error = flow->error > 0 ? (uint32_t)flow->error : 0;
	ward_flow_said(flow, said);
	copy(event.said, sizeof(event.said), said);
	tell(flow->egress, &event);
}

void
ward_flow_end(struct ward_flow *flow, int error)
{
	if (flow->id != 0) {
		struct ward_wire_egress_event event;

		fill(flow, &event);
		event.kind = WARD_EGRESS_CLOSED;
		event.error = (uint32_t)error;
		tell(flow->egress, &event);
		flow->id = 0;
	}
	ward_rules_drop(flow->rules);
	flow->rules = NULL;
}

void
ward_flow_end_point(
    int (*ask)(int fd, struct sockaddr *address, socklen_t *size), int fd,
    struct ward_wire_end_point *out)
{
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
		struct sockaddr_storage room;
	} address = { 0 };
	socklen_t size = sizeof(address);

	memset(out, 0, sizeof(*out));
	if (ask(fd, &address.any, &size) != 0)
		return;
	if (address.any.sa_family == AF_INET) {
		out->address[10] = out->address[11] = 0xff;
		memcpy(out->address + 12, &address.four.sin_addr, 4);
		out->port = ntohs(address.four.sin_port);
	} else if (address.any.sa_family == AF_INET6) {
		memcpy(out->address, &address.six.sin6_addr, 16);
		out->port = ntohs(address.six.sin6_port);
	}
}
