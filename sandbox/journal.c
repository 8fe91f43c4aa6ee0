/* SPDX-License-Identifier: ISC */
/* Violations to the host's log. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/journal.h"

#define JOURNAL "/run/systemd/journal/socket"
#define SYSLOG  "/dev/log"

/* 0, or -errno.  Never waits. */
static int
send_to(struct ward_journal *journal, const char *path, const char *text,
    size_t length)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (journal->fd < 0)
		journal->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (journal->fd < 0)
		return -errno;
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (sendto(journal->fd, text, length, MSG_DONTWAIT | MSG_NOSIGNAL,
		(const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return 0;
}

/* Nobody is there who could be sent to. */
static bool
is_absent(int result)
{
	return result == -ENOENT || result == -ECONNREFUSED;
}

/* As syslog(3) writes it, which would wait for room. */
static int
send_syslog(struct ward_journal *journal, const char *text)
{
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May",
		"Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	char line[WARD_JOURNAL_MAX + 64];
	time_t now = time(NULL);
	struct tm tm = { 0 };

	(void)localtime_r(&now, &tm);
	int n = snprintf(line, sizeof(line),
	    "<%d>%s %2d %02d:%02d:%02d ward[%d]: %s", LOG_AUTHPRIV | LOG_NOTICE,
	    months[tm.tm_mon % 12], tm.tm_mday, tm.tm_hour, tm.tm_min,
	    tm.tm_sec, (int)getpid(), text);
	return send_to(journal, SYSLOG, line, (size_t)n);
}

/* What the log did not get, as soon as it has room again. */
static int
tell_missed(struct ward_journal *journal)
{
	char text[256];

	if (journal->missed == 0)
		return 0;
	int n = snprintf(text, sizeof(text),
	    "MESSAGE=ward: the log had no room for %" PRId64
	    " violations: wardctl violations has them\nPRIORITY=%d\n"
	    "SYSLOG_FACILITY=%d\nSYSLOG_IDENTIFIER=ward\nWARD_MISSED=%" PRId64
	    "\n",
	    journal->missed, LOG_WARNING, LOG_FAC(LOG_AUTHPRIV),
	    journal->missed);
	int r = send_to(journal, JOURNAL, text, (size_t)n);
	if (is_absent(r)) {
		(void)snprintf(text, sizeof(text),
		    "@cee:{\"event\":\"missed\",\"count\":%" PRId64 "}",
		    journal->missed);
		r = send_syslog(journal, text);
	}
	if (r == 0)
		journal->missed = 0;
	return r;
}

void
ward_journal_violation(struct ward_journal *journal, int64_t id,
    const char *account, uint32_t uid, const struct ward_violation *violation)
{
	char text[WARD_JOURNAL_MAX];
	int r = tell_missed(journal);

	if (r == 0) {
		size_t n = ward_journal_native(
		    text, sizeof(text), id, account, uid, violation);
		r = send_to(journal, JOURNAL, text, n);
	}
	if (is_absent(r)) {
		(void)ward_journal_cee(
		    text, sizeof(text), id, account, uid, violation);
		r = send_syslog(journal, text);
	}
	/* where there is no log at all, nothing is missed in it */
	if (r != 0 && !is_absent(r))
		journal->missed++;
}

void
ward_journal_close(struct ward_journal *journal)
{
	if (journal->missed > 0)
		(void)tell_missed(journal);
	if (journal->fd >= 0)
		(void)close(journal->fd);
	journal->fd = -1;
}
