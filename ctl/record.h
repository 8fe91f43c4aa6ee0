/* SPDX-License-Identifier: ISC */
/*
 * What an account was before Ward took it over, and how far that is: one file
 * of root's for each in /etc/ward/adopted.  It is written before anything is
 * changed, and goes when all of it is as it was.  ctl/ only.
 */
#ifndef WARD_CTL_RECORD_H
#define WARD_CTL_RECORD_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/err.h"

enum ward_record_state {
	WARD_RECORD_ADOPTING, /* on its way in */
	WARD_RECORD_ADOPTED,
	WARD_RECORD_RELEASING, /* on its way out */
};

struct ward_record {
	enum ward_record_state state;
	uid_t uid;
	char *home;
	char *shell;
	char *expires;     /* days since 1970, as in shadow; "": never */
	bool had_password; /* Ward locks it meanwhile */
	bool was_agent;    /* in the group ward-agents already */
	bool was_masked;   /* its user manager */
	bool made;         /* by account add: there is no before */
	bool keys_given;   /* with --key: those of its home do not count */
	char *profile;     /* that Ward assigned to it; "": none */
	char *assigned;    /* its own line in assignments.conf; "": none */
	char *subuids;     /* its lines of /etc/subuid, each with its newline */
	char *subgids;
};

/* Every text is there and empty. */
int ward_record_init(struct ward_record *record, struct err *err);
/*
 * Pure.  -EINVAL for what ward_record_print does not print; *record is to be
 * cleared only where it is 0.
 */
int ward_record_parse(
    const char *text, struct ward_record *record, struct err *err);
/* Pure; malloc'd, NULL without memory.  No value may hold a newline. */
char *ward_record_print(const struct ward_record *record);
void ward_record_clear(struct ward_record *record);

/* -ENOENT, with err set, where there is none. */
int
ward_record_read(const char *name, struct ward_record *record, struct err *err);
int ward_record_write(
    const char *name, const struct ward_record *record, struct err *err);
int ward_record_remove(const char *name, struct err *err);

/* The account had expired before Ward locked it. */
bool ward_record_is_expired(const struct ward_record *record);

#define WARD_RECORD_DAYS 24

/*
 * When the account, if it was adopted, expires by itself: for
 * ward_account_set_expiry.  A day that is over counts as never.
 */
int ward_record_expiry(
    const char *name, char days[WARD_RECORD_DAYS], struct err *err);

typedef void ward_record_visit(void *context, const char *name,
    const struct ward_record *record, const char *problem);

/*
 * Each record that is not of an account that was adopted and stays so: what is
 * half done, with what to do about it, and what cannot be read (record NULL).
 */
int ward_record_each_pending(
    ward_record_visit *visit, void *context, struct err *err);

/* -EBUSY, with what to do, where an adoption or release is half done. */
int ward_record_check_settled(const char *name, struct err *err);

#endif
