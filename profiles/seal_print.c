/* SPDX-License-Identifier: ISC */
/*
 * A compiled program in the hand: printed for people (wardctl profile show
 * --seccomp, the golden file), and freed.  Takes any program, also one that no
 * compiler of ours made.  Apart from the compiler, so that those who only keep
 * programs do not link libseccomp.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/seccomp.h>
#include <stdlib.h>

#include "profiles/seal.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The errors that the table uses; another one is printed as its number. */
static const struct {
	uint32_t errnum;
	const char *name;
} errors[] = {
	{ EPERM, "EPERM" },
	{ ENOSYS, "ENOSYS" },
	{ EAFNOSUPPORT, "EAFNOSUPPORT" },
};

static const struct {
	uint32_t action;
	const char *name;
} actions[] = {
	{ SECCOMP_RET_KILL_PROCESS, "kill_process" },
	{ SECCOMP_RET_KILL_THREAD, "kill_thread" },
	{ SECCOMP_RET_TRAP, "trap" },
	{ SECCOMP_RET_USER_NOTIF, "notify" },
	{ SECCOMP_RET_TRACE, "trace" },
	{ SECCOMP_RET_LOG, "log" },
	{ SECCOMP_RET_ALLOW, "allow" },
};

static const struct {
	uint16_t code;
	const char *name;
} jumps[] = {
	{ BPF_JMP | BPF_K | BPF_JEQ, "jeq" },
	{ BPF_JMP | BPF_K | BPF_JGT, "jgt" },
	{ BPF_JMP | BPF_K | BPF_JGE, "jge" },
	{ BPF_JMP | BPF_K | BPF_JSET, "jset" },
};

static void
print_return(uint32_t value, FILE *out)
{
	uint32_t action = value & SECCOMP_RET_ACTION_FULL;
	uint32_t data = value & SECCOMP_RET_DATA;
	size_t i;

	if (action == SECCOMP_RET_ERRNO) {
		for (i = 0; i < COUNT(errors); i++) {
			if (errors[i].errnum == data) {
				fprintf(out, "ret errno %s", errors[i].name);
				return;
			}
		}
		fprintf(out, "ret errno %" PRIu32, data);
		return;
	}
	for (i = 0; i < COUNT(actions); i++) {
		if (actions[i].action == action) {
			fprintf(out, "ret %s", actions[i].name);
			if (data != 0)
				fprintf(out, " %" PRIu32, data);
			return;
		}
	}
	fprintf(out, "ret 0x%" PRIx32, value);
}

/* Which word of struct seccomp_data is loaded (little-endian). */
static void
print_load(uint32_t offset, FILE *out)
{
	const uint32_t args = (uint32_t)offsetof(struct seccomp_data, args);

	fprintf(out, "ld [%" PRIu32 "]", offset);
	if (offset == offsetof(struct seccomp_data, nr))
		fputs("\t; nr", out);
	else if (offset == offsetof(struct seccomp_data, arch))
		fputs("\t; arch", out);
	else if (offset >= args && offset < sizeof(struct seccomp_data))
		fprintf(out, "\t; args[%" PRIu32 "] %s", (offset - args) / 8,
		    (offset - args) % 8 == 0 ? "low" : "high");
}

/* Call numbers and the like as people know them, masks and codes in hex. */
static void
print_value(uint32_t value, FILE *out)
{
	fprintf(out, value < 4096 ? "%" PRIu32 : "0x%" PRIx32, value);
}

static void
print_instruction(size_t at, const struct sock_filter *code, FILE *out)
{
	size_t i;

	fprintf(out, "%04zu: ", at);
	switch (code->code) {
	case BPF_LD | BPF_W | BPF_ABS:
		print_load(code->k, out);
		return;
	case BPF_ALU | BPF_AND | BPF_K:
		fprintf(out, "and 0x%" PRIx32, code->k);
		return;
	case BPF_RET | BPF_K:
		print_return(code->k, out);
		return;
	case BPF_JMP | BPF_JA:
		fprintf(out, "ja %04zu", at + 1 + code->k);
		return;
	default:
		break;
	}
	for (i = 0; i < COUNT(jumps); i++) {
		if (jumps[i].code == code->code) {
			fprintf(out, "%s ", jumps[i].name);
			print_value(code->k, out);
			fprintf(out, " ? %04zu : %04zu", at + 1 + code->jt,
			    at + 1 + code->jf);
			return;
		}
	}
	fprintf(out, "0x%02x %u %u 0x%" PRIx32, (unsigned)code->code,
	    (unsigned)code->jt, (unsigned)code->jf, code->k);
}

int
ward_seal_print(const struct ward_seal *seal, FILE *out)
{
	size_t i;

	for (i = 0; i < seal->n_code; i++) {
		print_instruction(i, &seal->code[i], out);
		fputc('\n', out);
	}
	return fflush(out) != 0 || ferror(out) != 0 ? -EIO : 0;
}

void
ward_seal_clear(struct ward_seal *seal)
{
	free(seal->code);
	*seal = (struct ward_seal){ 0 };
}
