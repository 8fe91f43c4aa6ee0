/* SPDX-License-Identifier: ISC */
/* The SOCKS front. */
#include "config.h"

#include <errno.h>
#include <netdb.h>

#include "egress/socks.h"
#include "egress/socks_front.h"

static enum ward_socks5_reply
reply_of(const struct ward_flow *flow)
{
	if (ward_flow_is_refused(flow))
		return WARD_SOCKS5_REFUSED;
	if (flow->cause != WARD_CAUSE_CONNECT)
		return WARD_SOCKS5_HOST_UNREACHABLE;
	switch (flow->error) {
	case ECONNREFUSED:
		return WARD_SOCKS5_CONNECTION_REFUSED;
	case ENETUNREACH:
		return WARD_SOCKS5_NET_UNREACHABLE;
	case EHOSTUNREACH:
	case ETIMEDOUT:
		return WARD_SOCKS5_HOST_UNREACHABLE;
	default:
		return WARD_SOCKS5_FAILED;
	}
}

/* What the front cannot take is told the warden, and the client in code. */
static void
refuse_protocol(
    struct ward_client *client, const char *detail, const void *say, size_t n)
{
	ward_flow_fail(&client->flow, WARD_CAUSE_PROTOCOL, 0, detail);
	ward_flow_told(&client->flow);
	ward_client_leave(client, say, n);
}

static void
ask(struct ward_client *client, const struct ward_socks_request *request,
    size_t used)
{
	ward_client_used(client, used);
	ward_client_ask(client, request->host, request->size, request->port);
}

/* --- 5 --- */

static void
greet(struct ward_client *client)
{
	uint8_t method[WARD_SOCKS5_METHOD_SIZE];
	size_t used;

	switch (ward_socks5_greeting(client->in, client->n_in, &used)) {
	case WARD_SOCKS_MORE:
		return;
	case WARD_SOCKS_DONE:
		ward_socks5_method(method, true);
		client->greeted = true;
		ward_client_used(client, used);
		if (ward_client_say(client, method, sizeof(method)))
			client->front->take(client);
		else
			ward_client_free(client, true);
		return;
	case WARD_SOCKS_NO_METHOD:
		ward_socks5_method(method, false);
		refuse_protocol(client,
		    "a SOCKS client wants to authenticate: there is nothing to "
		    "authenticate to",
		    method, sizeof(method));
		return;
	case WARD_SOCKS_BAD:
	case WARD_SOCKS_NO_COMMAND:
	case WARD_SOCKS_NO_ADDRESS:
		break;
	}
	refuse_protocol(client, "this is not SOCKS 5", NULL, 0);
}

static void
take5(struct ward_client *client)
{
	struct ward_socks_request request;
	uint8_t reply[WARD_SOCKS5_REPLY_SIZE];
	size_t used;

	client->flow.front = WARD_FRONT_SOCKS5;
	if (client->ended) {
		ward_client_free(client, false);
		return;
	}
	if (!client->greeted) {
		greet(client);
		return;
	}
	switch (
	    ward_socks5_request(client->in, client->n_in, &used, &request)) {
	case WARD_SOCKS_MORE:
		return;
	case WARD_SOCKS_DONE:
		ask(client, &request, used);
		return;
	case WARD_SOCKS_NO_COMMAND:
		ward_socks5_reply(reply, WARD_SOCKS5_NO_COMMAND);
		refuse_protocol(client,
		    "of SOCKS 5 there is CONNECT, and neither BIND nor UDP",
		    reply, sizeof(reply));
		return;
	case WARD_SOCKS_NO_ADDRESS:
		ward_socks5_reply(reply, WARD_SOCKS5_NO_ADDRESS);
		refuse_protocol(client, "a SOCKS address of an unknown type",
		    reply, sizeof(reply));
		return;
	case WARD_SOCKS_BAD:
	case WARD_SOCKS_NO_METHOD:
		break;
	}
	refuse_protocol(client, "this is not SOCKS 5", NULL, 0);
}

static size_t
welcome5(const struct ward_client *client, uint8_t out[128])
{
	(void)client;
	ward_socks5_reply(out, WARD_SOCKS5_OK);
	return WARD_SOCKS5_REPLY_SIZE;
}

static void
refuse5(struct ward_client *client)
{
	uint8_t reply[WARD_SOCKS5_REPLY_SIZE];

	ward_socks5_reply(reply, reply_of(&client->flow));
	ward_client_leave(client, reply, sizeof(reply));
}

const struct ward_front ward_front_socks5 = { take5, welcome5, refuse5 };

/* --- 4 --- */

static void
take4(struct ward_client *client)
{
	struct ward_socks_request request;
	uint8_t reply[WARD_SOCKS4_REPLY_SIZE];
	size_t used;

	client->flow.front = WARD_FRONT_SOCKS4;
	if (client->ended) {
		ward_client_free(client, false);
		return;
	}
	ward_socks4_reply(reply, false);
	switch (
	    ward_socks4_request(client->in, client->n_in, &used, &request)) {
	case WARD_SOCKS_MORE:
		return;
	case WARD_SOCKS_DONE:
		ask(client, &request, used);
		return;
	case WARD_SOCKS_NO_COMMAND:
		refuse_protocol(client, "of SOCKS 4 there is CONNECT only",
		    reply, sizeof(reply));
		return;
	case WARD_SOCKS_BAD:
	case WARD_SOCKS_NO_METHOD:
	case WARD_SOCKS_NO_ADDRESS:
		break;
	}
	refuse_protocol(client, "this is not SOCKS 4", NULL, 0);
}

static size_t
welcome4(const struct ward_client *client, uint8_t out[128])
{
	(void)client;
	ward_socks4_reply(out, true);
	return WARD_SOCKS4_REPLY_SIZE;
}

static void
refuse4(struct ward_client *client)
{
	uint8_t reply[WARD_SOCKS4_REPLY_SIZE];

	ward_socks4_reply(reply, false);
	ward_client_leave(client, reply, sizeof(reply));
}

const struct ward_front ward_front_socks4 = { take4, welcome4, refuse4 };
