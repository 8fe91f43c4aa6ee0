/* SPDX-License-Identifier: ISC */
/*
 * What the parts of the egress program share: one of it in the process.  For
 * the program's own files only.
 */
#ifndef WARD_EGRESS_EGRESS_H
#define WARD_EGRESS_EGRESS_H

#include <event2/event.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "common/wire.h"
#include "egress/lookup.h"
#include "egress/rules.h"
#include "egress/standins.h"

struct ward_client;

#define WARD_EGRESS_BUFFER ((size_t)1024 * 1024)

TAILQ_HEAD(ward_client_list, ward_client);

struct ward_egress {
	struct event_base *base;
	int warden_fd;
	int events_fd;
	int route_fd;
	uint32_t dropped;         /* events that found no room, not yet told */
	struct event *tell_again; /* of them, pending while there are some */
	uint64_t last_id;
	struct ward_rules *rules;
	struct ward_lookups *lookups;
	struct ward_standins *standins;
	bool redirected;

	/* egress/listen.c */
	size_t n_clients, clients_max;
	uint32_t rate;
	uint64_t tokens; /* new connections that may come now, in thousandths */
	int64_t refilled;
	struct ward_client_list
	    hands; /* that have not been served: oldest first */
	struct ward_client_list settled; /* the others */

	/* egress/relay.c: what passes, which nothing stays in */
	uint8_t *buffer;    /* of pages */
	size_t buffer_used; /* at the most, since it was shrunk */
	size_t n_relays;
};

#endif
