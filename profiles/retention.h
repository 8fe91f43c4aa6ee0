/* SPDX-License-Identifier: ISC */
/*
 * /etc/ward/ward.conf: how long what was recorded is kept.  Pure.  wardctl
 * reads it.
 */
#ifndef WARD_PROFILES_RETENTION_H
#define WARD_PROFILES_RETENTION_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "profiles/diagnostics.h"

struct ward_retention {
	uint64_t age;  /* seconds; 0: for ever */
	uint64_t size; /* bytes; 0: without limit */
};

/* What holds where the file, or a key in it, is not there. */
#define WARD_RETENTION_DEFAULT                                                 \
	((struct ward_retention){                                              \
	    .age = UINT64_C(90) * 86400, .size = UINT64_C(1) << 30 })

/* 0 with *out filled; -EINVAL with what is wrong in findings and err. */
int ward_retention_parse(const char *file, const char *text, size_t size,
    struct ward_retention *out, struct ward_diagnostics *findings,
    struct err *err);

#endif
