/* SPDX-License-Identifier: ISC */
/* The egress's side of the resolver. */
#include "config.h"

#include <errno.h>
#include <event2/event.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include "egress/lookup.h"

/* A little more than a resolver with three servers that are down takes. */
static const struct timeval patience = { .tv_sec = 20 };

struct ward_lookup {
	LIST_ENTRY(ward_lookup) link;
	struct ward_lookups *lookups;
	uint32_t id;
	struct event *timer;
	ward_lookup_done done;
	void *context;
};

struct ward_lookups {
	LIST_HEAD(ward_lookup_list, ward_lookup) asked;
	int socket_fd;
	struct event *event;
	uint32_t last_id;
	void (*lost)(void *context);
	void *context;
};

static void
end_lookup(struct ward_lookup *lookup)
{
	LIST_REMOVE(lookup, link);
	if (lookup->timer != NULL)
		event_free(lookup->timer);
	free(lookup);
}

void
ward_lookup_cancel(struct ward_lookup *lookup)
{
	/* its answer, if one comes, finds nobody */
	end_lookup(lookup);
}

static void
finish(struct ward_lookup *lookup, int error, const struct in6_addr *addresses,
    size_t n)
{
	ward_lookup_done done = lookup->done;
	void *context = lookup->context;

	end_lookup(lookup);
	done(context, error, addresses, n);
}

static void
on_timeout(evutil_socket_t fd, short what, void *context)
{
	(void)fd;
	(void)what;
	finish(context, EAI_AGAIN, NULL, 0);
}

static void
take_answer(struct ward_lookups *lookups, struct ward_resolver_answer *answer)
{
	struct ward_lookup *lookup = LIST_FIRST(&lookups->asked);

	while (lookup != NULL && lookup->id != answer->id)
		lookup = LIST_NEXT(lookup, link);
	if (lookup == NULL)
		return;
	if (answer->error == 0 &&
	    (answer->n == 0 || answer->n > WARD_RESOLVED_MAX))
		answer->error = EAI_FAIL;
	finish(lookup, answer->error, answer->addresses, answer->n);
}

static void
on_answer(evutil_socket_t fd, short what, void *context)
{
	struct ward_lookups *lookups = context;
	struct ward_resolver_answer answer;

	(void)what;
	ssize_t n = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT);
	if (n == (ssize_t)sizeof(answer)) {
		take_answer(lookups, &answer);
		return;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	(void)event_del(lookups->event);
	lookups->lost(lookups->context);
}

struct ward_lookups *
ward_lookups_new(struct event_base *base, int socket_fd,
    void (*lost)(void *context), void *context)
{
	struct ward_lookups *lookups = calloc(1, sizeof(*lookups));

	if (lookups == NULL)
		return NULL;
	LIST_INIT(&lookups->asked);
	lookups->socket_fd = socket_fd;
	lookups->lost = lost;
	lookups->context = context;
	lookups->event = event_new(
	    base, socket_fd, EV_READ | EV_PERSIST, on_answer, lookups);
	if (lookups->event == NULL || event_add(lookups->event, NULL) != 0) {
		free(lookups);
		return NULL;
	}
	return lookups;
}

struct ward_lookup *
ward_lookup_start(struct ward_lookups *lookups, const char *name,
    ward_lookup_done done, void *context)
{
	struct ward_resolver_question question = { .id = ++lookups->last_id };
	struct ward_lookup *lookup = calloc(1, sizeof(*lookup));
	size_t size = strlen(name);

	if (lookup == NULL || size >= sizeof(question.name)) {
		free(lookup);
		return NULL;
	}
	memcpy(question.name, name, size);
	*lookup = (struct ward_lookup){
		.lookups = lookups,
		.id = question.id,
		.done = done,
		.context = context,
	};
	LIST_INSERT_HEAD(&lookups->asked, lookup, link);
	lookup->timer =
	    evtimer_new(event_get_base(lookups->event), on_timeout, lookup);
	if (lookup->timer == NULL ||
	    evtimer_add(lookup->timer, &patience) != 0 ||
	    send(lookups->socket_fd, &question, sizeof(question),
		MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)sizeof(question)) {
		end_lookup(lookup);
		return NULL;
	}
	return lookup;
}
