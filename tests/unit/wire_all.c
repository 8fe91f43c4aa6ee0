/* SPDX-License-Identifier: ISC */
/* Every message of the wire as one. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/wire_all.h"

int
wire_message_get(const struct ward_wire *wire, int type, struct wire_message *m)
{
	m->type = type;
	switch (type) {
	case WARD_WIRE_OPEN:
		return ward_wire_get_open(wire, &m->as.open);
	case WARD_WIRE_OPENED:
		return ward_wire_get_opened(wire, &m->as.opened);
	case WARD_WIRE_REFUSED:
		return ward_wire_get_refused(wire, &m->as.refused);
	case WARD_WIRE_UNSEALED:
		return ward_wire_get_unsealed(wire, &m->as.unsealed);
	case WARD_WIRE_COMMAND:
		return ward_wire_get_command(wire, &m->as.command);
	case WARD_WIRE_INSIDE:
		return ward_wire_get_inside(wire, &m->as.inside);
	case WARD_WIRE_STATUS_IS:
		return ward_wire_get_status_is(wire, &m->as.status_is);
	case WARD_WIRE_END:
		return ward_wire_get_end(wire, &m->as.end);
	case WARD_WIRE_CONNECT:
		return ward_wire_get_connect(wire, &m->as.connect);
	case WARD_WIRE_JUDGED:
		return ward_wire_get_judged(wire, &m->as.result);
	case WARD_WIRE_CONNECTED:
		return ward_wire_get_connected(wire, &m->as.result);
	case WARD_WIRE_RELOADED:
		return ward_wire_get_reloaded(wire, &m->as.result);
	case WARD_WIRE_EGRESS_START:
		return ward_wire_get_egress_start(wire, &m->as.egress_start);
	case WARD_WIRE_EGRESS_POLICY:
		return ward_wire_get_egress_policy(wire, &m->as.egress_policy);
	case WARD_WIRE_EGRESS_TAKEN:
		return ward_wire_get_egress_taken(wire, &m->as.egress_taken);
	case WARD_WIRE_EGRESS_EVENT:
		return ward_wire_get_egress_event(wire, &m->as.egress_event);
	case WARD_WIRE_ABOUT_IS:
		return ward_wire_get_about_is(wire, &m->as.about_is);
	case WARD_WIRE_WHY:
		return ward_wire_get_why(wire, &m->as.why);
	case WARD_WIRE_WHY_IS:
		return ward_wire_get_why_is(wire, &m->as.why_is);
	case WARD_WIRE_EXPLAIN:
		return ward_wire_get_explain(wire, &m->as.explain);
	case WARD_WIRE_EXPLAIN_IS:
		return ward_wire_get_explain_is(wire, &m->as.explain_is);
	case WARD_WIRE_REQUEST:
		return ward_wire_get_request(wire, &m->as.request);
	case WARD_WIRE_LOOK:
		return ward_wire_get_look(wire, &m->as.look);
	case WARD_WIRE_LOOKED:
		return ward_wire_get_looked(wire, &m->as.looked);
	case WARD_WIRE_RETRY:
	case WARD_WIRE_ENTERED:
	case WARD_WIRE_CLOSE:
	case WARD_WIRE_STATUS:
	case WARD_WIRE_ENDING:
	case WARD_WIRE_PLACE:
	case WARD_WIRE_RELOAD:
	case WARD_WIRE_ABOUT:
	case WARD_WIRE_MASKS:
		return ward_wire_get_empty(wire, (enum ward_wire_type)type);
	default:
		return -EINVAL;
	}
}

int
wire_message_put(struct ward_wire *wire, const struct wire_message *m)
{
	switch (m->type) {
	case WARD_WIRE_OPEN:
		return ward_wire_put_open(wire, &m->as.open);
	case WARD_WIRE_OPENED:
		return ward_wire_put_opened(wire, &m->as.opened);
	case WARD_WIRE_REFUSED:
		return ward_wire_put_refused(wire, &m->as.refused);
	case WARD_WIRE_UNSEALED:
		return ward_wire_put_unsealed(wire, &m->as.unsealed);
	case WARD_WIRE_COMMAND:
		return ward_wire_put_command(wire, &m->as.command);
	case WARD_WIRE_INSIDE:
		return ward_wire_put_inside(wire, &m->as.inside);
	case WARD_WIRE_STATUS_IS:
		return ward_wire_put_status_is(wire, &m->as.status_is);
	case WARD_WIRE_END:
		return ward_wire_put_end(wire, &m->as.end);
	case WARD_WIRE_CONNECT:
		return ward_wire_put_connect(wire, &m->as.connect);
	case WARD_WIRE_JUDGED:
		return ward_wire_put_judged(wire, &m->as.result);
	case WARD_WIRE_CONNECTED:
		return ward_wire_put_connected(wire, &m->as.result);
	case WARD_WIRE_RELOADED:
		return ward_wire_put_reloaded(wire, &m->as.result);
	case WARD_WIRE_EGRESS_START:
		return ward_wire_put_egress_start(wire, &m->as.egress_start);
	case WARD_WIRE_EGRESS_POLICY:
		return ward_wire_put_egress_policy(wire, &m->as.egress_policy);
	case WARD_WIRE_EGRESS_TAKEN:
		return ward_wire_put_egress_taken(wire, &m->as.egress_taken);
	case WARD_WIRE_EGRESS_EVENT:
		return ward_wire_put_egress_event(wire, &m->as.egress_event);
	case WARD_WIRE_ABOUT_IS:
		return ward_wire_put_about_is(wire, &m->as.about_is);
	case WARD_WIRE_WHY:
		return ward_wire_put_why(wire, &m->as.why);
	case WARD_WIRE_WHY_IS:
		return ward_wire_put_why_is(wire, &m->as.why_is);
	case WARD_WIRE_EXPLAIN:
		return ward_wire_put_explain(wire, &m->as.explain);
	case WARD_WIRE_EXPLAIN_IS:
		return ward_wire_put_explain_is(wire, &m->as.explain_is);
	case WARD_WIRE_REQUEST:
		return ward_wire_put_request(wire, &m->as.request);
	case WARD_WIRE_LOOK:
		return ward_wire_put_look(wire, &m->as.look);
	case WARD_WIRE_LOOKED:
		return ward_wire_put_looked(wire, &m->as.looked);
	case WARD_WIRE_RETRY:
	case WARD_WIRE_ENTERED:
	case WARD_WIRE_CLOSE:
	case WARD_WIRE_STATUS:
	case WARD_WIRE_ENDING:
	case WARD_WIRE_PLACE:
	case WARD_WIRE_RELOAD:
	case WARD_WIRE_ABOUT:
	case WARD_WIRE_MASKS:
		return ward_wire_put_empty(wire, (enum ward_wire_type)m->type);
	default:
		return -EINVAL;
	}
}

#define ENDED(array) (memchr((array), '\0', sizeof(array)) != NULL)

static const char *
wrong_open(const struct ward_wire_open *m)
{
	if (!ENDED(m->account) || !ENDED(m->home) || !ENDED(m->service) ||
	    !ENDED(m->tty) || !ENDED(m->rhost) || !ENDED(m->ruser))
		return "a string of open without end";
	return m->n_groups > WARD_WIRE_GROUPS_MAX ? "too many groups" : NULL;
}

static const char *
wrong_opened(const struct ward_wire_opened *m)
{
	if (!ENDED(m->session))
		return "a session without end";
	if (m->n_limits > WARD_WIRE_LIMITS_MAX)
		return "too many limits";
	for (uint32_t i = 0; i < m->n_limits; i++)
		if (m->limits[i].resource > 15)
			return "a limit that the kernel does not know";
	return NULL;
}

static const char *
wrong_inside(const struct ward_wire_inside *m)
{
	const char *at = m->lists;

	if (!ENDED(m->session) || !ENDED(m->account) || !ENDED(m->home) ||
	    !ENDED(m->shell))
		return "a string of inside without end";
	if (m->n_lists > WARD_WIRE_LISTS_MAX)
		return "too long lists";
	if (m->annotate > WARD_TELL_MAX)
		return "no time to tell at";
	/* walked as wardsh walks them */
	for (uint64_t i = 0; i < (uint64_t)m->n_pass + 2 * (uint64_t)m->n_set;
	     i++) {
		size_t left = (size_t)(m->lists + m->n_lists - at);
		const char *end = memchr(at, '\0', left);

		if (end == NULL)
			return "fewer strings than counted";
		at = end + 1;
	}
	return at == m->lists + m->n_lists ? NULL : "more strings than counted";
}

static const char *
wrong_status_is(const struct ward_wire_status_is *m)
{
	if (!ENDED(m->id) || !ENDED(m->account) || !ENDED(m->profile))
		return "a string of status without end";
	if (m->init > INT32_MAX)
		return "a negative pid";
	return m->state > WARD_SANDBOX_UNKNOWN ? "a state that is none" : NULL;
}

static const char *
wrong_egress_start(const struct ward_wire_egress_start *m)
{
	if ((m->has & 3) != 3 || m->has >= 1u << WARD_EGRESS_FDS)
		return "no rules, no events, or fds that are none";
	return m->connections > WARD_EGRESS_CONNECTIONS_MAX ||
		m->rate > WARD_EGRESS_RATE_MAX
	    ? "a limit that is none"
	    : NULL;
}

static const char *
wrong_egress_event(const struct ward_wire_egress_event *m)
{
	if (!ENDED(m->host) || !ENDED(m->file) || !ENDED(m->rule) ||
	    !ENDED(m->reason) || !ENDED(m->said))
		return "a string of an event without end";
	if (m->kind > WARD_EGRESS_EVENT_MAX || m->front > WARD_FRONT_MAX ||
	    m->cause > WARD_CAUSE_MAX || m->ground > 255)
		return "an event that is none";
	if (m->port > UINT16_MAX || m->dialled.port > UINT16_MAX ||
	    m->from.port > UINT16_MAX || m->to.port > UINT16_MAX)
		return "a port that is none";
	return m->error > 4095 ? "no errno" : NULL;
}

static const char *
wrong_about_is(const struct ward_wire_about_is *m)
{
	const char *at = m->lists;

	if (!ENDED(m->account) || !ENDED(m->session) || !ENDED(m->sandbox) ||
	    !ENDED(m->profile))
		return "a string of about without end";
	if (m->state > WARD_SANDBOX_UNKNOWN || m->network > WARD_NET_KIND_MAX)
		return "a state or a network that is none";
	if (m->n_lists > WARD_WIRE_LISTS_MAX)
		return "a too long list";
	/* walked as ward walks it */
	for (uint32_t i = 0; i < m->n_writable; i++) {
		const char *end =
		    memchr(at, '\0', (size_t)(m->lists + m->n_lists - at));

		if (end == NULL)
			return "fewer places than counted";
		at = end + 1;
	}
	return at == m->lists + m->n_lists ? NULL : "more places than counted";
}

static const char *
wrong_why_is(const struct ward_wire_why_is *m)
{
	if (!ENDED(m->session) || !ENDED(m->kind) || !ENDED(m->operation) ||
	    !ENDED(m->target) || !ENDED(m->program) || !ENDED(m->profile) ||
	    !ENDED(m->rule_file) || !ENDED(m->rule) || !ENDED(m->reason))
		return "a string of a refusal without end";
	return m->error > 4095 ? "no errno" : NULL;
}

static const char *
wrong_explain_is(const struct ward_wire_explain_is *m)
{
	if (!ENDED(m->list) || !ENDED(m->rule_file) || !ENDED(m->rule) ||
	    !ENDED(m->text))
		return "a string of an explanation without end";
	return m->verdict > WARD_EXPLAINED_MAX ? "no verdict" : NULL;
}

const char *
wire_message_wrong(const struct wire_message *m)
{
	switch (m->type) {
	case WARD_WIRE_OPEN:
		return wrong_open(&m->as.open);
	case WARD_WIRE_OPENED:
		return wrong_opened(&m->as.opened);
	case WARD_WIRE_INSIDE:
		return wrong_inside(&m->as.inside);
	case WARD_WIRE_REFUSED:
		return !ENDED(m->as.refused.detail) ? "a detail without end"
		    : m->as.refused.code > 999      ? "a code of four digits"
						    : NULL;
	case WARD_WIRE_UNSEALED:
		return !ENDED(m->as.unsealed.step) ? "a step without end"
		    : m->as.unsealed.error > 4095  ? "no errno"
						   : NULL;
	case WARD_WIRE_STATUS_IS:
		return wrong_status_is(&m->as.status_is);
	case WARD_WIRE_END:
		return !ENDED(m->as.end.reason) ? "a reason without end"
		    : m->as.end.grace > WARD_WIRE_GRACE_MAX ? "a long grace"
							    : NULL;
	case WARD_WIRE_EGRESS_START:
		return wrong_egress_start(&m->as.egress_start);
	case WARD_WIRE_EGRESS_TAKEN:
		return m->as.egress_taken.error > 4095 ? "no errno" : NULL;
	case WARD_WIRE_EGRESS_EVENT:
		return wrong_egress_event(&m->as.egress_event);
	case WARD_WIRE_ABOUT_IS:
		return wrong_about_is(&m->as.about_is);
	case WARD_WIRE_WHY_IS:
		return wrong_why_is(&m->as.why_is);
	case WARD_WIRE_EXPLAIN:
		return !ENDED(m->as.explain.text) ? "a text without end"
		    : m->as.explain.what > WARD_EXPLAIN_MAX ? "no question"
		    : m->as.explain.port > UINT16_MAX       ? "no port"
							    : NULL;
	case WARD_WIRE_EXPLAIN_IS:
		return wrong_explain_is(&m->as.explain_is);
	case WARD_WIRE_REQUEST:
		return !ENDED(m->as.request.host) ||
			!ENDED(m->as.request.reason)
		    ? "a string of a request without end"
		    : m->as.request.port > UINT16_MAX ? "no port"
						      : NULL;
	case WARD_WIRE_LOOK:
		return !ENDED(m->as.look.name) ? "a name without end"
		    : m->as.look.what > WARD_LOOK_MAX ||
			m->as.look.tid > INT32_MAX
		    ? "no look"
		    : NULL;
	case WARD_WIRE_COMMAND:
		return ENDED(m->as.command.line) ? NULL : "a line without end";
	case WARD_WIRE_CONNECT:
		return m->as.connect.size > WARD_WIRE_ADDRESS_MAX
		    ? "an address without end"
		    : m->as.connect.how > WARD_CONNECT_HOW_MAX
		    ? "no way to connect"
		    : NULL;
	case WARD_WIRE_JUDGED:
	case WARD_WIRE_CONNECTED:
	case WARD_WIRE_RELOADED:
		return m->as.result.error > 4095 ? "no errno" : NULL;
	default:
		return NULL;
	}
}
