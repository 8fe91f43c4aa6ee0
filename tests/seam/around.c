/* SPDX-License-Identifier: ISC */
/* What is around a traced login. */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fd.h"
#include "common/places.h"
#include "tests/seam/around.h"
#include "tests/seam/inside.h"
#include "tests/seam/login.h"
#include "tests/seam/trace.h"

#define CLEAN_MS 5000

static struct {
	char run[64];
	unsigned mounts;
	int log_fd;
} a;

/* A crowd of lines must not make their writers wait. */
static void
make_log(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	FILE *most = fopen("/proc/sys/net/unix/max_dgram_qlen", "we");

	if (most == NULL || fputs("1000\n", most) < 0 || fclose(most) != 0)
		err(2, "max_dgram_qlen");
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		err(2, "a mount namespace");
	a.log_fd =
	    socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	(void)snprintf(address.sun_path, sizeof(address.sun_path),
	    "/run/seam-log.%d", (int)getpid());
	int file_fd = open("/dev/log", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (file_fd >= 0)
		(void)close(file_fd);
	if (a.log_fd < 0 ||
	    bind(a.log_fd, (const struct sockaddr *)&address,
		sizeof(address)) != 0 ||
	    mount(address.sun_path, "/dev/log", NULL, MS_BIND, NULL) != 0 ||
	    unlink(address.sun_path) != 0)
		err(2, "/dev/log");
}

static unsigned
count_mounts(void)
{
	unsigned n = 0;
	FILE *file = fopen("/proc/self/mountinfo", "re");

	for (int c; file != NULL && (c = getc(file)) != EOF;)
		n += c == '\n';
	if (file == NULL || fclose(file) != 0)
		err(2, "mountinfo");
	return n;
}

void
seam_around_init(uid_t uid)
{
	make_log();
	(void)snprintf(a.run, sizeof(a.run), WARD_RUN "/%u", (unsigned)uid);
	a.mounts = count_mounts();
}

void
seam_around_log(char *out, size_t size)
{
	char line[2048];
	ssize_t n;

	if (size > 0)
		out[0] = '\0';
	while ((n = recv(a.log_fd, line, sizeof(line), 0)) >= 0) {
		size_t used = size > 0 ? strlen(out) : 0;
		if (size - used > 1)
			(void)snprintf(
			    out + used, size - used, "%.*s\n", (int)n, line);
	}
}

bool
seam_around_has_code(const char *text)
{
	for (const char *at = text; (at = strstr(at, "ward: W")) != NULL;
	     at += 7)
		if (isdigit((unsigned char)at[7]) &&
		    isdigit((unsigned char)at[8]) &&
		    isdigit((unsigned char)at[9]) && at[10] == ':')
			return true;
	return false;
}

static bool
next_ended(void *context)
{
	const struct seam_beside *next = context;

	return next->ended;
}

bool
seam_around_next(bool may_refuse, char *why, size_t size)
{
	char said[4096] = "";
	struct seam_beside next;
	int output_fd = memfd_create("said", MFD_CLOEXEC);
	int64_t began_ms = ward_now_ms();

	if (output_fd < 0)
		err(2, "the next login");
	seam_login_next(&next, output_fd);
	bool in_time =
	    seam_trace_run(next_ended, &next, began_ms + SEAM_LOGIN_MS);
	if (!in_time) {
		(void)kill(next.pid, SIGKILL);
		(void)seam_trace_run(
		    next_ended, &next, ward_now_ms() + SEAM_LOGIN_MS);
	}
	int status = next.status;
	ssize_t n = pread(output_fd, said, sizeof(said) - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	(void)close(output_fd);
	bool is_in = status == 0 && strstr(said, SEAM_INSIDE) != NULL &&
	    strstr(said, SEAM_LEAKS) == NULL && strstr(said, SEAM_LOST) == NULL;
	bool is_refused =
	    may_refuse && status != 0 && seam_around_has_code(said);
	if (in_time && (is_in || is_refused))
		return true;
	(void)snprintf(why, size, "the next login: %lld ms, status %#x: %s",
	    (long long)(ward_now_ms() - began_ms), (unsigned)status, said);
	return false;
}

/* The name of a run file that is left; false: there is none. */
static bool
run_file_left(char *name, size_t size)
{
	DIR *dir = opendir(a.run);
	const struct dirent *d;
	bool found = false;

	while (dir != NULL && !found && (d = readdir(dir)) != NULL) {
		found = strcmp(d->d_name, ".") != 0 &&
		    strcmp(d->d_name, "..") != 0 &&
		    strcmp(d->d_name, "lock") != 0;
		if (found)
			(void)snprintf(name, size, "%s", d->d_name);
	}
	if (dir != NULL)
		(void)closedir(dir);
	return found;
}

/* The first line of a file of a process's, behind what is in out. */
static void
add_line(char *out, size_t size, const char *pid, const char *name)
{
	char path[64], line[128] = "";
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%.16s/%s", pid, name);
	file = fopen(path, "re");
	if (file == NULL)
		return;
	(void)!fgets(line, sizeof(line), file);
	(void)fclose(file);
	line[strcspn(line, "\n")] = '\0';
	size_t used = strlen(out);
	(void)snprintf(out + used, size - used, " %s", line);
}

/* Each warden and its parts: what they are doing, for whoever reads why. */
static void
name_wardens(char *out, size_t size)
{
	DIR *dir = opendir("/proc");
	const struct dirent *d;

	while (dir != NULL && (d = readdir(dir)) != NULL) {
		char about[512] = "";
		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		add_line(about, sizeof(about), d->d_name, "comm");
		if (strstr(about, "ward") == NULL &&
		    strstr(about, "connector") == NULL)
			continue;
		add_line(about, sizeof(about), d->d_name, "stat");
		add_line(about, sizeof(about), d->d_name, "wchan");
		add_line(about, sizeof(about), d->d_name, "syscall");
		size_t used = strlen(out);
		(void)snprintf(out + used, size - used, "%s\n", about);
	}
	if (dir != NULL)
		(void)closedir(dir);
}

bool
seam_around_is_clean(char *why, size_t size)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	int64_t until_ms = ward_now_ms() + CLEAN_MS;
	char name[256];

	while (run_file_left(name, sizeof(name))) {
		if (ward_now_ms() >= until_ms) {
			(void)snprintf(
			    why, size, "%s/%s is left\n", a.run, name);
			name_wardens(why, size);
			seam_around_log(why + strlen(why), size - strlen(why));
			return false;
		}
		(void)nanosleep(&pause, NULL);
	}
	unsigned mounts = count_mounts();
	if (mounts == a.mounts)
		return true;
	(void)snprintf(why, size, "%u mounts, and were %u", mounts, a.mounts);
	return false;
}
