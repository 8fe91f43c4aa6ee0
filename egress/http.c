/* SPDX-License-Identifier: ISC */
/*
 * The HTTP front: from a client's requests to the hosts that they name.  A
 * request goes on only as it was understood: its head is written anew, and its
 * body in the framing that the head says.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "egress/answer.h"
#include "egress/http.h"
#include "egress/http_exchange.h"
#include "egress/http_head.h"
#include "egress/names.h"

/* A whole head must have come by then. */
#define HEAD_S 10
/* And another may come as long after an answer. */
#define NEXT_S 60

size_t
ward_http_refusal(const struct ward_flow *flow, uint8_t out[WARD_ANSWER_MAX],
    bool close, bool no_body)
{
	char said[WARD_DECISION_TEXT_MAX], rule[WARD_DECISION_RULE_MAX];
	unsigned status = flow->cause == WARD_CAUSE_NAME ? 421
	    : ward_flow_is_refused(flow)                 ? 403
							 : 502;

	ward_flow_said(flow, said);
	ward_flow_rule(flow, rule);
	return ward_answer_http(out, status, said, rule, close, no_body);
}

/* A request that cannot be understood ends its connection. */
static void
leave(struct ward_client *client, unsigned status, const char *why)
{
	uint8_t answer[WARD_ANSWER_MAX];
	char detail[400] = "this request is refused: ";

	strncat(detail, why, sizeof(detail) - strlen(detail) - 1);
	ward_flow_end(&client->flow, 0);
	memset(&client->flow.decision, 0, sizeof(client->flow.decision));
	ward_flow_fail(&client->flow, WARD_CAUSE_PROTOCOL, 0, detail);
	ward_flow_told(&client->flow);
	ward_client_leave(client, answer,
	    ward_answer_http(
		answer, status, client->flow.detail, "", true, false));
}

/* --- CONNECT --- */

static size_t
welcome_connect(const struct ward_client *client, uint8_t out[128])
{
	static const char text[] =
	    "HTTP/1.1 200 Connection established\r\n\r\n";

	(void)client;
	memcpy(out, text, sizeof(text) - 1);
	return sizeof(text) - 1;
}

static void
refuse_connect(struct ward_client *client)
{
	uint8_t answer[WARD_ANSWER_MAX];

	ward_client_leave(client, answer,
	    ward_http_refusal(&client->flow, answer, true, false));
}

static void take(struct ward_client *client);

static const struct ward_front front_connect = { take, welcome_connect,
	refuse_connect };

static void
begin_connect(
    struct ward_client *client, const struct ward_http_head *head, size_t used)
{
	struct ward_slice host;
	char text[WARD_HTTP_HEAD_MAX];
	uint16_t port = 0;

	if (!ward_http_authority(head->target, &host, &port) || port == 0) {
		leave(client, 400, "CONNECT takes HOST:PORT");
		return;
	}
	client->flow.front = WARD_FRONT_CONNECT;
	client->front = &front_connect;
	/* what it points into goes with what was used */
	memcpy(text, host.at, host.n);
	ward_client_used(client, used);
	ward_client_ask(client, text, host.n, port);
}

/* --- requests --- */

/* Whether a and b are the same host and port, 80 where none is said. */
static bool
agree(struct ward_slice a, struct ward_slice b)
{
	struct ward_host of_a, of_b;
	struct ward_slice host_a, host_b;
	uint16_t port_a = 80, port_b = 80;
	const char *why;

	return ward_http_authority(a, &host_a, &port_a) &&
	    ward_http_authority(b, &host_b, &port_b) && port_a == port_b &&
	    ward_host_read(host_a.at, host_a.n, &of_a, &why) == 0 &&
	    ward_host_read(host_b.at, host_b.n, &of_b, &why) == 0 &&
	    ward_host_equal(&of_a, &of_b);
}

/* A refusal that leaves the connection as it is, where that can be. */
void
ward_http_refuse(struct ward_client *client)
{
	struct ward_http *http = client->http;
	const struct ward_http_head *head = &http->head;
	uint8_t answer[WARD_ANSWER_MAX];
	/* of a flow that is open there is nothing left to decide */
	bool keep = !http->origin && head->keep_alive && head->minor == 1 &&
	    !head->chunked && head->length == 0 && !client->ended;
	size_t n = ward_http_refusal(
	    &client->flow, answer, !keep, ward_slice_is(head->method, "HEAD"));

	ward_flow_end(&client->flow, 0);
	if (!keep) {
		ward_client_leave(client, answer, n);
		return;
	}
	ward_client_used(client, http->used);
	if (!ward_client_say(client, answer, n))
		ward_client_free(client, true);
	else
		ward_http_next(client);
}

/* The host that this request is for: false where it was refused. */
static bool
find_target(struct ward_client *client, struct ward_slice *authority,
    struct ward_slice *path)
{
	struct ward_http *http = client->http;
	const struct ward_http_head *head = &http->head;

	if (ward_http_absolute(head->target, authority, path)) {
		if (head->host == NULL || agree(head->host->value, *authority))
			return true;
		leave(client, 400, "its Host is not the host of its URL");
		return false;
	}
	if (!http->origin || head->target.at[0] != '/') {
		leave(client, 400,
		    "this is a proxy: it takes CONNECT, and URLs that begin "
		    "with http://");
		return false;
	}
	if (head->host == NULL) {
		leave(client, 400, "it has no Host");
		return false;
	}
	*authority = head->host->value;
	*path = head->target;
	return true;
}

/* Over a connection that leads to one host each request must name it. */
static bool
names_the_host(struct ward_client *client, struct ward_slice authority)
{
	struct ward_slice host;
	uint16_t port = 80;

	if (ward_http_authority(authority, &host, &port) &&
	    port == client->flow.decision.port)
		return ward_names_agree(
		    &client->flow, "the Host of its request", host.at, host.n);
	ward_flow_fail(&client->flow, WARD_CAUSE_NAME, 0,
	    "the Host of its request has another port");
	return false;
}

/* The connection that is there leads where this goes, under the same rules. */
static bool
is_the_same(const struct ward_client *client, const struct ward_flow *next)
{
	const struct ward_flow *flow = &client->flow;

	return client->http->host_fd >= 0 && flow->rules == next->rules &&
	    flow->decision.port == next->decision.port &&
	    ward_host_equal(&flow->decision.host, &next->decision.host);
}

static void
begin_proxied(struct ward_client *client, struct ward_slice authority)
{
	struct ward_flow next = client->flow;
	struct ward_slice host;
	uint16_t port = 80;

	if (!ward_http_authority(authority, &host, &port)) {
		leave(client, 400, "its URL has no host and port");
		return;
	}
	bool allowed =
	    ward_flow_decide(&next, client->egress, host.at, host.n, port);
	if (allowed && is_the_same(client, &next)) {
		ward_rules_drop(next.rules);
		ward_http_send(client);
		return;
	}
	ward_http_close_host(client);
	ward_flow_end(&client->flow, 0);
	client->flow = next;
	client->flow.front = WARD_FRONT_HTTP;
	if (!allowed) {
		ward_flow_told(&client->flow);
		ward_http_refuse(client);
		return;
	}
	ward_http_dial(client);
}

/* The host closed; under the rules of now it is another decision. */
static void
decide_again(struct ward_client *client)
{
	struct ward_host host = client->flow.decision.host;
	uint16_t port = client->flow.decision.port;

	ward_flow_end(&client->flow, 0);
	if (ward_flow_decide(&client->flow, client->egress, host.text,
		strlen(host.text), port)) {
		ward_http_dial(client);
		return;
	}
	ward_flow_told(&client->flow);
	ward_http_refuse(client);
}

/* A whole head is there. */
static void
begin_request(struct ward_client *client)
{
	struct ward_http *http = client->http;
	struct ward_slice authority, path;

	if (!find_target(client, &authority, &path))
		return;
	ward_queue_free(&http->up);
	ward_http_write_request(&http->up, &http->head, authority, path);
	if (!http->origin) {
		begin_proxied(client, authority);
		return;
	}
	if (!names_the_host(client, authority)) {
		ward_flow_told(&client->flow);
		ward_http_refuse(client);
		return;
	}
	if (http->host_fd >= 0) {
		ward_http_send(client);
		return;
	}
	decide_again(client);
}

static void
take_head(struct ward_client *client)
{
	struct ward_http *http = client->http;
	const char *why = "";

	switch (ward_http_request_read((const char *)client->in, client->n_in,
	    &http->used, &http->request, &http->head, &why)) {
	case WARD_HTTP_MORE:
		if (client->ended)
			ward_client_free(client, false);
		return;
	case WARD_HTTP_BAD:
		leave(client, 400, why);
		return;
	case WARD_HTTP_TOO_LARGE:
		leave(client, 431, why);
		return;
	case WARD_HTTP_DONE:
		break;
	}
	if (http->request.method != HTTP_CONNECT) {
		begin_request(client);
		return;
	}
	if (http->origin || http->host_fd >= 0) {
		leave(client, 400, "CONNECT stands first on its connection");
		return;
	}
	struct ward_http_head head = http->head;
	size_t used = http->used;
	ward_http_free(http);
	client->http = NULL;
	begin_connect(client, &head, used);
}

static void
take(struct ward_client *client)
{
	client->flow.front = client->flow.front == WARD_FRONT_NONE
	    ? WARD_FRONT_HTTP
	    : client->flow.front;
	if (client->http == NULL && !ward_http_new(client, -1)) {
		ward_client_free(client, true);
		return;
	}
	switch (client->http->state) {
	case WARD_HTTP_HEAD:
		if (client->n_in > 0)
			take_head(client);
		else if (client->ended)
			ward_client_free(client, false);
		return;
	case WARD_HTTP_EXCHANGE:
		ward_http_take_body(client);
		return;
	}
}

static void
refuse(struct ward_client *client)
{
	ward_http_refuse(client);
}

const struct ward_front ward_front_http = { take, welcome_connect, refuse };

void
ward_http_next(struct ward_client *client)
{
	client->http->state = WARD_HTTP_HEAD;
	ward_client_settle(client, false);
	ward_client_wait(client, NEXT_S);
	/* from the loop, so that a thousand requests are no deep stack */
	if (client->n_in > 0 || client->ended)
		event_active(client->http->next, EV_TIMEOUT, 0);
}

void
ward_http_on_next(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	take(context);
}

/*
 * What does not begin as a request over a connection for port 80 may be TLS,
 * which says its name itself; anything else could hide a request (an empty
 * line before one is skipped by servers).
 */
static void
take_first(struct ward_client *client)
{
	if (client->n_in == 0 ||
	    ward_http_looks_so(client->in, client->n_in) == 1) {
		client->front = &ward_front_http;
		take(client);
		return;
	}
	if (ward_http_looks_so(client->in, client->n_in) < 0)
		return;
	if (client->in[0] != 22 /* TLS: handshake */) {
		uint8_t answer[WARD_ANSWER_MAX];

		ward_flow_fail(&client->flow, WARD_CAUSE_NAME, 0,
		    "on port 80 there is HTTP and TLS, and this is neither");
		ward_flow_told(&client->flow);
		ward_client_leave(client, answer,
		    ward_http_refusal(&client->flow, answer, true, false));
		return;
	}
	int host_fd = ward_http_steal_host(client->http);
	client->http = NULL;
	ward_client_relay(client, host_fd, NULL, 0, true);
}

static const struct ward_front front_first = { take_first, welcome_connect,
	refuse };

void
ward_http_adopt(struct ward_client *client, int host_fd)
{
	client->front = &front_first;
	if (!ward_http_new(client, host_fd)) {
		ward_client_free(client, true);
		return;
	}
	client->http->origin = true;
	ward_client_wait(client, HEAD_S);
	if (client->n_in > 0 || client->ended)
		take_first(client);
}
