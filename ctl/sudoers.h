/* SPDX-License-Identifier: ISC */
/*
 * What of sudoers(5) decides whether sudo opens PAM sessions: files that are
 * included, and Defaults.  Pure; lines come from ctl/conf.h.  ctl/ only.
 */
#ifndef WARD_CTL_SUDOERS_H
#define WARD_CTL_SUDOERS_H

#include <stdbool.h>
#include <stddef.h>

#include "ctl/conf.h"

/* No character begins a comment here: "#include" and "#1001" are none. */
extern const struct ward_conf_style ward_sudoers_style;

enum ward_sudoers_kind {
	WARD_SUDOERS_OTHER,
	WARD_SUDOERS_DEFAULTS,
	WARD_SUDOERS_FILE,      /* @include */
	WARD_SUDOERS_DIRECTORY, /* @includedir */
};

/* What a line is; the path of what is included goes to *rest. */
enum ward_sudoers_kind ward_sudoers_kind_of(char *line, char **rest);

/*
 * A Defaults line takes this setting away ("!name").  Not for a list of target
 * users (Defaults>) of which each is a name, and none this account's.
 */
bool ward_sudoers_takes_away(
    const char *line, const char *setting, const char *account);

/* A name in an included directory that sudo skips. */
bool ward_sudoers_is_skipped(const char *name);

/*
 * The included path, with %h for the host's short name, relative to the
 * directory of the file that includes it.  False if it does not fit.
 */
bool ward_sudoers_path(const char *path, const char *includer, const char *host,
    char *out, size_t size);

#endif
