/* SPDX-License-Identifier: ISC */
/*
 * Tries a real session.  Three processes: wardctl waits; the opener, its
 * child, does what sshd and its like do (pam_start, pam_open_session, fork);
 * the session, forked by the opener and placed by pam_ward.so, becomes the
 * account and holds still.  The opener is on the host and root: it reads what
 * the kernel says of the session and believes nothing that the session says.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <poll.h>
#include <security/pam_appl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/pids.h"
#include "common/places.h"
#include "common/text.h"
#include "ctl/ctl.h"
#include "ctl/probe.h"
#include "ctl/services.h"

#define WAIT_MS     15000
#define REPORT_SIZE 480
#define INIT_TRIES  200 /* of 10 ms */

/* What modules tell the user: the last line of Ward's, else the last. */
struct told {
	char line[REPORT_SIZE];
	bool is_wards;
};

static void
keep_line(struct told *told, const char *line)
{
	bool is_wards = strncmp(line, "ward: ", strlen("ward: ")) == 0;

	if (told->is_wards && !is_wards)
		return;
	told->is_wards = is_wards;
	(void)ward_text_visible(told->line, sizeof(told->line), line);
}

/* Nobody is there to answer a question. */
static int
converse(int n, const struct pam_message **messages,
    struct pam_response **responses, void *context)
{
	if (n <= 0 || n > PAM_MAX_NUM_MSG)
		return PAM_CONV_ERR;
	for (int i = 0; i < n; i++) {
		if (messages[i]->msg_style == PAM_PROMPT_ECHO_OFF ||
		    messages[i]->msg_style == PAM_PROMPT_ECHO_ON)
			return PAM_CONV_ERR;
		if (messages[i]->msg_style == PAM_ERROR_MSG &&
		    messages[i]->msg != NULL)
			keep_line(context, messages[i]->msg);
	}
	*responses = calloc((size_t)n, sizeof(**responses));
	return *responses == NULL ? PAM_BUF_ERR : PAM_SUCCESS;
}

/* --- the session: everything here runs inside, if all is well --- */

static void __attribute__((noreturn))
be_session(const struct ward_account *account, int ready_fd, int done_fd)
{
	char byte = 'r';
	struct pollfd end = { .fd = done_fd, .events = POLLIN };

	/* the account from here on, as a service's child is */
	if (setgroups(1, &account->gid) != 0 ||
	    setresgid(account->gid, account->gid, account->gid) != 0 ||
	    setresuid(account->uid, account->uid, account->uid) != 0)
		_exit(1);
	if (write(ready_fd, &byte, 1) != 1)
		_exit(1);
	(void)poll(&end, 1, WAIT_MS);
	_exit(0);
}

/* --- the opener: on the host, root --- */

/* The inode of a namespace; 0 if it cannot be told. */
static ino_t
namespace_of(pid_t pid, const char *kind)
{
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, kind);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* A field of /proc/PID/status as it stands there. */
static bool
status_field(pid_t pid, const char *name, char *out, size_t size)
{
	char path[64], line[512];
	bool found = false;
	size_t n = strlen(name);

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *in = fopen(path, "re");
	if (in == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), in) != NULL) {
		if (strncmp(line, name, n) != 0 || line[n] != ':')
			continue;
		char *value = line + n + 1;
		value += strspn(value, " \t");
		value[strcspn(value, "\n")] = '\0';
		(void)snprintf(out, size, "%s", value);
		found = true;
	}
	(void)fclose(in);
	return found;
}

static int
check_field(pid_t pid, const char *name, const char *want, struct err *err)
{
	char value[128] = "";

	if (status_field(pid, name, value, sizeof(value)) &&
	    strcmp(value, want) == 0)
		return 0;
	return ward_err_set(
	    err, EPERM, "its %s is '%s', not '%s'", name, value, want);
}

/* The program of a process is this one. */
static bool
runs(pid_t pid, const char *program)
{
	char its[512];

	return ward_pids_program(pid, its, sizeof(its)) == 0 &&
	    strcmp(its, program) == 0;
}

/* pid is the first of its pid namespace, and this program. */
static bool
is_first(pid_t pid, const char *program)
{
	char numbers[256] = "";

	if (!status_field(pid, "NSpid", numbers, sizeof(numbers)))
		return false;
	const char *inner = strrchr(numbers, '\t');
	return inner != NULL && strcmp(inner, "\t1") == 0 && runs(pid, program);
}

/* The first process of the session's pid namespace is Ward's init. */
static bool
has_init(ino_t namespace, DIR *proc)
{
	pid_t pid;

	rewinddir(proc);
	while ((pid = ward_pids_next(proc)) != 0)
		if (namespace_of(pid, "pid") == namespace &&
		    is_first(pid, WARD_INIT))
			return true;
	return false;
}

/* A session is open a moment before the first process has become init. */
static int
check_init(pid_t pid, struct err *err)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	ino_t namespace = namespace_of(pid, "pid");
	DIR *proc = opendir("/proc");

	if (proc == NULL)
		return ward_err_sys(err, errno, "/proc");
	bool found = has_init(namespace, proc);
	for (int n = 0; !found && n < INIT_TRIES; n++) {
		(void)nanosleep(&pause, NULL);
		found = has_init(namespace, proc);
	}
	(void)closedir(proc);
	if (found)
		return 0;
	return ward_err_set(err, EPERM,
	    "the first process of its pid namespace is not " WARD_INIT);
}

static int
check_session(pid_t pid, const struct ward_account *account, struct err *err)
{
	static const char *const kinds[] = { "mnt", "net", "ipc", "uts",
		"pid" };
	char ids[128];
	int r;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		ino_t own = namespace_of(getpid(), kinds[i]);
		ino_t its = namespace_of(pid, kinds[i]);
		if (own == 0 || its == 0 || own == its)
			return ward_err_set(err, EPERM,
			    "its %s namespace is the host's", kinds[i]);
	}
	(void)snprintf(ids, sizeof(ids), "%u\t%u\t%u\t%u",
	    (unsigned)account->uid, (unsigned)account->uid,
	    (unsigned)account->uid, (unsigned)account->uid);
	r = check_field(pid, "Uid", ids, err);
	if (r == 0)
		r = check_field(pid, "NoNewPrivs", "1", err);
	if (r == 0)
		r = check_field(pid, "Seccomp", "2", err);
	if (r == 0)
		r = check_field(pid, "CapBnd", "0000000000000000", err);
	if (r == 0)
		r = check_field(pid, "CapEff", "0000000000000000", err);
	return r == 0 ? check_init(pid, err) : r;
}

static int64_t
now_us(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* What passed since *since, which becomes now. */
static int64_t
lap(int64_t *since)
{
	int64_t before = *since;

	*since = now_us();
	return *since - before;
}

/* Forks what pam_ward.so has armed this process for, and looks at it. */
static int
try_fork(const struct ward_account *account, struct ward_probe_times *times,
    struct err *err)
{
	int ready[2], done[2], status = 0;
	int64_t since = now_us();

	if (pipe2(ready, O_CLOEXEC) != 0)
		return ward_err_sys(err, errno, "pipe");
	if (pipe2(done, O_CLOEXEC) != 0) {
		int error = errno;
		(void)close(ready[0]);
		(void)close(ready[1]);
		return ward_err_sys(err, error, "pipe");
	}
	pid_t pid = fork();
	if (pid == 0) {
		(void)close(ready[0]);
		(void)close(done[1]);
		be_session(account, ready[1], done[0]);
	}
	int r = pid < 0 ? ward_err_sys(err, errno, "fork") : 0;
	(void)close(ready[1]);
	(void)close(done[0]);
	struct pollfd wait = { .fd = ready[0], .events = POLLIN };
	char byte;
	if (r == 0 &&
	    (poll(&wait, 1, WAIT_MS) != 1 || read(ready[0], &byte, 1) != 1))
		r = ward_err_set(err, EPERM,
		    "a process of it could not be sealed, or could not "
		    "become the account: see the log");
	times->fork = lap(&since);
	if (r == 0)
		r = check_session(pid, account, err);
	times->look = lap(&since);
	(void)close(ready[0]);
	(void)close(done[1]);
	if (pid > 0) {
		/* the warden reaps nothing of ours */
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, &status, 0);
	}
	return r;
}

static int
open_and_try(const struct ward_account *account, const char *service,
    struct ward_probe_times *times, struct err *err)
{
	int64_t since = now_us();
	struct told told = { 0 };
	struct pam_conv conversation = {
		.conv = converse,
		.appdata_ptr = &told,
	};
	pam_handle_t *pamh = NULL;

	int p = pam_start(service, account->name, &conversation, &pamh);
	if (p != PAM_SUCCESS)
		return ward_err_set(err, EPERM, "pam_start: error %d", p);
	p = pam_open_session(pamh, PAM_SILENT);
	if (p != PAM_SUCCESS) {
		(void)ward_err_set(err, EPERM, "%s",
		    told.line[0] != '\0' ? told.line : pam_strerror(pamh, p));
		(void)pam_end(pamh, p);
		return -EPERM;
	}
	times->open = lap(&since);
	int r = try_fork(account, times, err);
	(void)lap(&since);
	p = pam_close_session(pamh, PAM_SILENT);
	times->close = lap(&since);
	if (r == 0 && p != PAM_SUCCESS)
		r = ward_err_set(
		    err, EPERM, "pam_close_session: %s", pam_strerror(pamh, p));
	(void)pam_end(pamh, p);
	return r;
}

static bool
write_report(int fd, const char *text)
{
	size_t n = strlen(text);

	return write(fd, text, n) == (ssize_t)n;
}

static void __attribute__((noreturn)) be_opener(
    const struct ward_account *account, const char *service, int report_fd)
{
	struct ward_probe_times times = { 0 };
	struct err err = { 0 };

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* as a daemon's session is: no terminal, no directory of the caller's
	 */
	(void)setsid();
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd < 0 || dup2(null_fd, 0) < 0 || dup2(null_fd, 1) < 0 ||
	    dup2(null_fd, 2) < 0 || chdir("/") != 0)
		_exit(1);
	if (open_and_try(account, service, &times, &err) == 0) {
		(void)snprintf(err.text, sizeof(err.text),
		    "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, times.open,
		    times.fork, times.look, times.close);
		(void)write_report(report_fd, err.text);
		_exit(0);
	}
	_exit(write_report(report_fd, err.text) ? 1 : 2);
}

/* --- wardctl --- */

static void
read_report(int fd, char *out, size_t size)
{
	size_t used = 0;
	ssize_t n;

	do {
		n = read(fd, out + used, size - 1 - used);
		if (n > 0)
			used += (size_t)n;
	} while ((n > 0 && used < size - 1) || (n < 0 && errno == EINTR));
	out[used] = '\0';
}

int
ward_probe_timed(const struct ward_account *account, const char *service,
    struct ward_probe_times *times, struct err *err)
{
	int report[2], status;
	char text[REPORT_SIZE];

	(void)fflush(NULL);
	if (pipe2(report, O_CLOEXEC) != 0)
		return ward_err_sys(err, errno, "pipe");
	pid_t pid = fork();
	if (pid == 0) {
		(void)close(report[0]);
		be_opener(account, service, report[1]);
	}
	int error = errno;
	_cleanup_fd_ int report_fd = report[0];
	(void)close(report[1]);
	if (pid < 0)
		return ward_err_sys(err, error, "fork");
	read_report(report_fd, text, sizeof(text));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return ward_err_sys(err, errno, "waitpid");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		/* NOLINTNEXTLINE(cert-err34-c): our own child's words */
		(void)sscanf(text,
		    "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64,
		    &times->open, &times->fork, &times->look, &times->close);
		return 0;
	}
	return ward_err_set(err, EPERM, "%s",
	    text[0] == '\0' ? "it ended without a word: see the log" : text);
}

int
ward_probe(
    const struct ward_account *account, const char *service, struct err *err)
{
	struct ward_probe_times times;

	return ward_probe_timed(account, service, &times, err);
}

int
ward_probe_all(const struct ward_account *account,
    const struct ward_profile *profile, struct err *err)
{
	size_t n = 0, n_outside = 0;

	for (size_t i = 0; i < profile->n_services; i++) {
		const char *service = profile->services[i];
		struct err why = { 0 };
		if (!ward_service_is_there(service))
			continue;
		n++;
		if (ward_probe(account, service, &why) == 0) {
			ward_ctl_say("a session through %s: inside", service);
			continue;
		}
		n_outside++;
		ward_ctl_say(
		    "a session through %s: NOT inside: %s", service, why.text);
	}
	if (n == 0)
		return ward_err_set(err, EPERM,
		    "the profile %s opens no service that this machine has",
		    profile->name);
	if (n_outside > 0)
		return ward_err_set(err, EPERM,
		    "%zu of %zu services did not place a session of %s in "
		    "its sandbox",
		    n_outside, n, account->name);
	return 0;
}
