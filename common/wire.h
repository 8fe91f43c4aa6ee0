/* SPDX-License-Identifier: ISC */
/*
 * Every message that crosses a socket of Ward's: one record of a
 * SOCK_SEQPACKET socket, at most WARD_WIRE_MAX bytes, {magic, version, type,
 * length} and a body.  One encode and one decode per type; all are pure and
 * fuzzed, since what they read may come from a hostile process.
 *
 *	module  -> warden   OPEN, ENTERED (+ listener), UNSEALED, CLOSE
 *	warden  -> module   OPENED (+ fds), REFUSED, RETRY
 *	wardsh  -> warden   COMMAND
 *	warden  -> wardsh   INSIDE
 *	wardctl -> warden   STATUS, END, RELOAD
 *	warden  -> wardctl  STATUS_IS, ENDING, RELOADED
 *	warden  -> connector  CONNECT (+ the socket, a socket for this
 *			      connect, what its place is relative to), JUDGED
 *	connector -> warden   PLACE (+ what was found), CONNECTED
 *	warden  -> egress   EGRESS_START (+ fds), EGRESS_POLICY (+ memfd)
 *	egress  -> warden   EGRESS_TAKEN; over the events socket EGRESS_EVENT
 *	ward    -> warden   ABOUT, WHY, EXPLAIN, REQUEST
 *	warden  -> ward     ABOUT_IS, WHY_IS, EXPLAIN_IS
 *	masks   -> warden   MASKS, LOOK
 *	warden  -> masks    LOOKED
 *
 * Everyone may use it.  Integers are in the machine's own order: both ends are
 * on one kernel.
 */
#ifndef WARD_COMMON_WIRE_H
#define WARD_COMMON_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/proxy.h"

#define WARD_WIRE_MAX     8192
#define WARD_WIRE_MAGIC   0x44524157u /* "WARD" */
#define WARD_WIRE_VERSION 2

enum ward_wire_type {
	WARD_WIRE_OPEN = 1,
	WARD_WIRE_OPENED,
	WARD_WIRE_REFUSED,
	WARD_WIRE_RETRY, /* this sandbox takes no new session: start another */
	WARD_WIRE_ENTERED,
	WARD_WIRE_UNSEALED,
	WARD_WIRE_CLOSE,
	WARD_WIRE_COMMAND,
	WARD_WIRE_INSIDE,
	WARD_WIRE_STATUS,
	WARD_WIRE_STATUS_IS,
	WARD_WIRE_END,
	WARD_WIRE_ENDING,
	WARD_WIRE_CONNECT,
	WARD_WIRE_PLACE,
	WARD_WIRE_JUDGED,
	WARD_WIRE_CONNECTED,
	WARD_WIRE_EGRESS_START,
	WARD_WIRE_EGRESS_POLICY,
	WARD_WIRE_EGRESS_TAKEN,
	WARD_WIRE_EGRESS_EVENT,
	WARD_WIRE_RELOAD,
	WARD_WIRE_RELOADED,
	WARD_WIRE_ABOUT,
	WARD_WIRE_ABOUT_IS,
	WARD_WIRE_WHY,
	WARD_WIRE_WHY_IS,
	WARD_WIRE_EXPLAIN,
	WARD_WIRE_EXPLAIN_IS, /* also to REQUEST */
	WARD_WIRE_REQUEST,
	WARD_WIRE_MASKS, /* they stand, and are served from now on */
	WARD_WIRE_LOOK,
	WARD_WIRE_LOOKED,
};
#define WARD_WIRE_LAST WARD_WIRE_LOOKED

#define WARD_WIRE_GROUPS_MAX 1024
#define WARD_WIRE_LIMITS_MAX 8
#define WARD_WIRE_LISTS_MAX  6000

/* A request for a session.  Strings are cut by the sender, never refused. */
struct ward_wire_open {
	char account[64];
	char home[512];
	char service[32];
	char tty[64];
	char rhost[256];
	char ruser[64];
	uint32_t uid;
	uint32_t gid;
	uint32_t audit_session; /* /proc/self/sessionid; ~0: none */
	uint32_t n_groups;
	uint32_t groups[WARD_WIRE_GROUPS_MAX];
};

/* The fds of OPENED, in this order. */
enum ward_opened_fd {
	WARD_OPENED_INIT,    /* pidfd of the sandbox's init */
	WARD_OPENED_DEAD,    /* a pid namespace whose init has ended */
	WARD_OPENED_RULESET, /* Landlock ruleset of the view */
	WARD_OPENED_SEAL,    /* sealed memfd: struct sock_filter[] */
	WARD_OPENED_FDS,
};

struct ward_wire_limit {
	uint32_t resource; /* RLIMIT_* */
	uint64_t value;    /* both soft and hard */
};

struct ward_wire_opened {
	char session[32];
	bool listener;    /* the seal has notified calls: send its listener */
	bool shared;      /* others may join: the starter makes it current */
	uint32_t network; /* enum ward_net_kind */
	uint32_t n_limits;
	struct ward_wire_limit limits[WARD_WIRE_LIMITS_MAX];
};

struct ward_wire_refused {
	uint32_t code; /* enum ward_refusal */
	char detail[512];
};

/* What failed in a child that then ended itself. */
struct ward_wire_unsealed {
	char step[32];
	uint32_t error; /* errno */
};

struct ward_wire_command {
	bool login;
	char line[4096]; /* the account's claim */
};

/*
 * What wardsh needs.  lists holds strings, each ended by NUL: n_pass names to
 * pass, then n_set pairs of name and value to set.
 */
struct ward_wire_inside {
	char session[32];
	char account[64];
	char home[512];
	char shell[512];
	uint32_t n_pass;
	uint32_t n_set;
	uint32_t n_lists; /* bytes of lists that are used */
	char lists[WARD_WIRE_LISTS_MAX];
	uint32_t annotate; /* enum ward_tell */
};

/* When wardsh tells what was refused to a command. */
enum ward_tell {
	WARD_TELL_NEVER,
	WARD_TELL_FAILED, /* after one that failed */
	WARD_TELL_ALWAYS,
	WARD_TELL_MAX = WARD_TELL_ALWAYS,
};

enum ward_sandbox_state {
	WARD_SANDBOX_CURRENT, /* of the revision that holds */
	WARD_SANDBOX_STALE,   /* of another one: takes no new session */
	WARD_SANDBOX_ENDING,
	WARD_SANDBOX_UNKNOWN, /* the policy could not be asked */
};

/* A sandbox, as an admin sees it.  Times are microseconds since 1970. */
struct ward_wire_status_is {
	char id[32];
	char account[64];
	char profile[64];
	uint64_t revision;
	uint64_t since;
	uint64_t until;    /* linger is over; 0: it does not linger now */
	uint64_t ends;     /* it is ended then; 0: nothing ends it */
	uint32_t state;    /* enum ward_sandbox_state */
	uint32_t sessions; /* that are open */
	uint32_t init;     /* its pid on the host */
};

#define WARD_WIRE_GRACE     5 /* seconds, where nobody says another */
#define WARD_WIRE_GRACE_MAX 3600

struct ward_wire_end {
	char reason[256]; /* for the terminals and the rows; "": none */
	uint32_t grace;   /* seconds that processes have to end themselves */
};

/* The fds of CONNECT, in this order; the last is there where it is wanted. */
enum ward_connect_fd {
	WARD_CONNECT_SOCKET, /* the caller's */
	WARD_CONNECT_ANSWER, /* where PLACE, JUDGED and CONNECTED go */
	WARD_CONNECT_BASE,   /* O_PATH, see enum ward_connect_how */
	WARD_CONNECT_FDS,
};

enum ward_connect_how {
	WARD_CONNECT_PLAIN,    /* to the address, which is no path */
	WARD_CONNECT_ABSOLUTE, /* to a path of the view, once it is judged */
	WARD_CONNECT_RELATIVE, /* the same, from base */
	WARD_CONNECT_HERE,     /* to base itself: it has been judged */
	WARD_CONNECT_HOW_MAX = WARD_CONNECT_HERE,
};

#define WARD_WIRE_ADDRESS_MAX 128 /* sizeof(struct sockaddr_storage) */

struct ward_wire_connect {
	uint32_t how;  /* enum ward_connect_how */
	uint32_t size; /* of address */
	unsigned char address[WARD_WIRE_ADDRESS_MAX];
};

/* JUDGED, CONNECTED and RELOADED: an errno, or 0 */
struct ward_wire_result {
	uint32_t error;
};

/*
 * The fds of EGRESS_START, in this order; those that its has names.  All
 * listeners are of the sandbox's net namespace.
 */
enum ward_egress_fd {
	WARD_EGRESS_RULES,   /* sealed memfd: profiles/network_pack.h */
	WARD_EGRESS_EVENTS,  /* SOCK_SEQPACKET, where EGRESS_EVENT goes */
	WARD_EGRESS_PROXY,   /* TCP: HTTP and SOCKS */
	WARD_EGRESS_TCP4,    /* TCP: what is meant for somewhere else */
	WARD_EGRESS_TCP6,    /* the same */
	WARD_EGRESS_DNS_UDP, /* bound, UDP */
	WARD_EGRESS_DNS_TCP, /* TCP */
	WARD_EGRESS_FDS,
};

#define WARD_EGRESS_CONNECTIONS_MAX 65536
#define WARD_EGRESS_RATE_MAX        100000

struct ward_wire_egress_start {
	uint32_t has; /* bit 1 << enum ward_egress_fd; the first two always */
	bool redirected; /* the destination is SO_ORIGINAL_DST, of nftables */
	uint32_t connections; /* at a time; 0: as egress thinks fit */
	uint32_t rate;        /* new ones a second; 0: the same */
	/* how many there were before it, of the same sandbox */
	uint32_t generation;
};

/*
 * New rules, for what is decided from now on; its one fd is the memfd.  START
 * is answered too, with serial 0: it serves, or error says why it ends.
 */
struct ward_wire_egress_policy {
	uint64_t serial;
};

/* They hold, or error says why the old ones do. */
struct ward_wire_egress_taken {
	uint64_t serial;
	uint32_t error;
};

enum ward_egress_event {
	WARD_EGRESS_OPENED,  /* connected, and bytes flow */
	WARD_EGRESS_CLOSED,  /* and its end; it repeats what OPENED said */
	WARD_EGRESS_REFUSED, /* by a rule, or since it was no good */
	WARD_EGRESS_FAILED,  /* allowed, and there was no connection */
	WARD_EGRESS_DROPPED, /* count events that found no room */
	WARD_EGRESS_EVENT_MAX = WARD_EGRESS_DROPPED,
};

enum ward_egress_front {
	WARD_FRONT_NONE,
	WARD_FRONT_HTTP,
	WARD_FRONT_CONNECT,
	WARD_FRONT_SOCKS4,
	WARD_FRONT_SOCKS5,
	WARD_FRONT_TRANSPARENT,
	WARD_FRONT_DNS,
	WARD_FRONT_MAX = WARD_FRONT_DNS,
};

/* What a refusal or a failure comes from. */
enum ward_egress_cause {
	WARD_CAUSE_NONE,
	WARD_CAUSE_DECISION, /* ground and what is beside it say more */
	WARD_CAUSE_NAME,     /* SNI or Host is not the name decided */
	WARD_CAUSE_PROTOCOL, /* the client says what the front cannot take */
	WARD_CAUSE_LIMIT,    /* connections at a time, or new ones a second */
	WARD_CAUSE_SPENT,    /* no address left to stand for a name */
	WARD_CAUSE_RESOLVE,  /* the name has no address */
	WARD_CAUSE_CONNECT,  /* error says why */
	WARD_CAUSE_UPSTREAM, /* the upstream proxy did not */
	WARD_CAUSE_MAX = WARD_CAUSE_UPSTREAM,
};

/* IPv4 as ::ffff:a.b.c.d; port 0 and :: where there is none. */
struct ward_wire_end_point {
	unsigned char address[16];
	uint32_t port;
};

/* Strings are cut by the sender, never refused. */
struct ward_wire_egress_event {
	uint32_t kind;  /* enum ward_egress_event */
	uint32_t front; /* enum ward_egress_front */
	uint32_t cause; /* enum ward_egress_cause */
	uint64_t id;    /* of a connection, from 1: OPENED and its CLOSED */
	char host[256]; /* canonical, or visible text of what is malformed */
	uint32_t port;
	struct ward_wire_end_point dialled;
	/* inside the sandbox: the client's end, and what it connected to */
	struct ward_wire_end_point from, to;
	uint32_t ground; /* enum ward_ground */
	char file[256];  /* of the rule that decided, with line and text */
	uint32_t line;
	char rule[288];
	uint64_t grant;    /* its id, or 0 */
	char reason[2048]; /* the profile's own words */
	char said[3072];   /* the whole sentence that was told the client */
	bool ask;          /* to be filed as a request */
	uint64_t up, down; /* bytes from and to the client */
	uint64_t duration; /* microseconds */
	uint32_t error;    /* errno */
	uint32_t count;    /* of requests of a connection, or of DROPPED */
	uint32_t mark;     /* of the client's connection: SO_MARK; 0: none */
};

/*
 * A sandbox, as its account sees it.  lists holds the first n_writable of the
 * places that can be written, each ended by NUL; more is how many others there
 * are.
 */
struct ward_wire_about_is {
	char account[64];
	char session[32]; /* "": not known */
	char sandbox[32];
	char profile[64];
	uint64_t revision;
	uint64_t since;
	uint64_t ends;    /* it is ended then; 0: nothing ends it */
	uint32_t state;   /* enum ward_sandbox_state, as far as it is known */
	bool shared;      /* by the sessions of the account */
	uint32_t network; /* enum ward_net_kind */
	bool asks;        /* hosts that no rule names become requests */
	uint32_t n_writable, more;
	uint32_t n_lists; /* bytes of lists that are used */
	char lists[WARD_WIRE_LISTS_MAX];
};

/* The next of the last refusals. */
struct ward_wire_why {
	uint64_t after; /* its serial is greater than this */
	uint64_t since; /* ward_now_us(): seen then or later */
	bool own;       /* of the session that asks */
};

/*
 * A refusal, as its row in violations.db.  Strings are cut by the sender,
 * never refused.  seen and judged are there without one, too: once judged has
 * come to what seen was, all that was done before seen was asked for is known.
 */
struct ward_wire_why_is {
	uint64_t seen, judged; /* acts, ever */
	uint64_t serial;       /* 0: there is none, and the rest says nothing */
	char session[32];      /* "": not known */
	char kind[16];
	char operation[32];
	char target[4096];
	char program[64];
	bool confirmed;
	uint32_t error; /* errno */
	uint64_t count;
	uint64_t lately; /* of them since what was asked for: at the least */
	uint64_t first, last;
	char profile[64];
	uint64_t revision;
	char rule_file[512]; /* "": built-in */
	uint32_t rule_line;
	char rule[1024];
	char reason[3072];
	bool asked;   /* it is a request now, which an admin may grant */
	bool passing; /* by what is used up, and may come back */
};

enum ward_explain_what {
	WARD_EXPLAIN_PATH,
	WARD_EXPLAIN_SOCKET, /* that is bound at a path */
	WARD_EXPLAIN_HOST,
	WARD_EXPLAIN_MAX = WARD_EXPLAIN_HOST,
};

struct ward_wire_explain {
	uint32_t what;   /* enum ward_explain_what */
	uint32_t port;   /* of a host */
	char text[4096]; /* a path as it is in the view, without links */
};

enum ward_explained {
	WARD_EXPLAINED_HIDDEN,
	WARD_EXPLAINED_READABLE,
	WARD_EXPLAINED_WRITABLE,
	WARD_EXPLAINED_CLOSED, /* a socket: not to be connected to */
	WARD_EXPLAINED_OWN,    /* if it is the account's */
	WARD_EXPLAINED_OPEN,
	WARD_EXPLAINED_REFUSED, /* a host */
	WARD_EXPLAINED_ALLOWED,
	WARD_EXPLAINED_MAX = WARD_EXPLAINED_ALLOWED,
};

/* What holds, and what decides it.  Strings are cut by the sender. */
struct ward_wire_explain_is {
	uint32_t verdict; /* enum ward_explained */
	bool is_private;  /* each sandbox has its own there */
	bool asks;        /* trying it files a request; REQUEST: it is filed */
	char list[64];    /* "write.allow"; "": none decides */
	char rule_file[512];
	uint32_t rule_line; /* 0: built-in */
	char rule[1024];
	char text[3072]; /* of a host: what is told who tries it */
};

/* A host that the account would like to reach, for the admin to answer. */
struct ward_wire_request {
	uint32_t port;
	char host[512];   /* as it is spelt */
	char reason[512]; /* of the account's own */
};

/* What somebody did in a hidden place. */
enum ward_look {
	WARD_LOOK_LOOKUP, /* of a name that is not there */
	WARD_LOOK_ACCESS, /* asked what it may do with a hidden file */
	WARD_LOOK_OPEN,   /* would open one */
	WARD_LOOK_LIST,   /* lists the directory: a walk, and not aimed */
	WARD_LOOK_MAX = WARD_LOOK_LIST,
};

/* The thread waits until this is answered, and not for ever. */
struct ward_wire_look {
	uint64_t serial; /* from 1 */
	uint32_t what;   /* enum ward_look */
	uint32_t mask;   /* a mount of the layout */
	uint32_t tid;    /* on the host; 0: not known */
	uint64_t missed; /* of those before it, that could not be told */
	uint64_t waits;  /* until then, by ward_now_ms(); 0: it does not */
	char name[4096]; /* below the mask; "": the mask itself */
};

struct ward_wire_looked {
	uint64_t serial;
};

struct ward_wire {
	size_t size;
	unsigned char data[WARD_WIRE_MAX];
};

/* Each makes a whole record; -EMSGSIZE where it does not fit. */
int ward_wire_put_open(struct ward_wire *wire, const struct ward_wire_open *m);
int
ward_wire_put_opened(struct ward_wire *wire, const struct ward_wire_opened *m);
int ward_wire_put_refused(
    struct ward_wire *wire, const struct ward_wire_refused *m);
int ward_wire_put_unsealed(
    struct ward_wire *wire, const struct ward_wire_unsealed *m);
int ward_wire_put_command(
    struct ward_wire *wire, const struct ward_wire_command *m);
int
ward_wire_put_inside(struct ward_wire *wire, const struct ward_wire_inside *m);
int ward_wire_put_status_is(
    struct ward_wire *wire, const struct ward_wire_status_is *m);
int ward_wire_put_end(struct ward_wire *wire, const struct ward_wire_end *m);
int ward_wire_put_connect(
    struct ward_wire *wire, const struct ward_wire_connect *m);
int
ward_wire_put_judged(struct ward_wire *wire, const struct ward_wire_result *m);
int ward_wire_put_connected(
    struct ward_wire *wire, const struct ward_wire_result *m);
int ward_wire_put_egress_start(
    struct ward_wire *wire, const struct ward_wire_egress_start *m);
int ward_wire_put_egress_policy(
    struct ward_wire *wire, const struct ward_wire_egress_policy *m);
int ward_wire_put_egress_taken(
    struct ward_wire *wire, const struct ward_wire_egress_taken *m);
int ward_wire_put_egress_event(
    struct ward_wire *wire, const struct ward_wire_egress_event *m);
int ward_wire_put_reloaded(
    struct ward_wire *wire, const struct ward_wire_result *m);
int ward_wire_put_about_is(
    struct ward_wire *wire, const struct ward_wire_about_is *m);
int ward_wire_put_why(struct ward_wire *wire, const struct ward_wire_why *m);
int
ward_wire_put_why_is(struct ward_wire *wire, const struct ward_wire_why_is *m);
int ward_wire_put_explain(
    struct ward_wire *wire, const struct ward_wire_explain *m);
int ward_wire_put_explain_is(
    struct ward_wire *wire, const struct ward_wire_explain_is *m);
int ward_wire_put_request(
    struct ward_wire *wire, const struct ward_wire_request *m);
int ward_wire_put_look(struct ward_wire *wire, const struct ward_wire_look *m);
int
ward_wire_put_looked(struct ward_wire *wire, const struct ward_wire_looked *m);
/*
 * RETRY, ENTERED, CLOSE, STATUS, ENDING, PLACE, RELOAD, ABOUT, MASKS: no body.
 */
int ward_wire_put_empty(struct ward_wire *wire, enum ward_wire_type type);

/*
 * The type of a record, or -EPROTO for what is none, -EPROTONOSUPPORT for
 * another version.
 */
int ward_wire_type(const struct ward_wire *wire);

/* 0, or -EPROTO: wrong type, short, long, unterminated or out of range. */
int ward_wire_get_open(const struct ward_wire *wire, struct ward_wire_open *m);
int
ward_wire_get_opened(const struct ward_wire *wire, struct ward_wire_opened *m);
int ward_wire_get_refused(
    const struct ward_wire *wire, struct ward_wire_refused *m);
int ward_wire_get_unsealed(
    const struct ward_wire *wire, struct ward_wire_unsealed *m);
int ward_wire_get_command(
    const struct ward_wire *wire, struct ward_wire_command *m);
int
ward_wire_get_inside(const struct ward_wire *wire, struct ward_wire_inside *m);
int ward_wire_get_status_is(
    const struct ward_wire *wire, struct ward_wire_status_is *m);
int ward_wire_get_end(const struct ward_wire *wire, struct ward_wire_end *m);
int ward_wire_get_connect(
    const struct ward_wire *wire, struct ward_wire_connect *m);
int
ward_wire_get_judged(const struct ward_wire *wire, struct ward_wire_result *m);
int ward_wire_get_connected(
    const struct ward_wire *wire, struct ward_wire_result *m);
int ward_wire_get_egress_start(
    const struct ward_wire *wire, struct ward_wire_egress_start *m);
int ward_wire_get_egress_policy(
    const struct ward_wire *wire, struct ward_wire_egress_policy *m);
int ward_wire_get_egress_taken(
    const struct ward_wire *wire, struct ward_wire_egress_taken *m);
int ward_wire_get_egress_event(
    const struct ward_wire *wire, struct ward_wire_egress_event *m);
int ward_wire_get_reloaded(
    const struct ward_wire *wire, struct ward_wire_result *m);
int ward_wire_get_about_is(
    const struct ward_wire *wire, struct ward_wire_about_is *m);
int ward_wire_get_why(const struct ward_wire *wire, struct ward_wire_why *m);
int
ward_wire_get_why_is(const struct ward_wire *wire, struct ward_wire_why_is *m);
int ward_wire_get_explain(
    const struct ward_wire *wire, struct ward_wire_explain *m);
int ward_wire_get_explain_is(
    const struct ward_wire *wire, struct ward_wire_explain_is *m);
int ward_wire_get_request(
    const struct ward_wire *wire, struct ward_wire_request *m);
int ward_wire_get_look(const struct ward_wire *wire, struct ward_wire_look *m);
int
ward_wire_get_looked(const struct ward_wire *wire, struct ward_wire_looked *m);
int ward_wire_get_empty(const struct ward_wire *wire, enum ward_wire_type type);

#endif
