/* SPDX-License-Identifier: ISC */
/*
 * Takes a process of Ward's out of the control group that it was born in: the
 * session scope of logind's or the service of whoever opened the session, which
 * end without asking.  The warden only.
 */
#ifndef WARD_SANDBOX_CGROUP_H
#define WARD_SANDBOX_CGROUP_H

#include <sys/types.h>

/*
 * Best effort: where there is no control group file system, or it is not the
 * caller's to change, the process stays where it is.  Also protects it from
 * the OOM killer, as far as that is allowed.
 */
void ward_cgroup_move(pid_t pid);

#endif
