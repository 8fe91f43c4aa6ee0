/* SPDX-License-Identifier: ISC */
/*
 * egress: the only way out of one sandbox.  Started by the warden as user
 * ward-egress on the host's network, with an empty environment and its socket
 * as descriptor 3.  It decides what may be reached and relays it; everything
 * that it listens on was made inside the sandbox and is handed to it.
 *
 * Its main reads as the argument that this is safe: give up what is not needed,
 * put name services into another process, take the rules and the listeners,
 * give up the rest, and only then read what a client says.  It ends with the
 * warden's socket.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "egress/dns_front.h"
#include "egress/egress.h"
#include "egress/flow.h"
#include "egress/fronts.h"
#include "egress/listen.h"
#include "egress/resolver.h"
#include "egress/route.h"
#include "egress/seal.h"

#define WARDEN_FD 3
#define START_MS  10000

/* Where START leaves them to egress. */
#define CONNECTIONS 1024
#define RATE        2000
/* Of a connection that is relayed: two sockets. */
#define FDS_EACH    2
#define FDS_OTHER   64

/* What was made before the seal. */
struct given {
	struct ward_wire_egress_start start;
	int fds[WARD_EGRESS_FDS]; /* -1: not there */
};

/* Forks the resolver away while there is nothing that it could keep. */
static int
start_resolver(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -errno;
	pid_t pid = fork();
	if (pid == 0) {
		(void)close(WARDEN_FD);
		(void)close(pair[0]);
		(void)prctl(PR_SET_NAME, "ward-resolver", 0, 0, 0);
		if (ward_seal_resolver() != 0)
			_exit(EXIT_FAILURE); /* its end is seen: fail closed */
		ward_resolver_run(pair[1]);
		_exit(EXIT_SUCCESS);
	}
	int r = pid < 0 ? -errno : pair[0];
	(void)close(pair[1]);
	if (r < 0)
		(void)close(pair[0]);
	return r;
}

static int
receive_start(struct given *given)
{
	struct ward_wire wire;
	int fds[WARD_FD_PASS_MAX];
	size_t n_fds = WARD_FD_PASS_MAX, used = 0;
	ssize_t n = ward_fd_receive(WARDEN_FD, wire.data, sizeof(wire.data),
	    fds, &n_fds, NULL, ward_now_ms() + START_MS);

	if (n <= 0)
		return n < 0 ? (int)n : -ECONNRESET;
	wire.size = (size_t)n;
	int r = ward_wire_get_egress_start(&wire, &given->start);
	if (r != 0)
		return r;
	for (size_t i = 0; i < WARD_EGRESS_FDS; i++) {
		given->fds[i] = -1;
		if ((given->start.has & 1u << i) != 0 && used < n_fds)
			given->fds[i] = fds[used++];
		else if ((given->start.has & 1u << i) != 0)
			return -EPROTO;
	}
	return used == n_fds ? 0 : -EPROTO;
}

/* As many as there may be, and connections as there are descriptors for. */
static void
set_limits(
    struct ward_egress *egress, const struct ward_wire_egress_start *start)
{
	struct rlimit files = { 0 };

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
		(void)getrlimit(RLIMIT_NOFILE, &files);
	}
	size_t most = files.rlim_cur <= FDS_OTHER + FDS_EACH
	    ? 1
	    : (size_t)(files.rlim_cur - FDS_OTHER) / FDS_EACH;
	egress->clients_max =
	    start->connections == 0 ? CONNECTIONS : start->connections;
	if (egress->clients_max > most)
		egress->clients_max = most;
	egress->rate = start->rate == 0 ? RATE : start->rate;
	egress->tokens = (uint64_t)egress->rate * 1000;
	egress->refilled = ward_now_ms();
}

/* --- the warden --- */

static int
answer_taken(uint64_t serial, int error)
{
	const struct ward_wire_egress_taken taken = {
		.serial = serial,
		.error = (uint32_t)error,
	};
	struct ward_wire wire;
	int r = ward_wire_put_egress_taken(&wire, &taken);

	return r == 0 ? ward_fd_send(WARDEN_FD, wire.data, wire.size, NULL, 0)
		      : r;
}

/* New rules, or none of it: a blob that is no good changes nothing. */
static int
take_policy(
    struct ward_egress *egress, const struct ward_wire *wire, int rules_fd)
{
	struct ward_wire_egress_policy policy;
	struct ward_rules *rules;
	int r = ward_wire_get_egress_policy(wire, &policy);

	if (r != 0)
		return r;
	r = rules_fd < 0 ? -EBADF : ward_rules_load(rules_fd, &rules);
	if (r == 0) {
		ward_rules_drop(egress->rules);
		egress->rules = rules;
	}
	return answer_taken(policy.serial, -r);
}

static void
on_warden(evutil_socket_t fd, short what, void *context)
{
	struct ward_egress *egress = context;
	struct ward_wire wire;
	int fds[1];
	size_t n_fds = 1;

	(void)what;
	ssize_t n = ward_fd_receive(
	    fd, wire.data, sizeof(wire.data), fds, &n_fds, NULL, -1);
	if (n == -EAGAIN)
		return;
	if (n > 0) {
		wire.size = (size_t)n;
		_cleanup_fd_ int rules_fd = n_fds == 1 ? fds[0] : -1;
		if (take_policy(egress, &wire, rules_fd) == 0)
			return;
	}
	/* the warden is gone, or says what nobody understands: no network */
	(void)event_base_loopbreak(egress->base);
}

static void
on_resolver_lost(void *context)
{
	struct ward_egress *egress = context;

	/* without names there is no deciding: the warden starts another */
	(void)event_base_loopbreak(egress->base);
}

/* --- the start --- */

static int
listen_on(struct ward_egress *egress, int fd,
    void (*begin)(struct ward_egress *egress, int fd))
{
	if (fd < 0)
		return 0;
	if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0)
		return -errno;
	return ward_listener_new(egress, fd, begin) == NULL ? -ENOMEM : 0;
}

static int
listen_all(struct ward_egress *egress, const struct given *given)
{
	static const struct {
		enum ward_egress_fd fd;
		void (*begin)(struct ward_egress *egress, int fd);
	} listeners[] = {
		{ WARD_EGRESS_PROXY, ward_front_begin_proxy },
		{ WARD_EGRESS_TCP4, ward_front_begin_steered },
		{ WARD_EGRESS_TCP6, ward_front_begin_steered },
		{ WARD_EGRESS_DNS_TCP, ward_front_begin_dns },
	};
	int udp_fd = given->fds[WARD_EGRESS_DNS_UDP];
	int r = udp_fd < 0 ? 0 : ward_dns_serve_udp(egress, udp_fd);

	for (size_t i = 0;
	     r == 0 && i < sizeof(listeners) / sizeof(listeners[0]); i++)
		r = listen_on(
		    egress, given->fds[listeners[i].fd], listeners[i].begin);
	return r;
}

/* Everything that needs more than the seal leaves. */
static int
set_up(struct ward_egress *egress, const struct given *given, int resolver_fd)
{
	uint64_t seed;
	int r = ward_rules_load(given->fds[WARD_EGRESS_RULES], &egress->rules);

	if (r != 0)
		return r;
	(void)close(given->fds[WARD_EGRESS_RULES]);
	if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
		return -EIO;
	TAILQ_INIT(&egress->hands);
	TAILQ_INIT(&egress->settled);
	void *buffer = mmap(NULL, WARD_EGRESS_BUFFER, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED)
		return -errno;
	egress->buffer = buffer;
	egress->warden_fd = WARDEN_FD;
	egress->events_fd = given->fds[WARD_EGRESS_EVENTS];
	egress->redirected = given->start.redirected;
	set_limits(egress, &given->start);
	egress->route_fd = ward_route_open();
	egress->standins = ward_standins_new(seed, given->start.generation);
	egress->base = event_base_new();
	if (egress->route_fd < 0)
		return egress->route_fd;
	if (egress->standins == NULL || egress->base == NULL)
		return -ENOMEM;
	egress->lookups = ward_lookups_new(
	    egress->base, resolver_fd, on_resolver_lost, egress);
	struct event *warden = event_new(
	    egress->base, WARDEN_FD, EV_READ | EV_PERSIST, on_warden, egress);
	egress->tell_again =
	    evtimer_new(egress->base, ward_flow_on_tell_again, egress);
	if (egress->lookups == NULL || warden == NULL ||
	    egress->tell_again == NULL || event_add(warden, NULL) != 0)
		return -ENOMEM;
	return listen_all(egress, given);
}

int
main(void)
{
	static struct ward_egress egress;
	struct given given = { 0 };

	(void)signal(SIGPIPE, SIG_IGN); /* splice(2) has no MSG_NOSIGNAL */
	int r = ward_seal_privileges();
	int resolver_fd = r == 0 ? start_resolver() : -1;
	if (r == 0 && resolver_fd < 0)
		r = resolver_fd;
	/* in any case: what is never read hides the answer from the warden */
	int got = receive_start(&given);
	if (r == 0)
		r = got;
	if (r == 0)
		r = set_up(&egress, &given, resolver_fd);
	if (r == 0)
		r = ward_seal_egress();
	/* the warden is told that it serves, or why it never will */
	if (answer_taken(0, -r) != 0 || r != 0)
		return EXIT_FAILURE;
	return event_base_dispatch(egress.base) < 0 ? EXIT_FAILURE
						    : EXIT_SUCCESS;
}
