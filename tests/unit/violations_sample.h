/* SPDX-License-Identifier: ISC */
/* Rows to be stored, and short ways to store and list them.  For tests/unit
 * only; include after cmocka.h. */
#ifndef WARD_TESTS_UNIT_VIOLATIONS_SAMPLE_H
#define WARD_TESTS_UNIT_VIOLATIONS_SAMPLE_H

#include "db/violations_store.h"
#include "tests/unit/scratch.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct lines {
	char text[1024];
};

struct ward_violations *
open_store(const struct scratch *s, enum ward_violations_mode mode);
void start_sandbox(struct ward_violations *store, const char *id,
    const char *account, uint32_t uid, int64_t when);
struct ward_violations_session session_of(const char *id, const char *sandbox,
    const char *account, uint32_t uid, int64_t when);
void start_session(struct ward_violations *store, const char *id,
    const char *sandbox, const char *account, uint32_t uid, int64_t when);
struct ward_violation violation_of(
    const char *sandbox, const char *session, const char *target, int64_t when);
int64_t add(struct ward_violations *store, const char *sandbox,
    const char *session, const char *target, int64_t when);
void fill(struct ward_violations *store);
void note(struct lines *lines, const char *word);
int
note_violation(void *context, const struct ward_violations_violation_row *row);
void check_targets(const struct scratch *scratch, const char *expected);

#endif
