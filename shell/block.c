/* SPDX-License-Identifier: ISC */
/* What was refused to a command, told behind it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/ask.h"
#include "common/cleanup.h"
#include "common/told.h"
#include "shell/block.h"

#define LIMIT_MS 3000 /* all of it */
#define JUDGE_MS 2000 /* until all that was seen is judged */
#define LINES    20   /* the rest is counted */

struct block {
	FILE *text;
	unsigned lines, more;
};

static int
on_refusal(void *context, const struct ward_wire_why_is *refusal)
{
	struct block *block = context;
	static char line[WARD_TOLD_MAX];

	/* of Ward's own parts, not of what the command did */
	if (strcmp(refusal->kind, "internal") == 0 ||
	    strcmp(refusal->operation, "appear") == 0)
		return 0;
	if (block->lines == LINES) {
		block->more++;
		return 0;
	}
	(void)ward_told_line(refusal, refusal->lately, line, sizeof(line));
	if (block->lines++ == 0)
		(void)fputs("<sandbox_violations>\n", block->text);
	(void)fprintf(block->text, "%s\n", line);
	return 0;
}

/* Who does not read is waited for; ward_block_tell ends that. */
static void
say(const char *text, size_t n)
{
	struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };

	while (n > 0) {
		ssize_t r = write(STDERR_FILENO, text, n);
		if (r > 0) {
			text += r;
			n -= (size_t)r;
		} else if (r < 0 && errno == EAGAIN) {
			(void)poll(&fd, 1, -1);
		} else if (r < 0 && errno != EINTR) {
			return;
		}
	}
}

/* All of it is known before its first byte is written. */
static void
ask_and_say(uint64_t since)
{
	const struct ward_wire_why question = { .since = since, .own = true };
	struct err err = { 0 };
	_cleanup_free_ char *text = NULL;
	size_t n = 0;
	struct block block = { .text = open_memstream(&text, &n) };
	_cleanup_fd_ int fd = ward_ask_open(&err);

	if (block.text == NULL)
		return;
	/* who asks later is told what is missing here: ward why */
	if (fd >= 0)
		(void)ward_ask_why(
		    fd, &question, JUDGE_MS, on_refusal, &block, &err);
	if (block.more > 0)
		(void)fprintf(
		    block.text, "and %u more: see 'ward why'\n", block.more);
	if (block.lines > 0)
		(void)fputs("</sandbox_violations>\n", block.text);
	if (fclose(block.text) == 0)
		say(text, n);
}

void
ward_block_tell(uint64_t since)
{
	const pid_t parent = getpid();
	int end[2];

	/*
	 * By a process that can be killed: connecting waits for the warden
	 * without a limit, and so does writing for who reads.
	 */
	if (pipe2(end, O_CLOEXEC) != 0)
		return;
	pid_t teller = fork();
	if (teller == 0) {
		(void)close(end[0]);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
		    getppid() == parent)
			ask_and_say(since);
		_exit(EXIT_SUCCESS);
	}
	(void)close(end[1]);
	struct pollfd done = { .fd = end[0], .events = POLLIN };
	if (teller > 0) {
		(void)poll(&done, 1, LIMIT_MS);
		(void)kill(teller, SIGKILL);
	}
	(void)close(end[0]);
}
