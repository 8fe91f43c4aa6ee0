/* SPDX-License-Identifier: ISC */
/* Network rules that can never count. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/text.h"
#include "profiles/network_check.h"
#include "profiles/schema.h"

#define SHOWN 128

/* An entry in one of the profiles that have it. */
struct seen {
	enum ward_key_id key;
	const char *text;
	const struct ward_origin *origin;
	bool counts;
	/* if not: this closes it; neither: there is no network, or no proxy */
	const struct ward_net_rule *deny;
	const struct ward_net_block *block;
};

struct all {
	struct seen *list;
	size_t n;
};

static struct seen *
add(struct all *all, enum ward_key_id key, const char *text,
    const struct ward_origin *origin, bool counts)
{
	struct seen *seen = &all->list[all->n++];

	*seen = (struct seen){
		.key = key,
		.text = text,
		.origin = origin,
		.counts = counts,
	};
	return seen;
}

/* A literal is its own address, and denied addresses stay so. */
static const struct ward_net_block *
find_block(const struct ward_network *network, const struct ward_endpoint *rule)
{
	if (rule->kind != WARD_ENDPOINT_HOST ||
	    rule->host.kind == WARD_HOST_NAME)
		return NULL;
	for (size_t i = 0; i < network->n_denied; i++)
		if (ward_block_has(
			&network->denied[i].block, &rule->host.address))
			return &network->denied[i];
	return NULL;
}

static void
check_allow(const struct ward_network *network, struct seen *seen,
    const struct ward_endpoint *rule)
{
	for (size_t i = 0; i < network->n_rules && seen->deny == NULL; i++)
		if (network->rules[i].list == WARD_NET_DENY &&
		    ward_endpoint_covers(&network->rules[i].endpoint, rule))
			seen->deny = &network->rules[i];
	if (seen->deny == NULL)
		seen->block = find_block(network, rule);
	seen->counts = seen->deny == NULL && seen->block == NULL;
}

static void
look(const struct ward_network *network, struct all *all)
{
	bool filtered = network->filtered;

	for (size_t i = 0; i < network->n_rules; i++) {
		const struct ward_net_rule *rule = &network->rules[i];
		bool is_allow = rule->list == WARD_NET_ALLOW;
		struct seen *seen = add(all,
		    is_allow ? WARD_KEY_NETWORK_ALLOW : WARD_KEY_NETWORK_DENY,
		    rule->text, &rule->origin, filtered);
		if (is_allow && filtered)
			check_allow(network, seen, &rule->endpoint);
	}
	for (size_t i = 0; i < network->n_reasons; i++)
		(void)add(all, WARD_KEY_NETWORK_REASONS,
		    network->reasons[i].text, &network->reasons[i].origin,
		    filtered);
	for (size_t i = 0; i < network->n_denied; i++)
		(void)add(all, WARD_KEY_NETWORK_BLOCKS, network->denied[i].text,
		    &network->denied[i].origin, filtered);
	for (size_t i = 0; i < network->n_no_proxy; i++)
		(void)add(all, WARD_KEY_NETWORK_NO_PROXY,
		    network->no_proxy[i].text, &network->no_proxy[i].origin,
		    filtered && network->upstream.host != NULL);
	if (network->upstream.host != NULL)
		(void)add(all, WARD_KEY_NETWORK_UPSTREAM,
		    network->upstream.host, &network->upstream.origin,
		    filtered);
}

/* Where an entry stands; those of one entry are neighbours, living first. */
static int
by_place(const void *a, const void *b)
{
	const struct seen *one = a, *two = b;
	int r = strcmp(one->origin->file, two->origin->file);

	if (r != 0)
		return r;
	if (one->origin->line != two->origin->line)
		return one->origin->line < two->origin->line ? -1 : 1;
	if (one->key != two->key)
		return one->key < two->key ? -1 : 1;
	r = strcmp(one->text, two->text);
	return r != 0 ? r : (int)two->counts - (int)one->counts;
}

static bool
is_same_entry(const struct seen *one, const struct seen *two)
{
	return one->key == two->key && one->origin->line == two->origin->line &&
	    strcmp(one->text, two->text) == 0 &&
	    strcmp(one->origin->file, two->origin->file) == 0;
}

static int
tell(const struct seen *seen, struct ward_diagnostics *findings)
{
	const char *key = ward_keys[seen->key].path;
	char text[SHOWN], other[SHOWN];

	(void)ward_text_visible(text, sizeof(text), seen->text);
	if (seen->deny != NULL)
		return ward_diagnostics_add(findings, WARD_WARNING,
		    seen->origin->file, seen->origin->line,
		    "%s \"%s\" never counts: network.deny \"%s\" (%s:%u) "
		    "stands against it",
		    key, text,
		    ward_text_visible(other, sizeof(other), seen->deny->text),
		    seen->deny->origin.file, seen->deny->origin.line);
	if (seen->block != NULL)
		return ward_diagnostics_add(findings, WARD_WARNING,
		    seen->origin->file, seen->origin->line,
		    "%s \"%s\" never counts: network.deny_addresses \"%s\" "
		    "(%s:%u) stands against it",
		    key, text, seen->block->text, seen->block->origin.file,
		    seen->block->origin.line);
	if (seen->key == WARD_KEY_NETWORK_NO_PROXY)
		return ward_diagnostics_add(findings, WARD_WARNING,
		    seen->origin->file, seen->origin->line,
		    "%s \"%s\" never counts: there is no network.upstream", key,
		    text);
	return ward_diagnostics_add(findings, WARD_WARNING, seen->origin->file,
	    seen->origin->line,
	    "%s \"%s\" never counts: network.mode is none; write mode = "
	    "\"filtered\"",
	    key, text);
}

int
ward_networks_check(
    const struct ward_compiled *compiled, struct ward_diagnostics *findings)
{
	struct all all = { 0 };
	size_t room = 1;
	int r = 0;

	for (size_t i = 0; i < compiled->n; i++) {
		const struct ward_network *network =
		    &compiled->profiles[i].profile->network;
		room += network->n_rules + network->n_reasons +
		    network->n_denied + network->n_no_proxy + 1;
	}
	_cleanup_free_ struct seen *list = calloc(room, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	all.list = list;
	for (size_t i = 0; i < compiled->n; i++)
		look(&compiled->profiles[i].profile->network, &all);
	qsort(list, all.n, sizeof(*list), by_place);
	for (size_t i = 0; i < all.n && r == 0; i++)
		if (!list[i].counts &&
		    (i == 0 || !is_same_entry(&list[i - 1], &list[i])))
			r = tell(&list[i], findings);
	return r;
}
