/* SPDX-License-Identifier: ISC */
/*
 * What the seal answers to which call: the cases of test_seal.c.
 */
#ifndef WARD_TESTS_UNIT_SEAL_CASES_H
#define WARD_TESTS_UNIT_SEAL_CASES_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

#include "profiles/seal.h"

#define ALLOW   SECCOMP_RET_ALLOW
#define NOTIFY  SECCOMP_RET_USER_NOTIF
#define PERM    (SECCOMP_RET_ERRNO | EPERM)
#define NOSYS   (SECCOMP_RET_ERRNO | ENOSYS)
#define NOTHING SECCOMP_RET_ERRNO /* success, and nothing is done */
#define NOFAM   (SECCOMP_RET_ERRNO | EAFNOSUPPORT)

#define X64    AUDIT_ARCH_X86_64
#define I386   AUDIT_ARCH_I386
#define X32BIT 0x40000000

struct seal_case {
	int line;
	struct ward_seal_options options;
	uint32_t arch;
	unsigned nr;
	uint32_t want;
	uint64_t args[6];
};

extern const struct seal_case seal_cases[];
extern const size_t n_seal_cases;

#endif
