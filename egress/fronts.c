/* SPDX-License-Identifier: ISC */
/* Which front a connection is for. */
#include "config.h"

#include "egress/client.h"
#include "egress/dns_front.h"
#include "egress/fronts.h"
#include "egress/http.h"
#include "egress/socks_front.h"
#include "egress/steered.h"

/* A client that has said nothing, or not enough, is closed then. */
#define FIRST_S 10

enum { SOCKS_4 = 4, SOCKS_5 = 5 };

/* HTTP begins with a letter, SOCKS with its version. */
static void
take_first(struct ward_client *client)
{
	if (client->n_in == 0) {
		ward_client_free(client, false);
		return;
	}
	switch (client->in[0]) {
	case SOCKS_4:
		client->front = &ward_front_socks4;
		break;
	case SOCKS_5:
		client->front = &ward_front_socks5;
		break;
	default:
		client->front = &ward_front_http;
		break;
	}
	client->front->take(client);
}

static const struct ward_front front_proxy = { .take = take_first };

void
ward_front_begin_proxy(struct ward_egress *egress, int fd)
{
	struct ward_client *client =
	    ward_client_new(egress, fd, &front_proxy, false);

	if (client != NULL)
		ward_client_wait(client, FIRST_S);
}

void
ward_front_begin_steered(struct ward_egress *egress, int fd)
{
	struct ward_client *client =
	    ward_client_new(egress, fd, &ward_front_steered, true);

	if (client != NULL)
		ward_steered_begin(client);
}

void
ward_front_begin_dns(struct ward_egress *egress, int fd)
{
	struct ward_client *client =
	    ward_client_new(egress, fd, &ward_front_dns, false);

	if (client != NULL)
		ward_client_wait(client, FIRST_S);
}
