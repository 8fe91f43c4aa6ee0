/* SPDX-License-Identifier: ISC */
/* wardctl grant, and what approve and the life of accounts need of it. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/number.h"
#include "common/text.h"
#include "ctl/ctl.h"
#include "ctl/grants.h"
#include "ctl/list.h"
#include "ctl/rules.h"
#include "ctl/sandboxes.h"
#include "ctl/stores.h"

#define SECOND     INT64_C(1000000)
#define YEAR       (UINT64_C(366) * 86400)
#define REASON_MAX 500

/* In the order of the options in commands.c. */
enum { ADD_FOR, ADD_REASON };
enum { LIST_ACCOUNT, LIST_ALL, LIST_JSON };

static const struct ward_list_column columns[] = {
	{ "id", "ID", false },
	{ "account", "ACCOUNT", false },
	{ "entry", "HOST", false },
	{ "state", "STATE", false },
	{ "until", "UNTIL", true },
	{ "granted", "GRANTED", true },
	{ "granter", "BY", false },
	{ "request", "REQUEST", false },
	{ "revoked", "REVOKED", true },
	{ "revoker", "BY", false },
	{ "reason", "REASON", false },
};

int
ward_grants_until(const char *length, int64_t now, int64_t *until)
{
	const char *text = length == NULL ? WARD_GRANT_DEFAULT : length;
	size_t n = strlen(text);
	char visible[64];
	uint64_t seconds;

	/* a bare number could be meant as anything */
	if (n == 0 || isdigit((unsigned char)text[n - 1]) ||
	    ward_number_parse_duration(text, &seconds) != 0 || seconds == 0 ||
	    seconds > YEAR)
		return ward_ctl_misuse(
		    "--for %s: write a number and one of s m h d, such as 2h, "
		    "of 366d at most",
		    ward_text_visible(visible, sizeof(visible), text));
	*until = now + (int64_t)seconds * SECOND;
	return WARD_EXIT_OK;
}

/* --- what it comes to --- */

static const struct ward_net_rule *
find_deny(
    const struct ward_network *network, const struct ward_endpoint *endpoint)
{
	for (size_t i = 0; i < network->n_rules; i++)
		if (network->rules[i].list == WARD_NET_DENY &&
		    ward_endpoint_covers(&network->rules[i].endpoint, endpoint))
			return &network->rules[i];
	return NULL;
}

/* A grant is no error if nothing comes of it: the profile may change. */
static void
say_against(const struct ward_account *account, const char *entry)
{
	struct ward_policy_found found = { 0 };
	struct ward_endpoint endpoint;
	struct err ignored = { 0 };
	char text[600], origin[600];
	const char *why;

	if (ward_endpoint_read(entry, strlen(entry), false, &endpoint, &why) !=
		0 ||
	    ward_account_find_policy(account, &found, &ignored) != 0)
		return;
	const struct ward_network *network = &found.profile->network;
	const struct ward_net_rule *deny = find_deny(network, &endpoint);
	if (!network->filtered)
		ward_ctl_say("it opens nothing so far: network.mode of the "
			     "profile %s is none",
		    found.profile->name);
	else if (deny != NULL)
		ward_ctl_say("it opens nothing: network.deny \"%s\" (%s) "
			     "stands against it",
		    ward_text_visible(text, sizeof(text), deny->text),
		    ward_origin_text(origin, sizeof(origin), &deny->origin));
	else if (endpoint.kind == WARD_ENDPOINT_HOST &&
	    endpoint.host.kind != WARD_HOST_NAME &&
	    ward_address_class(&endpoint.host.address) != WARD_ADDRESS_PUBLIC)
		ward_ctl_say("note that %s is %s, which only a rule or a grant "
			     "that names it opens",
		    endpoint.host.text,
		    ward_address_class_name(
			ward_address_class(&endpoint.host.address)));
	ward_policy_found_clear(&found);
}

static void
say_made(const struct ward_policy_grant *grant, int64_t id)
{
	char entry[600], until[64];

	ward_list_time(until, sizeof(until), grant->until, true);
	ward_ctl_say("grant %" PRId64 ": %s reaches %s until %s", id,
	    grant->account,
	    ward_text_visible(entry, sizeof(entry), grant->entry), until);
}

static int
check_reason(const char *reason, struct err *err)
{
	if (reason == NULL || strlen(reason) <= REASON_MAX)
		return 0;
	return ward_err_set(
	    err, EINVAL, "--reason has more than %d bytes", REASON_MAX);
}

int
ward_grants_make(const struct ward_account *account,
    struct ward_policy_grant *grant, int64_t *id, struct err *err)
{
	struct ward_policy *policy = NULL;
	struct err why = { 0 };
	char who[64], entry[300];

	grant->account = account->name;
	grant->granter = ward_stores_author(who, sizeof(who));
	int r = check_reason(grant->reason, err);
	if (r == 0)
		r = ward_stores_policy(WARD_POLICY_WRITE, &policy, err);
	if (r != 0)
		return r;
	r = ward_policy_grant_add(policy, grant, id, &why);
	ward_policy_close(policy);
	if (r == -EINVAL)
		return ward_err_set(err, EINVAL, "%s: %s",
		    ward_text_visible(entry, sizeof(entry), grant->entry),
		    why.text);
	if (r != 0)
		return ward_err_set(err, -r, "%s", why.text);
	say_made(grant, *id);
	say_against(account, grant->entry);
	return 0;
}

int
ward_grants_end(const char *account, struct err *err)
{
	struct ward_policy *policy = NULL;
	struct err why = { 0 };
	char who[64];
	size_t n = 0;

	int r = ward_stores_policy(WARD_POLICY_WRITE, &policy, &why);
	/* without a store there is none */
	if (r == -ENOENT)
		return 0;
	if (r == 0)
		r = ward_policy_grants_revoke_all(policy, account,
		    ward_stores_author(who, sizeof(who)), ward_wall_now(), &n,
		    &why);
	ward_policy_close(policy);
	if (r != 0)
		return ward_err_set(err, -r, "%s", why.text);
	if (n > 0)
		ward_ctl_say(
		    "revoked %zu grant%s of %s", n, n == 1 ? "" : "s", account);
	return 0;
}

/* --- commands --- */

int
ward_ctl_grant_add(const struct ward_ctl_args *args)
{
	struct ward_policy_grant grant = {
		.entry = args->operands[1],
		.reason = args->values[ADD_REASON],
		.granted = ward_wall_now(),
	};
	struct ward_account account = { 0 };
	struct err err = { 0 };
	int64_t id;

	if (args->values[ADD_FOR] == NULL)
		return ward_ctl_misuse("grant add: --for is missing");
	int status = ward_grants_until(
	    args->values[ADD_FOR], grant.granted, &grant.until);
	if (status != WARD_EXIT_OK)
		return status;
	int r = ward_account_find(args->operands[0], &account, &err);
	if (r == 0)
		r = ward_grants_make(&account, &grant, &id, &err);
	ward_account_clear(&account);
	if (r != 0)
		return ward_ctl_fail_err(&err);
	ward_live_tell_policy();
	return ward_ctl_flush();
}

struct listing {
	struct ward_list *list;
	int64_t now;
};

static int
on_grant(void *context, const struct ward_policy_grant *g)
{
	const struct listing *listing = context;
	struct ward_list *list = listing->list;

	ward_list_number(list, g->id);
	ward_list_text(list, g->account);
	ward_list_text(list, g->entry);
	ward_list_text(list,
	    g->revoked != 0               ? "revoked"
		: g->until > listing->now ? "live"
					  : "over");
	ward_list_number(list, g->until);
	ward_list_number(list, g->granted);
	ward_list_text(list, g->granter);
	if (g->request == 0)
		ward_list_nothing(list);
	else
		ward_list_number(list, g->request);
	if (g->revoked == 0)
		ward_list_nothing(list);
	else
		ward_list_number(list, g->revoked);
	ward_list_text(list, g->revoker);
	ward_list_text(list, g->reason);
	return 0;
}

int
ward_ctl_grant_list(const struct ward_ctl_args *args)
{
	struct listing listing = {
		.list = ward_list_new(
		    columns, sizeof(columns) / sizeof(columns[0])),
		.now = ward_wall_now(),
	};
	struct ward_policy *policy = NULL;
	struct err err = { 0 };

	if (listing.list == NULL)
		return ward_ctl_fail("no memory");
	int r = ward_stores_policy(WARD_POLICY_READ, &policy, &err);
	if (r == 0)
		r = ward_policy_each_grant(policy, args->values[LIST_ACCOUNT],
		    args->values[LIST_ALL] == NULL ? listing.now : 0, on_grant,
		    &listing, &err);
	ward_policy_close(policy);
	if (r == 0)
		return ward_list_end(
		    listing.list, args->values[LIST_JSON] != NULL, false);
	ward_list_free(listing.list);
	return ward_ctl_fail_err(&err);
}

int
ward_ctl_grant_revoke(const struct ward_ctl_args *args)
{
	struct ward_policy *policy = NULL;
	struct err err = { 0 };
	char visible[64], who[64];
	uint64_t id;

	if (ward_number_parse(args->operands[0], INT64_MAX, &id) != 0)
		return ward_ctl_misuse("grant revoke %s: not a number",
		    ward_text_visible(
			visible, sizeof(visible), args->operands[0]));
	int r = ward_stores_policy(WARD_POLICY_WRITE, &policy, &err);
	if (r == 0)
		r = ward_policy_grant_revoke(policy, (int64_t)id,
		    ward_stores_author(who, sizeof(who)), ward_wall_now(),
		    &err);
	ward_policy_close(policy);
	if (r != 0)
		return ward_ctl_fail_err(&err);
	ward_ctl_say("revoked grant %" PRIu64, id);
	ward_live_tell_policy();
	return ward_ctl_flush();
}
