/* SPDX-License-Identifier: ISC */
/* The governed accounts of the machine, as commands see them.  ctl/ only. */
#ifndef WARD_CTL_ACCOUNTS_H
#define WARD_CTL_ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "db/policy.h"

#define WARD_ACCOUNT_GROUPS 1024

struct ward_account {
	char *name;
	uid_t uid;
	gid_t gid;
	char *home;      /* passwd's */
	char *real_home; /* where it really is */
	bool locked;     /* expired, so that no login's account phase passes */
};

/* -ENOENT: there is no such user; -EPERM: it is not governed. */
int ward_account_find(
    const char *name, struct ward_account *account, struct err *err);
void ward_account_clear(struct ward_account *account);

struct ward_accounts {
	struct ward_account *list; /* by uid */
	size_t n;
};

/* Those that NSS lists. */
int ward_accounts_read(struct ward_accounts *accounts, struct err *err);
void ward_accounts_clear(struct ward_accounts *accounts);

/* -EBUSY, naming one, where an account could log in. */
int ward_accounts_check_none_open(struct err *err);

/*
 * The profile that governs it.  -ENOENT: none is assigned.  Also for a name
 * that is not there yet, with these groups.
 */
int ward_account_policy(const char *name, const gid_t *groups, size_t n_groups,
    struct ward_policy_found *found, struct err *err);
/* As initgroups(3) would: *n is how many fit, then how many there are. */
int ward_account_groups(const struct ward_account *account, gid_t *groups,
    size_t *n, struct err *err);

/* usermod: the account's expiry. */
int ward_account_set_locked(const char *name, bool locked, struct err *err);

/* How many sandboxes of it live. */
size_t ward_account_live(uid_t uid);

/* It has a process, in a sandbox or outside. */
bool ward_account_has_processes(uid_t uid);

/* Its real home is its own, and its passwd home root's. */
int
ward_account_check_home(const struct ward_account *account, struct err *err);

#endif
