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
 *	wardctl -> warden   STATUS, END
 *	warden  -> wardctl  STATUS_IS, ENDING
 *	warden  -> connector  CONNECT (+ the socket, a socket for this
 *			      connect, what its place is relative to), JUDGED
 *	connector -> warden   PLACE (+ what was found), CONNECTED
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

#define WARD_WIRE_MAX     8192
#define WARD_WIRE_MAGIC   0x44524157u /* "WARD" */
#define WARD_WIRE_VERSION 1

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
};
#define WARD_WIRE_LAST WARD_WIRE_CONNECTED

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
	bool listener; /* the seal has notified calls: send its listener */
	bool shared;   /* others may join: the starter makes it current */
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

/* JUDGED and CONNECTED: an errno, or 0 */
struct ward_wire_result {
	uint32_t error;
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
/* RETRY, ENTERED, CLOSE, STATUS, ENDING, PLACE: no body. */
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
int ward_wire_get_empty(const struct ward_wire *wire, enum ward_wire_type type);

#endif
