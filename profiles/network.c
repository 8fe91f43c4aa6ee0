/* SPDX-License-Identifier: ISC */
/* The network part of a profile: its end. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "profiles/network.h"

static void
free_rules(struct ward_net_rule *rules, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(rules[i].text);
		free(rules[i].origin.file);
	}
	free(rules);
}

void
ward_network_clear(struct ward_network *network)
{
	free_rules(network->rules, network->n_rules);
	free_rules(network->no_proxy, network->n_no_proxy);
	for (size_t i = 0; i < network->n_reasons; i++) {
		free(network->reasons[i].text);
		free(network->reasons[i].say);
		free(network->reasons[i].origin.file);
	}
	free(network->reasons);
	for (size_t i = 0; i < network->n_denied; i++) {
		free(network->denied[i].text);
		free(network->denied[i].origin.file);
	}
	free(network->denied);
	free(network->upstream.host);
	free(network->upstream.origin.file);
	memset(network, 0, sizeof(*network));
}
