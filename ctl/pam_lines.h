/* SPDX-License-Identifier: ISC */
/*
 * Ward's lines in the text of a PAM stack that pam-auth-update does not manage:
 * a marked block before the first session line and, where the stack includes
 * no common one, a block at the end.  Pure.  ctl/ only.
 */
#ifndef WARD_CTL_PAM_LINES_H
#define WARD_CTL_PAM_LINES_H

#include <stdbool.h>

/*
 * close, and open as well: with open false only the first block.  malloc'd;
 * NULL without memory.  Adding twice is adding once.
 */
char *ward_pam_lines_add(const char *text, const char *shell, bool open);
char *ward_pam_lines_remove(const char *text);

#endif
