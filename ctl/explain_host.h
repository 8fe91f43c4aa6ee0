/* SPDX-License-Identifier: ISC */
/*
 * wardctl explain for hosts: what the egress of an account would do, by the
 * egress's own functions.  For explain.c only.
 */
#ifndef WARD_CTL_EXPLAIN_HOST_H
#define WARD_CTL_EXPLAIN_HOST_H

#include <jansson.h>

#include "ctl/accounts.h"
#include "db/grants.h"
#include "egress/rules.h"

/* An account's network; network is borrowed. */
struct ward_explain_net {
	struct ward_rules rules;
	struct ward_explain_grant *details; /* of rules.grants */
	size_t n_details;
	int route_fd;
	const struct in6_addr *address; /* what names stand for, or NULL */
};

int ward_explain_net_read(struct ward_explain_net *net,
    const struct ward_account *account, struct ward_network *network,
    struct err *err);
void ward_explain_net_clear(struct ward_explain_net *net);

/*
 * "HOST:PORT", or "HOST" for 443 and 80: printed, or appended to list where
 * there is one.
 */
int ward_explain_host(const struct ward_explain_net *net, const char *text,
    json_t *list, struct err *err);

#endif
