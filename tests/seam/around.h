/* SPDX-License-Identifier: ISC */
/*
 * What is around a traced login: the log, the next login, and what is left of
 * either.  Part of tests/seam/seam.
 */
#ifndef WARD_SEAM_AROUND_H
#define WARD_SEAM_AROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * No login takes longer, also on a machine that is busy: it waits five seconds
 * at the most, and whatever would wait twice would take ten.
 */
#define SEAM_LOGIN_MS 9000

/*
 * In a mount namespace of its own, /dev/log is this program's.  uid is that of
 * the account which logs in.
 */
void seam_around_init(uid_t uid);

/* What was logged since it was last asked, a line each. */
void seam_around_log(char *out, size_t size);

/*
 * The next login: it must get in, or may_refuse and be refused with a code, in
 * time.  False with the reason.
 */
bool seam_around_next(bool may_refuse, char *why, size_t size);

/* No mount and no run file is there that was not before.  False with what. */
bool seam_around_is_clean(char *why, size_t size);

/* "ward: W012: ..." is in the text. */
bool seam_around_has_code(const char *text);

#endif
