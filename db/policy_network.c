/* SPDX-License-Identifier: ISC */
/*
 * The lists of a profile's network in the policy store, as they were written:
 * what made them data once makes it again, and what it does not take is
 * damage.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "db/policy_store.h"

enum kind {
	KIND_ALLOW,
	KIND_DENY,
	KIND_NO_PROXY,
	KIND_REASON,
	KIND_BLOCK,
	KIND_UPSTREAM,
};

static const char *const kinds[] = {
	[KIND_ALLOW] = "allow",
	[KIND_DENY] = "deny",
	[KIND_NO_PROXY] = "no-proxy",
	[KIND_REASON] = "reason",
	[KIND_BLOCK] = "deny-address",
	[KIND_UPSTREAM] = "upstream",
};

int
ward_policy_network_entries(const struct ward_network *network,
    char upstream[WARD_UPSTREAM_TEXT_MAX], struct ward_policy_entry **out,
    size_t *n_out)
{
	struct ward_policy_entry *to =
	    calloc(network->n_rules + network->n_no_proxy + network->n_reasons +
		    network->n_denied + 1,
		sizeof(*to));

	*out = to;
	*n_out = 0;
	if (to == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < network->n_rules; i++) {
		const struct ward_net_rule *rule = &network->rules[i];

		*to++ = (struct ward_policy_entry){
			kinds[rule->list == WARD_NET_DENY ? KIND_DENY
							  : KIND_ALLOW],
			rule->text, NULL, &rule->origin
		};
	}
	for (size_t i = 0; i < network->n_no_proxy; i++)
		*to++ = (struct ward_policy_entry){ kinds[KIND_NO_PROXY],
			network->no_proxy[i].text, NULL,
			&network->no_proxy[i].origin };
	for (size_t i = 0; i < network->n_reasons; i++)
		*to++ = (struct ward_policy_entry){ kinds[KIND_REASON],
			network->reasons[i].text, network->reasons[i].say,
			&network->reasons[i].origin };
	for (size_t i = 0; i < network->n_denied; i++)
		*to++ = (struct ward_policy_entry){ kinds[KIND_BLOCK],
			network->denied[i].text, NULL,
			&network->denied[i].origin };
	if (network->upstream.host != NULL)
		*to++ = (struct ward_policy_entry){ kinds[KIND_UPSTREAM],
			ward_upstream_text(&network->upstream, upstream), NULL,
			&network->upstream.origin };
	*n_out = (size_t)(to - *out);
	return 0;
}

int
ward_policy_put_network(struct ward_policy *policy,
    const struct ward_network *network, int64_t revision_id, struct err *err)
{
	char upstream[WARD_UPSTREAM_TEXT_MAX];
	_cleanup_free_ struct ward_policy_entry *entries = NULL;
	struct ward_query query;
	size_t n;
	int r = ward_policy_network_entries(network, upstream, &entries, &n);

	if (r != 0)
		return ward_err_sys(err, -r, "%s", policy->sqlite->path);
	for (size_t i = 0; i < n && r == 0; i++) {
		ward_query_begin(&query, policy->sqlite, POLICY_PUT_NETWORK);
		ward_query_bind_int(&query, revision_id);
		ward_query_bind_int(&query, (int64_t)i);
		ward_query_bind_text(&query, entries[i].kind);
		ward_query_bind_text(&query, entries[i].text);
		ward_query_bind_text(&query, entries[i].say);
		ward_query_bind_text(&query, entries[i].origin->file);
		ward_query_bind_int(&query, entries[i].origin->line);
		r = ward_query_run(&query, NULL, err);
	}
	return r;
}

int
ward_policy_renew_network(struct ward_policy *policy,
    const struct ward_network *network, int64_t revision_id, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, policy->sqlite, POLICY_DROP_NETWORK);
	ward_query_bind_int(&query, revision_id);
	int r = ward_query_run(&query, NULL, err);
	return r == 0
	    ? ward_policy_put_network(policy, network, revision_id, err)
	    : r;
}

/* What a row holds; the strings are owned until an add takes them. */
struct row {
	int kind;
	char *entry;
	char *say;
	struct ward_origin origin;
};

static void
clear_row(struct row *row)
{
	free(row->entry);
	free(row->say);
	free(row->origin.file);
}

static int
add_rule(struct ward_net_rule **rules, size_t *n, enum ward_net_list list,
    struct row *row)
{
	const char *why;
	struct ward_net_rule *more =
	    ward_policy_grow(*rules, *n, sizeof(*more));

	if (more == NULL)
		return -ENOMEM;
	*rules = more;
	more += (*n)++;
	more->list = list;
	more->text = ward_steal_pointer(&row->entry);
	more->origin = row->origin;
	row->origin.file = NULL;
	return ward_endpoint_read(more->text, strlen(more->text),
	    list == WARD_NET_DENY, &more->endpoint, &why);
}

static int
add_reason(struct ward_network *network, struct row *row)
{
	const char *why;
	struct ward_net_reason *more = ward_policy_grow(
	    network->reasons, network->n_reasons, sizeof(*more));

	if (more == NULL)
		return -ENOMEM;
	network->reasons = more;
	more += network->n_reasons++;
	more->text = ward_steal_pointer(&row->entry);
	more->say = ward_steal_pointer(&row->say);
	more->origin = row->origin;
	row->origin.file = NULL;
	return more->say == NULL
	    ? -EINVAL
	    : ward_endpoint_read(
		  more->text, strlen(more->text), true, &more->match, &why);
}

static int
add_block(struct ward_network *network, struct row *row)
{
	struct ward_net_block *more =
	    ward_policy_grow(network->denied, network->n_denied, sizeof(*more));

	if (more == NULL)
		return -ENOMEM;
	network->denied = more;
	more += network->n_denied++;
	more->text = ward_steal_pointer(&row->entry);
	more->origin = row->origin;
	row->origin.file = NULL;
	return ward_block_read(more->text, strlen(more->text), &more->block);
}

static int
set_upstream(struct ward_network *network, struct row *row)
{
	struct ward_net_upstream *upstream = &network->upstream;
	const char *why;

	if (upstream->host != NULL)
		return -EINVAL;
	int r = ward_upstream_read(row->entry, upstream, &why);
	upstream->origin = row->origin;
	row->origin.file = NULL;
	return r == 0 && upstream->host == NULL ? -EINVAL : r;
}

static int
add_row(struct ward_network *network, struct row *row)
{
	switch (row->kind) {
	case KIND_ALLOW:
		return add_rule(
		    &network->rules, &network->n_rules, WARD_NET_ALLOW, row);
	case KIND_DENY:
		return add_rule(
		    &network->rules, &network->n_rules, WARD_NET_DENY, row);
	case KIND_NO_PROXY:
		return add_rule(&network->no_proxy, &network->n_no_proxy,
		    WARD_NET_ALLOW, row);
	case KIND_REASON:
		return add_reason(network, row);
	case KIND_BLOCK:
		return add_block(network, row);
	case KIND_UPSTREAM:
		return set_upstream(network, row);
	default:
		/* a rule that is not understood may be a deny */
		return -EINVAL;
	}
}

int
ward_policy_load_network(struct ward_policy *policy, int64_t revision_id,
    struct ward_network *network, struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, policy->sqlite, POLICY_LOAD_NETWORK);
	ward_query_bind_int(&query, revision_id);
	while ((r = ward_query_step(&query, err)) > 0) {
		struct row row = {
			.kind = ward_policy_word(kinds, POLICY_COUNT(kinds),
			    ward_query_take_text(&query)),
		};

		row.entry = ward_query_take_copy(&query);
		row.say = ward_query_take_copy(&query);
		ward_policy_take_origin(&query, &row.origin);
		if (query.code == SQLITE_OK) {
			int added = row.entry == NULL ? -EINVAL
						      : add_row(network, &row);
			if (added != 0)
				query.code = added == -ENOMEM ? SQLITE_NOMEM
							      : SQLITE_CORRUPT;
		}
		clear_row(&row);
	}
	return r;
}
