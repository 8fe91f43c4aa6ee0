/* SPDX-License-Identifier: ISC */
/*
 * What the rules of a profile mean, as tables: one case a meaning.  test_plan
 * runs each with its rules in every order.
 */
#ifndef WARD_TESTS_UNIT_PLAN_CASES_H
#define WARD_TESTS_UNIT_PLAN_CASES_H

#include <stddef.h>

/* What every case's file system has; see fake_fs_add. */
extern const char plan_cases_fs[];

/*
 * The account is "agent" with the home /home/agent.  rules are separated by
 * ";", each "ra PATH" (read.allow), "rd", "wa", "wd", "sa" (sockets),
 * "pr NAME" (protect) or "un NAME" (taken out of the built-in list); the
 * n-th stands in line n; a first "closed" is read.default = "deny" in line 99.
 *
 * entries: "PATH=STATE@LINE ...", complete and in order; STATE is h, r or w,
 * with an f behind it for what is no directory; LINE is 0 for built-in rules.
 * decides: "PATH=STATE@LINE", of the deciding rule.  sockets: the same, STATE
 * is c (closed), o (own) or a (allowed).  links: "AT>TEXT ...",
 * complete.  notes: "LINE:PART|...", complete and in order, where PART is part
 * of the text.  error: part of the text of a failure.  NULL: not looked at, or
 * for links and notes: none.
 */
struct plan_case {
	const char *file;
	int line; /* of the table */
	const char *name;
	const char *fs;
	const char *rules;
	const char *entries;
	const char *decides;
	const char *sockets;
	const char *links;
	const char *notes;
	const char *error;
};

extern const struct plan_case plan_cases[];
extern const size_t n_plan_cases;
extern const struct plan_case plan_place_cases[];
extern const size_t n_plan_place_cases;

#endif
