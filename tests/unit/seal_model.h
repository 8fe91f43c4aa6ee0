/* SPDX-License-Identifier: ISC */
/*
 * The seal's rules told a second time, as plain C, for the calls whose
 * arguments count: test_seal.c holds the compiled programs against it.
 */
#ifndef WARD_TESTS_UNIT_SEAL_MODEL_H
#define WARD_TESTS_UNIT_SEAL_MODEL_H

#include <stdint.h>

#include "profiles/profile.h"

enum seal_call {
	CLONE,
	UNSHARE,
	KEYCTL,
	IOCTL,
	SECCOMP,
	SOCKET,
	SOCKETPAIR,
	OPEN,
	OPENAT,
	UTIMENSAT,
	FUTIMESAT,
	PTRACE,
	MOUNT,
	N_SEAL_CALLS
};

/* Each call's number in each ABI; x32's without its bit. */
struct seal_call_numbers {
	unsigned x86_64, i386, x32;
};
extern const struct seal_call_numbers seal_call_numbers[N_SEAL_CALLS];

uint32_t seal_model(const struct ward_seal_options *options,
    enum seal_call call, const uint64_t *args);

#endif
