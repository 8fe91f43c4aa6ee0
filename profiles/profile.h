/* SPDX-License-Identifier: ISC */
/*
 * A profile in memory: what the text says, checked, with parents merged, and
 * before any account is known.  Pure data; profiles/, db/ and above use it.
 * Strings and arrays are owned by the profile and end with ward_profile_free.
 */
#ifndef WARD_PROFILES_PROFILE_H
#define WARD_PROFILES_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiles/network.h"
#include "profiles/origin.h"

enum ward_rule_kind {
	WARD_READ_ALLOW,
	WARD_READ_DENY,
	WARD_WRITE_ALLOW,
	WARD_WRITE_DENY,
	WARD_SOCKET_ALLOW,
	WARD_PROTECT,
	WARD_UNPROTECT,
	WARD_RULE_KINDS,
};

/*
 * One path of filesystem.{read,write}.{allow,deny} or unix_sockets.allow; or a
 * name of filesystem.protect, or one of the built-in list that is taken out.
 */
struct ward_rule {
	enum ward_rule_kind kind;
	char *path; /* as written: may begin with ~, hold ${user} and, within
		       one component, * */
	struct ward_origin origin;
};

enum ward_scope {
	WARD_SCOPE_ACCOUNT, /* all sessions of an account share a sandbox */
	WARD_SCOPE_SESSION, /* each session has its own */
};

/* When wardsh tells of what was refused to a command. */
enum ward_annotate {
	WARD_ANNOTATE_NEVER,
	WARD_ANNOTATE_ON_FAILURE,
	WARD_ANNOTATE_ALWAYS,
};

#define WARD_UNLIMITED UINT64_MAX

struct ward_limits {
	uint64_t processes; /* RLIMIT_NPROC */
	uint64_t files;     /* RLIMIT_NOFILE */
	uint64_t file_size; /* RLIMIT_FSIZE, bytes */
	uint64_t memory;    /* bytes; accepted, not enforced yet */
	uint64_t tmp;       /* bytes, of all private temporary space */
};

/* What the seccomp program depends on. */
struct ward_seal_options {
	bool multilib;      /* i386 and x32 may run (seal.multilib) */
	bool nested_userns; /* seal.allow_nested_userns */
	bool debug;         /* ptrace is allowed (seal.debug) */
	bool observe;       /* refused writes are notified */
};

struct ward_env {
	char *name;
	char *value;
};

struct ward_profile {
	char *name;
	char *description;

	bool read_default_allow;
	struct ward_origin read_default_origin;
	struct ward_rule *rules; /* in no meaningful order */
	size_t n_rules;

	struct ward_network network;

	char *shell; /* absolute path */
	enum ward_scope scope;
	uint64_t linger; /* seconds that a sandbox outlives its last session */
	uint64_t grace;  /* that one goes on which this profile made stale */
	enum ward_annotate annotate;

	struct ward_limits limits;
	struct ward_seal_options seal;
	uint64_t landlock; /* the least ABI of the kernel's */

	char **env_pass; /* names, or a prefix with * at the end */
	size_t n_env_pass;
	struct ward_env *env_set;
	size_t n_env_set;

	char **services; /* PAM service names */
	size_t n_services;
};

/* NULL is fine. */
void ward_profile_free(struct ward_profile *profile);

#endif
