/* SPDX-License-Identifier: ISC */
/*
 * Who opens the session: whether it is a program that a session can be left
 * to, and what it would hand in.  Only pam_ward.so uses this.
 */
#ifndef WARD_PAM_CALLER_H
#define WARD_PAM_CALLER_H

#include <stdbool.h>

#include "common/err.h"

struct ward_caller {
	bool is_wardctl; /* which tries a session of a locked account */
};

/*
 * The caller is root, of one thread (arming is a thread's own), and the
 * program that the service's name promises.  -errno with what it is instead.
 */
int ward_caller_check(
    const char *service, struct ward_caller *caller, struct err *err);

/*
 * The calling process serves this session and no other, so that it may be kept
 * from running anything: the service's own program.  Of sudo's services anyone,
 * who may go on after an error.  Others may be daemons that serve people.
 */
bool ward_caller_is_brief(const char *service);

/* Makes all but 0, 1 and 2 close-on-exec. */
int ward_caller_keep_descriptors(struct err *err);
/* Of those none may be a way out.  -errno with the one that is. */
int ward_caller_check_descriptors(struct err *err);

#endif
