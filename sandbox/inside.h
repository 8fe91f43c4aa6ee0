/* SPDX-License-Identifier: ISC */
/*
 * The processes inside of a sandbox, as the host sees them.  The warden ends
 * them; wardctl counts them.
 */
#ifndef WARD_SANDBOX_INSIDE_H
#define WARD_SANDBOX_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How many there are beside Ward's own; 0 also where init is gone. */
size_t ward_inside_count(pid_t init);

/* Kills one, if it is still the one that started then (process.h). */
bool ward_inside_kill(pid_t init, pid_t pid, uint64_t started);

/*
 * Calls for each of them; not for init, nor for the connector, whose parent is
 * the warden, too.
 */
typedef void ward_inside_visit(void *context, pid_t pid);
void ward_inside_each(pid_t init, ward_inside_visit *call, void *context);

/*
 * Sends a signal to each that has this terminal, as its controlling one or in
 * a descriptor, and that is left says yes to.  How many there were.
 */
typedef bool ward_inside_is_left(void *context, pid_t pid);
size_t ward_inside_leave_terminal(pid_t init, dev_t terminal, const char *path,
    int signal, ward_inside_is_left *is_left, void *context);

/* Asks each of them to end, the stopped ones too. */
void ward_inside_hang_up(pid_t init);

/* Whether one may write to this terminal, which a process inside has. */
typedef bool ward_inside_owns(void *context, unsigned number, uid_t owner);

/*
 * Writes text to each terminal (/dev/pts/NUMBER) that is the controlling one
 * of a process inside and that owns says yes to.  Never waits: a terminal that
 * is stopped misses it.
 */
void ward_inside_tell(
    pid_t init, const char *text, ward_inside_owns *owns, void *context);

#endif
