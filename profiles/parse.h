/* SPDX-License-Identifier: ISC */
/*
 * One profile file as it is written, checked, before its parents are merged
 * in.  Pure.  profiles/ only; others use compile.h.
 */
#ifndef WARD_PROFILES_PARSE_H
#define WARD_PROFILES_PARSE_H

#include <libconfig.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiles/diagnostics.h"
#include "profiles/schema.h"

#define WARD_ENTRIES_MAX 1024 /* of one list */

/* An element of a list. */
struct ward_entry {
	char *text;  /* folded path or name, without the ! */
	char *value; /* of a list of groups, else NULL */
	unsigned line;
	bool removes; /* it had a ! */
};

/* What a file says about one key. */
struct ward_setting {
	bool is_set;
	unsigned line;
	char *text;      /* of names, texts, the shell and the proxy */
	uint64_t number; /* of the other scalars */
	struct ward_entry *entries;
	size_t n_entries;
};

struct ward_profile_text {
	char *file;
	struct ward_setting settings[WARD_KEY_COUNT];
};

/*
 * 0, -EINVAL with what is wrong in findings, or -ENOMEM.  Findings also gets
 * warnings of a file that is taken.
 */
int ward_profile_parse(const char *file, const char *text, size_t size,
    struct ward_profile_text **out, struct ward_diagnostics *findings);

/* NULL is fine. */
void ward_profile_text_free(struct ward_profile_text *profile);

/* A parser at work; what parse.c and values.c share. */
struct ward_parser {
	struct ward_profile_text *profile;
	struct ward_diagnostics *findings;
};

/*
 * values.c: fills the setting of a key that is no group.  -EINVAL when what it
 * says is wrong, and parsing can go on.
 */
int ward_value_parse(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *value);

/*
 * values_network.c: an entry of the network's lists, value the words of a
 * reason, or the proxy.  0, or what ward_diagnostics_add gave.
 */
int ward_value_check_network(struct ward_parser *parser, enum ward_key_id id,
    const config_setting_t *element, const char *text, const char *value);

/* "a string", for what stands in a file. */
const char *ward_value_type(const config_setting_t *value);

#endif
