/* SPDX-License-Identifier: ISC */
/*
 * Any record as an answer of the resolver's to one of two questions: each is
 * told its end once, with no more addresses than there are, or stays open.
 */
#include "config.h"

#include <event2/event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "egress/lookup.h"
#include "egress/resolver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct question {
	struct ward_lookup *lookup; /* NULL: over */
};

static void
on_lost(void *context)
{
	(void)context;
	abort();
}

static void
on_done(void *context, int error, const struct in6_addr *addresses, size_t n)
{
	struct question *question = context;
	uint8_t sum = 0;

	if (question->lookup == NULL ||
	    (error == 0 && (n == 0 || n > WARD_RESOLVED_MAX)))
		abort();
	question->lookup = NULL;
	for (size_t i = 0; error == 0 && i < n; i++)
		for (size_t j = 0; j < sizeof(addresses[i]); j++)
			sum = (uint8_t)(sum + addresses[i].s6_addr[j]);
	(void)sum;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct event_base *base;
	static struct ward_lookups *lookups;
	static int pair[2];
	static uint32_t asked;
	struct question questions[2] = { { NULL }, { NULL } };
	struct ward_resolver_answer answer = { 0 };

	if (size > sizeof(answer))
		return 0;
	if (lookups == NULL) {
		base = event_base_new();
		if (base == NULL ||
		    socketpair(
			AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
			abort();
		lookups = ward_lookups_new(base, pair[0], on_lost, NULL);
		if (lookups == NULL)
			abort();
	}
	for (size_t i = 0; i < 2; i++) {
		questions[i].lookup = ward_lookup_start(
		    lookups, "a.example.com", on_done, &questions[i]);
		if (questions[i].lookup == NULL ||
		    recv(pair[1], &(struct ward_resolver_question){ 0 },
			sizeof(struct ward_resolver_question), 0) <= 0)
			abort();
	}
	memcpy(&answer, data, size);
	/* small numbers are those of the questions */
	if (answer.id < 4)
		answer.id += asked;
	asked += 2;
	if (send(pair[1], &answer, sizeof(answer), 0) != sizeof(answer))
		abort();
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
	for (size_t i = 0; i < 2; i++)
		if (questions[i].lookup != NULL)
			ward_lookup_cancel(questions[i].lookup);
	return 0;
}
