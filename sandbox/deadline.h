/* SPDX-License-Identifier: ISC */
/*
 * The end of a warden has a limit, whatever holds it up: a database that
 * SQLite tries again and again, or a file system that answers nobody.  The
 * warden only.
 */
#ifndef WARD_SANDBOX_DEADLINE_H
#define WARD_SANDBOX_DEADLINE_H

/*
 * From now on this process lives for so long at most.  Then it says so in the
 * log, and its end is that of one that was killed: its run files go, and its
 * rows are closed as lost, with a gap, when the account comes in again.
 * account is borrowed for good.
 */
void ward_deadline_set(const char *account, int ms);

#endif
