/* SPDX-License-Identifier: ISC */
/* The transparent front. */
#include "config.h"

#include <arpa/inet.h>
#include <linux/netfilter_ipv4.h>
#include <string.h>
#include <sys/socket.h>

#include "egress/answer.h"
#include "egress/http.h"
#include "egress/http_head.h"
#include "egress/names.h"
#include "egress/steered.h"

#define SSH_PORT 22
/* Who speaks first does so at once; who waits for the server is not kept. */
#define FIRST_S  1

/*
 * What a refused client is told depends on what it speaks, which its first
 * bytes show; on SSH's port it waits for the server to begin.
 */
static void
take(struct ward_client *client)
{
	uint8_t answer[WARD_ANSWER_MAX];
	const struct ward_flow *flow = &client->flow;

	if (client->n_in == 0) {
		ward_client_leave(client, NULL, 0);
		return;
	}
	if (client->in[0] == 22 /* TLS: handshake */) {
		ward_client_leave(
		    client, ward_names_alert, sizeof(ward_names_alert));
		return;
	}
	switch (ward_http_looks_so(client->in, client->n_in)) {
	case 1:
		ward_client_leave(client, answer,
		    ward_http_refusal(flow, answer, true, false));
		return;
	case 0:
		ward_client_leave(client, NULL, 0);
		return;
	default:
		/* too few bytes to say; the timer runs */
		return;
	}
}

static void
refuse(struct ward_client *client)
{
	uint8_t answer[WARD_ANSWER_MAX];
	char said[WARD_DECISION_TEXT_MAX];

	if (client->flow.decision.port == SSH_PORT) {
		ward_flow_said(&client->flow, said);
		ward_client_leave(
		    client, answer, ward_answer_ssh(answer, said));
		return;
	}
	if (client->n_in > 0 || client->ended)
		take(client);
	else if (!ward_flow_is_refused(&client->flow))
		ward_client_leave(client, NULL, 0);
	else
		ward_client_wait(client, FIRST_S);
}

const struct ward_front ward_front_steered = { .take = take, .refuse = refuse };

/* Before nftables changed it. */
static int
ask_original(int fd, struct sockaddr *address, socklen_t *size)
{
	/* IP6T_SO_ORIGINAL_DST has the same number */
	if (getsockopt(fd, SOL_IP, SO_ORIGINAL_DST, address, size) == 0)
		return 0;
	return getsockopt(fd, SOL_IPV6, SO_ORIGINAL_DST, address, size);
}

void
ward_steered_begin(struct ward_client *client)
{
	struct ward_wire_end_point *to = &client->flow.to;
	struct ward_host host;
	struct in6_addr address;

	client->flow.front = WARD_FRONT_TRANSPARENT;
	if (client->egress->redirected)
		ward_flow_end_point(ask_original, client->fd, to);
	memcpy(&address, to->address, sizeof(address));
	const char *name =
	    ward_standins_find(client->egress->standins, &address);
	if (name == NULL) {
		ward_host_from_address(&address, &host);
		name = host.text;
	}
	ward_client_ask(client, name, strlen(name), (uint16_t)to->port);
}
