/* SPDX-License-Identifier: ISC */
/*
 * Every number of a system call, by each way into the kernel, under each seal:
 * what the kernel that runs here answers is what the table says.  None of them
 * is executed: a filter below the seal answers all that the seal lets through,
 * with a mark that no call ever says.  The same without a seal is the control.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiles/seal.h"
#include "profiles/seal_table.h"
#include "tests/unit/bpf_sim.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define MARK  EXFULL
#define MAGIC 0x57a4d001U /* the last argument of the test's own calls */

#define N_ABIS     3
#define LAST       600
#define N_OPTIONS  16
#define SOCKETCALL 102 /* of i386 */

static const unsigned far[] = { 1000, 4096, 0x3fffffff };
#define N_NUMBERS (LAST + 1 + COUNT(far))

/* Every argument of a call is this. */
static const uint64_t patterns[] = { 0, 1, ~(uint64_t)0 };

/* What was answered, in memory that a child shares. */
struct answers {
	int errnum[N_ABIS][COUNT(patterns)][N_NUMBERS];
	bool done[N_ABIS];
};

static unsigned
number(size_t i)
{
	return i <= LAST ? (unsigned)i : far[i - LAST - 1];
}

static int
load(const struct sock_filter *code, unsigned short n)
{
	/* the kernel does not write there */
	const struct sock_fprog program = { .len = n,
		.filter = (struct sock_filter *)(uintptr_t)code };

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program, 0, 0,
		   MAGIC) == 0
	    ? 0
	    : errno;
}

static int
load_marker(void)
{
	static const struct sock_filter marker[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, args[5])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MAGIC, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | MARK),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return load(marker, COUNT(marker));
}

/*
 * uretprobe and uprobe, the kernel's own trampolines: no filter is asked (Linux
 * 6.14), and whoever else calls them is killed.
 */
static bool
goes_past_filters(unsigned abi, unsigned nr)
{
	return abi == WARD_SEAL_X86_64 && (nr == 335 || nr == 336);
}

static int
enter(enum ward_seal_abi abi, unsigned nr, uint64_t value)
{
	uint32_t bit = abi == WARD_SEAL_X32 ? WARD_SEAL_X32_BIT : 0;
	long r = (long)nr;

	if (abi != WARD_SEAL_I386)
		return syscall((long)(nr | bit), value, value, value, value,
			   value, value) < 0
		    ? errno
		    : 0;
	__asm__ volatile(
	    "int $0x80"
	    : "+a"(r)
	    : "b"(value), "c"(value), "d"(value), "S"(value), "D"(value)
	    : "r8", "r9", "r10", "r11", "memory", "cc");
	return (int)r < 0 ? -(int)r : 0;
}

_Noreturn static void
child(const struct ward_seal *seal, enum ward_seal_abi abi, struct answers *out)
{
	/* not cmocka's, where the kernel has no i386 calls */
	(void)signal(SIGSEGV, SIG_DFL);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || load_marker() != 0 ||
	    (seal != NULL && load(seal->code, seal->n_code) != 0))
		_exit(101);
	for (size_t p = 0; p < COUNT(patterns); p++)
		for (size_t i = 0; i < N_NUMBERS; i++)
			if (!goes_past_filters(abi, number(i)))
				out->errnum[abi][p][i] =
				    enter(abi, number(i), patterns[p]);
	out->done[abi] = true;
	for (;;)
		(void)syscall(SYS_exit_group, 0, 0, 0, 0, 0, MAGIC);
}

static void
ask(const struct ward_seal *seal, struct answers *out)
{
	memset(out, 0, sizeof(*out));
	for (unsigned abi = 0; abi < N_ABIS; abi++) {
		int status;
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0)
			child(seal, (enum ward_seal_abi)abi, out);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		/* a kernel without i386 calls ends who tries */
		if (abi != WARD_SEAL_I386)
			assert_int_equal(status, 0);
	}
}

/* What a simulator says: of every ABI, whichever the kernel here has. */
static void
simulate(const struct ward_seal *seal, struct answers *out)
{
	for (unsigned abi = 0; abi < N_ABIS; abi++)
		for (size_t p = 0; p < COUNT(patterns); p++)
			for (size_t i = 0; i < N_NUMBERS; i++) {
				struct seccomp_data data = {
					.arch = abi == WARD_SEAL_I386
					    ? AUDIT_ARCH_I386
					    : AUDIT_ARCH_X86_64,
					.nr = (int)(number(i) |
					    (abi == WARD_SEAL_X32
						    ? WARD_SEAL_X32_BIT
						    : 0)),
				};
				for (size_t k = 0; k < 6; k++)
					data.args[k] = abi == WARD_SEAL_I386
					    ? patterns[p] & UINT32_MAX
					    : patterns[p];
				uint32_t r = bpf_sim_run(
				    seal->code, seal->n_code, &data);
				out->errnum[abi][p][i] =
				    (r & SECCOMP_RET_ACTION_FULL) ==
					SECCOMP_RET_ERRNO
				    ? (int)(r & SECCOMP_RET_DATA)
				    : MARK;
			}
}

/* --- what the table says --- */

static bool
holds(const struct ward_seal_condition *c, uint64_t value, bool narrow)
{
	if (narrow)
		value &= UINT32_MAX;
	switch (c->test) {
	case WARD_SEAL_ALWAYS:
		return true;
	case WARD_SEAL_ANY_BIT:
		return (value & c->a) != 0;
	case WARD_SEAL_MASKED:
		return (value & c->a) == c->b;
	case WARD_SEAL_WITHIN:
		value &= UINT32_MAX;
		return value >= c->a && value <= c->b;
	case WARD_SEAL_ABOVE:
		return value > c->a;
	case WARD_SEAL_NOT_NULL:
		return value != 0;
	}
	return false;
}

static bool
is_known(enum ward_seal_abi abi, unsigned nr)
{
	size_t n;
	const struct ward_seal_range *known = ward_seal_known(&n);

	for (size_t i = 0; i < n; i++)
		if (known[i].abi == abi && nr >= known[i].first &&
		    nr <= known[i].last)
			return true;
	return false;
}

/* libseccomp's name for it, malloc'd; above the named, the number tells. */
static char *
name_of(enum ward_seal_abi abi, unsigned nr)
{
	static const uint32_t arches[] = { SCMP_ARCH_X86_64, SCMP_ARCH_X86,
		SCMP_ARCH_X32 };

	return seccomp_syscall_resolve_num_arch(arches[abi],
	    (int)(nr | (abi == WARD_SEAL_X32 ? WARD_SEAL_X32_BIT : 0)));
}

static bool
is_call(const struct ward_seal_rule *rule, enum ward_seal_abi abi, unsigned nr,
    const char *name)
{
	/* from 424 on a number means the same call in every ABI */
	if (abi == WARD_SEAL_X86_64 || rule->nr > WARD_SEAL_HIGHEST_NAMED)
		return rule->nr == (int)nr;
	return name != NULL && strcmp(name, rule->name) == 0;
}

static bool
is_dropped(
    const struct ward_seal_rule *rule, const struct ward_seal_options *options)
{
	return (rule->group == WARD_SEAL_NAMESPACES &&
		   options->nested_userns) ||
	    (rule->group == WARD_SEAL_TRACING && options->debug);
}

/* The answer is one that the table gives; rules of one call do not overlap. */
static bool
is_right(const struct ward_seal_options *options, enum ward_seal_abi abi,
    unsigned nr, uint64_t value, int errnum)
{
	size_t n;
	bool refused = false, right = false;
	const struct ward_seal_rule *rules = ward_seal_rules(&n);

	if ((abi != WARD_SEAL_X86_64 && !options->multilib) ||
	    !is_known(abi, nr))
		return errnum == ENOSYS;
	/* what it is to make is in memory, but for which call: seal.c */
	if (abi == WARD_SEAL_I386 && nr == SOCKETCALL)
		return errnum == (value == 1 ? ENOSYS : MARK);
	char *name = name_of(abi, nr);
	for (size_t i = 0; i < n; i++) {
		bool all = true;

		if (is_dropped(&rules[i], options) ||
		    !is_call(&rules[i], abi, nr, name))
			continue;
		for (size_t k = 0; k < WARD_SEAL_MAX_CONDITIONS; k++)
			all = all &&
			    holds(&rules[i].when[k], value,
				abi != WARD_SEAL_X86_64);
		if (all) {
			/* what is notified says no more than what is allowed */
			bool told = ward_seal_rule_is_told(&rules[i]) &&
			    !options->multilib;
			refused = true;
			right =
			    right || errnum == (told ? MARK : rules[i].errnum);
		}
	}
	free(name);
	return refused ? right : errnum == MARK;
}

static const char *const abis[] = { "x86_64", "i386", "x32" };

/* Of the ABIs that the control was let into; NULL: of each. */
static size_t
check(const struct ward_seal_options *options, const struct answers *got,
    const struct answers *control)
{
	size_t wrong = 0;

	for (unsigned abi = 0; abi < N_ABIS; abi++) {
		if (control != NULL && !control->done[abi])
			continue;
		assert_true(control == NULL || got->done[abi]);
		for (size_t p = 0; p < COUNT(patterns); p++)
			for (size_t i = 0; i < N_NUMBERS; i++) {
				int errnum = got->errnum[abi][p][i];

				if (goes_past_filters(abi, number(i)) ||
				    is_right(options, (enum ward_seal_abi)abi,
					number(i), patterns[p], errnum))
					continue;
				print_error("%s %u (0x%llx): %s\n", abis[abi],
				    number(i), (unsigned long long)patterns[p],
				    strerror(errnum));
				wrong++;
			}
	}
	return wrong;
}

/* Without a seal every number comes through to the mark. */
static void
check_control(const struct answers *control)
{
	for (unsigned abi = 0; abi < N_ABIS; abi++) {
		if (!control->done[abi]) {
			print_message("SKIP %s: this kernel has no such "
				      "calls\n",
			    abis[abi]);
			continue;
		}
		for (size_t p = 0; p < COUNT(patterns); p++)
			for (size_t i = 0; i < N_NUMBERS; i++)
				assert_int_equal(control->errnum[abi][p][i],
				    goes_past_filters(abi, number(i)) ? 0
								      : MARK);
	}
}

static void
every_number(void **state)
{
	size_t size = sizeof(struct answers), wrong = 0;
	struct answers *got = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct answers *control = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(got != MAP_FAILED && control != MAP_FAILED);
	ask(NULL, control);
	check_control(control);
	for (unsigned bits = 0; bits < N_OPTIONS; bits++) {
		const struct ward_seal_options options = {
			.multilib = (bits & 1) != 0,
			.nested_userns = (bits & 2) != 0,
			.debug = (bits & 4) != 0,
			.observe = (bits & 8) != 0,
		};
		struct ward_seal seal;
		struct err err = { 0 };

		if (ward_seal_compile(&options, &seal, &err) != 0)
			fail_msg("%s", err.text);
		ask(&seal, got);
		size_t n = check(&options, got, control);
		simulate(&seal, got);
		n += check(&options, got, NULL);
		if (n > 0)
			print_error("%zu of options %u\n", n, bits);
		wrong += n;
		ward_seal_clear(&seal);
	}
	assert_int_equal(munmap(got, size), 0);
	assert_int_equal(munmap(control, size), 0);
	assert_int_equal(wrong, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number),
	};

	return cmocka_run_group_tests_name("every number", tests, NULL, NULL);
}
