/* SPDX-License-Identifier: ISC */
/* A login and all that it makes, under ptrace(2). */
#include "config.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fd.h"
#include "common/places.h"
#include "tests/seam/marks.h"
#include "tests/seam/trace.h"
#include "tests/seam/where.h"

#define TASKS_MAX  512
#define EARLY_MAX  64
#define BESIDE_MAX 2
#define OPTIONS                                                                \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |    \
	    PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

struct task {
	pid_t tid;    /* 0: a free place */
	bool known;   /* its part is */
	bool stopped; /* at birth, until its part is known */
	pid_t parent; /* of one that is */
	bool opens;   /* the module's file, and has not closed it yet */
	bool failing; /* the call that it is in is to fail */
	bool ran;     /* it has executed something */
	enum seam_part part;
	uint64_t nr, args[6]; /* of its last call */
	struct seam_marks marks;
};

static struct {
	uid_t uid;
	struct task tasks[TASKS_MAX];
	unsigned n_tasks;
	struct seam_fault fault;
	struct seam_seen *seen;
	pid_t login;
	pid_t leaders[SEAM_PARTS]; /* the process of each part */
	pid_t victim;
	pid_t early[EARLY_MAX]; /* ended before their birth was told */
	unsigned n_early;
	struct seam_beside *beside[BESIDE_MAX];
	int said_fd;
} t = { .said_fd = -1 };

static const char *const part_names[SEAM_PARTS] = {
	[SEAM_LOGIN] = "login",
	[SEAM_MODULE] = "module",
	[SEAM_ENTER] = "enter",
	[SEAM_WARDEN] = "warden",
	[SEAM_INIT] = "init",
	[SEAM_CONNECTOR] = "connector",
	[SEAM_EGRESS] = "egress",
	[SEAM_SESSION] = "session",
	[SEAM_OTHER] = "other",
};

/* --- tasks --- */

static struct task *
task_find(pid_t tid)
{
	for (size_t i = 0; i < TASKS_MAX; i++)
		if (t.tasks[i].tid == tid)
			return &t.tasks[i];
	return NULL;
}

static struct task *
task_get(pid_t tid)
{
	struct task *task = task_find(tid);

	if (task != NULL)
		return task;
	task = task_find(0);
	if (task == NULL)
		errx(2, "more than %d tasks", TASKS_MAX);
	*task = (struct task){
		.tid = tid,
		.part = SEAM_OTHER,
		.marks.inside = SEAM_MARK_NONE,
	};
	t.n_tasks++;
	return task;
}

static void resume(const struct task *task, int signal);

/* Its birth is known, if only by what its parent was. */
static void
task_born(struct task *task, enum seam_part part)
{
	task->part = part;
	task->known = true;
	if (!task->stopped)
		return;
	task->stopped = false;
	resume(task, 0);
}

/* Of a child that it bore as it was killed nobody tells. */
static void
task_gone(struct task *task)
{
	pid_t tid = task->tid;

	if (task->part == SEAM_SESSION)
		t.seen->session_ended_ms = ward_now_ms();
	task->tid = 0;
	t.n_tasks--;
	for (size_t i = 0; i < TASKS_MAX; i++)
		if (t.tasks[i].tid != 0 && t.tasks[i].stopped &&
		    t.tasks[i].parent == tid)
			task_born(&t.tasks[i], task->part);
}

/* What the task is at this moment. */
static enum seam_part
part_now(const struct task *task)
{
	if (task->part != SEAM_LOGIN || task->marks.inside == SEAM_MARK_NONE)
		return task->part;
	return task->marks.inside == SEAM_MARK_CHILD ? SEAM_ENTER : SEAM_MODULE;
}

static bool
is_wards(enum seam_part part)
{
	return part >= SEAM_MODULE && part <= SEAM_EGRESS;
}

/* Whether its calls are to be counted, now or later. */
static bool
is_of_interest(const struct task *task)
{
	enum seam_part part = t.fault.part;

	if (t.seen->done || t.fault.n == 0)
		return false;
	if (task->part == SEAM_LOGIN)
		return part == SEAM_PARTS || part == SEAM_MODULE ||
		    part == SEAM_ENTER;
	return part == SEAM_PARTS ? is_wards(task->part) : part == task->part;
}

/* Other calls need not stop. */
static void
resume(const struct task *task, int signal)
{
	bool stops = task->failing || is_of_interest(task) ||
	    (task->part == SEAM_LOGIN && task->marks.at[0] == 0);

	/* ESRCH: it was killed */
	(void)ptrace(
	    stops ? PTRACE_SYSCALL : PTRACE_CONT, task->tid, NULL, signal);
}

/* --- births --- */

static uint64_t
clone_flags(const struct task *parent)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, parent->tid, NULL, &regs) != 0)
		return 0;
	if (regs.orig_rax == SYS_clone)
		return regs.rdi;
	if (regs.orig_rax == SYS_clone3)
		return (uint64_t)ptrace(
		    PTRACE_PEEKDATA, parent->tid, regs.rdi, NULL);
	return regs.orig_rax == SYS_vfork ? CLONE_VM | CLONE_VFORK : 0;
}

static enum seam_part
part_of_child(const struct task *parent)
{
	uint64_t flags = clone_flags(parent);

	if (part_now(parent) != SEAM_WARDEN || (flags & CLONE_THREAD) != 0)
		return part_now(parent);
	if ((flags & CLONE_NEWNS) != 0)
		return SEAM_INIT;
	if ((flags & CLONE_NEWPID) != 0)
		return SEAM_WARDEN; /* of the dead namespace: it only ends */
	return (flags & CLONE_VM) != 0 ? SEAM_OTHER : SEAM_CONNECTOR;
}

static bool
has_ended_early(pid_t tid)
{
	for (unsigned i = 0; i < EARLY_MAX && i < t.n_early; i++)
		if (t.early[i] == tid)
			return true;
	return false;
}

static void
on_birth(struct task *parent)
{
	unsigned long tid;

	if (ptrace(PTRACE_GETEVENTMSG, parent->tid, NULL, &tid) != 0 ||
	    has_ended_early((pid_t)tid))
		return;
	struct task *child = task_get((pid_t)tid);
	enum seam_part part = part_of_child(parent);
	child->marks = parent->marks;
	if (part == SEAM_INIT || part == SEAM_CONNECTOR)
		t.leaders[part] = child->tid;
	task_born(child, part);
}

/* What the warden bore is the connector until it executes something else. */
static enum seam_part
part_of_program(const struct task *task)
{
	char path[64], file[256];

	(void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)task->tid);
	ssize_t n = readlink(path, file, sizeof(file) - 1);
	file[n > 0 ? n : 0] = '\0';
	if (strcmp(file, WARD_EGRESS) == 0)
		return SEAM_EGRESS;
	return strcmp(file, WARD_CONNECTOR) == 0 ? SEAM_CONNECTOR : SEAM_OTHER;
}

/*
 * A program was executed.  Whatever is not of Ward's own, nor the login's
 * first, is the session's: then it must be inside and sealed.
 */
static void
on_exec(struct task *task)
{
	enum seam_part part = task->part;

	task->marks = (struct seam_marks){ .inside = SEAM_MARK_NONE };
	task->opens = false;
	if (part == SEAM_MODULE) {
		task->part = SEAM_WARDEN;
		t.leaders[SEAM_WARDEN] = task->tid;
	} else if (part == SEAM_CONNECTOR) {
		task->part = part_of_program(task);
		if (task->part == SEAM_EGRESS)
			t.leaders[SEAM_EGRESS] = task->tid;
	} else if (part == SEAM_LOGIN && task->tid == t.login && !task->ran) {
		task->ran = true;
	} else if (part == SEAM_LOGIN || part == SEAM_SESSION) {
		task->part = SEAM_SESSION;
		if (t.seen->outside[0] == '\0')
			seam_where_outside(task->tid, t.uid, t.seen->outside,
			    sizeof(t.seen->outside));
	}
}

/* --- calls --- */

/*
 * Not what cannot fail, nor what goes on with a call that was counted.  Of
 * futex(2) glibc takes an error that it does not know for corruption.
 */
static bool
is_counted(uint64_t nr)
{
	static const uint64_t never[] = { SYS_exit, SYS_exit_group,
		SYS_rt_sigreturn, SYS_restart_syscall, SYS_getpid, SYS_gettid,
		SYS_getuid, SYS_geteuid, SYS_umask, SYS_futex };

	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (nr == never[i])
			return false;
	return true;
}

static void
name_call(enum seam_part part, uint64_t nr)
{
	char *name =
	    seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)nr);

	(void)snprintf(t.seen->call, sizeof(t.seen->call), "%s: %s",
	    part_names[part], name == NULL ? "?" : name);
	free(name);
}

static void
send_signal(void)
{
	t.victim = t.leaders[t.fault.victim];
	t.seen->fault_ms = ward_now_ms();
	if (t.victim == 0 || kill(t.victim, t.fault.signal) != 0)
		t.seen->no_victim = true;
}

/*
 * The call is replaced by one that does nothing, and its result at its end.
 * close() closes whatever it returns (close(2)).  Egress' own filter has few
 * calls: of these lseek(2) does nothing to a socket.
 */
static void
spoil(struct task *task)
{
	long nothing = task->part == SEAM_EGRESS ? SYS_lseek : SYS_getpid;

	task->failing = true;
	if (task->nr != SYS_close &&
	    ptrace(PTRACE_POKEUSER, task->tid,
		offsetof(struct user_regs_struct, orig_rax), nothing) != 0)
		err(2, "PTRACE_POKEUSER");
}

/* A thread is told to end: eventfd(2) fails that for no reason that there is.
 */
static bool
is_eventfd_write(const struct task *task)
{
	struct user_regs_struct regs;
	char path[64], file[64];

	if (task->nr != SYS_write ||
	    ptrace(PTRACE_GETREGS, task->tid, NULL, &regs) != 0)
		return false;
	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)task->tid,
	    (int)regs.rdi);
	ssize_t n = readlink(path, file, sizeof(file) - 1);
	if (n < 0)
		return false;
	file[n] = '\0';
	return strcmp(file, "anon_inode:[eventfd]") == 0;
}

static void
on_call(struct task *task)
{
	enum seam_part part = part_now(task);

	if (!is_wards(part) || !is_counted(task->nr) || is_eventfd_write(task))
		return;
	if (t.fault.is_named && task->nr != t.fault.call)
		return;
	t.seen->counts[part]++;
	t.seen->steps++;
	unsigned n = t.fault.part == SEAM_PARTS ? t.seen->steps
	    : t.fault.part == part              ? t.seen->counts[part]
						: 0;
	if (t.seen->done || n == 0 || n != t.fault.n)
		return;
	t.seen->done = true;
	name_call(part, task->nr);
	if (t.fault.signal != 0)
		send_signal();
	else
		spoil(task);
}

/* The module is there once the loader has closed its file. */
static void
look_for_module(struct task *task)
{
	char path[256] = "";

	if (task->part != SEAM_LOGIN || task->marks.at[0] != 0)
		return;
	if (task->nr == SYS_openat &&
	    seam_where_string(task->tid, task->args[1], path, sizeof(path)) &&
	    strstr(path, "/pam_ward.so") != NULL)
		task->opens = true;
	if (task->opens && task->nr == SYS_close) {
		task->opens = false;
		seam_marks_set(task->tid, &task->marks);
	}
}

static void
on_syscall_stop(struct task *task)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, task->tid, sizeof(info), &info) <=
	    0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		task->nr = info.entry.nr;
		for (int i = 0; i < 6; i++)
			task->args[i] = info.entry.args[i];
		on_call(task);
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
		if (task->failing)
			(void)ptrace(PTRACE_POKEUSER, task->tid,
			    offsetof(struct user_regs_struct, rax),
			    (long)-t.fault.error);
		task->failing = false;
		look_for_module(task);
	}
}

/* --- stops --- */

static void
on_trap(struct task *task)
{
	enum seam_mark left;

	if (!seam_marks_hit(task->tid, &task->marks, &left)) {
		resume(task, SIGTRAP);
		return;
	}
	/* the child of an armed opener: on its way into the session */
	if (left == SEAM_MARK_CHILD)
		task->part = SEAM_SESSION;
	resume(task, 0);
}

/* Who bore it, or the first thread of who did; that it lives is not said. */
static pid_t
parent_of(pid_t tid)
{
	char status[1024];

	seam_where_status(tid, status, sizeof(status));
	const char *group = strstr(status, "\nTgid:\t");
	const char *parent = strstr(status, "\nPPid:\t");
	if (group == NULL || parent == NULL)
		return 0;
	pid_t leader = (pid_t)strtol(group + 7, NULL, 10);
	return leader != tid ? leader : (pid_t)strtol(parent + 7, NULL, 10);
}

/* PTRACE_EVENT_STOP: a birth, or a signal that stops. */
static void
on_event_stop(struct task *task, int signal)
{
	if (signal != SIGTRAP) {
		(void)ptrace(PTRACE_LISTEN, task->tid, NULL, 0);
	} else if (!task->known) {
		task->stopped = true;
		task->parent = parent_of(task->tid);
		/* it has ended already */
		if (task_find(task->parent) == NULL)
			task_born(task, SEAM_OTHER);
	} else {
		resume(task, 0);
	}
}

static void
on_stop(struct task *task, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;

	switch (event) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		on_birth(task);
		break;
	case PTRACE_EVENT_EXEC:
		on_exec(task);
		break;
	case PTRACE_EVENT_STOP:
		on_event_stop(task, signal);
		return;
	default:
		if (signal == (SIGTRAP | 0x80)) {
			on_syscall_stop(task);
			break;
		}
		if (signal == SIGTRAP)
			on_trap(task);
		else
			resume(task, signal);
		return;
	}
	resume(task, 0);
}

/* One that is not traced, perhaps. */
static bool
beside_ended(pid_t pid, int status)
{
	for (size_t i = 0; i < BESIDE_MAX; i++) {
		struct seam_beside *beside = t.beside[i];
		if (beside == NULL || beside->pid != pid)
			continue;
		beside->ended = true;
		beside->status = status;
		t.beside[i] = NULL;
		return true;
	}
	return false;
}

static void
on_wait(pid_t tid, int status)
{
	if (WIFSTOPPED(status)) {
		on_stop(task_get(tid), status);
		return;
	}
	if (beside_ended(tid, status))
		return;
	struct task *task = task_find(tid);
	if (task == NULL || !task->known)
		t.early[t.n_early++ % EARLY_MAX] = tid;
	if (tid == t.leaders[SEAM_WARDEN] && WIFSIGNALED(status))
		t.seen->warden_died = true;
	if (task != NULL)
		task_gone(task);
	if (tid == t.login) {
		t.seen->exited = true;
		t.seen->status = status;
		t.seen->exited_ms = ward_now_ms();
	}
}

/* --- a login --- */

static void
on_alarm(int number)
{
	(void)number;
}

void
seam_trace_init(const char *module, uid_t uid)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval often = {
		.it_interval.tv_usec = 10000,
		.it_value.tv_usec = 10000,
	};

	t.uid = uid;
	seam_marks_load(module);
	if (sigaction(SIGALRM, &action, NULL) != 0 ||
	    setitimer(ITIMER_REAL, &often, NULL) != 0)
		err(2, "the timer");
}

static _Noreturn void
run_login(const struct seam_login *login, const int ends[2])
{
	char byte;

	(void)close(ends[1]);
	/* until it is traced */
	if (read(ends[0], &byte, 1) < 0 || dup2(login->in_fd, 0) < 0 ||
	    dup2(login->out_fd, 1) < 0 || dup2(login->said_fd, 2) < 0)
		_exit(125);
	login->become();
	_exit(125);
}

void
seam_trace_begin(const struct seam_login *login, const struct seam_fault *fault,
    struct seam_seen *seen)
{
	int ends[2];

	t.fault = *fault;
	t.seen = seen;
	t.victim = 0;
	t.n_early = 0;
	memset(t.leaders, 0, sizeof(t.leaders));
	*seen = (struct seam_seen){ .began_ms = ward_now_ms() };
	t.said_fd = login->said_fd;
	if (pipe2(ends, O_CLOEXEC) != 0)
		err(2, "pipe");
	t.login = fork();
	if (t.login < 0)
		err(2, "fork");
	if (t.login == 0)
		run_login(login, ends);
	struct task *task = task_get(t.login);
	task->known = true;
	task->part = SEAM_LOGIN;
	t.leaders[SEAM_LOGIN] = t.login;
	if (ptrace(PTRACE_SEIZE, t.login, NULL, OPTIONS) != 0)
		err(2, "PTRACE_SEIZE");
	(void)ptrace(PTRACE_INTERRUPT, t.login, NULL, NULL);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

bool
seam_trace_run(bool (*done)(void *context), void *context, int64_t until_ms)
{
	int status;

	while (!done(context)) {
		if (ward_now_ms() >= until_ms)
			return false;
		pid_t tid = waitpid(-1, &status, __WALL);
		if (tid > 0)
			on_wait(tid, status);
		else if (errno == ECHILD)
			return done(context);
		else if (errno != EINTR)
			err(2, "waitpid");
	}
	return true;
}

unsigned
seam_trace_living(void)
{
	return t.n_tasks;
}

void
seam_trace_name_living(char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < TASKS_MAX; i++)
		if (t.tasks[i].tid != 0 && used < size)
			used += (size_t)snprintf(out + used, size - used, " %s",
			    part_names[t.tasks[i].part]);
}

unsigned
seam_trace_sessions(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < TASKS_MAX; i++)
		n += t.tasks[i].tid != 0 && t.tasks[i].part == SEAM_SESSION;
	return n;
}

void
seam_trace_beside(struct seam_beside *beside)
{
	for (size_t i = 0; i < BESIDE_MAX; i++) {
		if (t.beside[i] == NULL) {
			t.beside[i] = beside;
			return;
		}
	}
	errx(2, "more than %d beside it", BESIDE_MAX);
}

bool
seam_trace_has_said(const char *text)
{
	ssize_t n = pread(t.said_fd, t.seen->said, sizeof(t.seen->said) - 1, 0);

	t.seen->said[n > 0 ? n : 0] = '\0';
	return strstr(t.seen->said, text) != NULL;
}

void
seam_trace_continue(void)
{
	if (t.victim > 0)
		(void)kill(t.victim, SIGCONT);
}

static bool
is_over(void *context)
{
	(void)context;
	return t.n_tasks == 0;
}

void
seam_trace_end(void)
{
	for (size_t i = 0; i < TASKS_MAX; i++)
		if (t.tasks[i].tid != 0)
			(void)kill(t.tasks[i].tid, SIGKILL);
	if (!seam_trace_run(is_over, NULL, ward_now_ms() + 10000))
		errx(2, "what was killed does not end");
	(void)seam_trace_has_said("");
	(void)close(t.said_fd);
	t.said_fd = -1;
}
