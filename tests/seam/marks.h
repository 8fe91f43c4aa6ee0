/* SPDX-License-Identifier: ISC */
/*
 * Where the module begins and ends: its entry points and fork handlers stop
 * the traced process, and so does their return.  Part of tests/seam/seam.
 */
#ifndef WARD_SEAM_MARKS_H
#define WARD_SEAM_MARKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum seam_mark {
	SEAM_MARK_OPEN,
	SEAM_MARK_CLOSE,
	SEAM_MARK_PREPARE,
	SEAM_MARK_PARENT,
	SEAM_MARK_CHILD,
	SEAM_MARKS,
	SEAM_MARK_NONE = SEAM_MARKS,
};

/* Of one process; a copy of a process has a copy. */
struct seam_marks {
	uint64_t at[SEAM_MARKS]; /* addresses; 0: not set */
	enum seam_mark inside;
	uint64_t back, back_sp; /* where the function returns to */
};

/* Reads the module's symbols; whatever is missing ends the program. */
void seam_marks_load(const char *module);

/* The process has mapped the module: sets the marks. */
void seam_marks_set(pid_t pid, struct seam_marks *marks);

/*
 * A SIGTRAP of the task: true where it was a mark's, and the task can go on.
 * *left is what it came out of, else SEAM_MARK_NONE.
 */
bool seam_marks_hit(pid_t tid, struct seam_marks *marks, enum seam_mark *left);

#endif
