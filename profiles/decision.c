/* SPDX-License-Identifier: ISC */
/* The network decision. */
#include "config.h"

#include <string.h>

#include "profiles/decision.h"

static const struct ward_net_rule *
find_rule(const struct ward_network *network, enum ward_net_list list,
    const struct ward_host *host, uint16_t port)
{
	for (size_t i = 0; i < network->n_rules; i++) {
		const struct ward_net_rule *rule = &network->rules[i];
		if (rule->list == list &&
		    ward_endpoint_matches(&rule->endpoint, host, port))
			return rule;
	}
	return NULL;
}

static const struct ward_grant *
find_grant(const struct ward_net_policy *policy, const struct ward_host *host,
    uint16_t port, int64_t now)
{
	for (size_t i = 0; i < policy->n_grants; i++) {
		const struct ward_grant *grant = &policy->grants[i];
		if (now < grant->until &&
		    ward_endpoint_matches(&grant->endpoint, host, port))
			return grant;
	}
	return NULL;
}

/* The last step of every refusal. */
static void
refuse(const struct ward_network *network, enum ward_ground ground,
    struct ward_decision *out)
{
	out->allowed = false;
	out->ground = ground;
	if (ground == WARD_GROUND_MALFORMED || ground == WARD_GROUND_NO_NETWORK)
		return;
	for (size_t i = 0; i < network->n_reasons; i++)
		if (ward_endpoint_matches(
			&network->reasons[i].match, &out->host, out->port)) {
			out->reason = network->reasons[i].say;
			return;
		}
}

static void
allow(enum ward_ground ground, struct ward_decision *out)
{
	out->allowed = true;
	out->ground = ground;
}

/* The order of these steps is the meaning of a profile. */
static void
decide_host(const struct ward_net_policy *policy, int64_t now,
    struct ward_decision *out)
{
	const struct ward_network *network = policy->network;

	out->rule = find_rule(network, WARD_NET_DENY, &out->host, out->port);
	if (out->rule != NULL) {
		refuse(network, WARD_GROUND_DENY, out);
		return;
	}
	out->rule = find_rule(network, WARD_NET_ALLOW, &out->host, out->port);
	if (out->rule != NULL) {
		allow(WARD_GROUND_ALLOW, out);
		return;
	}
	out->grant = find_grant(policy, &out->host, out->port, now);
	if (out->grant != NULL) {
		allow(WARD_GROUND_GRANT, out);
		return;
	}
	out->ask = network->ask;
	refuse(network, WARD_GROUND_UNLISTED, out);
}

void
ward_decide(const struct ward_net_policy *policy, const char *host, size_t size,
    uint16_t port, int64_t now, struct ward_decision *out)
{
	memset(out, 0, sizeof(*out));
	out->port = port;
	if (!policy->network->filtered) {
		refuse(policy->network, WARD_GROUND_NO_NETWORK, out);
		return;
	}
	out->why = "there is no memory to read it";
	int r = ward_host_read(host, size, &out->host, &out->why);
	if (r == 0 && port == 0) {
		out->why = "port 0 is no port";
		r = -1;
	}
	if (r != 0) {
		memset(&out->host, 0, sizeof(out->host));
		refuse(policy->network, WARD_GROUND_MALFORMED, out);
		return;
	}
	out->why = NULL;
	decide_host(policy, now, out);
	/* a literal is its own and only answer */
	if (out->allowed && out->host.kind != WARD_HOST_NAME)
		ward_decide_address(policy, &out->host.address, now, out);
}

/* --- addresses --- */

static bool
is_same(const struct in6_addr *a, const struct in6_addr *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static bool
is_own(const struct ward_net_policy *policy, const struct in6_addr *address)
{
	for (size_t i = 0; i < policy->n_own; i++)
		if (is_same(&policy->own[i], address))
			return true;
	return false;
}

/* localhost and what is below it (RFC 6761, section 6.3). */
static bool
is_localhost(const struct ward_host *host)
{
	static const struct ward_host localhost = { .kind = WARD_HOST_NAME,
		.text = "localhost" };

	return ward_host_equal(host, &localhost) ||
	    ward_host_is_below(host, &localhost);
}

/*
 * Whether somebody wrote this very address down, or localhost for what may be
 * no other than the loopback.
 */
static bool
is_named(const struct ward_net_policy *policy, const struct in6_addr *address,
    enum ward_address_class class, int64_t now,
    const struct ward_decision *decision)
{
	struct ward_host literal;

	ward_host_from_address(address, &literal);
	if (find_rule(policy->network, WARD_NET_ALLOW, &literal,
		decision->port) != NULL ||
	    find_grant(policy, &literal, decision->port, now) != NULL)
		return true;
	const struct ward_endpoint *by = decision->rule != NULL
	    ? &decision->rule->endpoint
	    : &decision->grant->endpoint;
	return class == WARD_ADDRESS_LOOPBACK &&
	    by->kind == WARD_ENDPOINT_HOST && is_localhost(&decision->host);
}

/* What is denied by an entry, as the address itself or what it carries. */
static bool
deny_address(const struct ward_net_policy *policy,
    const struct in6_addr *address, struct ward_decision *decision)
{
	const struct ward_network *network = policy->network;
	struct ward_host literal;

	ward_host_from_address(address, &literal);
	const struct ward_net_rule *rule =
	    find_rule(network, WARD_NET_DENY, &literal, decision->port);
	if (rule != NULL) {
		decision->rule = rule;
		refuse(network, WARD_GROUND_DENY, decision);
		return true;
	}
	for (size_t i = 0; i < network->n_denied; i++)
		if (ward_block_has(&network->denied[i].block, address)) {
			decision->block = &network->denied[i];
			refuse(network, WARD_GROUND_DENIED_BLOCK, decision);
			return true;
		}
	return false;
}

void
ward_decide_address(const struct ward_net_policy *policy,
    const struct in6_addr *address, int64_t now, struct ward_decision *decision)
{
	enum ward_address_class class = ward_address_class(address);
	struct in6_addr embedded;
	bool carries = ward_address_embedded(address, &embedded);

	decision->class = class;
	if (deny_address(policy, address, decision) ||
	    (carries && deny_address(policy, &embedded, decision)))
		return;
	bool elsewhere =
	    is_localhost(&decision->host) && class != WARD_ADDRESS_LOOPBACK;
	if (!elsewhere && is_named(policy, address, class, now, decision))
		return;
	decision->own =
	    is_own(policy, address) || (carries && is_own(policy, &embedded));
	bool open = class == WARD_ADDRESS_PUBLIC ||
	    (class == WARD_ADDRESS_PRIVATE && policy->network->allow_private);
	if (open && !decision->own && !elsewhere)
		return;
	refuse(policy->network, WARD_GROUND_ADDRESS, decision);
}
