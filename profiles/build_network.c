/* SPDX-License-Identifier: ISC */
/* The network part of a merged profile. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/builder.h"

static const char *
file_of(const struct ward_builder *builder, size_t member)
{
	return builder->family->profiles[member]->file;
}

/* Merged, each entry once; room is made for all of them. */
static int
take_list(const struct ward_builder *builder, enum ward_key_id id,
    struct ward_given **given, size_t *n)
{
	int r = ward_family_list(
	    builder->family, builder->member, id, given, n, builder->findings);

	if (r != 0 || *n <= WARD_BUILDER_RULES_MAX)
		return r;
	free(*given);
	*given = NULL;
	*n = 0;
	return ward_diagnostics_add(builder->findings, WARD_ERROR,
	    file_of(builder, builder->member), 0,
	    "%s has more than %d entries with the parents': name zones, such "
	    "as \"*.example.org\", rather than what is in them",
	    ward_keys[id].path, WARD_BUILDER_RULES_MAX);
}

/* The text, what it was read as, and where it stands; it was read before. */
static int
fill_endpoint(const struct ward_builder *builder, enum ward_key_id id,
    const struct ward_given *given, char **text, struct ward_endpoint *endpoint,
    struct ward_origin *origin)
{
	const char *written = given->entry->text;
	const char *why;
	int r = ward_endpoint_read(
	    written, strlen(written), ward_key_takes_any(id), endpoint, &why);

	if (r != 0)
		return r;
	*text = strdup(written);
	if (*text == NULL)
		return -ENOMEM;
	return ward_builder_origin(
	    origin, file_of(builder, given->giver), given->entry->line);
}

/* Behind the *n_rules that are there. */
static int
add_rules(const struct ward_builder *builder, enum ward_key_id id,
    enum ward_net_list list, struct ward_net_rule **rules, size_t *n_rules)
{
	struct ward_given *given;
	size_t n;
	int r = take_list(builder, id, &given, &n);

	if (r != 0)
		return r;
	struct ward_net_rule *more =
	    reallocarray(*rules, *n_rules + n + 1, sizeof(*more));
	if (more == NULL) {
		free(given);
		return -ENOMEM;
	}
	*rules = more;
	for (size_t i = 0; i < n && r == 0; i++) {
		struct ward_net_rule *rule = &more[(*n_rules)++];

		*rule = (struct ward_net_rule){ .list = list };
		r = fill_endpoint(builder, id, &given[i], &rule->text,
		    &rule->endpoint, &rule->origin);
	}
	free(given);
	return r;
}

/* The narrowest first, since the first that matches speaks. */
static int
by_match(const void *a, const void *b)
{
	const struct ward_net_reason *one = a, *two = b;
	int r = ward_endpoint_compare(&one->match, &two->match);

	/* spellings of one endpoint: in an order that no list gives */
	return r != 0 ? r : strcmp(one->text, two->text);
}

static int
build_reasons(const struct ward_builder *builder)
{
	struct ward_network *network = &builder->profile->network;
	struct ward_given *given;
	size_t n;
	int r = take_list(builder, WARD_KEY_NETWORK_REASONS, &given, &n);

	if (r != 0)
		return r;
	network->reasons = calloc(n + 1, sizeof(*network->reasons));
	if (network->reasons == NULL)
		r = -ENOMEM;
	for (size_t i = 0; i < n && r == 0; i++) {
		struct ward_net_reason *reason =
		    &network->reasons[network->n_reasons++];

		reason->say = strdup(given[i].entry->value);
		r = reason->say == NULL
		    ? -ENOMEM
		    : fill_endpoint(builder, WARD_KEY_NETWORK_REASONS,
			  &given[i], &reason->text, &reason->match,
			  &reason->origin);
	}
	if (r == 0)
		qsort(network->reasons, n, sizeof(*network->reasons), by_match);
	free(given);
	return r;
}

static int
build_blocks(const struct ward_builder *builder)
{
	struct ward_network *network = &builder->profile->network;
	struct ward_given *given;
	size_t n;
	int r = take_list(builder, WARD_KEY_NETWORK_BLOCKS, &given, &n);

	if (r != 0)
		return r;
	network->denied = calloc(n + 1, sizeof(*network->denied));
	if (network->denied == NULL)
		r = -ENOMEM;
	for (size_t i = 0; i < n && r == 0; i++) {
		struct ward_net_block *block =
		    &network->denied[network->n_denied++];
		const char *text = given[i].entry->text;

		block->text = strdup(text);
		r = block->text == NULL
		    ? -ENOMEM
		    : ward_block_read(text, strlen(text), &block->block);
		if (r == 0)
			r = ward_builder_origin(&block->origin,
			    file_of(builder, given[i].giver),
			    given[i].entry->line);
	}
	free(given);
	return r;
}

static int
build_upstream(const struct ward_builder *builder)
{
	struct ward_net_upstream *upstream =
	    &builder->profile->network.upstream;
	const struct ward_setting *setting;
	const char *why;
	size_t giver;
	int r = ward_builder_scalar(
	    builder, WARD_KEY_NETWORK_UPSTREAM, &setting, &giver);

	if (r != 0 || setting == NULL)
		return r;
	r = ward_upstream_read(setting->text, upstream, &why);
	if (r != 0 || upstream->host == NULL)
		return r;
	return ward_builder_origin(
	    &upstream->origin, file_of(builder, giver), setting->line);
}

int
ward_builder_network(const struct ward_builder *builder)
{
	struct ward_network *network = &builder->profile->network;
	uint64_t mode = 0, unlisted = 0;
	int r = ward_builder_number(builder, WARD_KEY_NETWORK_MODE, &mode);

	if (r == 0)
		r = ward_builder_number(
		    builder, WARD_KEY_NETWORK_UNLISTED, &unlisted);
	if (r == 0)
		r = ward_builder_boolean(
		    builder, WARD_KEY_NETWORK_PRIVATE, &network->allow_private);
	network->filtered = mode == WARD_CHOICE_FILTERED;
	network->ask = unlisted == WARD_CHOICE_ASK;
	if (r == 0)
		r = add_rules(builder, WARD_KEY_NETWORK_ALLOW, WARD_NET_ALLOW,
		    &network->rules, &network->n_rules);
	if (r == 0)
		r = add_rules(builder, WARD_KEY_NETWORK_DENY, WARD_NET_DENY,
		    &network->rules, &network->n_rules);
	if (r == 0)
		r = add_rules(builder, WARD_KEY_NETWORK_NO_PROXY,
		    WARD_NET_ALLOW, &network->no_proxy, &network->n_no_proxy);
	if (r == 0)
		r = build_reasons(builder);
	if (r == 0)
		r = build_blocks(builder);
	return r == 0 ? build_upstream(builder) : r;
}
