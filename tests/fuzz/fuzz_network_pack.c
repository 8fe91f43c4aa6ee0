/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as packed network rules: what is taken packs to the very same
 * bytes, and decides without reading where it should not.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/network_pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char host[] = "a.example.com";
	struct ward_net_policy policy = { .own = NULL };
	struct ward_network *network;
	struct ward_grant *grants;
	struct ward_decision decision;
	uint8_t *again;
	size_t size_again;

	if (ward_network_unpack(
		data, size, &network, &grants, &policy.n_grants) != 0)
		return 0;
	policy.network = network;
	policy.grants = grants;
	if (ward_network_pack(&policy, &again, &size_again) != 0 ||
	    size_again != size || memcmp(again, data, size) != 0)
		abort();
	ward_decide(&policy, host, sizeof(host) - 1, 443, 0, &decision);
	free(again);
	free(grants);
	ward_network_unpacked_free(network);
	return 0;
}
