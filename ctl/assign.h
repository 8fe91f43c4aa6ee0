/* SPDX-License-Identifier: ISC */
/*
 * Edits the text of assignments.conf, whose comments and layout are the
 * admin's.  Pure.  ctl/ only.
 */
#ifndef WARD_CTL_ASSIGN_H
#define WARD_CTL_ASSIGN_H

#include "common/err.h"

/*
 * *out is malloc'd: text with this user's line, in place of those that it had;
 * profile NULL: without any.  -EINVAL where the text is not one that can be
 * edited, or would not mean that afterwards.
 */
int ward_assign_edit(const char *text, const char *user, const char *profile,
    char **out, struct err *err);

/* *profile is malloc'd: that of the user's own line; "" if there is none. */
int ward_assign_find(
    const char *text, const char *user, char **profile, struct err *err);

#endif
