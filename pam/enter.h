/* SPDX-License-Identifier: ISC */
/*
 * Enters the sandbox and seals the calling process, a fresh child of an armed
 * opener, already in the sandbox's pid namespace.  Only pam/arm.c uses this.
 */
#ifndef WARD_PAM_ENTER_H
#define WARD_PAM_ENTER_H

#include "pam/join.h"

/*
 * System calls only.  Closes the session's descriptors and host_nsfd in this
 * process.  On any failure it tells the warden the step and ends the process:
 * it never returns to a caller that is not sealed.
 */
void ward_enter(const struct ward_joined *joined, int host_nsfd);

/*
 * Tells the warden, whose log is the only one that hears of it, that a process
 * of the session could not be sealed, or not be made.
 */
void
ward_enter_tell(const struct ward_joined *joined, const char *step, int error);

#endif
