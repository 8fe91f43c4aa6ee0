/* SPDX-License-Identifier: ISC */
/*
 * The seal's programs, run in a simulator: the cases of seal_cases.c, random
 * calls held against seal_model.c, every unknown number, the golden print, and
 * the table itself.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "profiles/seal_table.h"
#include "tests/unit/bpf_sim.h"
#include "tests/unit/seal_cases.h"
#include "tests/unit/seal_model.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define N_OPTIONS    16

/* make check says where the sources are; by hand, it is the current place. */
static const char *
source_path(char *path, size_t size, const char *name)
{
	const char *top = getenv("srcdir");
	int n;

	n = snprintf(
	    path, size, "%s/tests/unit/%s", top != NULL ? top : ".", name);
	assert_true(n > 0 && (size_t)n < size);
	return path;
}

static struct ward_seal_options
options_of(unsigned bits)
{
	return (struct ward_seal_options){ .multilib = (bits & 1) != 0,
		.nested_userns = (bits & 2) != 0,
		.debug = (bits & 4) != 0,
		.observe = (bits & 8) != 0 };
}

static unsigned
bits_of(const struct ward_seal_options *options)
{
	return (unsigned)options->multilib |
	    (unsigned)options->nested_userns << 1 |
	    (unsigned)options->debug << 2 | (unsigned)options->observe << 3;
}

/* All the programs that there are, by bits_of. */
static struct ward_seal seals[N_OPTIONS];

static int
compile_all(void **state)
{
	struct ward_seal_options options;
	struct err err = { 0 };
	unsigned i;

	(void)state;
	for (i = 0; i < N_OPTIONS; i++) {
		options = options_of(i);
		if (ward_seal_compile(&options, &seals[i], &err) != 0) {
			print_error("options %u: %s\n", i, err.text);
			return -1;
		}
	}
	return 0;
}

static int
clear_all(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < N_OPTIONS; i++) {
		ward_seal_clear(&seals[i]);
		ward_seal_clear(&seals[i]); /* twice is fine */
	}
	return 0;
}

static uint32_t
answer(unsigned options, uint32_t arch, unsigned nr, const uint64_t *args)
{
	struct seccomp_data data = { .arch = arch, .nr = (int)nr };

	if (args != NULL)
		memcpy(data.args, args, sizeof(data.args));
	return bpf_sim_run(seals[options].code, seals[options].n_code, &data);
}

static void
test_programs_are_valid(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < N_OPTIONS; i++) {
		size_t bad = bpf_sim_check(seals[i].code, seals[i].n_code);

		if (bad != 0)
			fail_msg(
			    "options %u: instruction %zu is bad", i, bad - 1);
	}
}

static void
test_cases(void **state)
{
	size_t i, failed = 0;

	(void)state;
	assert_true(n_seal_cases >= 150);
	for (i = 0; i < n_seal_cases; i++) {
		const struct seal_case *c = &seal_cases[i];
		uint32_t got;

		got = answer(bits_of(&c->options), c->arch, c->nr, c->args);
		if (got == c->want)
			continue;
		print_error("seal_cases.c:%d: call %u gave 0x%x, not 0x%x\n",
		    c->line, c->nr, got, c->want);
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* Nothing above the table, in any ABI, with any options. */
static void
test_unknown_numbers(void **state)
{
	static const unsigned far[] = { 1000, 4096, 0x3fffffff, 0x80000000,
		0xbfffffff, 0xffffffff };
	unsigned i, nr;
	size_t k;

	(void)state;
	for (i = 0; i < N_OPTIONS; i++) {
		for (nr = WARD_SEAL_HIGHEST + 1; nr <= 600; nr++) {
			assert_int_equal(answer(i, X64, nr, NULL), NOSYS);
			assert_int_equal(answer(i, I386, nr, NULL), NOSYS);
			if (nr < 512 || nr > 547)
				assert_int_equal(
				    answer(i, X64, X32BIT | nr, NULL), NOSYS);
		}
		for (k = 0; k < COUNT(far); k++) {
			assert_int_equal(answer(i, X64, far[k], NULL), NOSYS);
			assert_int_equal(answer(i, I386, far[k], NULL), NOSYS);
			assert_int_equal(
			    answer(i, X64, X32BIT | far[k], NULL), NOSYS);
		}
	}
}

/* Without multilib no number of a foreign ABI does anything. */
static void
test_foreign_abis(void **state)
{
	static const uint32_t foreign[] = { 0, AUDIT_ARCH_I386,
		AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64,
		AUDIT_ARCH_X86_64 & ~__AUDIT_ARCH_64BIT };
	unsigned i, nr;
	size_t k;

	(void)state;
	for (i = 0; i < N_OPTIONS; i++) {
		bool multilib = options_of(i).multilib;

		for (nr = 0; nr <= 600; nr++) {
			for (k = 0; k < COUNT(foreign); k++)
				if (!multilib || foreign[k] != I386)
					assert_int_equal(
					    answer(i, foreign[k], nr, NULL),
					    NOSYS);
			if (!multilib)
				assert_int_equal(
				    answer(i, X64, X32BIT | nr, NULL), NOSYS);
		}
	}
}

/* The kernel skips the program for calls that are always allowed. */
static void
test_everyday_calls_are_free(void **state)
{
	static const int calls[] = { SYS_read, SYS_write, SYS_close, SYS_fstat,
		SYS_mmap, SYS_munmap, SYS_futex, SYS_poll, SYS_epoll_wait,
		SYS_execve, SYS_exit_group, SYS_newfstatat, SYS_getdents64,
		SYS_sendmsg, SYS_recvmsg, SYS_wait4, SYS_statx };
	unsigned i;
	size_t k;

	(void)state;
	for (i = 0; i < N_OPTIONS; i++) {
		const struct ward_seal *seal = &seals[i];

		for (k = 0; k < COUNT(calls); k++)
			if (!bpf_sim_is_const_allow(
				seal->code, seal->n_code, X64, calls[k]))
				fail_msg("options %u: call %d is not free", i,
				    calls[k]);
		assert_false(bpf_sim_is_const_allow(
		    seal->code, seal->n_code, X64, SYS_socket));
		assert_false(bpf_sim_is_const_allow(
		    seal->code, seal->n_code, X64, SYS_bpf));
	}
}

/*
 * Random calls: what the compiler, libseccomp and its optimizer make of the
 * table must agree with the rules told a second time.
 */
/* xorshift64: the same numbers in every run. */
static uint64_t
next_random(void)
{
	static uint64_t seed = 0x9e3779b97f4a7c15;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Mostly values near those that decide, often with dirt above an int. */
static uint64_t
random_arg(void)
{
	static const uint64_t near[] = { 0, 1, 2, 3, 6, 8, 10, 16, 17, 58, 262,
		0x5412, 0x541c, 0x50f00, 0x3d0f00, 0x80000, 0x801 };
	uint64_t value, how = next_random();

	switch (how & 7) {
	case 0:
		value = next_random();
		break;
	case 1:
		value = 1ULL << (next_random() & 63);
		break;
	case 2:
		value = 1ULL << (next_random() & 31);
		value |= 1ULL << (next_random() & 31);
		break;
	case 3:
		value = next_random() & 0x1ff;
		break;
	default:
		value = near[next_random() % COUNT(near)];
		if ((how & 8) != 0)
			value += (next_random() % 3) - 1;
		break;
	}
	if ((how & 0x30) == 0)
		value = (value & UINT32_MAX) | next_random() << 32;
	return value;
}

static void
hold_against_model(unsigned bits, enum seal_call call, const uint64_t *args)
{
	const struct ward_seal_options options = options_of(bits);
	uint64_t narrow[6];
	uint32_t want;
	size_t i;

	want = seal_model(&options, call, args);
	if (answer(bits, X64, seal_call_numbers[call].x86_64, args) != want)
		goto bad;
	if (!options.multilib)
		return;
	/* Their registers are 32 bits wide for the filter. */
	for (i = 0; i < COUNT(narrow); i++)
		narrow[i] = args[i] & UINT32_MAX;
	want = seal_model(&options, call, narrow);
	if (answer(bits, I386, seal_call_numbers[call].i386, narrow) != want ||
	    answer(bits, X64, X32BIT | seal_call_numbers[call].x32, args) !=
		want)
		goto bad;
	return;
bad:
	fail_msg("options %u, call %u (0x%llx, 0x%llx, 0x%llx) is not 0x%x",
	    bits, seal_call_numbers[call].x86_64, (unsigned long long)args[0],
	    (unsigned long long)args[1], (unsigned long long)args[2], want);
}

static void
test_model(void **state)
{
	uint64_t args[6] = { 0 };
	unsigned bits, call;
	size_t i, k;

	(void)state;
	for (i = 0; i < 20000; i++) {
		for (call = 0; call < N_SEAL_CALLS; call++) {
			for (k = 0; k < COUNT(args); k++)
				args[k] = random_arg();
			bits = (unsigned)(next_random() % N_OPTIONS);
			hold_against_model(bits, call, args);
		}
	}
	/* Every family, type and protocol of note. */
	for (bits = 0; bits < N_OPTIONS; bits += 5)
		for (args[0] = 0; args[0] < 64; args[0]++)
			for (args[1] = 0; args[1] < 16; args[1]++)
				for (args[2] = 0; args[2] < 300; args[2]++)
					hold_against_model(bits, SOCKET, args);
}

/* The table's numbers are libseccomp's, where it knows the call. */
static void
check_number(const char *name, uint32_t arch, int nr)
{
	int known = seccomp_syscall_resolve_name_arch(arch, name);

	/* what socketcall can do, too, has -101 to -120 on i386 */
	if (arch == SCMP_ARCH_X86 && known <= -101 && known >= -120)
		return;
	if (nr >= 0 && nr <= WARD_SEAL_HIGHEST_NAMED && known != nr)
		fail_msg("%s is %d, not %d", name, known, nr);
	if (nr < 0 && known >= 0)
		fail_msg("%s is %d, the table has none", name, known);
}

static void
test_table_numbers(void **state)
{
	const struct ward_seal_notified *notified;
	const struct ward_seal_rule *rules;
	size_t i, n;

	(void)state;
	rules = ward_seal_rules(&n);
	for (i = 0; i < n; i++) {
		check_number(rules[i].name, SCMP_ARCH_X86_64, rules[i].nr);
		assert_true(rules[i].nr <= WARD_SEAL_HIGHEST);
	}
	notified = ward_seal_notified(&n);
	for (i = 0; i < n; i++) {
		check_number(
		    notified[i].name, SCMP_ARCH_X86_64, notified[i].nr);
		check_number(
		    notified[i].name, SCMP_ARCH_X86, notified[i].nr_i386);
		assert_true(notified[i].nr <= WARD_SEAL_HIGHEST);
	}
}

/* Whatever is notified can be told by the observer, and the reverse. */
static void
test_notified_are_found(void **state)
{
	const uint64_t all_set[6] = { ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL,
		~0ULL };
	const unsigned bits = 1 | 8;
	unsigned nr;

	(void)state;
	for (nr = 0; nr <= 600; nr++) {
		assert_int_equal(answer(bits, X64, nr, all_set) == NOTIFY,
		    ward_seal_notified_find(X64, (int)nr) != NULL);
		assert_int_equal(answer(bits, I386, nr, all_set) == NOTIFY,
		    ward_seal_notified_find(I386, (int)nr) != NULL);
		assert_int_equal(
		    answer(bits, X64, X32BIT | nr, all_set) == NOTIFY,
		    ward_seal_notified_find(X64, (int)(X32BIT | nr)) != NULL);
	}
	assert_null(ward_seal_notified_find(X64, -1));
	assert_null(ward_seal_notified_find(I386, -1));
	assert_null(ward_seal_notified_find(AUDIT_ARCH_AARCH64, 2));
}

static void
test_notified_tell_arguments(void **state)
{
	static const struct {
		int line;
		int nr;
		const char *name;
		int dirfd, path, dirfd2, path2, flags;
		enum ward_seal_kind kind;
		uint64_t value;
		bool follows;
	} cases[] = {
		{ __LINE__, SYS_openat, "openat", 0, 1, -1, -1, 2,
		    WARD_SEAL_OPEN, O_WRONLY, true },
		{ __LINE__, SYS_openat, "openat", 0, 1, -1, -1, 2,
		    WARD_SEAL_OPEN, O_WRONLY | O_NOFOLLOW, false },
		{ __LINE__, SYS_openat, "openat", 0, 1, -1, -1, 2,
		    WARD_SEAL_OPEN, O_CREAT, true },
		{ __LINE__, SYS_open, "open", -1, 0, -1, -1, 1, WARD_SEAL_OPEN,
		    O_CREAT | O_EXCL, false },
		{ __LINE__, SYS_openat2, "openat2", 0, 1, -1, -1, 2,
		    WARD_SEAL_OPEN, O_EXCL, true },
		{ __LINE__, SYS_creat, "creat", -1, 0, -1, -1, -1,
		    WARD_SEAL_OPEN, 0, true },
		{ __LINE__, SYS_renameat2, "renameat2", 0, 1, 2, 3, 4,
		    WARD_SEAL_ENTRY, 0, false },
		{ __LINE__, SYS_rename, "rename", -1, 0, -1, 1, -1,
		    WARD_SEAL_ENTRY, 0, false },
		{ __LINE__, SYS_linkat, "linkat", 2, 3, 0, 1, 4,
		    WARD_SEAL_ENTRY, AT_SYMLINK_FOLLOW, false },
		{ __LINE__, SYS_link, "link", -1, 1, -1, 0, -1, WARD_SEAL_ENTRY,
		    0, false },
		{ __LINE__, SYS_symlinkat, "symlinkat", 1, 2, -1, -1, -1,
		    WARD_SEAL_ENTRY, 0, false },
		{ __LINE__, SYS_symlink, "symlink", -1, 1, -1, -1, -1,
		    WARD_SEAL_ENTRY, 0, false },
		{ __LINE__, SYS_lchown, "lchown", -1, 0, -1, -1, -1,
		    WARD_SEAL_INODE, 0, false },
		{ __LINE__, SYS_fchownat, "fchownat", 0, 1, -1, -1, 4,
		    WARD_SEAL_INODE, 0, true },
		{ __LINE__, SYS_fchownat, "fchownat", 0, 1, -1, -1, 4,
		    WARD_SEAL_INODE, AT_SYMLINK_NOFOLLOW, false },
		{ __LINE__, 469, "file_setattr", 0, 1, -1, -1, 4,
		    WARD_SEAL_INODE, 0, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		const struct ward_seal_notified *n;

		n = ward_seal_notified_find(X64, cases[i].nr);
		if (n == NULL || strcmp(n->name, cases[i].name) != 0 ||
		    n->dirfd_arg != cases[i].dirfd ||
		    n->path_arg != cases[i].path ||
		    n->dirfd2_arg != cases[i].dirfd2 ||
		    n->path2_arg != cases[i].path2 ||
		    n->flags_arg != cases[i].flags ||
		    n->kind != cases[i].kind ||
		    ward_seal_notified_follows(n, cases[i].value) !=
			cases[i].follows)
			fail_msg("%s:%d: %s", __FILE__, cases[i].line,
			    cases[i].name);
	}
	assert_true(ward_seal_notified_find(X64, 437)->flags_by_pointer);
	assert_false(ward_seal_notified_find(X64, 257)->flags_by_pointer);
}

static char *
printed(const struct ward_seal *seal)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_int_equal(ward_seal_print(seal, out), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* The golden files: each with what a profile sets, and observed as always. */
static const struct {
	const char *name;
	unsigned options; /* bits_of */
} golden[] = {
	{ "default", 8 | 4 },
	{ "no-debug", 8 },
	{ "multilib", 8 | 4 | 1 },
	{ "multilib-no-debug", 8 | 1 },
	{ "nested", 8 | 4 | 2 },
	{ "nested-no-debug", 8 | 2 },
	{ "multilib-nested", 8 | 4 | 2 | 1 },
	{ "multilib-nested-no-debug", 8 | 2 | 1 },
	{ "unobserved", 4 },
};

static void
hold_against_golden(const char *name, const struct ward_seal *seal)
{
	char file[64], path[4096], *text = printed(seal), *want;
	size_t n, size = strlen(text);
	FILE *in;

	(void)snprintf(file, sizeof(file), "golden/%s.bpf", name);
	(void)source_path(path, sizeof(path), file);
	if (getenv("WARD_GOLDEN_UPDATE") != NULL) {
		FILE *out = fopen(path, "we");
		assert_non_null(out);
		assert_int_equal(fwrite(text, 1, size, out), size);
		assert_int_equal(fclose(out), 0);
	}
	in = fopen(path, "re");
	if (in == NULL)
		fail_msg("%s cannot be read", path);
	want = calloc(1, size + 2);
	assert_non_null(want);
	n = fread(want, 1, size + 1, in);
	assert_int_equal(fclose(in), 0);
	if (n != size || strcmp(text, want) != 0)
		fail_msg("%s: 'make golden', and read the diff", path);
	free(want);
	free(text);
}

/* The observer asks the one table only for what the other does not have. */
static void
test_told(void **state)
{
	size_t n, told = 0;
	const struct ward_seal_rule *rules = ward_seal_rules(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		if (!ward_seal_rule_is_told(&rules[i]))
			continue;
		told++;
		assert_non_null(
		    ward_seal_told_find(AUDIT_ARCH_X86_64, rules[i].nr));
		assert_null(
		    ward_seal_notified_find(AUDIT_ARCH_X86_64, rules[i].nr));
	}
	assert_true(told > 0);
}

/*
 * After a wanted change: "make golden", and read the diff.  libseccomp's
 * releases order their instructions differently; the other tests hold
 * whichever it is.
 */
static void
test_golden(void **state)
{
	const struct scmp_version *version = seccomp_version();
	size_t i;

	(void)state;
	if (version->major != 2 || version->minor != 5) {
		print_message("the golden files are libseccomp 2.5's\n");
		skip();
	}
	for (i = 0; i < COUNT(golden); i++)
		hold_against_golden(golden[i].name, &seals[golden[i].options]);
}

/* Also what no seal of ours has in it. */
static void
test_print_anything(void **state)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 8),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 60),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0xf000, 1, 0),
		BPF_STMT(BPF_JMP | BPF_JA, 2),
		BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, 7),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 200),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | 5),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, 0x12340000),
		BPF_STMT(BPF_RET | BPF_A, 0),
	};
	const struct ward_seal seal = { code, COUNT(code) };
	char *text = printed(&seal);
	FILE *full;

	(void)state;
	assert_string_equal(text,
	    "0000: ld [0]\t; nr\n"
	    "0001: ld [8]\n"
	    "0002: ld [60]\t; args[5] high\n"
	    "0003: ld [64]\n"
	    "0004: jset 0xf000 ? 0006 : 0005\n"
	    "0005: ja 0008\n"
	    "0006: 0x04 0 0 0x7\n"
	    "0007: ret errno 200\n"
	    "0008: ret trace 5\n"
	    "0009: ret kill_process\n"
	    "0010: ret 0x12340000\n"
	    "0011: 0x16 0 0 0x0\n");
	free(text);

	full = fopen("/dev/full", "we");
	if (full == NULL)
		return;
	assert_int_not_equal(ward_seal_print(&seal, full), 0);
	(void)fclose(full);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs_are_valid),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_unknown_numbers),
		cmocka_unit_test(test_foreign_abis),
		cmocka_unit_test(test_everyday_calls_are_free),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_table_numbers),
		cmocka_unit_test(test_notified_are_found),
		cmocka_unit_test(test_notified_tell_arguments),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_print_anything),
	};

	return cmocka_run_group_tests_name(
	    "seal", tests, compile_all, clear_all);
}
