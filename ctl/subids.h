/* SPDX-License-Identifier: ISC */
/*
 * Subordinate ids: edits of the text of subuid(5) and subgid(5).  What an
 * agent account runs under such an id would pass its uid fence.  Pure; a line
 * ends with a newline.  ctl/ only.
 */
#ifndef WARD_CTL_SUBIDS_H
#define WARD_CTL_SUBIDS_H

#include <stddef.h>
#include <sys/types.h>

#include "common/err.h"
#include "ctl/processes.h"

/*
 * The lines of an account, which name it or its uid, and those of the others,
 * as they were; both malloc'd.  0 or -ENOMEM.
 */
int ward_subids_split(
    const char *text, const char *name, uid_t uid, char **its, char **others);

/*
 * *out is malloc'd: text and behind it those of the lines that it does not
 * have.  -EEXIST where ids of one are somebody else's by now.
 */
int ward_subids_join(
    const char *text, const char *lines, char **out, struct err *err);

/* The ids of some lines: how many ranges were put into out, size at most. */
size_t
ward_subids_ranges(const char *lines, struct ward_id_range *out, size_t size);

#endif
