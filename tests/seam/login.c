/* SPDX-License-Identifier: ISC */
/* A login by su, by runuser or by ssh. */
#include "config.h"

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/seam/around.h"
#include "tests/seam/login.h"

static struct seam_way l;
static char server_config[256], client_config[256];

static void
name_config(char *out, size_t size, const char *name)
{
	int n = snprintf(out, size, "%s/%s", l.ssh_directory, name);

	if (n < 0 || (size_t)n >= size)
		errx(2, "%s: too long", l.ssh_directory);
}

void
seam_login_init(const struct seam_way *way)
{
	l = *way;
	if (way->ssh_directory == NULL)
		return;
	name_config(server_config, sizeof(server_config), "sshd_config");
	name_config(client_config, sizeof(client_config), "ssh_config");
}

/* --- what a process becomes --- */

static void
become_su(void)
{
	if (l.is_locked)
		(void)execl("/usr/sbin/runuser", "runuser", "-u", l.account,
		    l.command, (char *)NULL);
	else
		(void)execl("/usr/bin/su", "su", l.account, "-c", l.command,
		    (char *)NULL);
}

static void
become_sshd(void)
{
	(void)execl("/usr/sbin/sshd", "/usr/sbin/sshd", "-i", "-f",
	    server_config, (char *)NULL);
}

static void
become_ssh(const char *port)
{
	(void)execl("/usr/bin/ssh", "ssh", "-F", client_config, "-p", port,
	    "-l", l.account, "127.0.0.1", l.command, (char *)NULL);
}

/* A child with these; they stay the caller's. */
static pid_t
fork_with(int in_fd, int output_fd)
{
	pid_t pid = fork();

	if (pid < 0)
		err(2, "fork");
	if (pid == 0 &&
	    (dup2(in_fd, 0) < 0 || dup2(output_fd, 1) < 0 ||
		dup2(output_fd, 2) < 0))
		_exit(125);
	return pid;
}

/* --- a connection --- */

/* On a port of this login's alone. */
static int
listen_on(char *port, size_t size)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 ||
	    bind(fd, (const struct sockaddr *)&address, length) != 0 ||
	    listen(fd, 1) != 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &length) != 0)
		err(2, "a port");
	(void)snprintf(port, size, "%u", (unsigned)ntohs(address.sin_port));
	return fd;
}

static int
accept_on(int listen_fd)
{
	struct pollfd polled = { .fd = listen_fd, .events = POLLIN };
	int64_t until_ms = ward_now_ms() + SEAM_LOGIN_MS;

	while (poll(&polled, 1, 100) <= 0)
		if (ward_now_ms() >= until_ms)
			errx(2, "the client does not connect");
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		err(2, "accept");
	return fd;
}

/* The client, with the session's input; returns the server's end. */
static int
connect_client(struct seam_beside *client, int in_fd, int said_fd)
{
	char port[8];
	int listen_fd = listen_on(port, sizeof(port));

	client->pid = fork_with(in_fd, said_fd);
	if (client->pid == 0) {
		become_ssh(port);
		_exit(125);
	}
	int fd = accept_on(listen_fd);
	(void)close(listen_fd);
	seam_trace_beside(client);
	return fd;
}

/* --- logins --- */

void
seam_login_begin(struct seam_begun *begun, const struct seam_fault *fault,
    struct seam_seen *seen)
{
	struct seam_login login = { .become = become_su };
	int ends[2];

	login.said_fd = memfd_create("said", MFD_CLOEXEC);
	if (login.said_fd < 0 || pipe2(ends, O_CLOEXEC) != 0)
		err(2, "a login's input and output");
	begun->input_fd = ends[1];
	begun->client = (struct seam_beside){ 0 };
	login.in_fd = ends[0];
	login.out_fd = login.said_fd;
	if (l.ssh_directory != NULL) {
		login.become = become_sshd;
		login.in_fd =
		    connect_client(&begun->client, ends[0], login.said_fd);
		login.out_fd = login.in_fd;
		(void)close(ends[0]);
	}
	seam_trace_begin(&login, fault, seen);
	(void)close(login.in_fd);
}

void
seam_login_next(struct seam_beside *next, int output_fd)
{
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null_fd < 0)
		err(2, "/dev/null");
	*next = (struct seam_beside){ .pid = fork_with(null_fd, output_fd) };
	if (next->pid == 0) {
		if (l.ssh_directory != NULL)
			become_ssh("22");
		else
			become_su();
		_exit(125);
	}
	(void)close(null_fd);
	seam_trace_beside(next);
}
