/* SPDX-License-Identifier: ISC */
/* What egress tells, as rows. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "profiles/decision.h"
#include "sandbox/peer.h"
#include "sandbox/traffic.h"

#define OPEN_MAX_ROWS 4096 /* connections whose beginning is remembered */
#define BUCKETS       256

/* One that is open, and whose it is: by its end that may be forgotten. */
struct open_one {
	struct open_one *next;
	struct ward_owner whose;
	int64_t began;
	struct ward_wire_egress_event event;
};

struct ward_traffic {
	struct ward_traffic_setup setup;
	struct ward_peers peers;
	struct open_one *open[BUCKETS];
	size_t n_open;
};

static const char *const fronts[] = {
	[WARD_FRONT_NONE] = "network",
	[WARD_FRONT_HTTP] = "http",
	[WARD_FRONT_CONNECT] = "connect",
	[WARD_FRONT_SOCKS4] = "socks4",
	[WARD_FRONT_SOCKS5] = "socks5",
	[WARD_FRONT_TRANSPARENT] = "tcp",
	[WARD_FRONT_DNS] = "dns",
};
_Static_assert(sizeof(fronts) / sizeof(fronts[0]) == WARD_FRONT_MAX + 1,
    "each front has a name");

/* By its connect; else, where that is not known, by who has it open now. */
static void
find_whose(struct ward_traffic *t, const struct ward_wire_egress_event *event,
    struct ward_owner *whose)
{
	const struct ward_peer_socket socket = {
		.from = &event->from,
		.to = &event->to,
		.mark = event->mark,
		.udp = event->front == WARD_FRONT_DNS,
	};

	*whose = (struct ward_owner){ 0 };
	if (ward_owners_find(t->setup.owners, event->mark, whose))
		return;
	whose->pid = ward_peers_find(
	    &t->peers, &socket, whose->program, sizeof(whose->program));
	if (whose->pid <= 0)
		return;
	whose->forward = ward_peer_is_sshd(whose->pid);
	const char *session = t->setup.session_of(t->setup.context, whose->pid);
	if (session != NULL)
		(void)snprintf(
		    whose->session, sizeof(whose->session), "%s", session);
}

/* --- a connection --- */

/* "" where there is none. */
static void
address_text(const struct ward_wire_end_point *point, char *text, size_t size)
{
	struct in6_addr address;

	memcpy(&address, point->address, sizeof(address));
	text[0] = '\0';
	if (IN6_IS_ADDR_UNSPECIFIED(&address))
		return;
	if (IN6_IS_ADDR_V4MAPPED(&address))
		(void)inet_ntop(
		    AF_INET, &address.s6_addr[12], text, (socklen_t)size);
	else
		(void)inet_ntop(AF_INET6, &address, text, (socklen_t)size);
}

static void
write_connection(const struct ward_traffic *t,
    const struct ward_wire_egress_event *event, const struct ward_owner *whose,
    int64_t began, const char *verdict)
{
	char address[INET6_ADDRSTRLEN];
	struct ward_connection c = {
		.front = whose->forward ? "forward" : fronts[event->front],
		.verdict = verdict,
		.host = event->host,
		.port = event->port,
		.address = address,
		.rule_file = event->file,
		.rule_line = event->line,
		.rule_text = event->rule,
		.grant = (int64_t)event->grant,
		.up = (int64_t)event->up,
		.down = (int64_t)event->down,
		.began = began,
		.duration = (int64_t)event->duration,
		.errnum = (int)event->error,
		.pid = whose->pid,
		.program = whose->program,
	};

	(void)snprintf(c.session, sizeof(c.session), "%s", whose->session);
	address_text(&event->dialled, address, sizeof(address));
	ward_recorder_connection(t->setup.recorder, &c);
}

static struct open_one **
find_open(struct ward_traffic *t, uint64_t id)
{
	struct open_one **at = &t->open[id % BUCKETS];

	while (*at != NULL && (*at)->event.id != id)
		at = &(*at)->next;
	return at;
}

static void
take_opened(struct ward_traffic *t, const struct ward_wire_egress_event *event)
{
	struct open_one **at = find_open(t, event->id);

	/* too many: they have rows, when they end, that say less */
	if (*at != NULL || t->n_open >= OPEN_MAX_ROWS)
		return;
	struct open_one *one = calloc(1, sizeof(*one));
	if (one == NULL)
		return;
	one->event = *event;
	one->began = ward_wall_now();
	find_whose(t, event, &one->whose);
	*at = one;
	t->n_open++;
}

static void
take_closed(struct ward_traffic *t, const struct ward_wire_egress_event *event)
{
	static const struct ward_owner nobody;
	struct open_one **at = find_open(t, event->id);
	struct open_one *one = *at;

	if (one == NULL) {
		write_connection(t, event, &nobody,
		    ward_wall_now() - (int64_t)event->duration, "allowed");
		return;
	}
	write_connection(t, event, &one->whose, one->began, "allowed");
	*at = one->next;
	t->n_open--;
	free(one);
}

/* --- a refusal --- */

static void
target_text(const struct ward_wire_egress_event *event, char *text, size_t size)
{
	bool is_v6 = strchr(event->host, ':') != NULL;
	const char *before = is_v6 ? "[" : "", *behind = is_v6 ? "]" : "";

	if (event->port == 0)
		(void)snprintf(text, size, "%s", event->host);
	else
		(void)snprintf(text, size, "%s%s%s:%u", before, event->host,
		    behind, (unsigned)event->port);
}

/*
 * What stands in the row for the rule, and what beside it: the profile's own
 * words, or, where no rule of its decided, all that the client was told.
 */
static void
tell_rule(const struct ward_wire_egress_event *event, struct ward_rule *rule,
    const char **reason)
{
	bool is_rule = event->cause == WARD_CAUSE_DECISION &&
	    (event->file[0] != '\0' || event->ground == WARD_GROUND_UNLISTED);

	*rule = (struct ward_rule){
		/* borrowed for the call */
		.path = (char *)(uintptr_t)event->rule,
		.origin = { .file = (char *)(uintptr_t)event->file,
		    .line = event->line },
	};
	if (is_rule && event->rule[0] == '\0') {
		static char unlisted[] = "unlisted";
		rule->path = unlisted;
	}
	*reason = is_rule ? event->reason : event->said;
}

static void
take_refused(struct ward_traffic *t, const struct ward_wire_egress_event *event)
{
	struct ward_owner whose;
	char target[sizeof(event->host) + 16];
	struct ward_rule rule;
	struct ward_refused_act act = {
		.kind = "network",
		.target = target,
		.errnum = (int)event->error,
		.confirmed = true,
		.rule = &rule,
		.asked = event->ask,
		.passing = event->cause == WARD_CAUSE_LIMIT ||
		    event->cause == WARD_CAUSE_SPENT,
	};

	find_whose(t, event, &whose);
	tell_rule(event, &rule, &act.reason);
	target_text(event, target, sizeof(target));
	act.operation = whose.forward ? "forward" : fronts[event->front];
	act.pid = whose.pid;
	act.program = whose.program;
	(void)snprintf(act.session, sizeof(act.session), "%s", whose.session);
	ward_recorder_violation(t->setup.recorder, &act);
	if (event->ask)
		ward_recorder_request(t->setup.recorder, whose.session,
		    event->host, (uint16_t)event->port, NULL);
}

void
ward_traffic_take(
    struct ward_traffic *traffic, const struct ward_wire_egress_event *event)
{
	struct ward_owner whose;

	switch ((enum ward_egress_event)event->kind) {
	case WARD_EGRESS_OPENED:
		take_opened(traffic, event);
		break;
	case WARD_EGRESS_CLOSED:
		take_closed(traffic, event);
		break;
	case WARD_EGRESS_REFUSED:
		take_refused(traffic, event);
		break;
	case WARD_EGRESS_FAILED:
		find_whose(traffic, event, &whose);
		write_connection(traffic, event, &whose,
		    ward_wall_now() - (int64_t)event->duration, "failed");
		break;
	case WARD_EGRESS_DROPPED:
		ward_recorder_dropped(
		    traffic->setup.recorder, (int64_t)event->count);
		break;
	}
}

void
ward_traffic_lost(struct ward_traffic *traffic)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		while (traffic->open[i] != NULL) {
			struct open_one *one = traffic->open[i];
			/* nobody has counted: what OPENED said is none */
			one->event.duration =
			    (uint64_t)(ward_wall_now() - one->began);
			one->event.error = ECONNABORTED;
			write_connection(traffic, &one->event, &one->whose,
			    one->began, "lost");
			traffic->open[i] = one->next;
			free(one);
		}
	}
	traffic->n_open = 0;
}

int
ward_traffic_new(const struct ward_traffic_setup *setup,
    struct ward_traffic **traffic, struct err *err)
{
	struct ward_traffic *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return ward_err_sys(err, ENOMEM, "the network's rows");
	t->setup = *setup;
	t->peers = (struct ward_peers){
		.diag_fd = setup->diag_fd,
		.init = setup->init,
	};
	*traffic = t;
	return 0;
}

void
ward_traffic_free(struct ward_traffic *traffic)
{
	if (traffic == NULL)
		return;
	ward_traffic_lost(traffic);
	free(traffic);
}
