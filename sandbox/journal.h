/* SPDX-License-Identifier: ISC */
/*
 * The host's log, of violations: each row once, with fields, to journald, or
 * to syslog where there is none.  Sends without waiting: what the log has no
 * room for stays out of it, and is counted.  The recorder's thread only; the
 * texts are pure.
 */
#ifndef WARD_SANDBOX_JOURNAL_H
#define WARD_SANDBOX_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "db/violations.h"

/* Encoded bytes of a value: so many, that a line of syslog's holds them all. */
#define WARD_JOURNAL_TARGET 1024
#define WARD_JOURNAL_VALUE  256
/* What holds any of the texts. */
#define WARD_JOURNAL_MAX    8000

struct ward_journal {
	int fd;         /* -1: none yet */
	int64_t missed; /* rows that the log had no room for */
};

/* A row as it was written, of which id is the number. */
void ward_journal_violation(struct ward_journal *journal, int64_t id,
    const char *account, uint32_t uid, const struct ward_violation *violation);
void ward_journal_close(struct ward_journal *journal);

/*
 * journald's native protocol, and JSON for rsyslog's mmjsonparse(@cee:).  The
 * fields are those of wardctl violations --json.  Returns the length.
 */
size_t ward_journal_native(char *out, size_t size, int64_t id,
    const char *account, uint32_t uid, const struct ward_violation *violation);
size_t ward_journal_cee(char *out, size_t size, int64_t id, const char *account,
    uint32_t uid, const struct ward_violation *violation);

#endif
