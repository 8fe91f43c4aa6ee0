/* SPDX-License-Identifier: ISC */
/* The DNS front. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "egress/dns.h"
#include "egress/dns_front.h"

/* What is given once stands for its name as long as the sandbox lives. */
#define SECONDS    300
#define UDP_MAX    4096
#define TURNS      64
#define TCP_IDLE_S 10

/* The table of names is full, which ends what this sandbox can look up. */
static void
tell_spent(struct ward_egress *egress, const char *name)
{
	struct ward_flow flow = { .egress = egress, .front = WARD_FRONT_DNS };
	const char *why;

	(void)ward_host_read(name, strlen(name), &flow.decision.host, &why);
	ward_flow_fail(&flow, WARD_CAUSE_SPENT, ENOSPC,
	    "this sandbox has looked up as many names as there are addresses "
	    "to stand for them: a new sandbox can look up more");
	ward_flow_told(&flow);
}

static const struct in6_addr loopback4 = {
	.s6_addr = { [10] = 0xff, [11] = 0xff, 127, 0, 0, 1 }
};
static const struct in6_addr loopback6 = IN6ADDR_LOOPBACK_INIT;

/* The address of a name for this type of question; NULL: there is none. */
static enum ward_dns_code
find_address(struct ward_egress *egress, const struct ward_dns_query *query,
    struct in6_addr *address, bool *found)
{
	struct ward_host host;
	struct in6_addr v4 = loopback4, v6 = loopback6;
	const char *why;

	*found = false;
	/* the root, and what is spelt as an address, has none */
	if (query->name[0] == '\0')
		return WARD_DNS_OK;
	if (ward_host_read(query->name, strlen(query->name), &host, &why) !=
		0 ||
	    host.kind != WARD_HOST_NAME)
		return WARD_DNS_NO_SUCH_NAME;
	if (query->type != WARD_DNS_A && query->type != WARD_DNS_AAAA)
		return WARD_DNS_OK;
	/* inside it is the sandbox's own loopback (RFC 6761, 6.3) */
	if (!ward_rules_is_localhost(&host)) {
		int r =
		    ward_standins_give(egress->standins, host.text, &v4, &v6);
		if (r != 0) {
			if (r == -ENOSPC)
				tell_spent(egress, host.text);
			return WARD_DNS_SERVER_FAILURE;
		}
	}
	*address = query->type == WARD_DNS_A ? v4 : v6;
	*found = true;
	return WARD_DNS_OK;
}

/* 0 for what gets no answer. */
static size_t
answer(struct ward_egress *egress, const uint8_t *message, size_t size,
    uint8_t out[WARD_DNS_ANSWER_MAX])
{
	struct ward_dns_query query;
	struct in6_addr address;
	bool found = false;

	if (ward_dns_read(message, size, &query) != 0)
		return 0;
	enum ward_dns_code code = query.code;
	if (code == WARD_DNS_OK)
		code = find_address(egress, &query, &address, &found);
	return ward_dns_answer(
	    out, message, &query, code, found ? &address : NULL, SECONDS);
}

/* --- UDP --- */

static void
on_datagram(evutil_socket_t fd, short what, void *context)
{
	struct ward_egress *egress = context;
	uint8_t message[UDP_MAX], out[WARD_DNS_ANSWER_MAX];

	(void)what;
	for (int turn = 0; turn < TURNS; turn++) {
		struct sockaddr_storage from;
		socklen_t from_size = sizeof(from);
		ssize_t n = recvfrom(fd, message, sizeof(message), MSG_DONTWAIT,
		    (struct sockaddr *)&from, &from_size);

		if (n < 0)
			return;
		size_t size = answer(egress, message, (size_t)n, out);
		/* what does not go is asked again */
		if (size > 0)
			(void)sendto(fd, out, size, MSG_DONTWAIT | MSG_NOSIGNAL,
			    (const struct sockaddr *)&from, from_size);
	}
}

int
ward_dns_serve_udp(struct ward_egress *egress, int fd)
{
	struct event *event = event_new(
	    egress->base, fd, EV_READ | EV_PERSIST, on_datagram, egress);

	return event != NULL && event_add(event, NULL) == 0 ? 0 : -ENOMEM;
}

/* --- TCP: two bytes of length before each message (RFC 1035, 4.2.2) --- */

static void
take(struct ward_client *client)
{
	uint8_t out[2 + WARD_DNS_ANSWER_MAX];

	client->flow.front = WARD_FRONT_DNS;
	while (client->n_in >= 2) {
		size_t size = (size_t)client->in[0] << 8 | client->in[1];
		if (size == 0 || size > WARD_CLIENT_IN_MAX - 2) {
			ward_client_free(client, true);
			return;
		}
		if (client->n_in < 2 + size)
			break;
		size_t n =
		    answer(client->egress, client->in + 2, size, out + 2);
		out[0] = (uint8_t)(n >> 8);
		out[1] = (uint8_t)n;
		ward_client_used(client, 2 + size);
		/* who does not read its answers has asked enough */
		if (n == 0 || !ward_client_say(client, out, 2 + n)) {
			ward_client_free(client, true);
			return;
		}
		ward_client_wait(client, TCP_IDLE_S);
	}
	if (client->ended)
		ward_client_free(client, false);
}

static void
refuse(struct ward_client *client)
{
	ward_client_free(client, true);
}

const struct ward_front ward_front_dns = { .take = take, .refuse = refuse };
