/* SPDX-License-Identifier: ISC */
/*
 * PAM stacks as libpam reads them (Linux-PAM 1.5, with Debian's @include): the
 * session lines of a service, with everything included put in its place, and
 * whether Ward's lines in it hold.  Pure: files come from the caller.
 * ctl/ only.
 */
#ifndef WARD_CTL_STACK_H
#define WARD_CTL_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "profiles/diagnostics.h"

/* What a module's return value does, as libpam has it; above 0: a jump. */
enum ward_stack_action {
	WARD_STACK_IGNORE = 0,
	WARD_STACK_OK = -1,
	WARD_STACK_DONE = -2,
	WARD_STACK_BAD = -3,
	WARD_STACK_DIE = -4,
	WARD_STACK_RESET = -5,
	WARD_STACK_UNSET = -6,
};

#define WARD_STACK_VALUES 32 /* PAM return values: PAM_SUCCESS ... */

struct ward_stack_line {
	char *file;
	unsigned line;
	unsigned level;   /* of substacks */
	bool is_substack; /* the line that begins one, itself no module */
	bool is_broken;   /* libpam fails it whenever it is reached */
	char *control;    /* as written */
	char *module;     /* as written */
	char **args;
	size_t n_args;
	int actions[WARD_STACK_VALUES];
};

struct ward_stack {
	struct ward_stack_line *lines;
	size_t n;
};

/*
 * The text of a file of /etc/pam.d, or of an absolute path; malloc'd.  0, or
 * -errno: -ENOENT where there is none.
 */
typedef int ward_stack_read(void *context, const char *name, char **text);

/*
 * The session lines of a service, those of "other" where it has none.  Errors
 * are those that make libpam refuse the whole service: -ENOENT, -EINVAL,
 * -ELOOP, -ENOMEM.
 */
int ward_stack_load(const char *service, ward_stack_read *read, void *context,
    struct ward_stack *stack, struct err *err);
void ward_stack_clear(struct ward_stack *stack);

/*
 * Ward's part in a stack: "close" before "open", both required, each right
 * behind its two jumps, none that a governed account's session could miss
 * whatever the modules before it return, and what must be done on the host
 * between them.  0, or -EINVAL with every finding.  shell is wardsh's path.
 */
int ward_stack_check(const struct ward_stack *stack, const char *service,
    const char *shell, struct ward_diagnostics *findings);

#endif
