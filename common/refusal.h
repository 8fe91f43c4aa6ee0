/* SPDX-License-Identifier: ISC */
/*
 * Why a session is refused or ended: a code, what it means and what an admin
 * does about it.  The same code stands in the user's line, in the log's and in
 * ward(7).  Everyone may use it.
 */
#ifndef WARD_COMMON_REFUSAL_H
#define WARD_COMMON_REFUSAL_H

#include <stddef.h>

enum ward_refusal {
	WARD_REFUSED_NONE = 0,
	WARD_REFUSED_STACK = 1,
	WARD_REFUSED_SERVICE = 2,
	WARD_REFUSED_CALLER = 3,
	WARD_REFUSED_DESCRIPTOR = 4,
	WARD_REFUSED_ACCOUNT = 5,
	WARD_REFUSED_LOCKED = 6,
	WARD_REFUSED_NO_WARDEN = 10,
	WARD_REFUSED_TIMEOUT = 11,
	WARD_REFUSED_RUN = 12,
	WARD_REFUSED_PROTOCOL = 13,
	WARD_REFUSED_ENDED = 14, /* after it was let in: a line of the log */
	WARD_REFUSED_POLICY = 20,
	WARD_REFUSED_UNASSIGNED = 21,
	WARD_REFUSED_PLAN = 30,
	WARD_REFUSED_VIEW = 31,
	WARD_REFUSED_HOME = 32,
	WARD_REFUSED_KERNEL = 33,
	WARD_REFUSED_ARM = 40,
	WARD_REFUSED_SEAL = 41,
	WARD_REFUSED_OUTSIDE = 50,
	WARD_REFUSED_SHELL = 51,
	WARD_REFUSED_FENCE = 60, /* of no session: a line of the log */
};

struct ward_refusal_text {
	enum ward_refusal code;
	const char *meaning; /* completes "session refused: " */
	const char *remedy;  /* what the admin does next */
};

/* NULL for a code that does not exist. */
const struct ward_refusal_text *ward_refusal_find(unsigned code);

/*
 * "ward: W012: session for NAME refused: MEANING: DETAIL; REMEDY", visible
 * text only.  detail may be NULL.
 */
void ward_refusal_line(char *out, size_t size, enum ward_refusal code,
    const char *account, const char *detail);

/* REFUSED, to a warden or an opener; who is gone has no use for it. */
void
ward_refusal_send(int socket_fd, enum ward_refusal code, const char *detail);

#endif
