/* SPDX-License-Identifier: ISC */
/*
 * Requests: hosts that an account asked for, where its profile has
 * network.unlisted = "ask".  They are in the violation store.  Wardens write
 * them, wardctl reads and answers them.  As for everything there, times are
 * microseconds since 1970, and strings are what an agent chose.
 */
#ifndef WARD_DB_REQUESTS_H
#define WARD_DB_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "db/violations.h"

/* Open ones of one account; what is more is counted as one number. */
#define WARD_REQUESTS_OPEN_MAX 100

struct ward_violations_request {
	const char *sandbox; /* announced before, as for a violation */
	const char *session; /* or NULL */
	const char *account;
	const char *host; /* canonical */
	uint16_t port;
	int64_t when;
	int64_t count;   /* how often; 0 is once */
	const char *why; /* as the account says; or NULL */
};

/*
 * Adds one, or counts it on the open one of the same account, host and port; or
 * on a refused one, which stays refused.  Its last reason is kept.
 */
int ward_violations_request_add(struct ward_violations *store,
    const struct ward_violations_request *request, struct err *err);

enum ward_answer {
	WARD_ANSWER_NONE,
	WARD_ANSWER_APPROVED,
	WARD_ANSWER_REFUSED,
};

struct ward_violations_request_row {
	int64_t id;
	const char *account;
	const char *host;
	uint16_t port;
	int64_t count;
	int64_t first, last;
	const char *sandbox; /* of the first */
	const char *session; /* or NULL */
	enum ward_answer answer;
	int64_t answered; /* 0: it is open, and the rest says nothing */
	const char *answerer;
	const char *reason; /* or NULL */
	int64_t grant;      /* of the policy store; 0: none */
	const char *why;    /* as the account said; or NULL */
};
typedef int ward_violations_on_request(
    void *context, const struct ward_violations_request_row *row);

struct ward_violations_request_filter {
	const char *account; /* NULL: of all */
	int64_t id;          /* 0: not by number */
	bool open_only;
};
/* Oldest first; as the other readers of db/violations.h. */
int ward_violations_each_request(struct ward_violations *store,
    const struct ward_violations_request_filter *filter,
    ward_violations_on_request *on_row, void *context, struct err *err);

/* How many of account (NULL: of all) were not kept since it had room. */
int ward_violations_requests_dropped(struct ward_violations *store,
    const char *account, int64_t *n, struct err *err);

/*
 * Writes down what somebody said.  An open request can be approved and refused,
 * a refused one approved; -EALREADY for the rest, -ENOENT if there is none.
 */
struct ward_violations_answer {
	int64_t request;
	enum ward_answer answer;
	int64_t when;
	const char *who;
	const char *reason; /* or NULL */
	int64_t grant;      /* 0: none */
};
int ward_violations_request_answer(struct ward_violations *store,
    const struct ward_violations_answer *answer, struct err *err);

#endif
