/* SPDX-License-Identifier: ISC */
/*
 * load: a server, and clients that measure the way to it.
 *	load serve PORT
 *	load bulk WAY HOST PORT CONNECTIONS MEBIBYTES	mebibytes a second
 *	load kept WAY HOST PORT REQUESTS SAMPLES	microseconds: median,
 *	load new WAY HOST PORT REQUESTS SAMPLES		99th; requests a second
 *	load refused WAY HOST PORT REQUESTS SAMPLES
 * WAY is "direct", or the port of an HTTP proxy on 127.0.0.1.  bulk sends over
 * so many connections at once, each as much; kept asks again and again on one
 * connection, new on one for each; refused is a CONNECT that is answered with
 * 403.  Samples, in microseconds, are appended to a file, "-" for none.  For
 * scripts/bench only.
 */
#include "config.h"

#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/number.h"

#define CHUNK       ((size_t)256 * 1024)
#define HEAD_MAX    4096
#define CLIENTS_MAX 256

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
			     "Content-Type: text/plain\r\n\r\nward\n";

struct way {
	uint16_t proxy; /* 0: none */
	const char *host;
	uint16_t port;
};

struct sender {
	const struct way *way;
	uint64_t bytes;
	pthread_barrier_t *barrier;
};

static double
now_us(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC, &ts) != 0)
		err(1, "clock_gettime");
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static uint64_t
number(const char *text, uint64_t most)
{
	uint64_t n;

	if (ward_number_parse(text, most, &n) != 0 || n == 0)
		errx(2, "%s is no number from 1 to %ju", text, (uintmax_t)most);
	return n;
}

static void
send_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size > 0) {
		ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
		if (n < 0)
			err(1, "send");
		at += n;
		size -= (size_t)n;
	}
}

/* Reads up to the end of an HTTP head; the size of what came, 0 at the end. */
static size_t
read_head(int fd, char head[HEAD_MAX])
{
	size_t size = 0;

	for (;;) {
		ssize_t n = recv(fd, head + size, HEAD_MAX - 1 - size, 0);
		if (n <= 0)
			return 0;
		size += (size_t)n;
		head[size] = '\0';
		if (strstr(head, "\r\n\r\n") != NULL)
			return size;
		if (size == HEAD_MAX - 1)
			errx(1, "a head without end");
	}
}

/* --- the server --- */

/* BULK SIZE: reads so much, of which some came, and says that it has. */
static void
take_bulk(int fd, const char *head, size_t came)
{
	uint64_t left = strtoull(head + 5, NULL, 10) - came;
	char *chunk = malloc(CHUNK);
	ssize_t n = 1;

	if (chunk == NULL)
		err(1, "malloc");
	while (left > 0 && (n = recv(fd, chunk, CHUNK, 0)) > 0)
		left -= (uint64_t)n;
	free(chunk);
	if (n > 0)
		send_all(fd, answer, 1);
}

static void *
serve_one(void *argument)
{
	int fd = (int)(intptr_t)argument;
	char head[HEAD_MAX];
	size_t size;

	while ((size = read_head(fd, head)) != 0) {
		if (strncmp(head, "BULK", 4) == 0) {
			take_bulk(fd, head, size);
			break;
		}
		(void)send(fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL);
	}
	(void)close(fd);
	return NULL;
}

static _Noreturn void
serve(uint16_t port)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int on = 1;
	pthread_t thread;

	int listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listen_fd < 0 ||
	    setsockopt(listen_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) !=
		0 ||
	    bind(listen_fd, (const struct sockaddr *)&address,
		sizeof(address)) != 0 ||
	    listen(listen_fd, SOMAXCONN) != 0)
		err(1, "port %u", (unsigned)port);
	for (;;) {
		int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			err(1, "accept");
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		if (pthread_create(
			&thread, NULL, serve_one, (void *)(intptr_t)fd) != 0)
			errx(1, "no thread");
		(void)pthread_detach(thread);
	}
}

/* --- the clients --- */

static int
dial(const struct way *way)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(way->proxy != 0 ? way->proxy : way->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int on = 1;

	if (way->proxy == 0 &&
	    inet_pton(AF_INET, way->host, &address.sin_addr) != 1)
		errx(2, "%s is no address", way->host);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 ||
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) !=
		0)
		err(1, "connect");
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

/* The status of the proxy's answer. */
static int
ask_proxy(int fd, const struct way *way)
{
	char head[HEAD_MAX];

	int n = snprintf(head, sizeof(head),
	    "CONNECT %s:%u HTTP/1.1\r\nHost: %s:%u\r\n\r\n", way->host,
	    (unsigned)way->port, way->host, (unsigned)way->port);
	send_all(fd, head, (size_t)n);
	/* "HTTP/1.x 200" */
	return read_head(fd, head) > 12 ? (int)strtol(head + 9, NULL, 10) : 0;
}

static int
open_way(const struct way *way)
{
	int fd = dial(way);

	if (way->proxy != 0 && ask_proxy(fd, way) != 200)
		errx(1, "the proxy does not connect");
	return fd;
}

static void
request(int fd)
{
	static const char get[] = "GET / HTTP/1.1\r\nHost: bench\r\n\r\n";
	char head[HEAD_MAX];

	send_all(fd, get, sizeof(get) - 1);
	if (read_head(fd, head) != sizeof(answer) - 1)
		errx(1, "another answer");
}

static void *
send_bulk(void *argument)
{
	const struct sender *sender = argument;
	char *chunk = calloc(1, CHUNK);
	char done;

	if (chunk == NULL)
		err(1, "calloc");
	(void)snprintf(
	    chunk, CHUNK, "BULK %ju\r\n\r\n", (uintmax_t)sender->bytes);
	int fd = open_way(sender->way);
	(void)pthread_barrier_wait(sender->barrier);
	for (uint64_t left = sender->bytes; left > 0; left -= CHUNK)
		send_all(fd, chunk, CHUNK);
	if (recv(fd, &done, 1, 0) != 1)
		errx(1, "not all of it arrived");
	(void)close(fd);
	free(chunk);
	return NULL;
}

static void
bulk(const struct way *way, unsigned connections, uint64_t mebibytes)
{
	pthread_t threads[CLIENTS_MAX];
	pthread_barrier_t barrier;
	struct sender sender = {
		.way = way,
		.bytes = mebibytes << 20,
		.barrier = &barrier,
	};

	if (pthread_barrier_init(&barrier, NULL, connections + 1) != 0)
		errx(1, "no barrier");
	for (unsigned i = 0; i < connections; i++)
		if (pthread_create(&threads[i], NULL, send_bulk, &sender) != 0)
			errx(1, "no thread");
	(void)pthread_barrier_wait(&barrier);
	double start = now_us();
	for (unsigned i = 0; i < connections; i++)
		(void)pthread_join(threads[i], NULL);
	double took = now_us() - start;
	printf("%.1f\n", (double)(mebibytes * connections) * 1e6 / took);
}

static int
compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void
report(double *took, size_t n, double whole, const char *samples)
{
	if (strcmp(samples, "-") != 0) {
		FILE *file = fopen(samples, "ae");
		if (file == NULL)
			err(1, "%s", samples);
		for (size_t i = 0; i < n; i++)
			(void)fprintf(file, "%.1f\n", took[i]);
		if (fclose(file) != 0)
			err(1, "%s", samples);
	}
	qsort(took, n, sizeof(*took), compare);
	printf("%.1f %.1f %.0f\n", took[n / 2], took[n - 1 - n / 100],
	    (double)n * 1e6 / whole);
}

static void
ask_refused(const struct way *way)
{
	int fd = dial(way);

	if (ask_proxy(fd, way) != 403)
		errx(1, "not refused");
	(void)close(fd);
}

static void
ask_new(const struct way *way)
{
	int fd = open_way(way);

	request(fd);
	(void)close(fd);
}

static void
requests(const char *how, const struct way *way, size_t n, const char *samples)
{
	int fd = strcmp(how, "kept") == 0 ? open_way(way) : -1;
	double *took = calloc(n, sizeof(*took));

	if (took == NULL)
		err(1, "calloc");
	double first = now_us();
	for (size_t i = 0; i < n; i++) {
		double start = now_us();
		if (fd >= 0)
			request(fd);
		else if (strcmp(how, "new") == 0)
			ask_new(way);
		else
			ask_refused(way);
		took[i] = now_us() - start;
	}
	report(took, n, now_us() - first, samples);
	free(took);
	if (fd >= 0)
		(void)close(fd);
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "serve") == 0)
		serve((uint16_t)number(argv[2], UINT16_MAX));
	if (argc != 7)
		errx(2, "usage: load HOW WAY HOST PORT COUNT SIZE|SAMPLES");
	const struct way way = {
		.proxy = strcmp(argv[2], "direct") == 0
		    ? 0
		    : (uint16_t)number(argv[2], UINT16_MAX),
		.host = argv[3],
		.port = (uint16_t)number(argv[4], UINT16_MAX),
	};
	if (strcmp(argv[1], "bulk") == 0)
		bulk(&way, (unsigned)number(argv[5], CLIENTS_MAX),
		    number(argv[6], UINT64_C(1) << 20));
	else
		requests(argv[1], &way, number(argv[5], 10000000), argv[6]);
	return 0;
}
