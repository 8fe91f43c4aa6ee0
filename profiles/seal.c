/* SPDX-License-Identifier: ISC */
/*
 * Compiles the seal's table into one seccomp program: a prelude made here,
 * which decides by architecture and number alone, and libseccomp's filter
 * behind it, which decides by name and arguments.  wardctl calls it, when
 * profiles are applied; nothing else links libseccomp.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "profiles/seal.h"
#include "profiles/seal_table.h"

/* One for each bit of an argument, or for each aligned block of a range. */
#define MAX_ALTERNATIVES 64

#define MAX_PRELUDE 128

/* The multiplexer of i386, and the calls of it that need a look. */
#define I386_SOCKETCALL       102
#define SOCKETCALL_SOCKET     1
#define SOCKETCALL_CONNECT    3
#define SOCKETCALL_SOCKETPAIR 8

#define REFUSE(errnum) (SECCOMP_RET_ERRNO | (uint32_t)(errnum))

#define OFFSET_NR   ((uint32_t)offsetof(struct seccomp_data, nr))
#define OFFSET_ARCH ((uint32_t)offsetof(struct seccomp_data, arch))
#define OFFSET_ARG0 ((uint32_t)offsetof(struct seccomp_data, args[0]))

/*
 * The prelude.  Jumps are relative, so it simply stands in front.  For all but
 * socketcall it uses only instructions that the kernel can work out when the
 * filter is loaded (seccomp_is_const_allow, Linux 5.11): calls that are always
 * allowed then never run the program.
 */
struct prelude {
	struct sock_filter code[MAX_PRELUDE];
	unsigned short n;
};

static unsigned short
emit(struct prelude *prelude, unsigned code, unsigned jt, unsigned jf,
    uint32_t k)
{
	assert(prelude->n < MAX_PRELUDE);
	prelude->code[prelude->n] =
	    (struct sock_filter){ (uint16_t)code, (uint8_t)jt, (uint8_t)jf, k };
	return prelude->n++;
}

static void
emit_load(struct prelude *prelude, uint32_t offset)
{
	(void)emit(prelude, BPF_LD | BPF_W | BPF_ABS, 0, 0, offset);
}

static void
emit_return(struct prelude *prelude, uint32_t action)
{
	(void)emit(prelude, BPF_RET | BPF_K, 0, 0, action);
}

static void
emit_return_if(
    struct prelude *prelude, unsigned test, uint32_t k, uint32_t action)
{
	(void)emit(prelude, BPF_JMP | BPF_K | test, 0, 1, k);
	emit_return(prelude, action);
}

/* A jump to a place that emit_label names later. */
static unsigned short
emit_jump(struct prelude *prelude)
{
	return emit(prelude, BPF_JMP | BPF_JA, 0, 0, 0);
}

static unsigned short
emit_jump_unless(struct prelude *prelude, unsigned test, uint32_t k)
{
	(void)emit(prelude, BPF_JMP | BPF_K | test, 1, 0, k);
	return emit_jump(prelude);
}

static void
emit_label(struct prelude *prelude, unsigned short jump)
{
	prelude->code[jump].k = (uint32_t)(prelude->n - jump - 1);
}

/* Refuses the numbers of which the table knows nothing; A is the number. */
static void
emit_known(struct prelude *prelude, enum ward_seal_abi abi)
{
	const struct ward_seal_range *known;
	uint32_t next = 0;
	size_t i, n;

	known = ward_seal_known(&n);
	for (i = 0; i < n; i++) {
		if (known[i].abi != abi)
			continue;
		if (known[i].first > next) {
			(void)emit(
			    prelude, BPF_JMP | BPF_K | BPF_JGE, 0, 2, next);
			(void)emit(prelude, BPF_JMP | BPF_K | BPF_JGE, 1, 0,
			    known[i].first);
			emit_return(prelude, REFUSE(ENOSYS));
		}
		next = known[i].last + 1;
	}
	emit_return_if(prelude, BPF_JGE, next, REFUSE(ENOSYS));
}

static bool
rule_applies(
    const struct ward_seal_rule *rule, const struct ward_seal_options *options)
{
	switch (rule->group) {
	case WARD_SEAL_FOR_ALL:
	case WARD_SEAL_TOLD:
		return true;
	case WARD_SEAL_NAMESPACES:
		return !options->nested_userns;
	case WARD_SEAL_TRACING:
		return !options->debug;
	}
	return true;
}

/* Connects are decided, whatever is observed. */
static bool
is_notified(const struct ward_seal_notified *notified,
    const struct ward_seal_options *options)
{
	return options->observe || notified->kind == WARD_SEAL_CONNECT;
}

/*
 * Decides what is newer than libseccomp's names; A is a known number.  x32's
 * own numbers lie above and have names.
 */
static void
emit_late(struct prelude *prelude, enum ward_seal_abi abi,
    const struct ward_seal_options *options)
{
	const struct ward_seal_notified *notified;
	const struct ward_seal_rule *rules;
	unsigned short named;
	size_t i, n;

	if (abi == WARD_SEAL_X32)
		(void)emit(prelude, BPF_JMP | BPF_K | BPF_JGT, 1, 0,
		    WARD_SEAL_HIGHEST);
	(void)emit(
	    prelude, BPF_JMP | BPF_K | BPF_JGT, 1, 0, WARD_SEAL_HIGHEST_NAMED);
	named = emit_jump(prelude);
	rules = ward_seal_rules(&n);
	for (i = 0; i < n; i++) {
		if (rules[i].nr <= WARD_SEAL_HIGHEST_NAMED ||
		    !rule_applies(&rules[i], options))
			continue;
		assert(rules[i].when[0].test == WARD_SEAL_ALWAYS);
		emit_return_if(prelude, BPF_JEQ, (uint32_t)rules[i].nr,
		    REFUSE(rules[i].errnum));
	}
	notified = ward_seal_notified(&n);
	for (i = 0; i < n; i++) {
		if (notified[i].nr <= WARD_SEAL_HIGHEST_NAMED ||
		    !is_notified(&notified[i], options))
			continue;
		assert(notified[i].when.test == WARD_SEAL_ALWAYS);
		emit_return_if(prelude, BPF_JEQ, (uint32_t)notified[i].nr,
		    SECCOMP_RET_USER_NOTIF);
	}
	emit_return(prelude, SECCOMP_RET_ALLOW);
	emit_label(prelude, named);
}

/*
 * What socketcall is to make is in memory, where no filter sees it.  The C
 * library has no other way when it was built for kernels before 4.3 (Debian's
 * i386): such programs get no new sockets, and connect none.  libseccomp would
 * take the pointer for the socket's type, so it never comes there.
 */
static void
emit_socketcall(struct prelude *prelude)
{
	unsigned short other;

	other = emit_jump_unless(prelude, BPF_JEQ, I386_SOCKETCALL);
	emit_load(prelude, OFFSET_ARG0);
	emit_return_if(prelude, BPF_JEQ, SOCKETCALL_SOCKET, REFUSE(ENOSYS));
	emit_return_if(prelude, BPF_JEQ, SOCKETCALL_CONNECT, REFUSE(ENOSYS));
	emit_return_if(prelude, BPF_JEQ, SOCKETCALL_SOCKETPAIR, REFUSE(ENOSYS));
	emit_return(prelude, SECCOMP_RET_ALLOW);
	emit_label(prelude, other);
}

/*
 * Foreign ABIs get ENOSYS rather than a signal: the program sees an error, and
 * a C library that cannot even set up its first thread stops by itself.
 */
static void
emit_prelude(struct prelude *prelude, const struct ward_seal_options *options)
{
	unsigned short not_i386, not_x32, i386_done, x32_done;

	emit_load(prelude, OFFSET_ARCH);
	if (!options->multilib) {
		(void)emit(prelude, BPF_JMP | BPF_K | BPF_JEQ, 1, 0,
		    AUDIT_ARCH_X86_64);
		emit_return(prelude, REFUSE(ENOSYS));
		/* The highest known number is below the x32 bit. */
		emit_load(prelude, OFFSET_NR);
		emit_known(prelude, WARD_SEAL_X86_64);
		emit_late(prelude, WARD_SEAL_X86_64, options);
		return;
	}
	not_i386 = emit_jump_unless(prelude, BPF_JEQ, AUDIT_ARCH_I386);
	emit_load(prelude, OFFSET_NR);
	emit_socketcall(prelude);
	emit_known(prelude, WARD_SEAL_I386);
	emit_late(prelude, WARD_SEAL_I386, options);
	i386_done = emit_jump(prelude);

	emit_label(prelude, not_i386);
	(void)emit(prelude, BPF_JMP | BPF_K | BPF_JEQ, 1, 0, AUDIT_ARCH_X86_64);
	emit_return(prelude, REFUSE(ENOSYS));
	emit_load(prelude, OFFSET_NR);
	not_x32 = emit_jump_unless(prelude, BPF_JSET, WARD_SEAL_X32_BIT);
	(void)emit(
	    prelude, BPF_ALU | BPF_AND | BPF_K, 0, 0, ~WARD_SEAL_X32_BIT);
	emit_known(prelude, WARD_SEAL_X32);
	emit_late(prelude, WARD_SEAL_X32, options);
	x32_done = emit_jump(prelude);

	emit_label(prelude, not_x32);
	emit_known(prelude, WARD_SEAL_X86_64);
	emit_late(prelude, WARD_SEAL_X86_64, options);
	emit_label(prelude, i386_done);
	emit_label(prelude, x32_done);
}

/* The ways in which a condition can hold, each as one comparison. */
struct alternatives {
	struct scmp_arg_cmp compare[MAX_ALTERNATIVES];
	size_t n;
};

static void
alternative_add(struct alternatives *alternatives, unsigned arg,
    enum scmp_compare how, uint64_t a, uint64_t b)
{
	assert(alternatives->n < MAX_ALTERNATIVES);
	alternatives->compare[alternatives->n++] =
	    (struct scmp_arg_cmp){ arg, how, a, b };
}

static void
expand_bits(struct alternatives *alternatives,
    const struct ward_seal_condition *condition)
{
	uint64_t bit;

	for (bit = 1; bit != 0; bit <<= 1)
		if ((condition->a & bit) != 0)
			alternative_add(alternatives, condition->arg,
			    SCMP_CMP_MASKED_EQ, bit, bit);
}

/*
 * The kernel takes an int from the low 32 bits of its register and a program
 * may leave anything above, so <= and >= on 64 bits compare something else
 * than what is used (CVE-2019-10063).  Masks can leave the high bits out: the
 * range is cut into aligned blocks of a power of two.
 */
static void
expand_range(struct alternatives *alternatives,
    const struct ward_seal_condition *condition)
{
	uint64_t low = condition->a, size;

	assert(condition->a <= condition->b && condition->b <= UINT32_MAX);
	while (low <= condition->b) {
		size = low == 0 ? (uint64_t)1 << 32 : low & (~low + 1);
		while (size > condition->b - low + 1)
			size >>= 1;
		alternative_add(alternatives, condition->arg,
		    SCMP_CMP_MASKED_EQ, UINT32_MAX & ~(size - 1), low);
		low += size;
	}
}

static void
expand(struct alternatives *alternatives,
    const struct ward_seal_condition *condition)
{
	switch (condition->test) {
	case WARD_SEAL_ALWAYS:
		break;
	case WARD_SEAL_ANY_BIT:
		expand_bits(alternatives, condition);
		break;
	case WARD_SEAL_MASKED:
		alternative_add(alternatives, condition->arg,
		    SCMP_CMP_MASKED_EQ, condition->a, condition->b);
		break;
	case WARD_SEAL_WITHIN:
		expand_range(alternatives, condition);
		break;
	case WARD_SEAL_ABOVE:
		alternative_add(
		    alternatives, condition->arg, SCMP_CMP_GT, condition->a, 0);
		break;
	case WARD_SEAL_NOT_NULL:
		alternative_add(
		    alternatives, condition->arg, SCMP_CMP_NE, 0, 0);
		break;
	}
}

/* A rule of libseccomp for each combination of the conditions' alternatives. */
static int
add_rules(scmp_filter_ctx filter, uint32_t action, const char *name,
    const struct ward_seal_condition *when, size_t max, struct err *err)
{
	struct alternatives alternatives[WARD_SEAL_MAX_CONDITIONS];
	struct scmp_arg_cmp compare[WARD_SEAL_MAX_CONDITIONS];
	size_t at[WARD_SEAL_MAX_CONDITIONS] = { 0 };
	size_t i, n;
	int nr, ret;

	assert(max <= WARD_SEAL_MAX_CONDITIONS);
	for (n = 0; n < max && when[n].test != WARD_SEAL_ALWAYS; n++) {
		alternatives[n].n = 0;
		expand(&alternatives[n], &when[n]);
	}
	nr = seccomp_syscall_resolve_name(name);
	if (nr == __NR_SCMP_ERROR)
		return ward_err_set(err, ENOSYS,
		    "libseccomp is too old: it does not know %s", name);
	do {
		for (i = 0; i < n; i++)
			compare[i] = alternatives[i].compare[at[i]];
		ret = seccomp_rule_add_array(
		    filter, action, nr, (unsigned)n, compare);
		if (ret < 0)
			return ward_err_sys(err, -ret,
			    "libseccomp does not take a rule for %s", name);
		/* The next combination, as an odometer turns. */
		for (i = 0; i < n && ++at[i] == alternatives[i].n; i++)
			at[i] = 0;
	} while (i < n);
	return 0;
}

static int
add_refusals(scmp_filter_ctx filter, const struct ward_seal_options *options,
    struct err *err)
{
	const struct ward_seal_rule *rules;
	size_t i, n;
	int ret;

	rules = ward_seal_rules(&n);
	for (i = 0; i < n; i++) {
		if (rules[i].nr > WARD_SEAL_HIGHEST_NAMED ||
		    (rules[i].nr < 0 && !options->multilib) ||
		    !rule_applies(&rules[i], options))
			continue;
		bool told =
		    ward_seal_rule_is_told(&rules[i]) && !options->multilib;
		ret = add_rules(filter,
		    told ? SCMP_ACT_NOTIFY : SCMP_ACT_ERRNO(rules[i].errnum),
		    rules[i].name, rules[i].when, WARD_SEAL_MAX_CONDITIONS,
		    err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int
add_notified(scmp_filter_ctx filter, const struct ward_seal_options *options,
    struct err *err)
{
	const struct ward_seal_notified *notified;
	size_t i, n;
	int ret;

	notified = ward_seal_notified(&n);
	for (i = 0; i < n; i++) {
		if (notified[i].nr > WARD_SEAL_HIGHEST_NAMED ||
		    (notified[i].nr < 0 && !options->multilib) ||
		    !is_notified(&notified[i], options))
			continue;
		ret = add_rules(filter, SCMP_ACT_NOTIFY, notified[i].name,
		    &notified[i].when, 1, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int
set_up(scmp_filter_ctx filter, const struct ward_seal_options *options,
    struct err *err)
{
	int ret;

	ret = seccomp_attr_set(
	    filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
	/* A binary tree: 22 instructions for the common call, else 92. */
	if (ret == 0)
		ret = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (ret == 0 && options->multilib)
		ret = seccomp_arch_add(filter, SCMP_ARCH_X86);
	if (ret == 0 && options->multilib)
		ret = seccomp_arch_add(filter, SCMP_ARCH_X32);
	if (ret < 0)
		return ward_err_sys(err, -ret, "cannot set up libseccomp");
	ret = add_refusals(filter, options, err);
	if (ret == 0)
		ret = add_notified(filter, options, err);
	return ret;
}

static int
read_all(int fd, void *buffer, size_t size)
{
	size_t done = 0;
	ssize_t got;

	while (done < size) {
		got =
		    pread(fd, (char *)buffer + done, size - done, (off_t)done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return -EIO;
		done += (size_t)got;
	}
	return 0;
}

/* The prelude and, behind it, what libseccomp makes of the filter. */
static int
join(const struct prelude *prelude, scmp_filter_ctx filter,
    struct ward_seal *seal, struct err *err)
{
	_cleanup_fd_ int fd = -1;
	struct stat st;
	size_t n;
	int ret;

	fd = memfd_create("seal", MFD_CLOEXEC);
	if (fd < 0)
		return ward_err_sys(err, errno, "cannot make a memfd");
	ret = seccomp_export_bpf(filter, fd);
	if (ret < 0)
		return ward_err_sys(err, -ret, "cannot export the program");
	if (fstat(fd, &st) < 0)
		return ward_err_sys(err, errno, "cannot read the program");
	n = (size_t)st.st_size / sizeof(*seal->code);
	if (n == 0 || (size_t)st.st_size % sizeof(*seal->code) != 0 ||
	    n > BPF_MAXINSNS - (size_t)prelude->n)
		return ward_err_set(err, E2BIG,
		    "the program has %zu instructions; %d are possible",
		    n + prelude->n, BPF_MAXINSNS);
	seal->code = calloc(n + prelude->n, sizeof(*seal->code));
	if (seal->code == NULL)
		return ward_err_sys(err, ENOMEM, "cannot keep the program");
	memcpy(seal->code, prelude->code, prelude->n * sizeof(*seal->code));
	ret = read_all(fd, seal->code + prelude->n, n * sizeof(*seal->code));
	if (ret < 0)
		return ward_err_sys(err, -ret, "cannot read the program");
	seal->n_code = (unsigned short)(n + prelude->n);
	return 0;
}

int
ward_seal_compile(const struct ward_seal_options *options,
    struct ward_seal *seal, struct err *err)
{
	struct prelude prelude = { .n = 0 };
	scmp_filter_ctx filter;
	int ret;

	*seal = (struct ward_seal){ 0 };
	/*
	 * The program is made for the kernels that Ward supports, not after
	 * the one that happens to run here: else notify is refused inside
	 * containers that filter seccomp(2).
	 */
	ret = seccomp_api_set(5);
	if (ret < 0)
		return ward_err_sys(err, -ret, "libseccomp is too old");
	filter = seccomp_init(SCMP_ACT_ALLOW);
	if (filter == NULL)
		return ward_err_sys(err, ENOMEM, "cannot start libseccomp");
	emit_prelude(&prelude, options);
	ret = set_up(filter, options, err);
	if (ret == 0)
		ret = join(&prelude, filter, seal, err);
	seccomp_release(filter);
	if (ret < 0)
		ward_seal_clear(seal);
	return ret;
}
