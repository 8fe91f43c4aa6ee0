/* SPDX-License-Identifier: ISC */
/*
 * The network rules as one flat blob.  As on the wire, a field is written and
 * read by the same function, so that the two directions cannot drift apart.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/network_pack.h"

#define MAGIC 0x54454e57u /* "WNET" */

/* What the longest endpoint may be: "*." or brackets, a host, ":65535". */
#define ENDPOINT_MAX (WARD_HOST_TEXT_MAX + sizeof("*.[]:65535"))

struct cursor {
	uint8_t *data;
	size_t size, at;
	bool encode;
	int error;
};

static bool
make_room(struct cursor *c, size_t n)
{
	size_t size = c->size == 0 ? 1024 : c->size;

	if (n > WARD_NETWORK_PACK_MAX - c->at) {
		c->error = -EMSGSIZE;
		return false;
	}
	while (size < c->at + n)
		size *= 2;
	if (size == c->size)
		return true;
	uint8_t *grown = realloc(c->data, size);
	if (grown == NULL) {
		c->error = -ENOMEM;
		return false;
	}
	c->data = grown;
	c->size = size;
	return true;
}

static void
bytes(struct cursor *c, void *value, size_t n)
{
	if (c->error != 0 || n == 0 || (c->encode && !make_room(c, n)))
		return;
	if (n > c->size - c->at) {
		c->error = -EPROTO;
		return;
	}
	if (c->encode)
		memcpy(c->data + c->at, value, n);
	else
		memcpy(value, c->data + c->at, n);
	c->at += n;
}

static void
u32(struct cursor *c, uint32_t *value)
{
	bytes(c, value, sizeof(*value));
}

static void
boolean(struct cursor *c, bool *value)
{
	uint32_t v = *value;

	u32(c, &v);
	if (!c->encode && c->error == 0 && v > 1)
		c->error = -EPROTO;
	if (!c->encode)
		*value = c->error == 0 && v == 1;
}

/* What an element of any array takes at the least, packed. */
#define LEAST 20

/*
 * How many follow, never more than there are bytes for, so that a count costs
 * no memory.  Decoding makes the array.
 */
static void *
array(struct cursor *c, void *was, size_t *n, size_t element)
{
	uint32_t count = (uint32_t)*n;

	if (c->encode && *n > UINT32_MAX)
		c->error = -EMSGSIZE;
	u32(c, &count);
	if (c->encode || c->error != 0)
		return was;
	if (count > (c->size - c->at) / LEAST) {
		c->error = -EPROTO;
		return NULL;
	}
	if (count == 0)
		return NULL;
	void *made = calloc(count, element);
	if (made == NULL)
		c->error = -ENOMEM;
	else
		*n = count;
	return made;
}

/* A string or NULL: its length and one, or 0; then its bytes. */
static void
string(struct cursor *c, char **value)
{
	size_t length = c->encode && *value != NULL ? strlen(*value) : 0;
	uint32_t n = *value == NULL ? 0 : (uint32_t)length + 1;

	if (length >= UINT32_MAX)
		c->error = -EMSGSIZE;
	u32(c, &n);
	if (c->error != 0 || n == 0)
		return;
	if (c->encode) {
		bytes(c, *value, length);
		return;
	}
	if (n - 1 > c->size - c->at ||
	    memchr(c->data + c->at, '\0', n - 1) != NULL) {
		c->error = -EPROTO;
		return;
	}
	*value = strndup((const char *)c->data + c->at, n - 1);
	if (*value == NULL)
		c->error = -ENOMEM;
	c->at += n - 1;
}

/* A string that is always there. */
static void
text(struct cursor *c, char **value)
{
	static char none[] = "";

	if (c->encode && *value == NULL) {
		char *empty = none;
		string(c, &empty);
		return;
	}
	string(c, value);
	if (c->error == 0 && *value == NULL)
		c->error = -EPROTO;
}

static void
origin(struct cursor *c, struct ward_origin *value)
{
	uint32_t line = value->line;

	text(c, &value->file);
	u32(c, &line);
	value->line = line;
}

/* The one spelling of an endpoint that is packed. */
static size_t
spell(const struct ward_endpoint *endpoint, char out[ENDPOINT_MAX])
{
	bool six = endpoint->kind != WARD_ENDPOINT_ANY &&
	    endpoint->host.kind == WARD_HOST_IPV6;
	int n = snprintf(out, ENDPOINT_MAX, "%s%s%s%s",
	    endpoint->kind == WARD_ENDPOINT_ANY         ? "*"
		: endpoint->kind == WARD_ENDPOINT_BELOW ? "*."
							: "",
	    six ? "[" : "",
	    endpoint->kind == WARD_ENDPOINT_ANY ? "" : endpoint->host.text,
	    six ? "]" : "");

	if (endpoint->port != 0)
		n += snprintf(
		    out + n, ENDPOINT_MAX - (size_t)n, ":%u", endpoint->port);
	return (size_t)n;
}

/*
 * As text, read by the reader of profiles: there is no second place that must
 * know what makes an endpoint good.
 */
static void
endpoint_field(struct cursor *c, struct ward_endpoint *value)
{
	char spelt[ENDPOINT_MAX], again[ENDPOINT_MAX];
	char *spelling = spelt;
	const char *why;

	if (c->encode) {
		(void)spell(value, spelt);
		string(c, &spelling);
		return;
	}
	spelling = NULL;
	text(c, &spelling);
	if (c->error == 0) {
		int r = ward_endpoint_read(
		    spelling, strlen(spelling), true, value, &why);
		if (r == 0) {
			(void)spell(value, again);
			r = strcmp(spelling, again) == 0 ? 0 : -EINVAL;
		}
		if (r != 0)
			c->error = r == -ENOMEM ? -ENOMEM : -EPROTO;
	}
	free(spelling);
}

static void
rules(struct cursor *c, struct ward_net_rule **value, size_t *n)
{
	*value = array(c, *value, n, sizeof(**value));
	for (size_t i = 0; c->error == 0 && i < *n; i++) {
		struct ward_net_rule *rule = &(*value)[i];
		bool deny = rule->list == WARD_NET_DENY;

		boolean(c, &deny);
		rule->list = deny ? WARD_NET_DENY : WARD_NET_ALLOW;
		text(c, &rule->text);
		endpoint_field(c, &rule->endpoint);
		origin(c, &rule->origin);
	}
}

static void
reasons(struct cursor *c, struct ward_network *network)
{
	network->reasons = array(c, network->reasons, &network->n_reasons,
	    sizeof(network->reasons[0]));
	for (size_t i = 0; c->error == 0 && i < network->n_reasons; i++) {
		struct ward_net_reason *reason = &network->reasons[i];

		endpoint_field(c, &reason->match);
		text(c, &reason->text);
		text(c, &reason->say);
		origin(c, &reason->origin);
	}
}

static void
blocks(struct cursor *c, struct ward_network *network)
{
	network->denied = array(
	    c, network->denied, &network->n_denied, sizeof(network->denied[0]));
	for (size_t i = 0; c->error == 0 && i < network->n_denied; i++) {
		struct ward_net_block *block = &network->denied[i];
		uint32_t bits = block->block.bits;

		text(c, &block->text);
		bytes(c, &block->block.address, sizeof(block->block.address));
		u32(c, &bits);
		if (c->error == 0 && bits > 128)
			c->error = -EPROTO;
		block->block.bits = bits;
		origin(c, &block->origin);
	}
}

static void
upstream(struct cursor *c, struct ward_net_upstream *value)
{
	bytes(c, &value->port, sizeof(value->port));
	string(c, &value->host);
	if (c->error == 0 && value->host != NULL && value->port == 0)
		c->error = -EPROTO;
	origin(c, &value->origin);
}

static void
network_fields(struct cursor *c, struct ward_network *network)
{
	boolean(c, &network->filtered);
	boolean(c, &network->ask);
	boolean(c, &network->allow_private);
	rules(c, &network->rules, &network->n_rules);
	reasons(c, network);
	blocks(c, network);
	upstream(c, &network->upstream);
	rules(c, &network->no_proxy, &network->n_no_proxy);
}

static struct ward_grant *
grants_fields(struct cursor *c, struct ward_grant *grants, size_t *n)
{
	grants = array(c, grants, n, sizeof(*grants));
	for (size_t i = 0; c->error == 0 && i < *n; i++) {
		bytes(c, &grants[i].id, sizeof(grants[i].id));
		bytes(c, &grants[i].until, sizeof(grants[i].until));
		endpoint_field(c, &grants[i].endpoint);
	}
	return grants;
}

static void
header(struct cursor *c)
{
	uint32_t magic = MAGIC, version = WARD_NETWORK_PACK_VERSION;

	u32(c, &magic);
	u32(c, &version);
	if (c->error == 0 && magic != MAGIC)
		c->error = -EPROTO;
	else if (c->error == 0 && version != WARD_NETWORK_PACK_VERSION)
		c->error = -EPROTONOSUPPORT;
}

int
ward_network_pack(
    const struct ward_net_policy *policy, uint8_t **out, size_t *size)
{
	struct cursor c = { .encode = true };
	struct ward_network network = *policy->network;
	size_t n_grants = policy->n_grants;

	header(&c);
	network_fields(&c, &network);
	/* an encoding cursor only reads */
	(void)grants_fields(
	    &c, (struct ward_grant *)(uintptr_t)policy->grants, &n_grants);
	if (c.error != 0) {
		free(c.data);
		return c.error;
	}
	*out = c.data;
	*size = c.at;
	return 0;
}

int
ward_network_unpack(const uint8_t *in, size_t size,
    struct ward_network **network, struct ward_grant **grants, size_t *n_grants)
{
	struct cursor c = {
		/* a decoding cursor only reads */
		.data = (uint8_t *)(uintptr_t)in,
		.size = size,
	};
	struct ward_network *made = calloc(1, sizeof(*made));
	size_t n = 0;

	if (made == NULL)
		return -ENOMEM;
	header(&c);
	network_fields(&c, made);
	struct ward_grant *given = grants_fields(&c, NULL, &n);
	if (c.error == 0 && c.at != c.size)
		c.error = -EPROTO;
	if (c.error != 0) {
		ward_network_unpacked_free(made);
		free(given);
		return c.error;
	}
	*network = made;
	*grants = given;
	*n_grants = n;
	return 0;
}

void
ward_network_unpacked_free(struct ward_network *network)
{
	if (network == NULL)
		return;
	ward_network_clear(network);
	free(network);
}
