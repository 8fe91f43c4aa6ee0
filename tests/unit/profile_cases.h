/* SPDX-License-Identifier: ISC */
/* Texts of one profile that are refused; for test_profile. */
#ifndef WARD_TESTS_PROFILE_CASES_H
#define WARD_TESTS_PROFILE_CASES_H

#include <stddef.h>

struct profile_case {
	const char *name;
	const char *text;
	unsigned line;
	const char *message; /* of the first finding, whole */
};

extern const struct profile_case profile_cases[];
extern const size_t n_profile_cases;

#endif
