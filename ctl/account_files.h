/* SPDX-License-Identifier: ISC */
/* What an account has in /etc besides its passwd line.  ctl/ only. */
#ifndef WARD_CTL_ACCOUNT_FILES_H
#define WARD_CTL_ACCOUNT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/err.h"

/* Public keys from a file, or from standard input for "-"; checked. */
int ward_account_keys_read(const char *file, char **keys, struct err *err);
int
ward_account_keys_write(const char *name, const char *keys, struct err *err);
int ward_account_keys_remove(const char *name, struct err *err);
bool ward_account_has_keys(const char *name);
/* What is there; "" if there is no file.  *keys is malloc'd. */
int ward_account_keys_text(const char *name, char **keys, struct err *err);

/*
 * systemd does not try to start a user manager for it, which pam_ward.so would
 * refuse: a failed unit at each login.
 */
int ward_account_mask(uid_t uid, struct err *err);
int ward_account_unmask(uid_t uid, struct err *err);
bool ward_account_is_masked(uid_t uid);
/* systemd is to start one at boot, too. */
bool ward_account_lingers(const char *name);

/* Its line in assignments.conf; profile NULL: none.  Applies nothing. */
int ward_account_assign(const char *name, const char *profile, struct err *err);

/* The profile of that line, malloc'd; "": there is none. */
int ward_account_assigned(const char *name, char **profile, struct err *err);

/* Jobs that other programs keep for it. */
bool ward_account_has_crontab(const char *name);
size_t ward_account_at_jobs(uid_t uid);

#endif
