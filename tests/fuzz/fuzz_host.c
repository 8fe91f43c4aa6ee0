/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as a host, as an entry of a list and as a block of addresses.  What
 * is taken as a host must be canonical: read again it is itself.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/decision.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
give_up(const char *why, const char *host)
{
	(void)fprintf(stderr, "%s: \"%s\"\n", why, host);
	abort();
}

static void
check(const struct ward_host *host)
{
	struct ward_host again;
	const char *why = "";
	size_t size = strlen(host->text);

	if (strspn(host->text, "abcdefghijklmnopqrstuvwxyz0123456789-_.:") !=
	    size)
		give_up("not canonical", host->text);
	if (ward_host_read(host->text, size, &again, &why) != 0)
		give_up(why, host->text);
	if (!ward_host_equal(host, &again) ||
	    memcmp(&host->address, &again.address, sizeof(again.address)) != 0)
		give_up("read again it is another", host->text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct ward_host host;
	struct ward_endpoint endpoint;
	struct ward_block block;
	const char *why = NULL;

	if (ward_host_read(text, size, &host, &why) == 0) {
		check(&host);
		if (host.kind != WARD_HOST_NAME)
			(void)ward_address_class(&host.address);
	} else if (why == NULL) {
		give_up("no reason", "");
	}
	why = NULL;
	if (ward_endpoint_read(text, size, true, &endpoint, &why) == 0) {
		if (endpoint.kind == WARD_ENDPOINT_HOST)
			check(&endpoint.host);
	} else if (why == NULL) {
		give_up("no reason", "");
	}
	if (ward_block_read(text, size, &block) == 0 &&
	    !ward_block_has(&block, &block.address))
		give_up("a block without its base", "");
	return 0;
}
