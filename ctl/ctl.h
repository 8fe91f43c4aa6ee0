/* SPDX-License-Identifier: ISC */
/*
 * Commands of wardctl, and of ward: one table of each makes dispatch, usage and
 * --help; and what commands share when they speak.  ctl/ only.
 */
#ifndef WARD_CTL_CTL_H
#define WARD_CTL_CTL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

/* Exit statuses. */
enum {
	WARD_EXIT_OK = 0,
	WARD_EXIT_FAILED = 1, /* a failure, or something found */
	WARD_EXIT_USAGE = 2,
};

#define WARD_CTL_OPTIONS 10

struct ward_ctl_option {
	const char *name;     /* without the dashes */
	const char *argument; /* what --help calls it; NULL: a flag */
	const char *help;
};

/* What the command line said; borrowed. */
struct ward_ctl_args {
	/* in the order of the command's options: the value, "" for a flag,
	 * NULL where it was not given */
	const char *values[WARD_CTL_OPTIONS];
	char *const *operands;
	size_t n_operands;
};

struct ward_ctl_command {
	const char *group; /* "profile"; NULL for a command of one word */
	const char *name;
	const char *operands; /* as usage shows them */
	const char *help;
	struct ward_ctl_option options[WARD_CTL_OPTIONS];
	size_t least, most; /* operands */
	bool changes;       /* one such at a time on a machine */
	bool anyone;        /* needs no root */
	int (*run)(const struct ward_ctl_args *args);
};

/* The program that all this speaks for, and the section of its page. */
extern const char ward_ctl_name[];
extern const int ward_ctl_section;

/* Every command, in the order of --help. */
extern const struct ward_ctl_command ward_ctl_commands[];
extern const size_t ward_ctl_n_commands;

int ward_ctl_profile_check(const struct ward_ctl_args *args);
int ward_ctl_profile_apply(const struct ward_ctl_args *args);
int ward_ctl_profile_list(const struct ward_ctl_args *args);
int ward_ctl_profile_show(const struct ward_ctl_args *args);
int ward_ctl_enable(const struct ward_ctl_args *args);
int ward_ctl_fence_apply(const struct ward_ctl_args *args);
int ward_ctl_disable(const struct ward_ctl_args *args);
int ward_ctl_account_add(const struct ward_ctl_args *args);
int ward_ctl_account_adopt(const struct ward_ctl_args *args);
int ward_ctl_account_release(const struct ward_ctl_args *args);
int ward_ctl_account_list(const struct ward_ctl_args *args);
int ward_ctl_account_remove(const struct ward_ctl_args *args);
int ward_ctl_account_lock(const struct ward_ctl_args *args);
int ward_ctl_account_unlock(const struct ward_ctl_args *args);
int ward_ctl_violations(const struct ward_ctl_args *args);
int ward_ctl_export(const struct ward_ctl_args *args);
int ward_ctl_verify(const struct ward_ctl_args *args);
int ward_ctl_connections(const struct ward_ctl_args *args);
int ward_ctl_prune(const struct ward_ctl_args *args);
int ward_ctl_report(const struct ward_ctl_args *args);
int ward_ctl_session_show(const struct ward_ctl_args *args);
int ward_ctl_sessions(const struct ward_ctl_args *args);
int ward_ctl_sandboxes(const struct ward_ctl_args *args);
int ward_ctl_end(const struct ward_ctl_args *args);
int ward_ctl_doctor(const struct ward_ctl_args *args);
int ward_ctl_grant_add(const struct ward_ctl_args *args);
int ward_ctl_grant_list(const struct ward_ctl_args *args);
int ward_ctl_grant_revoke(const struct ward_ctl_args *args);
int ward_ctl_requests(const struct ward_ctl_args *args);
int ward_ctl_approve(const struct ward_ctl_args *args);
int ward_ctl_refuse(const struct ward_ctl_args *args);
int ward_ctl_explain(const struct ward_ctl_args *args);

/* Those of ward, for the account inside. */
int ward_ctl_status(const struct ward_ctl_args *args);
int ward_ctl_why(const struct ward_ctl_args *args);
int ward_ctl_ward_explain(const struct ward_ctl_args *args);
int ward_ctl_ward_request(const struct ward_ctl_args *args);

/* --- say.c --- */

/* "wardctl: ..." (or "ward: ...") on stderr; returns WARD_EXIT_FAILED. */
int
ward_ctl_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for what a function left in err. */
int ward_ctl_fail_err(const struct err *err);
/* The same with a word about --help; returns WARD_EXIT_USAGE. */
int
ward_ctl_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line of what was done, on stdout. */
void
ward_ctl_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * stdout was written to its end: WARD_EXIT_OK, or a failure with its line.
 * The last thing that a command which lists does.
 */
int ward_ctl_flush(void);

#endif
