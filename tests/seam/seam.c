/* SPDX-License-Identifier: ISC */
/*
 * seam: lets the n-th system call of a part of Ward fail, or kills or stops a
 * part of it there, for every n of a login, and judges what came of it:
 *	seam fail ACCOUNT PART FROM STRIDE ERROR...
 *	seam refuse ACCOUNT PART FROM STRIDE ERROR...
 *	seam kill|stop ACCOUNT VICTIM FROM STRIDE
 *	seam kill|stop ACCOUNT VICTIM PART:CALL[:N]...
 * The installed product knows nothing of it: the login is "su ACCOUNT", traced
 * from its first to its last process; or, after "seam ssh DIRECTORY", an ssh's
 * (see login.h), traced from sshd on.  PART is module, enter, warden, init,
 * connector or egress; ERROR the name of an errno, each n taking the next one.
 * VICTIM is login, which is su or sshd's monitor, warden, init or connector,
 *and every call of Ward's is counted, or it is the N-th time (1) that PART
 *makes the named call, for each that is given.  Prints a line for each n that
 *came to no good, and a last line with the counts.  For tests/system/48-*.sh.
 */
#include "config.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fd.h"
#include "common/number.h"
#include "tests/seam/around.h"
#include "tests/seam/inside.h"
#include "tests/seam/login.h"
#include "tests/seam/trace.h"

#define COMMAND   "/usr/local/lib/ward-seam/inside"
/* From the login's end to the last process's: a warden has three seconds. */
#define END_MS    4000
#define GONE_MS   1000 /* from a kill to the session's end */
#define NEXT      4    /* each n-th has a login after it */
#define SETTLE_MS 150  /* in which the warden has done all but its end */

struct run {
	struct seam_fault fault;
	struct seam_seen seen;
	char log[16384];
	char why[8192]; /* "": it came to good */
	struct seam_begun begun;
	bool is_in;
	bool must_refuse; /* the account is locked */
};

static bool verbose, must_refuse;

/* --- waiting --- */

static bool
is_over(void *context)
{
	(void)context;
	return seam_trace_living() == 0;
}

static bool
has_exited(void *context)
{
	const struct run *run = context;

	return run->seen.exited;
}

static bool
client_has_ended(void *context)
{
	const struct run *run = context;

	return run->begun.client.pid == 0 || run->begun.client.ended;
}

static bool
is_without_session(void *context)
{
	(void)context;
	return seam_trace_sessions() == 0;
}

static bool
is_ready(void *context)
{
	static int64_t looked_ms;
	struct run *run = context;
	int64_t now = ward_now_ms();

	if (run->seen.exited)
		return true;
	if (now - looked_ms < 5)
		return false;
	looked_ms = now;
	return seam_trace_has_said(SEAM_SAYS);
}

static bool
is_done(void *context)
{
	const struct run *run = context;

	return run->seen.done || run->seen.exited;
}

static bool
is_done_or_ready(void *context)
{
	return is_done(context) || is_ready(context);
}

static bool
never(void *context)
{
	(void)context;
	return false;
}

/* --- a verdict --- */

__attribute__((format(printf, 2, 3))) static void
bad(struct run *run, const char *format, ...)
{
	va_list args;

	if (run->why[0] != '\0')
		return;
	va_start(args, format);
	(void)vsnprintf(run->why, sizeof(run->why), format, args);
	va_end(args);
}

static void
begin(struct run *run)
{
	seam_around_log(NULL, 0);
	seam_login_begin(&run->begun, &run->fault, &run->seen);
}

static void
end_input(struct run *run)
{
	if (run->begun.input_fd >= 0)
		(void)close(run->begun.input_fd);
	run->begun.input_fd = -1;
}

/* What the login came to is what its client says, where it has one. */
static void
end_client(struct run *run)
{
	struct seam_beside *client = &run->begun.client;

	if (client->pid == 0)
		return;
	if (!seam_trace_run(client_has_ended, run, ward_now_ms() + END_MS)) {
		bad(run, "the client does not end");
		(void)kill(client->pid, SIGKILL);
		(void)seam_trace_run(
		    client_has_ended, run, ward_now_ms() + END_MS);
	}
	run->seen.status = client->status;
}

/* To the end of all of it. */
static void
finish(struct run *run, int64_t limit_ms)
{
	char left[256];

	end_input(run);
	if (!seam_trace_run(has_exited, run, ward_now_ms() + limit_ms))
		bad(run, "the login does not end in time");
	if (!seam_trace_run(is_over, NULL, ward_now_ms() + END_MS)) {
		seam_trace_name_living(left, sizeof(left));
		bad(run, "these are left:%s", left);
	}
	end_client(run);
	seam_trace_end();
	seam_around_log(run->log, sizeof(run->log));
}

/* Its sandbox ended with its init, so early that it said nothing yet. */
static bool
was_ended(const struct run *run)
{
	return run->fault.signal == 0 && run->fault.part == SEAM_INIT &&
	    WIFEXITED(run->seen.status) &&
	    WEXITSTATUS(run->seen.status) == 128 + SIGKILL;
}

/* Inside and sealed, or refused with a code, if there was who could log it. */
static void
judge(struct run *run, bool was_killed)
{
	const struct seam_seen *seen = &run->seen;

	if (seen->outside[0] != '\0')
		bad(run, "OUTSIDE:%s", seen->outside);
	if (strstr(seen->said, SEAM_LEAKS) != NULL)
		bad(run, "%s", SEAM_LEAKS);
	run->is_in = strstr(seen->said, SEAM_INSIDE) != NULL;
	/* without a warden, what it is asked about fails in another way */
	if (!run->is_in && !was_killed && strstr(seen->said, SEAM_SAYS) != NULL)
		bad(run, "inside, but not as it should be");
	if (strstr(seen->said, SEAM_LOST) != NULL)
		bad(run, "%s", SEAM_LOST);
	if (run->is_in && run->must_refuse)
		bad(run, "it was let in");
	if (run->is_in || was_killed)
		return;
	if (seen->status == 0)
		bad(run, "it did not run, and the login succeeded");
	if (!seen->warden_died && !was_ended(run) &&
	    !seam_around_has_code(seen->said) &&
	    !seam_around_has_code(run->log))
		bad(run, "no code");
}

static void
look_around(struct run *run)
{
	char why[4096];

	/* costs as much as the rest; what is left over stays for the others */
	if (run->fault.signal == 0 && run->fault.n % NEXT != 0 &&
	    run->seen.done && run->why[0] == '\0')
		return;
	if ((!run->must_refuse && !seam_around_next(false, why, sizeof(why))) ||
	    !seam_around_is_clean(why, sizeof(why)))
		bad(run, "%s", why);
}

/* --- the n-th call fails --- */

static void
run_fail(struct run *run)
{
	begin(run);
	end_input(run);
	finish(run, SEAM_LOGIN_MS);
	judge(run, false);
	look_around(run);
}

/* --- somebody is killed or stopped at the n-th call --- */

/*
 * To the fault: while the session waits for its input, or, where the call has
 * not come by then, on its way to the end.
 */
static void
run_to_fault(struct run *run)
{
	const struct seam_seen *seen = &run->seen;

	if (!seam_trace_run(
		is_done_or_ready, run, seen->began_ms + SEAM_LOGIN_MS))
		bad(run, "neither in nor refused in time");
	if (!is_done(run))
		(void)seam_trace_run(is_done, run, ward_now_ms() + SETTLE_MS);
	if (seen->done)
		return;
	end_input(run);
	(void)seam_trace_run(is_done, run, ward_now_ms() + SEAM_LOGIN_MS);
	if (!seen->done)
		(void)seam_trace_run(is_over, run, ward_now_ms() + END_MS);
}

static void
after_kill(struct run *run, bool is_lethal)
{
	const struct seam_seen *seen = &run->seen;

	if (!is_lethal) {
		if (!seam_trace_run(
			is_ready, run, seen->began_ms + SEAM_LOGIN_MS))
			bad(run, "neither in nor refused in time");
		return;
	}
	/* also one that begins only now */
	(void)seam_trace_run(never, run, seen->fault_ms + GONE_MS / 4);
	if (!seam_trace_run(is_without_session, run, seen->fault_ms + GONE_MS))
		bad(run, "the session lives a second longer");
}

/* The session itself may stand still with who was stopped. */
static void
after_stop(struct run *run)
{
	char why[4096];

	(void)seam_trace_run(is_ready, run, ward_now_ms() + SETTLE_MS);
	if (!seam_around_next(true, why, sizeof(why)))
		bad(run, "meanwhile, %s", why);
	seam_trace_continue();
}

static void
run_signal(struct run *run)
{
	const struct seam_seen *seen = &run->seen;
	bool is_kill = run->fault.signal == SIGKILL;
	bool is_lethal = is_kill && run->fault.victim != SEAM_CONNECTOR;

	begin(run);
	run_to_fault(run);
	if (seen->done && seen->no_victim)
		(void)seam_trace_run(
		    is_ready, run, seen->began_ms + SEAM_LOGIN_MS);
	else if (seen->done && is_kill)
		after_kill(run, is_lethal);
	else if (seen->done)
		after_stop(run);
	finish(run, SEAM_LOGIN_MS);
	judge(run, is_lethal && !seen->no_victim);
	look_around(run);
}

/* --- every n --- */

static const char *const parts[SEAM_PARTS] = {
	[SEAM_LOGIN] = "login",
	[SEAM_MODULE] = "module",
	[SEAM_ENTER] = "enter",
	[SEAM_WARDEN] = "warden",
	[SEAM_INIT] = "init",
	[SEAM_CONNECTOR] = "connector",
	[SEAM_EGRESS] = "egress",
};

static enum seam_part
parse_part(const char *name)
{
	for (int part = 0; part < SEAM_SESSION; part++)
		if (strcmp(parts[part], name) == 0)
			return (enum seam_part)part;
	errx(2, "%s is no part", name);
}

static int
parse_error(const char *name)
{
	for (int error = 1; error < 134; error++) {
		const char *known = strerrorname_np(error);
		if (known != NULL && strcmp(known, name) == 0)
			return error;
	}
	errx(2, "%s is no error", name);
}

static unsigned
parse_number(const char *text)
{
	uint64_t value;

	if (ward_number_parse(text, 1000000, &value) != 0 || value == 0)
		errx(2, "%s is no number", text);
	return (unsigned)value;
}

static void
print_run(const struct run *run)
{
	const struct seam_fault *fault = &run->fault;

	printf("n %u, %s, %s: %s\n", fault->n, run->seen.call,
	    fault->signal != 0 ? sigabbrev_np(fault->signal)
			       : strerrorname_np(fault->error),
	    run->why[0] != '\0'       ? run->why
		: run->seen.no_victim ? "nobody there"
		: run->is_in          ? "inside"
				      : "refused");
	if (run->why[0] != '\0' || verbose)
		printf("\tstatus %#x after %lld ms\n%s%s",
		    (unsigned)run->seen.status,
		    (long long)(run->seen.exited_ms - run->seen.began_ms),
		    run->seen.said, run->log);
	(void)fflush(stdout);
}

struct tally {
	unsigned bad, in, refused, nobody;
};

static void
run_one(struct run *run, const struct seam_fault *fault, struct tally *tally)
{
	*run = (struct run){ .fault = *fault, .must_refuse = must_refuse };
	if (fault->signal != 0)
		run_signal(run);
	else
		run_fail(run);
	if (fault->is_named && !run->seen.done)
		bad(run, "the login never comes to that call");
	if (run->why[0] != '\0')
		tally->bad++;
	else if (!run->seen.done)
		return;
	else if (run->seen.no_victim)
		tally->nobody++;
	else if (run->is_in)
		tally->in++;
	else
		tally->refused++;
	if (run->why[0] != '\0' || verbose)
		print_run(run);
}

/* Every stride-th call, to the first that is not reached. */
static void
run_all(struct seam_fault *fault, unsigned from, unsigned stride,
    char *const errors[], size_t n_errors, struct tally *tally)
{
	static struct run run;

	for (unsigned n = from; n == from || run.seen.done; n += stride) {
		fault->n = n;
		if (n_errors > 0)
			fault->error = parse_error(errors[n % n_errors]);
		run_one(&run, fault, tally);
	}
}

/* PART:CALL[:N] */
static void
parse_step(char *step, struct seam_fault *fault)
{
	fault->part = parse_part(strsep(&step, ":"));
	const char *name = strsep(&step, ":");
	int call =
	    name == NULL ? __NR_SCMP_ERROR : seccomp_syscall_resolve_name(name);
	if (call < 0)
		errx(2, "there is no system call %s", name == NULL ? "" : name);
	fault->is_named = true;
	fault->call = (uint64_t)call;
	fault->n = step == NULL ? 1 : parse_number(step);
}

static void
run_steps(struct seam_fault *fault, char *steps[], struct tally *tally)
{
	static struct run run;

	for (; *steps != NULL; steps++) {
		parse_step(*steps, fault);
		run_one(&run, fault, tally);
	}
}

int
main(int argc, char *argv[])
{
	struct seam_way way = { .command = COMMAND };
	struct seam_fault fault = { 0 };
	struct tally tally = { 0 };

	verbose = getenv("SEAM_VERBOSE") != NULL;
	if (argc > 2 && strcmp(argv[1], "ssh") == 0) {
		way.ssh_directory = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 5)
		errx(2,
		    "usage: seam [ssh DIRECTORY] fail|refuse|kill|stop "
		    "ACCOUNT PART ...");
	const struct passwd *pw = getpwnam(argv[2]);
	if (pw == NULL)
		errx(2, "no account %s", argv[2]);
	enum seam_part part = parse_part(argv[3]);
	must_refuse = strcmp(argv[1], "refuse") == 0;
	if (strcmp(argv[1], "fail") == 0 || must_refuse) {
		fault.part = part;
		if (argc < 7 || part == SEAM_LOGIN)
			errx(2, "which errors, and of what?");
	} else {
		fault.part = SEAM_PARTS;
		fault.victim = part;
		fault.signal = strcmp(argv[1], "kill") == 0 ? SIGKILL : SIGSTOP;
	}
	way.account = argv[2];
	way.is_locked = must_refuse;
	seam_login_init(&way);
	seam_around_init(pw->pw_uid);
	seam_trace_init(WARD_PAMDIR "/pam_ward.so", pw->pw_uid);
	if (fault.signal != 0 && strchr(argv[4], ':') != NULL)
		run_steps(&fault, argv + 4, &tally);
	else if (argc < 6)
		errx(2, "from where, and every how many?");
	else
		run_all(&fault, parse_number(argv[4]), parse_number(argv[5]),
		    argv + 6, (size_t)(argc - 6), &tally);
	printf("%u bad, %u refused, %u inside, %u nobody there\n", tally.bad,
	    tally.refused, tally.in, tally.nobody);
	return tally.bad == 0 ? 0 : 1;
}
