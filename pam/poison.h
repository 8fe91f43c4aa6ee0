/* SPDX-License-Identifier: ISC */
/*
 * The poison: a seccomp filter that refuses execve in the calling process and
 * all that it makes.  For a session that was refused: some callers go on after
 * an error (sudo, or a stack where an earlier module's error hides ours), and
 * must not run the account's command on the host.  Only pam_ward.so uses this.
 */
#ifndef WARD_PAM_POISON_H
#define WARD_PAM_POISON_H

/* 0 or -errno.  It can never be taken back. */
int ward_poison_self(void);

#endif
