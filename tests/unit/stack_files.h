/* SPDX-License-Identifier: ISC */
/*
 * Debian 12's PAM files, comments shortened, as they are after wardctl enable.
 * For tests of stacks.
 */
#ifndef WARD_TESTS_STACK_FILES_H
#define WARD_TESTS_STACK_FILES_H

#include <stddef.h>

#define STACK_SHELL "/usr/bin/wardsh"

/* What pam-auth-update and wardctl enable put in; %-free, for string pasting */
#define STACK_ROOT                                                             \
	"session\t[success=2 default=ignore]\tpam_succeed_if.so quiet uid = "  \
	"0\n"
#define STACK_OTHERS                                                           \
	"session\t[success=1 default=ignore]\tpam_succeed_if.so quiet shell "  \
	"!= " STACK_SHELL "\n"
#define STACK_CLOSE                                                            \
	STACK_ROOT STACK_OTHERS "session\trequired\tpam_ward.so close\n"
#define STACK_OPEN                                                             \
	STACK_ROOT STACK_OTHERS "session\trequired\tpam_ward.so open\n"

/* common-session up to and from the middle of its "Additional" block */
#define STACK_COMMON_HEAD                                                      \
	"# here are the per-package modules (the \"Primary\" block)\n"         \
	"session\t[default=1]\t\t\tpam_permit.so\n"                            \
	"# here's the fallback if no module succeeds\n"                        \
	"session\trequisite\t\t\tpam_deny.so\n"                                \
	"# prime the stack with a positive return value\n"                     \
	"session\trequired\t\t\tpam_permit.so\n"                               \
	"# and here are more per-package modules (the \"Additional\" "         \
	"block)\n"
#define STACK_COMMON_MIDDLE                                                    \
	"session\trequired\tpam_unix.so \n"                                    \
	"session\toptional\tpam_systemd.so \n"
#define STACK_COMMON_TAIL "# end of pam-auth-update config\n"

struct stack_file {
	const char *name;
	const char *text;
};

extern const struct stack_file stack_files[];
extern const size_t stack_n_files;

#endif
