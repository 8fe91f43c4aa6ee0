/* SPDX-License-Identifier: ISC */
/*
 * wardsh: the login shell of governed accounts.  It is not the boundary: every
 * process of a session is inside and sealed before this runs.  It refuses to
 * run outside, makes an environment from nothing and becomes the real shell,
 * so that terminal, job control and exit status are the shell's own.  With a
 * command it stays behind as the shell's parent, to tell what was refused.
 *
 * It reads no file, and no variable but those that the profile passes.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/ask.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/path.h"
#include "common/refusal.h"
#include "common/wire.h"
#include "shell/block.h"
#include "shell/environment.h"
#include "shell/parent.h"
#include "shell/stream.h"

#define ANSWER_MS    5000
/* What sshd, too, says of a session that never began. */
#define EXIT_REFUSED 254

static void __attribute__((noreturn))
refuse(enum ward_refusal code, const char *detail)
{
	char line[1024], name[32];

	(void)snprintf(name, sizeof(name), "uid %u", (unsigned)getuid());
	ward_refusal_line(line, sizeof(line), code, name, detail);
	(void)fprintf(stderr, "%s\n", line);
	exit(EXIT_REFUSED);
}

/* Nothing that is opened later may become 0, 1 or 2. */
static void
settle_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
		if (fd < 0)
			refuse(WARD_REFUSED_SHELL, "/dev/null");
	} while (fd <= 2);
	/* the caller's others are none of the session's */
	if (close_range(3, ~0U, 0) != 0)
		refuse(WARD_REFUSED_SHELL, "close_range");
}

/* The command line as one text, for the record; cut where it is too long. */
static void
tell_line(int argc, char **argv, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (int i = 1; i < argc && used + 1 < size; i++) {
		int n = snprintf(
		    out + used, size - used, "%s%s", i > 1 ? " " : "", argv[i]);
		if (n < 0)
			return;
		used += (size_t)n;
	}
}

/* Asks the warden; there is one only inside. */
static void
ask_inside(
    const struct ward_wire_command *command, struct ward_wire_inside *inside)
{
	struct err err = { 0 };
	struct ward_wire wire;
	int fd = ward_ask_open(&err);

	if (fd < 0)
		refuse(WARD_REFUSED_OUTSIDE, err.text);
	if (ward_wire_put_command(&wire, command) != 0)
		refuse(WARD_REFUSED_OUTSIDE, "the warden is not asked");
	int r = ward_ask(fd, &wire, ward_now_ms() + ANSWER_MS, &err);
	if (r == -ETIMEDOUT)
		refuse(WARD_REFUSED_TIMEOUT, NULL);
	if (r != 0)
		refuse(WARD_REFUSED_OUTSIDE, err.text);
	if (ward_wire_get_inside(&wire, inside) != 0)
		refuse(WARD_REFUSED_OUTSIDE, "the warden does not know it");
	(void)close(fd);
}

/* The shell's own argv: a dash before its name where it is a login shell. */
static void __attribute__((noreturn))
become_shell(const struct ward_wire_inside *inside, bool login, int argc,
    char **argv, char **environment)
{
	char name[sizeof(inside->shell) + 1];
	char **shell_argv = calloc((size_t)argc + 1, sizeof(*shell_argv));

	if (shell_argv == NULL)
		refuse(WARD_REFUSED_SHELL, "no memory");
	(void)snprintf(name, sizeof(name), "%s%s", login ? "-" : "",
	    ward_path_base(inside->shell));
	shell_argv[0] = name;
	for (int i = 1; i < argc; i++)
		shell_argv[i] = argv[i];
	(void)execve(inside->shell, shell_argv, environment);
	refuse(WARD_REFUSED_SHELL, strerror(errno));
}

/* Whoever begins to work at a terminal learns where that is. */
static void
greet(const struct ward_wire_inside *inside)
{
	char hush[sizeof(inside->home) + sizeof("/.hushlogin")];

	(void)snprintf(hush, sizeof(hush), "%s/.hushlogin", inside->home);
	if (inside->annotate == WARD_TELL_NEVER || isatty(STDIN_FILENO) == 0 ||
	    isatty(STDERR_FILENO) == 0 || access(hush, F_OK) == 0)
		return;
	(void)fputs("This is a sandbox: what its profile does not open is "
		    "refused.  See /run/ward/README.\n"
		    "'ward status' says what is open, and 'ward why' what was "
		    "refused and what to do.\n",
	    stderr);
}

/* A command, and nobody at a protocol's other end. */
static bool
is_told_of(const struct ward_wire_inside *inside, int argc, char **argv)
{
	return inside->annotate != WARD_TELL_NEVER && argc >= 3 &&
	    strcmp(argv[1], "-c") == 0 && !ward_line_is_stream(argv[2]) &&
	    ward_parent_can();
}

/*
 * What stays behind shows neither the caller's environment, of which the
 * account gets only what the profile passes, nor a command line that "pgrep -f"
 * would find a second time.  Returns the arguments.
 */
static char **
hide(int argc, char **argv)
{
	char **copy = calloc((size_t)argc + 1, sizeof(*copy));

	if (copy == NULL || prctl(PR_SET_DUMPABLE, 0) != 0)
		refuse(WARD_REFUSED_SHELL, "no memory");
	for (int i = 0; i < argc; i++) {
		copy[i] = strdup(argv[i]);
		if (copy[i] == NULL)
			refuse(WARD_REFUSED_SHELL, "no memory");
		if (i > 0)
			memset(argv[i], 0, strlen(argv[i]));
	}
	return copy;
}

/*
 * Returns in the child, which is to become the shell; and where there is none,
 * since a command goes before what is told of it.
 */
static void
stay_behind(const struct ward_wire_inside *inside, uint64_t since)
{
	pid_t child = ward_parent_fork();

	if (child <= 0)
		return;
	int status = ward_parent_wait(child);
	/* 0 is an exit status of 0, and of nothing else */
	if (inside->annotate == WARD_TELL_ALWAYS || status != 0)
		ward_block_tell(since);
	ward_parent_end(status);
}

int
main(int argc, char **argv)
{
	static struct ward_wire_command command;
	static struct ward_wire_inside inside;
	struct err err = { 0 };
	char **environment = NULL;
	const uint64_t since = (uint64_t)ward_now_us();

	settle_descriptors();
	command.login = argc > 0 && argv[0][0] == '-';
	tell_line(argc, argv, command.line, sizeof(command.line));
	ask_inside(&command, &inside);
	if (ward_environment_make(&inside, environ, &environment, &err) != 0)
		refuse(WARD_REFUSED_SHELL, err.text);
	if (is_told_of(&inside, argc, argv)) {
		argv = hide(argc, argv);
		stay_behind(&inside, since);
	}
	if (command.login && argc == 1)
		greet(&inside);
	become_shell(
	    &inside, command.login, argc < 1 ? 1 : argc, argv, environment);
}
