/* SPDX-License-Identifier: ISC */
/* wardctl explain for hosts. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/text.h"
#include "ctl/asked.h"
#include "ctl/ctl.h"
#include "ctl/explain_host.h"
#include "ctl/list.h"
#include "ctl/rules.h"
#include "ctl/stores.h"
#include "egress/route.h"
#include "profiles/decision_text.h"

#define ASKED_SIZE 2048

/* What a decision has no need of, and people have. */
struct ward_explain_grant {
	int64_t id;
	int64_t until;
	char *granter;
	char *entry;
	char *reason; /* or NULL */
};

struct answer {
	const struct ward_asked *asked;
	struct ward_decision decision;
	const struct ward_explain_grant *grant; /* which decided */
	const struct ward_net_upstream *upstream;
};

/* --- what decides --- */

static int
add_detail(void *context, const struct ward_policy_grant *row)
{
	struct ward_explain_net *net = context;
	struct ward_explain_grant *more =
	    reallocarray(net->details, net->n_details + 1, sizeof(*more));

	if (more == NULL)
		return -ENOMEM;
	net->details = more;
	more += net->n_details++;
	*more = (struct ward_explain_grant){
		.id = row->id,
		.until = row->until,
		.granter = strdup(row->granter),
		.entry = strdup(row->entry),
		.reason = row->reason == NULL ? NULL : strdup(row->reason),
	};
	return more->granter == NULL || more->entry == NULL ||
		(row->reason != NULL && more->reason == NULL)
	    ? -ENOMEM
	    : 0;
}

/* NULL: one that was made while they were read. */
static const struct ward_explain_grant *
find_detail(const struct ward_explain_net *net, const struct ward_grant *grant)
{
	for (size_t i = 0; grant != NULL && i < net->n_details; i++)
		if (net->details[i].id == grant->id)
			return &net->details[i];
	return NULL;
}

int
ward_explain_net_read(struct ward_explain_net *net,
    const struct ward_account *account, struct ward_network *network,
    struct err *err)
{
	struct ward_policy *policy = NULL;
	int64_t now = ward_wall_now();

	net->rules.network = network;
	int r = net->route_fd = ward_route_open();
	if (r < 0)
		return ward_err_sys(err, -r, "routes");
	r = ward_stores_policy(WARD_POLICY_READ, &policy, err);
	if (r == 0)
		r = ward_policy_grants(policy, account->name, now,
		    &net->rules.grants, &net->rules.n_grants, err);
	if (r == 0)
		r = ward_policy_each_grant(
		    policy, account->name, now, add_detail, net, err);
	ward_policy_close(policy);
	return r == 0 ? 0
		      : ward_err_sys(err, -r, "grants of %s", account->name);
}

void
ward_explain_net_clear(struct ward_explain_net *net)
{
	for (size_t i = 0; i < net->n_details; i++) {
		free(net->details[i].granter);
		free(net->details[i].entry);
		free(net->details[i].reason);
	}
	free(net->details);
	free(net->rules.grants);
	if (net->route_fd >= 0)
		(void)close(net->route_fd);
}

/* --- asking --- */

/* As the egress does: a literal is looked at in any case, a name if it is
 * dialled from here. */
static void
decide(const struct ward_explain_net *net, const struct ward_asked *asked,
    uint16_t port, struct answer *answer)
{
	struct ward_decision *decision = &answer->decision;
	const struct ward_rules *rules = &net->rules;

	*answer = (struct answer){ .asked = asked };
	ward_rules_decide(rules, asked->text, asked->size, port, decision);
	if (!decision->allowed)
		return;
	const struct ward_host host = decision->host;
	bool is_name = host.kind == WARD_HOST_NAME;
	if (ward_rules_use_upstream(rules, &host, port))
		answer->upstream = &rules->network->upstream;
	if (!is_name)
		ward_rules_decide_address(
		    rules, net->route_fd, &host.address, decision);
	else if (net->address != NULL && answer->upstream == NULL)
		ward_rules_decide_address(
		    rules, net->route_fd, net->address, decision);
	answer->grant = find_detail(net, decision->grant);
}

/* --- for people --- */

static void
print_answer(const struct answer *a)
{
	const struct ward_decision *d = &a->decision;
	char text[WARD_DECISION_TEXT_MAX], asked[ASKED_SIZE], until[64];
	char upstream[WARD_UPSTREAM_TEXT_MAX];

	(void)ward_text_visible(asked, sizeof(asked), a->asked->text);
	if (a->asked->n_ports == 1)
		ward_ctl_say(
		    "%s: %s", asked, d->allowed ? "allowed" : "refused");
	else
		ward_ctl_say("%s at port %u: %s", asked, d->port,
		    d->allowed ? "allowed" : "refused");
	/* not what was done now: nothing is filed for a question */
	ward_ctl_say("    %s%s", d->allowed ? "" : "the account is told: ",
	    ward_decision_text(d, text, sizeof(text)));
	if (d->ground == WARD_GROUND_ADDRESS && !d->own &&
	    d->class == WARD_ADDRESS_PRIVATE)
		ward_ctl_say("    network.allow_private would open it, too");
	if (a->grant != NULL) {
		ward_list_time(until, sizeof(until), a->grant->until, true);
		ward_ctl_say("    by \"%s\", of %s, until %s%s%s",
		    ward_text_visible(asked, sizeof(asked), a->grant->entry),
		    a->grant->granter, until,
		    a->grant->reason == NULL ? "" : ": ",
		    a->grant->reason == NULL
			? ""
			: ward_text_visible(
			      text, sizeof(text), a->grant->reason));
	}
	if (d->allowed && a->upstream != NULL)
		ward_ctl_say("    through %s",
		    ward_upstream_text(a->upstream, upstream));
}

/* --- for programs --- */

static const char *const grounds[] = {
	[WARD_GROUND_NO_NETWORK] = "no-network",
	[WARD_GROUND_MALFORMED] = "malformed",
	[WARD_GROUND_DENY] = "deny",
	[WARD_GROUND_ALLOW] = "allow",
	[WARD_GROUND_GRANT] = "grant",
	[WARD_GROUND_UNLISTED] = "unlisted",
	[WARD_GROUND_DENIED_BLOCK] = "deny-address",
	[WARD_GROUND_ADDRESS] = "address",
};

static json_t *
entry_json(const char *list, const char *text, const struct ward_origin *origin)
{
	return json_pack("{s:s, s:o, s:o, s:i}", "list", list, "entry",
	    ward_visible_json(text), "file",
	    ward_visible_json(origin->file == NULL ? "built-in" : origin->file),
	    "line", (int)origin->line);
}

/* The rule or block that decided; NULL is also null. */
static json_t *
decided_json(const struct ward_decision *d)
{
	if (d->ground == WARD_GROUND_DENIED_BLOCK)
		return entry_json("network.deny_addresses", d->block->text,
		    &d->block->origin);
	if (d->ground != WARD_GROUND_DENY && d->ground != WARD_GROUND_ALLOW)
		return json_null();
	return entry_json(
	    d->rule->list == WARD_NET_DENY ? "network.deny" : "network.allow",
	    d->rule->text, &d->rule->origin);
}

static json_t *
grant_json(const struct answer *a)
{
	char until[64];

	if (a->decision.ground != WARD_GROUND_GRANT || a->grant == NULL)
		return json_null();
	ward_list_time(until, sizeof(until), a->grant->until, false);
	return json_pack("{s:I, s:o, s:o, s:s, s:o}", "id",
	    (json_int_t)a->decision.grant->id, "entry",
	    ward_visible_json(a->grant->entry), "granter",
	    ward_visible_json(a->grant->granter), "until", until, "reason",
	    a->grant->reason == NULL ? json_null()
				     : ward_visible_json(a->grant->reason));
}

static json_t *
answer_json(const struct answer *a)
{
	const struct ward_decision *d = &a->decision;
	char text[WARD_DECISION_TEXT_MAX];
	bool is_address = d->ground == WARD_GROUND_ADDRESS;

	return json_pack("{s:o, s:o, s:i, s:s, s:s, s:b, s:o, s:o, s:o, s:o, "
			 "s:o}",
	    "asked", ward_visible_json(a->asked->text), "host",
	    d->host.text[0] == '\0' ? json_null() : json_string(d->host.text),
	    "port", (int)d->port, "verdict", d->allowed ? "allowed" : "refused",
	    "ground", grounds[d->ground], "ask", (int)d->ask, "address",
	    !is_address
		? json_null()
		: json_string(d->own ? "an address of this machine's own"
				     : ward_address_class_name(d->class)),
	    "rule", decided_json(d), "grant", grant_json(a), "reason",
	    d->reason == NULL ? json_null() : ward_visible_json(d->reason),
	    "text", json_string(ward_decision_text(d, text, sizeof(text))));
}

int
ward_explain_host(const struct ward_explain_net *net, const char *text,
    json_t *list, struct err *err)
{
	struct ward_asked asked;
	char visible[128];
	int r = ward_asked_split(text, &asked);

	if (r != 0)
		return ward_err_set(err, -r, "%s: " WARD_ASKED_NO_PORT,
		    ward_text_visible(visible, sizeof(visible), text));
	for (size_t i = 0; r == 0 && i < asked.n_ports; i++) {
		struct answer answer;

		decide(net, &asked, asked.ports[i], &answer);
		if (list == NULL)
			print_answer(&answer);
		else if (json_array_append_new(list, answer_json(&answer)) != 0)
			r = ward_err_sys(err, ENOMEM, "explain");
	}
	return r;
}
