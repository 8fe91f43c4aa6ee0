/* SPDX-License-Identifier: ISC */
/*
 * The seal: the seccomp program of a profile.  Compiled once, when the
 * profile is applied; kept with the revision; loaded in PAM as it is.
 */
#ifndef WARD_PROFILES_SEAL_H
#define WARD_PROFILES_SEAL_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdio.h>

#include "common/err.h"
#include "profiles/profile.h"

/* A program ready for seccomp(2); code is malloc'd and owned by the caller. */
struct ward_seal {
	struct sock_filter *code;
	unsigned short n_code;
};

int ward_seal_compile(const struct ward_seal_options *options,
    struct ward_seal *seal, struct err *err);
void ward_seal_clear(struct ward_seal *seal);

/* One instruction a line, as people read BPF; the golden file's form. */
int ward_seal_print(const struct ward_seal *seal, FILE *out);

#endif
