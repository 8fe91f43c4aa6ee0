/* SPDX-License-Identifier: ISC */
/*
 * Whether the uid fence holds, asked of the kernel by trying it.  For wardctl
 * and the warden: the caller is root and in the host's network namespace.
 */
#ifndef WARD_COMMON_FENCE_H
#define WARD_COMMON_FENCE_H

#include <sys/types.h>

/* Where the empty datagram that tries it would go: nobody, on loopback. */
#define WARD_FENCE_PORT 9

/*
 * Sends as this uid, by this thread only; family is AF_INET or AF_INET6.  1 if
 * it is refused, 0 if it goes out, -errno if neither can be told: such as a
 * machine without that family.  The thread's uid for files is 0 again after.
 */
int ward_fence_look(uid_t uid, int family);

#endif
