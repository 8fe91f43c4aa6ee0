/* SPDX-License-Identifier: ISC */
/*
 * The seal's lists: which system calls are refused and how, which ones are
 * write-intent, which numbers are known.  Data only.  seal.c compiles it; the
 * observer in sandbox/ asks ward_seal_notified_find what a notified call does.
 */
#ifndef WARD_PROFILES_SEAL_TABLE_H
#define WARD_PROFILES_SEAL_TABLE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The highest number that the table knows: file_setattr, Linux 6.17.  What a
 * later kernel adds is refused until somebody has read what it does.
 */
#define WARD_SEAL_HIGHEST 469

/*
 * Up to here every libseccomp that we build with (2.5.0: Linux 5.9, Debian
 * 12's 2.5.4: 5.17) may be asked by name; above, rules are made by number.
 * From 424 on a number means the same call in every ABI.
 */
#define WARD_SEAL_HIGHEST_NAMED 450

/* x32 calls carry this bit in their number; their architecture is x86_64's. */
#define WARD_SEAL_X32_BIT 0x40000000U

/* The ABIs of the machine; the first is the native one. */
enum ward_seal_abi {
	WARD_SEAL_X86_64,
	WARD_SEAL_I386,
	WARD_SEAL_X32, /* numbers here are without their bit */
};

/* A run of numbers that an ABI uses; the lists ascend, see the finder. */
struct ward_seal_range {
	enum ward_seal_abi abi;
	uint32_t first;
	uint32_t last;
};

enum ward_seal_test {
	WARD_SEAL_ALWAYS,   /* no (more) conditions */
	WARD_SEAL_ANY_BIT,  /* (argument & a) != 0, in 64 bits */
	WARD_SEAL_MASKED,   /* (argument & a) == b, in 64 bits */
	WARD_SEAL_WITHIN,   /* a <= its low 32 bits <= b */
	WARD_SEAL_ABOVE,    /* argument > a, in 64 bits */
	WARD_SEAL_NOT_NULL, /* a pointer other than NULL */
};

struct ward_seal_condition {
	enum ward_seal_test test;
	unsigned arg;
	uint64_t a;
	uint64_t b;
};

#define WARD_SEAL_MAX_CONDITIONS 3

/*
 * Which option takes a rule away.  All but the first are told: the warden
 * refuses the call, and makes a row.  What everyday programs try for themselves
 * and do without is not worth one.
 */
enum ward_seal_group {
	WARD_SEAL_FOR_ALL,    /* none */
	WARD_SEAL_TOLD,       /* the same */
	WARD_SEAL_NAMESPACES, /* dropped by allow_nested_userns */
	WARD_SEAL_TRACING,    /* dropped by debug */
};

/* One refusal; it holds where every condition does. */
struct ward_seal_rule {
	const char *name;
	int nr;     /* x86_64's number, -1 for a call that only i386 has */
	int errnum; /* what the caller gets */
	enum ward_seal_group group;
	struct ward_seal_condition when[WARD_SEAL_MAX_CONDITIONS];
};

/* What a write-intent call does at the place that its path names. */
enum ward_seal_kind {
	WARD_SEAL_NOTHING, /* there is no (second) path */
	WARD_SEAL_OPEN,    /* opens the target for writing or makes it */
	WARD_SEAL_ENTRY,   /* makes, removes or replaces the directory entry:
			      the last component is never followed */
	WARD_SEAL_INODE,   /* changes what the path leads to */
	WARD_SEAL_SOURCE,  /* the file that a new hard link will name */
	WARD_SEAL_BIND, /* makes the entry that a Unix socket's address names:
			   path_arg is that address, its length follows */
	WARD_SEAL_CONNECT, /* connects a socket: always notified, never
			      continued, and no observation */
};

/* Whether a link at the end of the path is followed. */
enum ward_seal_follow {
	WARD_SEAL_FOLLOW,
	WARD_SEAL_NOFOLLOW,
	WARD_SEAL_FOLLOW_BY_FLAGS, /* AT_SYMLINK_NOFOLLOW in the flags, or
				      O_NOFOLLOW, or O_CREAT with O_EXCL */
};

/* Any of these in open's flags makes it write-intent (access mode 3 too). */
#define WARD_SEAL_OPEN_WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

/*
 * A notified call.  Of two-path calls the first pair is what changes or goes
 * (link: the new name; rename: the old one), the second the other path.
 */
struct ward_seal_notified {
	const char *name;
	int nr; /* x86_64 and, with its bit, x32; -1: i386 only */
	int nr_i386;
	enum ward_seal_kind kind;
	int dirfd_arg; /* -1: relative to the working directory */
	int path_arg;
	enum ward_seal_kind kind2;
	int dirfd2_arg; /* the same for the second path; -1, -1 if none */
	int path2_arg;
	int flags_arg;         /* -1: the call has none */
	bool flags_by_pointer; /* flags are the first 64 bits at that address
				  (openat2's struct open_how) */
	enum ward_seal_follow follow;
	struct ward_seal_condition when; /* notified only then */
};

/* The lists; their lengths go to *n. */
const struct ward_seal_rule *ward_seal_rules(size_t *n);
const struct ward_seal_notified *ward_seal_notified(size_t *n);
const struct ward_seal_range *ward_seal_known(size_t *n);

/*
 * What a notified call does; arch and nr as struct seccomp_data has them.
 * NULL when the seal never notifies that call.
 */
const struct ward_seal_notified *ward_seal_notified_find(uint32_t arch, int nr);

/*
 * Whether the warden, and not the kernel, refuses what the rule is about.  Not
 * where the profile says multilib: libseccomp gives a call one action in all
 * ABIs.
 */
bool ward_seal_rule_is_told(const struct ward_seal_rule *rule);

/* The first such rule of that call; NULL: it is never told. */
const struct ward_seal_rule *ward_seal_told_find(uint32_t arch, int nr);

/*
 * Whether the call follows a link at the end of its first path; flags is the
 * value of its flags, 0 if it has none.
 */
bool ward_seal_notified_follows(
    const struct ward_seal_notified *notified, uint64_t flags);

#endif
