/* SPDX-License-Identifier: ISC */
/*
 * Runs a seccomp program as the kernel would; see bpf_sim.h.
 */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "tests/unit/bpf_sim.h"

/* The instructions that seals are made of; the kernel takes some more. */
static bool
is_jump(uint16_t code)
{
	return code == (BPF_JMP | BPF_K | BPF_JEQ) ||
	    code == (BPF_JMP | BPF_K | BPF_JGT) ||
	    code == (BPF_JMP | BPF_K | BPF_JGE) ||
	    code == (BPF_JMP | BPF_K | BPF_JSET);
}

static bool
is_good(const struct sock_filter *code, size_t at, size_t n)
{
	const struct sock_filter *now = &code[at];

	if (is_jump(now->code))
		return at + 1 + now->jt < n && at + 1 + now->jf < n;
	switch (now->code) {
	case BPF_LD | BPF_W | BPF_ABS:
		return now->k % 4 == 0 && now->k < sizeof(struct seccomp_data);
	case BPF_JMP | BPF_JA:
		return now->k < n - at - 1;
	case BPF_ALU | BPF_AND | BPF_K:
	case BPF_RET | BPF_K:
		return true;
	default:
		return false;
	}
}

size_t
bpf_sim_check(const struct sock_filter *code, size_t n)
{
	size_t i;

	if (n == 0 || n > BPF_MAXINSNS)
		return 1;
	for (i = 0; i < n; i++)
		if (!is_good(code, i, n))
			return i + 1;
	return code[n - 1].code == (BPF_RET | BPF_K) ? 0 : n;
}

static bool
holds(const struct sock_filter *now, uint32_t a)
{
	switch (BPF_OP(now->code)) {
	case BPF_JEQ:
		return a == now->k;
	case BPF_JGT:
		return a > now->k;
	case BPF_JGE:
		return a >= now->k;
	case BPF_JSET:
		return (a & now->k) != 0;
	default:
		assert(!"not a jump");
		return false;
	}
}

/*
 * With blind set, a look at anything but nr and arch ends the run: *seen is
 * then false and the answer means nothing.
 */
static uint32_t
run(const struct sock_filter *code, size_t n, const struct seccomp_data *data,
    bool blind, bool *seen, size_t *cost)
{
	uint32_t a = 0;
	size_t at;

	*seen = true;
	*cost = 0;
	for (at = 0; at < n; at++) {
		const struct sock_filter *now = &code[at];

		++*cost;
		if (is_jump(now->code)) {
			at += holds(now, a) ? now->jt : now->jf;
			continue;
		}
		switch (now->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (blind &&
			    now->k >= offsetof(struct seccomp_data,
					  instruction_pointer)) {
				*seen = false;
				return 0;
			}
			memcpy(&a, (const char *)data + now->k, sizeof(a));
			break;
		case BPF_JMP | BPF_JA:
			at += now->k;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= now->k;
			break;
		case BPF_RET | BPF_K:
			return now->k;
		default:
			assert(!"the program was not checked");
		}
	}
	assert(!"the program has no end");
	return 0;
}

uint32_t
bpf_sim_run(
    const struct sock_filter *code, size_t n, const struct seccomp_data *data)
{
	size_t cost;
	bool seen;

	return run(code, n, data, false, &seen, &cost);
}

size_t
bpf_sim_cost(
    const struct sock_filter *code, size_t n, const struct seccomp_data *data)
{
	size_t cost;
	bool seen;

	(void)run(code, n, data, false, &seen, &cost);
	return cost;
}

bool
bpf_sim_is_const_allow(
    const struct sock_filter *code, size_t n, uint32_t arch, int nr)
{
	const struct seccomp_data data = { .nr = nr, .arch = arch };
	size_t cost;
	bool seen;

	return run(code, n, &data, true, &seen, &cost) == SECCOMP_RET_ALLOW &&
	    seen;
}
