/* SPDX-License-Identifier: ISC */
/* Points in time, as people give them.  Pure but for the time zone. */
#ifndef WARD_CTL_WHEN_H
#define WARD_CTL_WHEN_H

#include <stdint.h>

/*
 * "90s", "30m", "2h", "7d": that long before now; "2026-05-04", or with
 * "T12:30" or "T12:30:59" (or a space for the T), in local time.  0 or -EINVAL.
 */
int ward_when_parse(const char *text, int64_t now, int64_t *when);

#endif
