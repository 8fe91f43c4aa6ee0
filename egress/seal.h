/* SPDX-License-Identifier: ISC */
/*
 * Takes from the egress and from its resolver what they do not need.  Each is
 * called once, before the first byte that somebody else chose is read, and
 * cannot be undone.  For egress/main.c only.
 */
#ifndef WARD_EGRESS_SEAL_H
#define WARD_EGRESS_SEAL_H

/*
 * Both: not root, no capability, no new ones, not dumpable.  0 or -errno;
 * -EPERM where it is root.
 */
int ward_seal_privileges(void);

/* The egress: no file system, and the system calls of its loop; others kill. */
int ward_seal_egress(void);

/*
 * The resolver runs the host's NSS modules, which nobody can list: it may read,
 * and connect, and nothing that changes files, runs programs or reaches other
 * processes.
 */
int ward_seal_resolver(void);

#endif
