/* SPDX-License-Identifier: ISC */
/*
 * A sandbox, as its warden holds it, and who does what with it:
 *
 *	setup.c    plan, layout, container: everything before a session
 *	policy.c   which revision it is of, and its end once that is stale
 *	control.c  sessions: joining, what their processes report, their end
 *	unsealed.c processes of the account without its seal
 *	leftover.c what a session leaves behind on a terminal of root's
 *	admin.c    wardctl's questions and its order to end
 *	agent.c    questions of wardsh and ward
 *	warden.c   main, the loop, the end
 *
 * The warden only.
 */
#ifndef WARD_SANDBOX_SANDBOX_H
#define WARD_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "common/refusal.h"
#include "common/wire.h"
#include "db/policy.h"
#include "profiles/plan.h"
#include "sandbox/connects.h"
#include "sandbox/contain.h"
#include "sandbox/egress.h"
#include "sandbox/fence.h"
#include "sandbox/keeper.h"
#include "sandbox/layout.h"
#include "sandbox/looks.h"
#include "sandbox/loop.h"
#include "sandbox/observer.h"
#include "sandbox/opener.h"
#include "sandbox/recorder.h"
#include "sandbox/rundir.h"
#include "sandbox/steer.h"
#include "sandbox/strays.h"

struct ward_session;
struct ward_client;
struct ward_reloader;

/* A terminal on which a session has left something behind. */
#define WARD_LEFTOVERS_MAX 16
struct ward_leftover {
	dev_t terminal;
	char tty[64];
	int64_t kill_at_ms;
};

struct ward_sandbox {
	/* who: the first request; later ones must be of the same account */
	struct ward_wire_open account;
	pid_t opener; /* who made that request; -1: not known */
	char *real_home;
	struct ward_walk_account walk;

	/* what: fixed for the life of the sandbox */
	struct ward_policy_found policy;
	struct ward_plan *plan;
	struct ward_layout layout;
	struct ward_mounts mounts; /* the host's, of which the layout is */
	int seal_fd;               /* memfd, sealed */
	int dead_nsfd;
	struct ward_rundir rundir;
	uid_t user; /* Ward's own, of init and egress */
	gid_t group;
	struct ward_container container;
	struct ward_steer steer;
	struct ward_looks *looks; /* NULL: masks are plain */

	/* at work */
	struct ward_loop loop;
	struct ward_recorder *recorder;
	struct ward_observer *observer;
	struct ward_connects *connects;
	struct ward_owners *owners;   /* of connections */
	struct ward_traffic *traffic; /* NULL, both: there is no network */
	struct ward_egress *egress;
	struct ward_strays *strays; /* NULL: also where nothing is routed */
	struct ward_fence fence;
	struct ward_keeper *keeper;
	struct ward_protected_list appeared; /* what was told of */
	struct ward_openers openers;
	struct ward_watch control_watch, agent_watch;
	struct ward_session *sessions;
	struct ward_client *clients;
	struct ward_reloader *reloaders;
	int64_t rules_revision; /* that its network's rules are of */
	bool asks;              /* by those, what is unlisted is a request */
	unsigned n_sessions;    /* ever, for their names */
	unsigned n_clients;     /* now */
	int64_t empty_since_ms; /* no session since; -1: there is one */
	int64_t since;          /* microseconds since 1970 */
	int64_t stale_since_ms; /* another revision governs; -1: this one */
	uint64_t stale_grace;   /* how long it goes on, in seconds */
	int64_t stale_tell_ms;  /* its terminals are told then; -1: no more */
	int64_t look_at_ms;     /* for processes without a seal */
	unsigned least_filters; /* of all who opened a session, before it */
	struct ward_leftover leftovers[WARD_LEFTOVERS_MAX];
	unsigned n_leftovers;
	int64_t ends_at_ms;    /* it was told to end by then; -1: it was not */
	int64_t hang_up_at_ms; /* and its processes; -1: they are */
	char end_reason[528];  /* what it was told */
	const char *ending;    /* why the sandbox ends; NULL: it does not */
};

/* --- setup.c --- */

/*
 * Everything up to a view in which a session may start.  WARD_REFUSED_NONE or
 * why not, with the details in err.
 */
enum ward_refusal
ward_sandbox_setup(struct ward_sandbox *sandbox, struct err *err);

/* The profile opens this service. */
bool
ward_sandbox_opens(const struct ward_sandbox *sandbox, const char *service);

/* What its sessions are told of its network. */
enum ward_net_kind ward_sandbox_network(const struct ward_sandbox *sandbox);

/* Lets go what setup made, after the container has ended. */
void ward_sandbox_clear(struct ward_sandbox *sandbox);

/* --- policy.c --- */

/* What governs the account, for a sandbox that begins. */
enum ward_refusal
ward_sandbox_load_policy(struct ward_sandbox *sandbox, struct err *err);

/*
 * Is this sandbox what the policy says now?  NONE, or a refusal; *stale where
 * another revision governs the account.  From then on it has a time to end,
 * where the policy says so; a sandbox that is asked a second time keeps it.
 */
enum ward_refusal ward_sandbox_check_policy(
    struct ward_sandbox *sandbox, bool *stale, struct err *err);

/* Milliseconds until it is to end since it is stale; -1: that ends it not. */
int64_t ward_sandbox_stale_left(const struct ward_sandbox *sandbox);
/* The same until there is something to do: its terminals are told here. */
int64_t ward_sandbox_stale_tend(struct ward_sandbox *sandbox);

/*
 * The network of the profile that governs the account now, and its grants, as
 * egress takes them: a sealed memfd, or -errno.
 */
int ward_sandbox_pack_rules(struct ward_sandbox *sandbox, struct err *err);

/* --- warden.c --- */

/* -1 where there is a session, else milliseconds until linger is over. */
int64_t ward_sandbox_linger_left(const struct ward_sandbox *sandbox);

/* --- control.c --- */

#define WARD_SESSION_SIZE 32 /* a sandbox's id and a number */

/* The next one of this sandbox's. */
void
ward_session_name(struct ward_sandbox *sandbox, char name[WARD_SESSION_SIZE]);
/* Who connected; -1: not known. */
pid_t ward_session_peer(int socket_fd, uid_t *uid);

/* The socket that the warden was started with; its OPEN has been read. */
int ward_session_add_first_take(
    struct ward_sandbox *sandbox, int socket_fd, struct err *err);
int ward_control_listen(struct ward_sandbox *sandbox, struct err *err);
/*
 * Closes on logins that have connected and were not answered: they start
 * another sandbox.
 */
void ward_sessions_turn_away(struct ward_sandbox *sandbox);
/* Those that were let in. */
size_t ward_sessions_count(const struct ward_sandbox *sandbox);
/* One of them came in on /dev/pts/NUMBER, as its service said. */
bool ward_sessions_have_terminal(
    const struct ward_sandbox *sandbox, unsigned number);
/* Kills what descends from its first processes, and ends it. */
void ward_session_expel(struct ward_sandbox *sandbox, const char *id);
/* The session that came on this socket, or NULL. */
const char *
ward_session_of_socket(const struct ward_sandbox *sandbox, int socket_fd);
/* Ends every session's row, for a sandbox that ends. */
void ward_sessions_end(struct ward_sandbox *sandbox, const char *reason);
/*
 * The session that a process of the sandbox descends from, by host pid; NULL
 * if it is not known.
 */
const char *
ward_session_of_process(const struct ward_sandbox *sandbox, pid_t pid);

/* --- unsealed.c --- */

/* This one opens a session. */
void ward_unsealed_opener(struct ward_sandbox *sandbox, pid_t opener);
/* Something has happened to a session: a look is due in a moment. */
void ward_unsealed_soon(struct ward_sandbox *sandbox);
/* Looks, if it is time; milliseconds until it is again. */
int64_t ward_unsealed_tend(struct ward_sandbox *sandbox);

/* --- leftover.c --- */

/* The session that its service opened on tty is over. */
void ward_leftover_begin(struct ward_sandbox *sandbox, const char *tty);
/* Milliseconds until it wants to be called again; -1: not of itself. */
int64_t ward_leftover_tend(struct ward_sandbox *sandbox);

/* --- admin.c --- */

/* When it is ended, of itself or not; 0: nothing ends it. */
uint64_t ward_admin_ends_at(const struct ward_sandbox *sandbox);

/* Both for root only; 0 or -errno. */
int ward_admin_answer_status(struct ward_sandbox *sandbox, int socket_fd);
/* Answered once egress has taken the rules. */
int ward_admin_answer_reload(struct ward_sandbox *sandbox, int socket_fd);
/* The same without a question; nobody waits for it. */
int ward_admin_renew_rules(struct ward_sandbox *sandbox, struct err *err);
/* Closes on those that still wait for that. */
void ward_admin_stop(struct ward_sandbox *sandbox);
int ward_admin_answer_end(
    struct ward_sandbox *sandbox, int socket_fd, const struct ward_wire *wire);
/*
 * Tells it to end: in grace seconds at most, with why on its terminals (a
 * sentence's end) and reason in the rows.
 */
void ward_admin_end(struct ward_sandbox *sandbox, uint32_t grace,
    const char *why, const char *reason);
/* Writes to the terminals of all that runs inside. */
__attribute__((format(printf, 2, 3))) void
ward_admin_tell(struct ward_sandbox *sandbox, const char *format, ...);
/* For a sandbox that was told to end: 0, or when to look again, in ms. */
int ward_admin_end_left(struct ward_sandbox *sandbox);

/* --- agent.c --- */

int ward_agent_listen(struct ward_sandbox *sandbox, struct err *err);
void ward_agent_stop(struct ward_sandbox *sandbox);
/*
 * Connects the socket of a process of the account to the agent's, and knows
 * whose it is.  context is the sandbox.  An errno or 0; never waits.
 */
int ward_agent_connect(
    void *context, int socket_fd, const char *session, pid_t pid);

#endif
