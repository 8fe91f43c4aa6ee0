/* SPDX-License-Identifier: ISC */
/* The governed accounts of the machine, as commands see them.  ctl/ only. */
#ifndef WARD_CTL_ACCOUNTS_H
#define WARD_CTL_ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "ctl/home.h"
#include "db/policy.h"

#define WARD_ACCOUNT_GROUPS 1024

struct ward_account {
	char *name;
	uid_t uid;
	gid_t gid;
	char *home;      /* passwd's */
	char *real_home; /* where it really is */
	bool governed;
	bool locked; /* expired, so that no login's account phase passes */
};

/* -ENOENT: there is no such user; -EPERM: it is not governed. */
int ward_account_find(
    const char *name, struct ward_account *account, struct err *err);
/* The same for any user of the machine. */
int ward_account_read(
    const char *name, struct ward_account *account, struct err *err);
/* Another name with the same uid. */
bool
ward_account_find_twin(const char *name, uid_t uid, char *twin, size_t size);
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
/* The same for one that is there, with the groups that it is in. */
int ward_account_find_policy(const struct ward_account *account,
    struct ward_policy_found *found, struct err *err);
/* As initgroups(3) would: *n is how many fit, then how many there are. */
int ward_account_groups(const struct ward_account *account, gid_t *groups,
    size_t *n, struct err *err);

#define WARD_NEVER_EXPIRES ""

/* usermod: its expiry, as days since 1970. */
int
ward_account_set_expiry(const char *name, const char *days, struct err *err);
/* Locked: it has expired. */
int ward_account_lock(const char *name, struct err *err);

/* How many sandboxes of it live. */
size_t ward_account_live(uid_t uid);

/* -EBUSY while it has a process, in a sandbox or outside. */
int
ward_account_check_ended(const struct ward_account *account, struct err *err);

struct ward_home ward_account_home(const struct ward_account *account);

/* Its real home is its own, and its passwd home root's. */
int
ward_account_check_home(const struct ward_account *account, struct err *err);

#endif
