/* SPDX-License-Identifier: ISC */
/* Asks the host's name services, each time in a thread of its own. */
#include "config.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "egress/resolver.h"

#define AT_ONCE    32
#define STACK_SIZE ((size_t)256 * 1024) /* NSS modules keep much on it */

static sem_t room;

struct job {
	int socket_fd; /* borrowed */
	struct ward_resolver_question question;
};

static void
add_address(struct ward_resolver_answer *answer, const struct sockaddr *address)
{
	struct in6_addr *out = &answer->addresses[answer->n];

	if (address->sa_family == AF_INET6) {
		struct sockaddr_in6 six;
		memcpy(&six, address, sizeof(six));
		/* a zone makes it link-local, which is refused anyway */
		*out = six.sin6_addr;
	} else if (address->sa_family == AF_INET) {
		struct sockaddr_in four;
		memcpy(&four, address, sizeof(four));
		memset(out, 0, sizeof(*out));
		out->s6_addr[10] = out->s6_addr[11] = 0xff;
		memcpy(out->s6_addr + 12, &four.sin_addr, 4);
	} else {
		return;
	}
	answer->n++;
}

static void
look_up(const char *name, struct ward_resolver_answer *answer)
{
	/* one entry an address; in the order of RFC 6724, by the C library */
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *found = NULL;

	answer->error = getaddrinfo(name, NULL, &hints, &found);
	if (answer->error != 0)
		return;
	for (const struct addrinfo *at = found;
	     at != NULL && answer->n < WARD_RESOLVED_MAX; at = at->ai_next)
		add_address(answer, at->ai_addr);
	freeaddrinfo(found);
	if (answer->n == 0)
		answer->error = EAI_NONAME;
}

/* It waits where the egress is slow to take answers: it is its own thread. */
static void
tell(int socket_fd, const struct ward_resolver_answer *answer)
{
	while (send(socket_fd, answer, sizeof(*answer), MSG_NOSIGNAL) < 0 &&
	    errno == EINTR)
		;
}

static void *
run_job(void *context)
{
	struct job *job = context;
	struct ward_resolver_answer answer = { .id = job->question.id };

	look_up(job->question.name, &answer);
	tell(job->socket_fd, &answer);
	free(job);
	(void)sem_post(&room);
	return NULL;
}

static int
start_job(const pthread_attr_t *attr, int socket_fd,
    const struct ward_resolver_question *question)
{
	struct job *job = malloc(sizeof(*job));
	pthread_t thread;

	if (job == NULL)
		return -ENOMEM;
	*job = (struct job){ .socket_fd = socket_fd, .question = *question };
	int r = pthread_create(&thread, attr, run_job, job);
	if (r != 0)
		free(job);
	return -r;
}

void
ward_resolver_run(int socket_fd)
{
	struct ward_resolver_question question;
	pthread_attr_t attr;

	if (sem_init(&room, 0, AT_ONCE) != 0 || pthread_attr_init(&attr) != 0 ||
	    pthread_attr_setstacksize(&attr, STACK_SIZE) != 0 ||
	    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) != 0)
		return;
	for (;;) {
		ssize_t n = recv(socket_fd, &question, sizeof(question), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n != (ssize_t)sizeof(question) ||
		    memchr(question.name, '\0', sizeof(question.name)) == NULL)
			return;
		while (sem_wait(&room) != 0 && errno == EINTR)
			;
		if (start_job(&attr, socket_fd, &question) != 0) {
			const struct ward_resolver_answer failed = {
				.id = question.id,
				.error = EAI_MEMORY,
			};
			tell(socket_fd, &failed);
			(void)sem_post(&room);
		}
	}
}
