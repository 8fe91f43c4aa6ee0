/* SPDX-License-Identifier: ISC */
/*
 * Every message that crosses a socket of Ward's.  A field is written and read
 * by the same function, so that the two directions cannot drift apart: a
 * cursor knows whether it encodes or decodes.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "common/wire.h"

struct header {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
	uint32_t length; /* of the body */
};

struct cursor {
	unsigned char *data;
	size_t size, at;
	bool encode;
	int error;
};

static void
bytes(struct cursor *c, void *value, size_t n)
{
	if (c->error != 0)
		return;
	if (n > c->size - c->at) {
		c->error = c->encode ? -EMSGSIZE : -EPROTO;
		return;
	}
	if (c->encode)
		memcpy(c->data + c->at, value, n);
	else
		memcpy(value, c->data + c->at, n);
	c->at += n;
}

static void
u32(struct cursor *c, uint32_t *value, uint32_t max)
{
	bytes(c, value, sizeof(*value));
	if (c->error == 0 && *value > max)
		c->error = c->encode ? -EMSGSIZE : -EPROTO;
}

static void
u64(struct cursor *c, uint64_t *value)
{
	bytes(c, value, sizeof(*value));
}

static void
boolean(struct cursor *c, bool *value)
{
	uint32_t v = *value;

	u32(c, &v, 1);
	if (!c->encode)
		*value = c->error == 0 && v != 0;
}

/* A string in an array of room bytes: its length, then its bytes. */
static void
string(struct cursor *c, char *value, size_t room)
{
	uint32_t n = c->encode ? (uint32_t)strnlen(value, room) : 0;

	u32(c, &n, (uint32_t)room - 1);
	if (c->error != 0)
		return;
	bytes(c, value, n);
	if (c->error != 0 || c->encode)
		return;
	if (memchr(value, '\0', n) != NULL)
		c->error = -EPROTO;
	value[n] = '\0';
}

static void
open_fields(struct cursor *c, struct ward_wire_open *m)
{
	string(c, m->account, sizeof(m->account));
	string(c, m->home, sizeof(m->home));
	string(c, m->service, sizeof(m->service));
	string(c, m->tty, sizeof(m->tty));
	string(c, m->rhost, sizeof(m->rhost));
	string(c, m->ruser, sizeof(m->ruser));
	u32(c, &m->uid, UINT32_MAX);
	u32(c, &m->gid, UINT32_MAX);
	u32(c, &m->audit_session, UINT32_MAX);
	u32(c, &m->n_groups, WARD_WIRE_GROUPS_MAX);
	if (c->error == 0)
		bytes(c, m->groups, m->n_groups * sizeof(m->groups[0]));
}

static void
opened_fields(struct cursor *c, struct ward_wire_opened *m)
{
	string(c, m->session, sizeof(m->session));
	boolean(c, &m->listener);
	boolean(c, &m->shared);
	u32(c, &m->network, WARD_NET_KIND_MAX);
	u32(c, &m->n_limits, WARD_WIRE_LIMITS_MAX);
	for (uint32_t i = 0; c->error == 0 && i < m->n_limits; i++) {
		u32(c, &m->limits[i].resource, 15);
		u64(c, &m->limits[i].value);
	}
}

static void
refused_fields(struct cursor *c, struct ward_wire_refused *m)
{
	u32(c, &m->code, 999);
	string(c, m->detail, sizeof(m->detail));
}

static void
unsealed_fields(struct cursor *c, struct ward_wire_unsealed *m)
{
	string(c, m->step, sizeof(m->step));
	u32(c, &m->error, 4095);
}

static void
command_fields(struct cursor *c, struct ward_wire_command *m)
{
	boolean(c, &m->login);
	string(c, m->line, sizeof(m->line));
}

/* size bytes of strings: exactly the n that are counted, the last one ended. */
static void
lists(struct cursor *c, char *value, uint32_t *size, uint64_t n)
{
	uint64_t found = 0;

	u32(c, size, WARD_WIRE_LISTS_MAX);
	if (c->error == 0)
		bytes(c, value, *size);
	if (c->error != 0)
		return;
	for (uint32_t i = 0; i < *size; i++)
		if (value[i] == '\0')
			found++;
	if (found != n || (*size > 0 && value[*size - 1] != '\0'))
		c->error = -EPROTO;
}

static void
inside_fields(struct cursor *c, struct ward_wire_inside *m)
{
	string(c, m->session, sizeof(m->session));
	string(c, m->account, sizeof(m->account));
	string(c, m->home, sizeof(m->home));
	string(c, m->shell, sizeof(m->shell));
	u32(c, &m->n_pass, UINT32_MAX);
	u32(c, &m->n_set, UINT32_MAX);
	lists(c, m->lists, &m->n_lists,
	    (uint64_t)m->n_pass + 2 * (uint64_t)m->n_set);
	u32(c, &m->annotate, WARD_TELL_MAX);
}

static void
status_is_fields(struct cursor *c, struct ward_wire_status_is *m)
{
	string(c, m->id, sizeof(m->id));
	string(c, m->account, sizeof(m->account));
	string(c, m->profile, sizeof(m->profile));
	u64(c, &m->revision);
	u64(c, &m->since);
	u64(c, &m->until);
	u64(c, &m->ends);
	u32(c, &m->state, WARD_SANDBOX_UNKNOWN);
	u32(c, &m->sessions, UINT32_MAX);
	u32(c, &m->init, INT32_MAX);
}

static void
end_fields(struct cursor *c, struct ward_wire_end *m)
{
	string(c, m->reason, sizeof(m->reason));
	u32(c, &m->grace, WARD_WIRE_GRACE_MAX);
}

static void
connect_fields(struct cursor *c, struct ward_wire_connect *m)
{
	u32(c, &m->how, WARD_CONNECT_HOW_MAX);
	u32(c, &m->size, WARD_WIRE_ADDRESS_MAX);
	if (c->error == 0)
		bytes(c, m->address, m->size);
}

static void
result_fields(struct cursor *c, struct ward_wire_result *m)
{
	u32(c, &m->error, 4095);
}

static void
egress_start_fields(struct cursor *c, struct ward_wire_egress_start *m)
{
	const uint32_t always =
	    1u << WARD_EGRESS_RULES | 1u << WARD_EGRESS_EVENTS;

	u32(c, &m->has, (1u << WARD_EGRESS_FDS) - 1);
	if (c->error == 0 && (m->has & always) != always)
		c->error = -EPROTO;
	boolean(c, &m->redirected);
	u32(c, &m->connections, WARD_EGRESS_CONNECTIONS_MAX);
	u32(c, &m->rate, WARD_EGRESS_RATE_MAX);
	u32(c, &m->generation, UINT32_MAX);
}

static void
egress_policy_fields(struct cursor *c, struct ward_wire_egress_policy *m)
{
	u64(c, &m->serial);
}

static void
egress_taken_fields(struct cursor *c, struct ward_wire_egress_taken *m)
{
	u64(c, &m->serial);
	u32(c, &m->error, 4095);
}

static void
end_point(struct cursor *c, struct ward_wire_end_point *m)
{
	bytes(c, m->address, sizeof(m->address));
	u32(c, &m->port, UINT16_MAX);
}

static void
egress_event_fields(struct cursor *c, struct ward_wire_egress_event *m)
{
	u32(c, &m->kind, WARD_EGRESS_EVENT_MAX);
	u32(c, &m->front, WARD_FRONT_MAX);
	u32(c, &m->cause, WARD_CAUSE_MAX);
	u64(c, &m->id);
	string(c, m->host, sizeof(m->host));
	u32(c, &m->port, UINT16_MAX);
	end_point(c, &m->dialled);
	end_point(c, &m->from);
	end_point(c, &m->to);
	/* an enum of profiles/, which nothing here may know */
	u32(c, &m->ground, 255);
	string(c, m->file, sizeof(m->file));
	u32(c, &m->line, UINT32_MAX);
	string(c, m->rule, sizeof(m->rule));
	u64(c, &m->grant);
	string(c, m->reason, sizeof(m->reason));
	string(c, m->said, sizeof(m->said));
	boolean(c, &m->ask);
	u64(c, &m->up);
	u64(c, &m->down);
	u64(c, &m->duration);
	u32(c, &m->error, 4095);
	u32(c, &m->count, UINT32_MAX);
	u32(c, &m->mark, UINT32_MAX);
}

static void
about_is_fields(struct cursor *c, struct ward_wire_about_is *m)
{
	string(c, m->account, sizeof(m->account));
	string(c, m->session, sizeof(m->session));
	string(c, m->sandbox, sizeof(m->sandbox));
	string(c, m->profile, sizeof(m->profile));
	u64(c, &m->revision);
	u64(c, &m->since);
	u64(c, &m->ends);
	u32(c, &m->state, WARD_SANDBOX_UNKNOWN);
	boolean(c, &m->shared);
	u32(c, &m->network, WARD_NET_KIND_MAX);
	boolean(c, &m->asks);
	u32(c, &m->n_writable, UINT32_MAX);
	u32(c, &m->more, UINT32_MAX);
	lists(c, m->lists, &m->n_lists, m->n_writable);
}

static void
why_fields(struct cursor *c, struct ward_wire_why *m)
{
	u64(c, &m->after);
	u64(c, &m->since);
	boolean(c, &m->own);
}

static void
why_is_fields(struct cursor *c, struct ward_wire_why_is *m)
{
	u64(c, &m->seen);
	u64(c, &m->judged);
	u64(c, &m->serial);
	string(c, m->session, sizeof(m->session));
	string(c, m->kind, sizeof(m->kind));
	string(c, m->operation, sizeof(m->operation));
	string(c, m->target, sizeof(m->target));
	string(c, m->program, sizeof(m->program));
	boolean(c, &m->confirmed);
	u32(c, &m->error, 4095);
	u64(c, &m->count);
	u64(c, &m->lately);
	u64(c, &m->first);
	u64(c, &m->last);
	string(c, m->profile, sizeof(m->profile));
	u64(c, &m->revision);
	string(c, m->rule_file, sizeof(m->rule_file));
	u32(c, &m->rule_line, UINT32_MAX);
	string(c, m->rule, sizeof(m->rule));
	string(c, m->reason, sizeof(m->reason));
	boolean(c, &m->asked);
	boolean(c, &m->passing);
}

static void
explain_fields(struct cursor *c, struct ward_wire_explain *m)
{
	u32(c, &m->what, WARD_EXPLAIN_MAX);
	u32(c, &m->port, UINT16_MAX);
	string(c, m->text, sizeof(m->text));
}

static void
explain_is_fields(struct cursor *c, struct ward_wire_explain_is *m)
{
	u32(c, &m->verdict, WARD_EXPLAINED_MAX);
	boolean(c, &m->is_private);
	boolean(c, &m->asks);
	string(c, m->list, sizeof(m->list));
	string(c, m->rule_file, sizeof(m->rule_file));
	u32(c, &m->rule_line, UINT32_MAX);
	string(c, m->rule, sizeof(m->rule));
	string(c, m->text, sizeof(m->text));
}

static void
request_fields(struct cursor *c, struct ward_wire_request *m)
{
	u32(c, &m->port, UINT16_MAX);
	string(c, m->host, sizeof(m->host));
	string(c, m->reason, sizeof(m->reason));
}

static void
look_fields(struct cursor *c, struct ward_wire_look *m)
{
	u64(c, &m->serial);
	u32(c, &m->what, WARD_LOOK_MAX);
	u32(c, &m->mask, UINT32_MAX);
	u32(c, &m->tid, INT32_MAX);
	u64(c, &m->missed);
	u64(c, &m->waits);
	string(c, m->name, sizeof(m->name));
}

static void
looked_fields(struct cursor *c, struct ward_wire_looked *m)
{
	u64(c, &m->serial);
}

static struct cursor
begin_put(struct ward_wire *wire)
{
	return (struct cursor){
		.data = wire->data,
		.size = sizeof(wire->data),
		.at = sizeof(struct header),
		.encode = true,
	};
}

static int
end_put(
    struct ward_wire *wire, const struct cursor *c, enum ward_wire_type type)
{
	const struct header h = {
		.magic = WARD_WIRE_MAGIC,
		.version = WARD_WIRE_VERSION,
		.type = (uint16_t)type,
		.length = (uint32_t)(c->at - sizeof(struct header)),
	};

	wire->size = 0;
	if (c->error != 0)
		return c->error;
	memcpy(wire->data, &h, sizeof(h));
	wire->size = c->at;
	return 0;
}

int
ward_wire_type(const struct ward_wire *wire)
{
	struct header h;

	if (wire->size < sizeof(h) || wire->size > sizeof(wire->data))
		return -EPROTO;
	memcpy(&h, wire->data, sizeof(h));
	if (h.magic != WARD_WIRE_MAGIC)
		return -EPROTO;
	if (h.version != WARD_WIRE_VERSION)
		return -EPROTONOSUPPORT;
	if (h.length != wire->size - sizeof(h) || h.type < WARD_WIRE_OPEN ||
	    h.type > WARD_WIRE_LAST)
		return -EPROTO;
	return h.type;
}

static struct cursor
begin_get(const struct ward_wire *wire, enum ward_wire_type type)
{
	int got = ward_wire_type(wire);

	return (struct cursor){
		/* a decoding cursor only reads */
		.data = (unsigned char *)(uintptr_t)wire->data,
		.size = wire->size,
		.at = sizeof(struct header),
		.error = got < 0       ? got
		    : got != (int)type ? -EPROTO
				       : 0,
	};
}

static int
end_get(const struct cursor *c)
{
	if (c->error != 0)
		return c->error;
	return c->at == c->size ? 0 : -EPROTO;
}

/* One encode and one decode, both through the list of fields. */
#define WARD_WIRE_BOTH(name, TYPE) WARD_WIRE_AS(name, TYPE, name)
#define WARD_WIRE_AS(name, TYPE, fields)                                       \
	int ward_wire_put_##name(                                              \
	    struct ward_wire *wire, const struct ward_wire_##fields *m)        \
	{                                                                      \
		struct cursor c = begin_put(wire);                             \
		/* an encoding cursor only reads */                            \
		fields##_fields(                                               \
		    &c, (struct ward_wire_##fields *)(uintptr_t)m);            \
		return end_put(wire, &c, WARD_WIRE_##TYPE);                    \
	}                                                                      \
	int ward_wire_get_##name(                                              \
	    const struct ward_wire *wire, struct ward_wire_##fields *m)        \
	{                                                                      \
		struct cursor c = begin_get(wire, WARD_WIRE_##TYPE);           \
		memset(m, 0, sizeof(*m));                                      \
		fields##_fields(&c, m);                                        \
		return end_get(&c);                                            \
	}

WARD_WIRE_BOTH(open, OPEN)
WARD_WIRE_BOTH(opened, OPENED)
WARD_WIRE_BOTH(refused, REFUSED)
WARD_WIRE_BOTH(unsealed, UNSEALED)
WARD_WIRE_BOTH(command, COMMAND)
WARD_WIRE_BOTH(inside, INSIDE)
WARD_WIRE_BOTH(status_is, STATUS_IS)
WARD_WIRE_BOTH(end, END)
WARD_WIRE_BOTH(connect, CONNECT)
WARD_WIRE_AS(judged, JUDGED, result)
WARD_WIRE_AS(connected, CONNECTED, result)
WARD_WIRE_AS(reloaded, RELOADED, result)
WARD_WIRE_BOTH(egress_start, EGRESS_START)
WARD_WIRE_BOTH(egress_policy, EGRESS_POLICY)
WARD_WIRE_BOTH(egress_taken, EGRESS_TAKEN)
WARD_WIRE_BOTH(egress_event, EGRESS_EVENT)
WARD_WIRE_BOTH(about_is, ABOUT_IS)
WARD_WIRE_BOTH(why, WHY)
WARD_WIRE_BOTH(why_is, WHY_IS)
WARD_WIRE_BOTH(explain, EXPLAIN)
WARD_WIRE_BOTH(explain_is, EXPLAIN_IS)
WARD_WIRE_BOTH(request, REQUEST)
WARD_WIRE_BOTH(look, LOOK)
WARD_WIRE_BOTH(looked, LOOKED)

int
ward_wire_put_empty(struct ward_wire *wire, enum ward_wire_type type)
{
	struct cursor c = begin_put(wire);

	return end_put(wire, &c, type);
}

int
ward_wire_get_empty(const struct ward_wire *wire, enum ward_wire_type type)
{
	struct cursor c = begin_get(wire, type);

	return end_get(&c);
}
