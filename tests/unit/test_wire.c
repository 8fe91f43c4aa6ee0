/* SPDX-License-Identifier: ISC */
/*
 * The wire: each message comes back as it went, and whatever is done to its
 * bytes is refused or gives something that is safe to read.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/wire.h"
#include "tests/unit/wire_all.h"

#define HEADER 12 /* magic, version, type, length */

static const struct ward_wire_open an_open = {
	.account = "agent",
	.home = "/home/agent",
	.service = "sshd",
	.tty = "pts/3",
	.rhost = "203.0.113.9",
	.ruser = "",
	.uid = 1001,
	.gid = 1002,
	.audit_session = UINT32_MAX,
	.n_groups = 3,
	.groups = { 1002, 27, UINT32_MAX },
};

static const struct ward_wire_opened an_opened = {
	.session = "0123456789abcdef-1",
	.listener = true,
	.shared = true,
	.n_limits = 2,
	.limits = { { 6, 1024 }, { 15, UINT64_MAX } },
};

static const struct ward_wire_refused a_refused = {
	.code = 999,
	.detail = "the view cannot be built",
};

static const struct ward_wire_unsealed an_unsealed = {
	.step = "landlock",
	.error = EPERM,
};

static const struct ward_wire_command a_command = {
	.login = true,
	.line = "-c make \xff\n all",
};

static const struct ward_wire_inside an_inside = {
	.session = "0123456789abcdef-1",
	.account = "agent",
	.home = "/home/agent",
	.shell = "/bin/bash",
	.n_pass = 2,
	.n_set = 1,
	.n_lists = 15,
	.lists = "LANG\0LC_*\0CI\0"
		 "1\0",
	.annotate = WARD_TELL_MAX,
};

static const struct ward_wire_status_is a_status = {
	.id = "0123456789abcdef",
	.account = "agent",
	.profile = "strict",
	.revision = 7,
	.since = UINT64_MAX,
	.until = 1,
	.ends = 2,
	.state = WARD_SANDBOX_STALE,
	.sessions = 3,
	.init = INT32_MAX,
};

static const struct ward_wire_end an_end = {
	.reason = "maintenance \xe2\x80\xae",
	.grace = WARD_WIRE_GRACE_MAX,
};
static const struct ward_wire_connect a_connect = {
	.how = WARD_CONNECT_HOW_MAX,
	.size = WARD_WIRE_ADDRESS_MAX,
	.address = "\1\0/srv/x",
};

static const struct ward_wire_result a_result = { .error = ECONNREFUSED };

static const struct ward_wire_egress_start an_egress_start = {
	.has = (1u << WARD_EGRESS_FDS) - 1,
	.redirected = true,
	.connections = WARD_EGRESS_CONNECTIONS_MAX,
	.rate = WARD_EGRESS_RATE_MAX,
	.generation = 7,
};

static const struct ward_wire_egress_policy an_egress_policy = { UINT64_MAX };

static const struct ward_wire_egress_taken an_egress_taken = {
	.serial = 1,
	.error = EBADMSG,
};

static const struct ward_wire_egress_event an_egress_event = {
	.kind = WARD_EGRESS_EVENT_MAX,
	.front = WARD_FRONT_MAX,
	.cause = WARD_CAUSE_MAX,
	.id = 1,
	.host = "example.com",
	.port = 443,
	.dialled = { .address = { 0x20, 1, 0xd, 0xb8 }, .port = 443 },
	.from = { .address = { [15] = 1 }, .port = UINT16_MAX },
	.to = { .address = { [10] = 0xff, 0xff, 127, 0, 0, 1 }, .port = 3128 },
	.ground = 2,
	.file = "/etc/ward/profiles.d/a.conf",
	.line = 12,
	.rule = "*.example.com",
	.grant = UINT64_MAX,
	.reason = "push over https instead",
	.said = "refused",
	.ask = true,
	.up = UINT64_MAX,
	.down = 1,
	.duration = 2,
	.error = ETIMEDOUT,
	.count = UINT32_MAX,
	.mark = 7,
};

static const struct ward_wire_about_is an_about = {
	.account = "agent",
	.session = "0123456789abcdef-1",
	.sandbox = "0123456789abcdef",
	.profile = "strict",
	.revision = 7,
	.since = UINT64_MAX,
	.ends = 1,
	.state = WARD_SANDBOX_STALE,
	.shared = true,
	.network = WARD_NET_KIND_MAX,
	.asks = true,
	.n_writable = 2,
	.more = UINT32_MAX,
	.n_lists = 17,
	.lists = "/home/agent\0/tmp\0",
};

static const struct ward_wire_why a_why = {
	.after = UINT64_MAX,
	.since = 1,
	.own = true,
};

static const struct ward_wire_why_is a_why_is = {
	.seen = UINT64_MAX,
	.judged = 1,
	.serial = 2,
	.session = "0123456789abcdef-1",
	.kind = "write",
	.operation = "openat",
	.target = "/srv/\xff\n",
	.program = "bash",
	.confirmed = true,
	.error = EROFS,
	.count = 3,
	.lately = 4,
	.first = 5,
	.last = 6,
	.profile = "strict",
	.revision = 7,
	.rule_file = "/etc/ward/profiles.d/a.conf",
	.rule_line = UINT32_MAX,
	.rule = "/srv",
	.reason = "not yours",
	.asked = true,
	.passing = true,
};

static const struct ward_wire_explain an_explain = {
	.what = WARD_EXPLAIN_MAX,
	.port = UINT16_MAX,
	.text = "/srv/\xff\n",
};

static const struct ward_wire_explain_is an_explain_is = {
	.verdict = WARD_EXPLAINED_MAX,
	.is_private = true,
	.asks = true,
	.list = "network.allow",
	.rule_file = "/etc/ward/profiles.d/a.conf",
	.rule_line = UINT32_MAX,
	.rule = "*.example.org",
	.text = "allowed",
};

static const struct ward_wire_request a_request = {
	.port = UINT16_MAX,
	.host = "forge.example.org",
	.reason = "to push\n",
};

/* The samples are const, so that a put that writes to its message dies. */
static const struct ward_wire_look a_look = {
	.serial = 7,
	.what = WARD_LOOK_OPEN,
	.mask = 3,
	.tid = 4242,
	.missed = UINT64_MAX,
	.waits = 12345,
	.name = "sub/secret",
};

static const struct ward_wire_looked a_looked = { .serial = 7 };

static void
put_sample(struct ward_wire *wire, int type)
{
	int r = -EINVAL;

	switch (type) {
	case WARD_WIRE_OPEN:
		r = ward_wire_put_open(wire, &an_open);
		break;
	case WARD_WIRE_OPENED:
		r = ward_wire_put_opened(wire, &an_opened);
		break;
	case WARD_WIRE_REFUSED:
		r = ward_wire_put_refused(wire, &a_refused);
		break;
	case WARD_WIRE_UNSEALED:
		r = ward_wire_put_unsealed(wire, &an_unsealed);
		break;
	case WARD_WIRE_COMMAND:
		r = ward_wire_put_command(wire, &a_command);
		break;
	case WARD_WIRE_INSIDE:
		r = ward_wire_put_inside(wire, &an_inside);
		break;
	case WARD_WIRE_STATUS_IS:
		r = ward_wire_put_status_is(wire, &a_status);
		break;
	case WARD_WIRE_END:
		r = ward_wire_put_end(wire, &an_end);
		break;
	case WARD_WIRE_CONNECT:
		r = ward_wire_put_connect(wire, &a_connect);
		break;
	case WARD_WIRE_JUDGED:
		r = ward_wire_put_judged(wire, &a_result);
		break;
	case WARD_WIRE_CONNECTED:
		r = ward_wire_put_connected(wire, &a_result);
		break;
	case WARD_WIRE_RELOADED:
		r = ward_wire_put_reloaded(wire, &a_result);
		break;
	case WARD_WIRE_EGRESS_START:
		r = ward_wire_put_egress_start(wire, &an_egress_start);
		break;
	case WARD_WIRE_EGRESS_POLICY:
		r = ward_wire_put_egress_policy(wire, &an_egress_policy);
		break;
	case WARD_WIRE_EGRESS_TAKEN:
		r = ward_wire_put_egress_taken(wire, &an_egress_taken);
		break;
	case WARD_WIRE_EGRESS_EVENT:
		r = ward_wire_put_egress_event(wire, &an_egress_event);
		break;
	case WARD_WIRE_ABOUT_IS:
		r = ward_wire_put_about_is(wire, &an_about);
		break;
	case WARD_WIRE_WHY:
		r = ward_wire_put_why(wire, &a_why);
		break;
	case WARD_WIRE_WHY_IS:
		r = ward_wire_put_why_is(wire, &a_why_is);
		break;
	case WARD_WIRE_EXPLAIN:
		r = ward_wire_put_explain(wire, &an_explain);
		break;
	case WARD_WIRE_EXPLAIN_IS:
		r = ward_wire_put_explain_is(wire, &an_explain_is);
		break;
	case WARD_WIRE_REQUEST:
		r = ward_wire_put_request(wire, &a_request);
		break;
	case WARD_WIRE_LOOK:
		r = ward_wire_put_look(wire, &a_look);
		break;
	case WARD_WIRE_LOOKED:
		r = ward_wire_put_looked(wire, &a_looked);
		break;
	default:
		r = ward_wire_put_empty(wire, (enum ward_wire_type)type);
		break;
	}
	if (r != 0)
		fail_msg("type %d: put says %d", type, r);
}

static void
expect_same(int type, const struct wire_message *m)
{
	const struct {
		int type;
		const void *sample;
		size_t size;
	} samples[] = {
		{ WARD_WIRE_OPEN, &an_open, sizeof(an_open) },
		{ WARD_WIRE_OPENED, &an_opened, sizeof(an_opened) },
		{ WARD_WIRE_REFUSED, &a_refused, sizeof(a_refused) },
		{ WARD_WIRE_UNSEALED, &an_unsealed, sizeof(an_unsealed) },
		{ WARD_WIRE_COMMAND, &a_command, sizeof(a_command) },
		{ WARD_WIRE_INSIDE, &an_inside, sizeof(an_inside) },
		{ WARD_WIRE_STATUS_IS, &a_status, sizeof(a_status) },
		{ WARD_WIRE_END, &an_end, sizeof(an_end) },
		{ WARD_WIRE_CONNECT, &a_connect, sizeof(a_connect) },
		{ WARD_WIRE_JUDGED, &a_result, sizeof(a_result) },
		{ WARD_WIRE_CONNECTED, &a_result, sizeof(a_result) },
		{ WARD_WIRE_RELOADED, &a_result, sizeof(a_result) },
		{ WARD_WIRE_EGRESS_START, &an_egress_start,
		    sizeof(an_egress_start) },
		{ WARD_WIRE_EGRESS_POLICY, &an_egress_policy,
		    sizeof(an_egress_policy) },
		{ WARD_WIRE_EGRESS_TAKEN, &an_egress_taken,
		    sizeof(an_egress_taken) },
		{ WARD_WIRE_EGRESS_EVENT, &an_egress_event,
		    sizeof(an_egress_event) },
		{ WARD_WIRE_ABOUT_IS, &an_about, sizeof(an_about) },
		{ WARD_WIRE_WHY, &a_why, sizeof(a_why) },
		{ WARD_WIRE_WHY_IS, &a_why_is, sizeof(a_why_is) },
		{ WARD_WIRE_EXPLAIN, &an_explain, sizeof(an_explain) },
		{ WARD_WIRE_EXPLAIN_IS, &an_explain_is, sizeof(an_explain_is) },
		{ WARD_WIRE_REQUEST, &a_request, sizeof(a_request) },
		{ WARD_WIRE_LOOK, &a_look, sizeof(a_look) },
		{ WARD_WIRE_LOOKED, &a_looked, sizeof(a_looked) },
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		if (samples[i].type == type &&
		    memcmp(&m->as, samples[i].sample, samples[i].size) != 0)
			fail_msg("type %d: another message came back", type);
}

static void
round_trip(void **state)
{
	static struct ward_wire wire;
	static struct wire_message m;

	(void)state;
	for (int type = WARD_WIRE_OPEN; type <= WARD_WIRE_LAST; type++) {
		put_sample(&wire, type);
		assert_int_equal(ward_wire_type(&wire), type);
		for (int as = WARD_WIRE_OPEN; as <= WARD_WIRE_LAST; as++) {
			int r = wire_message_get(&wire, as, &m);

			if (r != (as == type ? 0 : -EPROTO))
				fail_msg("type %d read as %d: %d", type, as, r);
		}
		assert_int_equal(wire_message_get(&wire, type, &m), 0);
		expect_same(type, &m);
		assert_null(wire_message_wrong(&m));
	}
}

static void
every_truncation(void **state)
{
	static struct ward_wire wire;
	static struct wire_message m;

	(void)state;
	for (int type = WARD_WIRE_OPEN; type <= WARD_WIRE_LAST; type++) {
		put_sample(&wire, type);
		size_t whole = wire.size;
		for (size_t n = 0; n < whole; n++) {
			uint32_t length =
			    n < HEADER ? 0 : (uint32_t)(n - HEADER);

			/* as it is, then with a length that says so */
			wire.size = n;
			if (wire_message_get(&wire, type, &m) != -EPROTO)
				fail_msg("type %d, %zu bytes", type, n);
			if (n < HEADER)
				continue;
			struct ward_wire honest = wire;
			memcpy(honest.data + 8, &length, sizeof(length));
			if (wire_message_get(&honest, type, &m) != -EPROTO)
				fail_msg("type %d, honest %zu bytes", type, n);
		}
	}
}

static void
nothing_behind_the_end(void **state)
{
	static struct ward_wire wire;
	static struct wire_message m;

	(void)state;
	for (int type = WARD_WIRE_OPEN; type <= WARD_WIRE_LAST; type++) {
		put_sample(&wire, type);
		uint32_t length = (uint32_t)(wire.size - HEADER + 1);

		wire.data[wire.size++] = 0;
		assert_int_equal(wire_message_get(&wire, type, &m), -EPROTO);
		memcpy(wire.data + 8, &length, sizeof(length));
		assert_int_equal(wire_message_get(&wire, type, &m), -EPROTO);
	}
	wire.size = sizeof(wire.data) + 1;
	assert_int_equal(ward_wire_type(&wire), -EPROTO);
}

/* Each byte with each value. */
static void
every_corruption(void **state)
{
	static struct ward_wire wire;
	static struct wire_message m;

	(void)state;
	for (int type = WARD_WIRE_OPEN; type <= WARD_WIRE_LAST; type++) {
		put_sample(&wire, type);
		for (size_t at = 0; at < wire.size; at++) {
			unsigned char was = wire.data[at];

			for (unsigned value = 0; value <= 255; value++) {
				wire.data[at] = (unsigned char)value;
				int r = wire_message_get(&wire, type, &m);
				const char *wrong =
				    r == 0 ? wire_message_wrong(&m) : NULL;

				if (wrong != NULL)
					fail_msg("type %d, byte %zu is %u: %s",
					    type, at, value, wrong);
				if (at < HEADER && value != was && r == 0)
					fail_msg("type %d: header byte %zu may "
						 "be %u",
					    type, at, value);
			}
			wire.data[at] = was;
		}
	}
}

static void
the_header(void **state)
{
	static struct ward_wire wire;
	static const struct {
		const char *name;
		size_t at;
		unsigned char value;
		int result;
	} rows[] = {
		{ "magic, first byte", 0, 'w', -EPROTO },
		{ "magic, last byte", 3, 'd', -EPROTO },
		{ "version 0", 4, 0, -EPROTONOSUPPORT },
		{ "next version", 4, WARD_WIRE_VERSION + 1, -EPROTONOSUPPORT },
		{ "version in the high byte", 5, 1, -EPROTONOSUPPORT },
		{ "type 0", 6, 0, -EPROTO },
		{ "type behind the last", 6, WARD_WIRE_LAST + 1, -EPROTO },
		{ "type in the high byte", 7, 1, -EPROTO },
		{ "length, low byte", 8, 1, -EPROTO },
		{ "length, high byte", 11, 0x80, -EPROTO },
		{ "as it should be", 6, WARD_WIRE_CLOSE, WARD_WIRE_CLOSE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_sample(&wire, WARD_WIRE_CLOSE);
		wire.data[rows[i].at] = rows[i].value;
		int r = ward_wire_type(&wire);
		if (r != rows[i].result)
			fail_msg("%s: %d", rows[i].name, r);
		r = ward_wire_get_empty(&wire, WARD_WIRE_CLOSE);
		if (r != (rows[i].result < 0 ? rows[i].result : 0))
			fail_msg("%s: get says %d", rows[i].name, r);
	}
}

/* A string that holds NUL would be another string for each reader. */
static void
a_string_with_nul(void **state)
{
	static struct ward_wire wire;
	static struct ward_wire_command command;

	(void)state;
	put_sample(&wire, WARD_WIRE_COMMAND);
	/* header, login, length, then the line */
	for (size_t i = 0; i < strlen(a_command.line); i++) {
		size_t at = HEADER + 4 + 4 + i;
		unsigned char was = wire.data[at];

		assert_int_equal(was, (unsigned char)a_command.line[i]);
		wire.data[at] = '\0';
		assert_int_equal(
		    ward_wire_get_command(&wire, &command), -EPROTO);
		wire.data[at] = was;
	}
	assert_int_equal(ward_wire_get_command(&wire, &command), 0);
}

static void
lists(void **state)
{
	static const struct {
		const char *name;
		uint32_t n_pass, n_set, n_lists;
		const char *lists;
		int result;
	} rows[] = {
		{ "none", 0, 0, 0, "", 0 },
		{ "one to pass", 1, 0, 2, "A\0", 0 },
		{ "one to set", 0, 1, 4, "A\0b\0", 0 },
		{ "an empty value", 0, 1, 3, "A\0\0", 0 },
		{ "two empty strings", 0, 1, 2, "\0\0", 0 },
		{ "counted, not there", 1, 0, 0, "", -EPROTO },
		{ "there, not counted", 0, 0, 2, "A\0", -EPROTO },
		{ "no end", 1, 0, 1, "A", -EPROTO },
		{ "an end too early", 1, 0, 3, "A\0B", -EPROTO },
		{ "a name without value", 0, 1, 2, "A\0", -EPROTO },
		{ "one too many", 1, 1, 8, "A\0b\0c\0d\0", -EPROTO },
		{ "counts that wrap", 3, 0x80000000u, 6, "A\0B\0C\0", -EPROTO },
		{ "the most of both", UINT32_MAX, UINT32_MAX, 2, "A\0",
		    -EPROTO },
	};
	static struct ward_wire wire;
	static struct ward_wire_inside m, got;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		m = an_inside;
		m.n_pass = rows[i].n_pass;
		m.n_set = rows[i].n_set;
		m.n_lists = rows[i].n_lists;
		memset(m.lists, 'z', sizeof(m.lists));
		memcpy(m.lists, rows[i].lists, rows[i].n_lists);
		int r = ward_wire_put_inside(&wire, &m);
		if (r != rows[i].result)
			fail_msg("%s: put says %d", rows[i].name, r);
		if (r != 0)
			continue;
		if (ward_wire_get_inside(&wire, &got) != 0 ||
		    memcmp(got.lists, rows[i].lists, rows[i].n_lists) != 0)
			fail_msg("%s: does not come back", rows[i].name);
	}
}

/* The largest of each that the types can hold. */
static void
the_largest_fit(void **state)
{
	static struct ward_wire wire;
	static struct wire_message m, got;
	struct ward_wire_open *open = &m.as.open;
	struct ward_wire_inside *inside = &m.as.inside;

	(void)state;
	memset(&m, 'x', sizeof(m));
	open->account[sizeof(open->account) - 1] = '\0';
	open->home[sizeof(open->home) - 1] = '\0';
	open->service[sizeof(open->service) - 1] = '\0';
	open->tty[sizeof(open->tty) - 1] = '\0';
	open->rhost[sizeof(open->rhost) - 1] = '\0';
	open->ruser[sizeof(open->ruser) - 1] = '\0';
	open->n_groups = WARD_WIRE_GROUPS_MAX;
	assert_int_equal(ward_wire_put_open(&wire, open), 0);
	assert_int_equal(wire_message_get(&wire, WARD_WIRE_OPEN, &got), 0);
	assert_memory_equal(&got.as.open, open, sizeof(*open));

	memset(&m, 'x', sizeof(m));
	inside->session[sizeof(inside->session) - 1] = '\0';
	inside->account[sizeof(inside->account) - 1] = '\0';
	inside->home[sizeof(inside->home) - 1] = '\0';
	inside->shell[sizeof(inside->shell) - 1] = '\0';
	inside->n_pass = 1;
	inside->n_set = 0;
	inside->n_lists = sizeof(inside->lists);
	inside->lists[sizeof(inside->lists) - 1] = '\0';
	inside->annotate = WARD_TELL_MAX;
	assert_int_equal(ward_wire_put_inside(&wire, inside), 0);
	assert_int_equal(wire_message_get(&wire, WARD_WIRE_INSIDE, &got), 0);
	assert_memory_equal(&got.as.inside, inside, sizeof(*inside));
}

static void
expect_too_large(const char *name, const struct ward_wire *wire, int r)
{
	if (r != -EMSGSIZE)
		fail_msg("%s: put says %d", name, r);
	if (wire->size != 0 || ward_wire_type(wire) != -EPROTO)
		fail_msg("%s: a record all the same", name);
}

static void
too_large(void **state)
{
	static struct ward_wire wire;
	static struct ward_wire_open open;
	static struct ward_wire_inside inside;
	struct ward_wire_opened opened = an_opened;
	struct ward_wire_refused refused = a_refused;
	struct ward_wire_unsealed unsealed = an_unsealed;
	struct ward_wire_status_is status = a_status;
	struct ward_wire_end end = an_end;
	struct ward_wire_connect connect = a_connect;
	struct ward_wire_result result = a_result;
	struct ward_wire_look look = a_look;

	(void)state;
	status.state = WARD_SANDBOX_UNKNOWN + 1;
	expect_too_large(
	    "state", &wire, ward_wire_put_status_is(&wire, &status));
	status = a_status;
	status.init = (uint32_t)INT32_MAX + 1;
	expect_too_large("pid", &wire, ward_wire_put_status_is(&wire, &status));
	end.grace++;
	expect_too_large("grace", &wire, ward_wire_put_end(&wire, &end));
	end = an_end;
	memset(end.reason, 'x', sizeof(end.reason));
	expect_too_large("reason", &wire, ward_wire_put_end(&wire, &end));
	open = an_open;
	open.n_groups = WARD_WIRE_GROUPS_MAX + 1;
	expect_too_large("groups", &wire, ward_wire_put_open(&wire, &open));
	open = an_open;
	memset(open.account, 'x', sizeof(open.account));
	expect_too_large("account", &wire, ward_wire_put_open(&wire, &open));
	opened.n_limits = WARD_WIRE_LIMITS_MAX + 1;
	expect_too_large("limits", &wire, ward_wire_put_opened(&wire, &opened));
	opened.n_limits = 1;
	opened.limits[0].resource = 16;
	expect_too_large(
	    "resource", &wire, ward_wire_put_opened(&wire, &opened));
	refused.code = 1000;
	expect_too_large("code", &wire, ward_wire_put_refused(&wire, &refused));
	unsealed.error = 4096;
	expect_too_large(
	    "error", &wire, ward_wire_put_unsealed(&wire, &unsealed));
	memset(unsealed.step, 'x', sizeof(unsealed.step));
	expect_too_large(
	    "step", &wire, ward_wire_put_unsealed(&wire, &unsealed));
	inside = an_inside;
	inside.n_lists = WARD_WIRE_LISTS_MAX + 1;
	expect_too_large("lists", &wire, ward_wire_put_inside(&wire, &inside));
	inside = an_inside;
	inside.annotate = WARD_TELL_MAX + 1;
	expect_too_large("tell", &wire, ward_wire_put_inside(&wire, &inside));
	connect.size = WARD_WIRE_ADDRESS_MAX + 1;
	expect_too_large(
	    "address", &wire, ward_wire_put_connect(&wire, &connect));
	connect = a_connect;
	connect.how = WARD_CONNECT_HOW_MAX + 1;
	expect_too_large("how", &wire, ward_wire_put_connect(&wire, &connect));
	result.error = 4096;
	expect_too_large("judged", &wire, ward_wire_put_judged(&wire, &result));
	look = a_look;
	look.what = WARD_LOOK_MAX + 1;
	expect_too_large("what", &wire, ward_wire_put_look(&wire, &look));
	look = a_look;
	look.tid = (uint32_t)INT32_MAX + 1;
	expect_too_large("tid", &wire, ward_wire_put_look(&wire, &look));
}

static void
expect_event(const char *name, const struct ward_wire_egress_event *event)
{
	static struct ward_wire wire;

	expect_too_large(name, &wire, ward_wire_put_egress_event(&wire, event));
}

static void
too_large_of_egress(void **state)
{
	static struct ward_wire wire;
	static struct ward_wire_egress_event event;
	struct ward_wire_egress_start start = an_egress_start;
	struct ward_wire_egress_taken taken = { .error = 4096 };

	(void)state;
	start.has = 1u << WARD_EGRESS_RULES;
	assert_int_equal(ward_wire_put_egress_start(&wire, &start), -EPROTO);
	start.has = 3 | 1u << WARD_EGRESS_FDS;
	expect_too_large(
	    "fds", &wire, ward_wire_put_egress_start(&wire, &start));
	start = an_egress_start;
	start.connections++;
	expect_too_large(
	    "connections", &wire, ward_wire_put_egress_start(&wire, &start));
	start = an_egress_start;
	start.rate++;
	expect_too_large(
	    "rate", &wire, ward_wire_put_egress_start(&wire, &start));
	expect_too_large(
	    "taken", &wire, ward_wire_put_egress_taken(&wire, &taken));
	event = an_egress_event;
	event.kind++;
	expect_event("kind", &event);
	event = an_egress_event;
	event.front++;
	expect_event("front", &event);
	event = an_egress_event;
	event.cause++;
	expect_event("cause", &event);
	event = an_egress_event;
	event.from.port++;
	expect_event("port", &event);
	event = an_egress_event;
	memset(event.said, 'x', sizeof(event.said));
	expect_event("said", &event);
	/* every string as long as it may be, all at once */
	memset(event.host, 'x', sizeof(event.host) - 1);
	memset(event.file, 'x', sizeof(event.file) - 1);
	memset(event.rule, 'x', sizeof(event.rule) - 1);
	memset(event.reason, 'x', sizeof(event.reason) - 1);
	event.said[sizeof(event.said) - 1] = '\0';
	assert_int_equal(ward_wire_put_egress_event(&wire, &event), 0);
}

/* Nothing of a message that was read before stays in the next. */
static void
nothing_stays(void **state)
{
	static struct ward_wire wire;
	static struct ward_wire_command m;
	static const struct ward_wire_command empty;

	(void)state;
	memset(&m, 'x', sizeof(m));
	assert_int_equal(ward_wire_put_command(&wire, &empty), 0);
	assert_int_equal(ward_wire_get_command(&wire, &m), 0);
	assert_memory_equal(&m, &empty, sizeof(m));
	memset(&m, 'x', sizeof(m));
	wire.size--;
	assert_int_equal(ward_wire_get_command(&wire, &m), -EPROTO);
	assert_memory_equal(&m, &empty, sizeof(m));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(every_truncation),
		cmocka_unit_test(nothing_behind_the_end),
		cmocka_unit_test(every_corruption),
		cmocka_unit_test(the_header),
		cmocka_unit_test(a_string_with_nul),
		cmocka_unit_test(lists),
		cmocka_unit_test(the_largest_fit),
		cmocka_unit_test(too_large),
		cmocka_unit_test(too_large_of_egress),
		cmocka_unit_test(nothing_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
