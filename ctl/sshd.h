/* SPDX-License-Identifier: ISC */
/* Ward's part of sshd's configuration.  ctl/ only. */
#ifndef WARD_CTL_SSHD_H
#define WARD_CTL_SSHD_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "ctl/run.h"

#define WARD_SSHD_CONFIG  "/etc/ssh/sshd_config"
#define WARD_SSHD_SNIPPET "/etc/ssh/sshd_config.d/ward.conf"

/*
 * Pure: the text of sshd_config includes path, for every user.  Patterns are
 * relative to /etc/ssh; files that it includes are not looked into.
 */
bool ward_sshd_includes(const char *text, const char *path);

/*
 * Writes the snippet and has sshd check all of its configuration; *changed if
 * it was not there before.  A machine without sshd is fine: *there says so.
 */
int ward_sshd_enable(bool *there, bool *changed, struct err *err);
int ward_sshd_disable(bool *changed, struct err *err);

/* sshd reads this account's keys from Ward's directory, and asks PAM. */
int ward_sshd_verify_account(const char *name, struct err *err);

bool ward_sshd_is_there(void);

/* The path is of an sshd, but not of the distribution's. */
bool ward_sshd_is_foreign(const char *path);

#define WARD_SSHD_SETTINGS 8

/* Which file an sshd reads, and what its command line says before that. */
struct ward_sshd_options {
	char file[256];
	char settings[WARD_SSHD_SETTINGS][128]; /* each behind -o */
	size_t n;
	bool too_many; /* or too long: not all of them are here */
};

/*
 * Pure: those of a command line, as sshd was started with or as its title shows
 * it; changes line.
 */
void ward_sshd_read_options(char *line, struct ward_sshd_options *options);

/*
 * What holds for a user (NULL: for all) with these options (NULL: the usual
 * ones), as sshd -T tells it in run's output.
 */
int ward_sshd_ask(const struct ward_sshd_options *options, const char *user,
    struct ward_run *run, struct err *err);

/* Pure: the n-th value of a keyword, from 0, in such output. */
bool ward_sshd_value(const char *output, const char *keyword, unsigned n,
    char *value, size_t size);

/* There is a daemon that would have to read its configuration again. */
bool ward_sshd_is_running(void);

#endif
