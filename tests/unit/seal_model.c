/* SPDX-License-Identifier: ISC */
/*
 * The seal's rules told a second time; see seal_model.h.  Numbers and values
 * are written out, so that nothing is shared with the table.
 */
#include "config.h"

#include <stdlib.h>

#include "tests/unit/seal_cases.h"
#include "tests/unit/seal_model.h"

const struct seal_call_numbers seal_call_numbers[N_SEAL_CALLS] = {
	[CLONE] = { 56, 120, 56 },
	[UNSHARE] = { 272, 310, 272 },
	[KEYCTL] = { 250, 288, 250 },
	[IOCTL] = { 16, 54, 514 },
	[SECCOMP] = { 317, 354, 317 },
	[SOCKET] = { 41, 359, 41 },
	[SOCKETPAIR] = { 53, 360, 53 },
	[OPEN] = { 2, 5, 2 },
	[OPENAT] = { 257, 295, 257 },
	[UTIMENSAT] = { 280, 320, 280 },
	[FUTIMESAT] = { 261, 299, 261 },
	[PTRACE] = { 101, 26, 521 },
	[MOUNT] = { 165, 21, 165 },
};

/* told: what refuses a way out of the network. */
static uint32_t
model_socket(const uint64_t *args, uint32_t told)
{
	uint32_t family = (uint32_t)args[0], protocol = (uint32_t)args[2];
	unsigned type = args[1] & 0xf;

	switch (family) {
	case 0:
		return ALLOW;
	case 1:
		return type == 2 || type == 3 ? PERM : ALLOW;
	case 2:
	case 10:
		if (type != 1 && type != 2)
			return told;
		switch (protocol) {
		case 0:
		case 6:
		case 17:
		case 262:
			return ALLOW;
		default:
			return told;
		}
	case 16:
		return protocol == 0 ? ALLOW : NOFAM;
	case 17:
		return told == PERM ? NOFAM : told;
	default:
		return NOFAM;
	}
}

uint32_t
seal_model(const struct ward_seal_options *options, enum seal_call call,
    const uint64_t *args)
{
	const uint32_t notify = options->observe ? NOTIFY : ALLOW;
	/* libseccomp gives a call one action in all ABIs */
	const uint32_t told = options->multilib ? PERM : NOTIFY;
	const uint64_t writes = 01 | 02 | 0100 | 01000 | 02000;

	switch (call) {
	case CLONE:
		return !options->nested_userns && (args[0] & 0x7e020000) != 0
		    ? told
		    : ALLOW;
	case UNSHARE:
		return !options->nested_userns && (args[0] & ~0x50f00ULL) != 0
		    ? told
		    : ALLOW;
	case KEYCTL:
		return (uint32_t)args[0] == 3 ? ALLOW : PERM;
	case IOCTL:
		return (uint32_t)args[1] == 0x5412 ||
			(uint32_t)args[1] == 0x541c
		    ? told
		    : ALLOW;
	case SECCOMP:
		return (args[1] & 8) != 0 ? told : ALLOW;
	case SOCKET:
		return model_socket(args, told);
	case SOCKETPAIR:
		return model_socket(args, PERM);
	case OPEN:
		return (args[1] & writes) != 0 ? notify : ALLOW;
	case OPENAT:
		return (args[2] & writes) != 0 ? notify : ALLOW;
	case UTIMENSAT:
	case FUTIMESAT:
		return args[1] != 0 ? notify : ALLOW;
	case PTRACE:
		return options->debug ? ALLOW : told;
	case MOUNT:
		return options->nested_userns ? ALLOW : told;
	case N_SEAL_CALLS:
		break;
	}
	abort();
}
