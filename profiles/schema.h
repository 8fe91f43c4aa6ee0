/* SPDX-License-Identifier: ISC */
/*
 * Every key that a profile may hold: one table makes the parser, the messages,
 * the built-in defaults and ward-profile(5), so that they cannot drift apart.
 */
#ifndef WARD_PROFILES_SCHEMA_H
#define WARD_PROFILES_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ward_key_type {
	WARD_TYPE_GROUP,
	WARD_TYPE_NAME,   /* of a profile */
	WARD_TYPE_TEXT,   /* one line for people */
	WARD_TYPE_CHOICE, /* one of choices; the number is its index */
	WARD_TYPE_BOOLEAN,
	WARD_TYPE_NUMBER,
	WARD_TYPE_SIZE,     /* bytes, or "4G" */
	WARD_TYPE_DURATION, /* seconds, or "8h" */
	WARD_TYPE_SHELL,    /* an absolute path */
	WARD_TYPE_PROXY,    /* http://host:port, or "none" */
	WARD_TYPE_PARENTS,  /* the lists, from here on */
	WARD_TYPE_PATHS,
	WARD_TYPE_VARIABLES, /* names, or prefixes with * */
	WARD_TYPE_SETTINGS,  /* { name = ""; value = ""; } */
	WARD_TYPE_SERVICES,
	WARD_TYPE_PROTECTED, /* names below a writable place */
	WARD_TYPE_ENDPOINTS, /* hosts, *.x.y, each with a port or without */
	WARD_TYPE_REASONS,   /* { match = ""; say = ""; } */
	WARD_TYPE_BLOCKS,    /* addresses, a.b.c.d/n */
};

/* The order is the one of ward-profile(5). */
enum ward_key_id {
	WARD_KEY_NAME,
	WARD_KEY_DESCRIPTION,
	WARD_KEY_EXTENDS,
	WARD_KEY_FILESYSTEM,
	WARD_KEY_READ,
	WARD_KEY_READ_DEFAULT,
	WARD_KEY_READ_ALLOW,
	WARD_KEY_READ_DENY,
	WARD_KEY_WRITE,
	WARD_KEY_WRITE_ALLOW,
	WARD_KEY_WRITE_DENY,
	WARD_KEY_PROTECT,
	WARD_KEY_NETWORK,
	WARD_KEY_NETWORK_MODE,
	WARD_KEY_NETWORK_ALLOW,
	WARD_KEY_NETWORK_DENY,
	WARD_KEY_NETWORK_UNLISTED,
	WARD_KEY_NETWORK_REASONS,
	WARD_KEY_NETWORK_PRIVATE,
	WARD_KEY_NETWORK_BLOCKS,
	WARD_KEY_NETWORK_UPSTREAM,
	WARD_KEY_NETWORK_NO_PROXY,
	WARD_KEY_UNIX_SOCKETS,
	WARD_KEY_SOCKETS_ALLOW,
	WARD_KEY_LIMITS,
	WARD_KEY_PROCESSES,
	WARD_KEY_FILES,
	WARD_KEY_FILE_SIZE,
	WARD_KEY_MEMORY,
	WARD_KEY_TMP,
	WARD_KEY_SESSION,
	WARD_KEY_SHELL,
	WARD_KEY_SCOPE,
	WARD_KEY_LINGER,
	WARD_KEY_GRACE,
	WARD_KEY_OBSERVE,
	WARD_KEY_ANNOTATE,
	WARD_KEY_ENVIRONMENT,
	WARD_KEY_PASS,
	WARD_KEY_SET,
	WARD_KEY_SERVICES,
	WARD_KEY_SEAL,
	WARD_KEY_MULTILIB,
	WARD_KEY_NESTED_USERNS,
	WARD_KEY_DEBUG,
	WARD_KEY_LANDLOCK,
	WARD_KEY_COUNT,
};

/* Indices into the choices of the table. */
enum { WARD_CHOICE_ALLOW, WARD_CHOICE_DENY };
enum { WARD_CHOICE_ACCOUNT, WARD_CHOICE_SESSION };
enum { WARD_CHOICE_WRITES, WARD_CHOICE_NOTHING };
enum { WARD_CHOICE_NO_NETWORK, WARD_CHOICE_FILTERED };
enum { WARD_CHOICE_REFUSE, WARD_CHOICE_ASK };
enum { WARD_CHOICE_NEVER, WARD_CHOICE_ON_FAILURE, WARD_CHOICE_ALWAYS };

struct ward_key {
	const char *path; /* "filesystem.read.deny"; "" is no key */
	enum ward_key_type type;
	const char *choices[4]; /* NULL-terminated */
	const char *members[2]; /* of lists of groups: what is named, and how */
	uint64_t least, most;   /* of numbers, sizes and durations */
	bool may_be_unlimited;
	const char *initial; /* the built-in default as it would be written,
				without quotes; NULL: empty */
	const char *example; /* what stands right of the = */
	const char *help;    /* a sentence or two */
};

extern const struct ward_key ward_keys[WARD_KEY_COUNT];

bool ward_key_is_list(enum ward_key_id id);

/* Whether * alone may stand in this list of hosts. */
bool ward_key_takes_any(enum ward_key_id id);

/* The last part of the path: what stands in the file. */
const char *ward_key_name(enum ward_key_id id);

/* WARD_KEY_COUNT if there is none. */
enum ward_key_id ward_key_find(const char *path);

/*
 * The number of a scalar from its text, where the type has one.  -EINVAL: it
 * is none; -ERANGE: out of least and most.
 */
int ward_key_number(enum ward_key_id id, const char *text, uint64_t *number);

/* [a-z][a-z0-9-]{0,31} */
#define WARD_PROFILE_NAME_MAX 32
bool ward_profile_name_is_valid(const char *name);

/* The PAM services that can be opened at all; they are also the default. */
extern const char *const ward_services[];
extern const size_t ward_n_services;

#endif
