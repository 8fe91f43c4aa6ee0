/* SPDX-License-Identifier: ISC */
/* Ward's part of sshd's configuration.  ctl/ only. */
#ifndef WARD_CTL_SSHD_H
#define WARD_CTL_SSHD_H

#include <stdbool.h>

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

/*
 * What holds for a user (NULL: for all) by this file (NULL: the usual one), as
 * sshd -T tells it in run's output.
 */
int ward_sshd_ask(const char *config, const char *user, struct ward_run *run,
    struct err *err);

/* Pure: the n-th value of a keyword, from 0, in such output. */
bool ward_sshd_value(const char *output, const char *keyword, unsigned n,
    char *value, size_t size);

/* There is a daemon that would have to read its configuration again. */
bool ward_sshd_is_running(void);

#endif
