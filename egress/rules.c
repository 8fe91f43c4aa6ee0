/* SPDX-License-Identifier: ISC */
/* The rules that hold. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "egress/route.h"
#include "egress/rules.h"
#include "profiles/network_pack.h"

/* By read, since mmap would need one more call and saves nothing. */
static int
read_all(int fd, uint8_t *bytes, size_t size)
{
	size_t at = 0;

	while (at < size) {
		ssize_t n = pread(fd, bytes + at, size - at, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EPROTO;
		at += (size_t)n;
	}
	return 0;
}

int
ward_rules_load(int rules_fd, struct ward_rules **out)
{
	/* not fstat(2), which libc asks as a path is asked */
	off_t end = lseek(rules_fd, 0, SEEK_END);

	if (end < 0)
		return -errno;
	if (end == 0 || (uintmax_t)end > WARD_NETWORK_PACK_MAX)
		return -EPROTO;
	size_t size = (size_t)end;
	_cleanup_free_ uint8_t *bytes = malloc(size);
	_cleanup_free_ struct ward_rules *rules = calloc(1, sizeof(*rules));
	if (bytes == NULL || rules == NULL)
		return -ENOMEM;
	int r = read_all(rules_fd, bytes, size);
	if (r == 0)
		r = ward_network_unpack(bytes, size, &rules->network,
		    &rules->grants, &rules->n_grants);
	if (r != 0)
		return r;
	rules->references = 1;
	*out = ward_steal_pointer(&rules);
	return 0;
}

struct ward_rules *
ward_rules_hold(struct ward_rules *rules)
{
	rules->references++;
	return rules;
}

void
ward_rules_drop(struct ward_rules *rules)
{
	if (rules == NULL || --rules->references > 0)
		return;
	ward_network_unpacked_free(rules->network);
	free(rules->grants);
	free(rules);
}

static struct ward_net_policy
policy_of(const struct ward_rules *rules)
{
	return (struct ward_net_policy){
		.network = rules->network,
		.grants = rules->grants,
		.n_grants = rules->n_grants,
	};
}

void
ward_rules_decide(const struct ward_rules *rules, const char *host, size_t size,
    uint16_t port, struct ward_decision *out)
{
	const struct ward_net_policy policy = policy_of(rules);

	ward_decide(&policy, host, size, port, time(NULL), out);
}

/* What is refused for what it is needs no question, and has the better name. */
static bool
may_be_own(int route_fd, const struct in6_addr *address)
{
	enum ward_address_class class = ward_address_class(address);

	return (class == WARD_ADDRESS_PUBLIC ||
		   class == WARD_ADDRESS_PRIVATE) &&
	    ward_route_is_own(route_fd, address);
}

void
ward_rules_decide_address(const struct ward_rules *rules, int route_fd,
    const struct in6_addr *address, struct ward_decision *decision)
{
	struct ward_net_policy policy = policy_of(rules);
	struct in6_addr own[2], embedded;
	size_t n = 0;

	if (may_be_own(route_fd, address))
		own[n++] = *address;
	if (ward_address_embedded(address, &embedded) &&
	    may_be_own(route_fd, &embedded))
		own[n++] = embedded;
	policy.own = own;
	policy.n_own = n;
	ward_decide_address(&policy, address, time(NULL), decision);
}

bool
ward_rules_is_localhost(const struct ward_host *host)
{
	static const struct ward_host localhost = { .kind = WARD_HOST_NAME,
		.text = "localhost" };

	return ward_host_equal(host, &localhost) ||
	    ward_host_is_below(host, &localhost);
}

bool
ward_rules_use_upstream(
    const struct ward_rules *rules, const struct ward_host *host, uint16_t port)
{
	const struct ward_network *network = rules->network;

	if (network->upstream.host == NULL)
		return false;
	for (size_t i = 0; i < network->n_no_proxy; i++)
		if (ward_endpoint_matches(
			&network->no_proxy[i].endpoint, host, port))
			return false;
	return true;
}
