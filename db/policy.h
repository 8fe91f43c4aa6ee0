/* SPDX-License-Identifier: ISC */
/*
 * The policy store (policy.db): profiles, their numbered revisions with all
 * that was compiled from them, and who is assigned what.  wardctl writes it;
 * the warden and wardctl read it.  A handle belongs to one thread at a time
 * and is not carried over fork.
 */
#ifndef WARD_DB_POLICY_H
#define WARD_DB_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/sha256.h"
#include "profiles/assignments.h"
#include "profiles/profile.h"
#include "profiles/seal.h"

struct ward_policy;

enum ward_policy_mode {
	WARD_POLICY_READ,  /* must be there; nothing can be changed */
	WARD_POLICY_WRITE, /* made if it is not there */
};

/*
 * path is absolute.  timeout_ms is how long each later call waits for another
 * process's lock (and this one for another's migration).  Errors: -ENOENT (no
 * file), -EBUSY, -ENOSPC, -EPERM (owner, mode or kind of file or directory),
 * -ELOOP (a link), -EUCLEAN (damaged, or no database, or not Ward's).
 */
int ward_policy_open(const char *path, enum ward_policy_mode mode,
    unsigned timeout_ms, struct ward_policy **policy, struct err *err);
/* NULL is fine. */
void ward_policy_close(struct ward_policy *policy);

/* One profile to be stored; all borrowed. */
struct ward_policy_item {
	const struct ward_profile *profile;
	const struct ward_seal *seal;
	const char *source; /* the text of every file that it came from */
};

enum ward_policy_change {
	WARD_POLICY_ADDED, /* first revision, or back after it was retired */
	WARD_POLICY_CHANGED,
	WARD_POLICY_UNCHANGED, /* same effect: the revision is kept; its
				  text, lines and description are renewed */
};

struct ward_policy_result {
	enum ward_policy_change change;
	int64_t number; /* of the revision that is current now */
};

/*
 * Makes the store hold exactly these profiles and assignments, in one
 * transaction: on any error nothing changed.  Profiles that are not among the
 * items are retired; their revisions stay.  An assignment to a profile that is
 * not among them, or a second one for the same subject, is -EINVAL with
 * "file:line: ...".  results has n_items entries, in the order of items.
 */
int ward_policy_apply(struct ward_policy *policy,
    const struct ward_policy_item *items, size_t n_items,
    const struct ward_assignment *assignments, size_t n_assignments,
    const char *author, struct ward_policy_result *results, struct err *err);

/* A stored revision; everything is owned: ward_policy_found_clear. */
struct ward_policy_found {
	struct ward_profile *profile;
	struct ward_seal seal;
	int64_t revision_id; /* unique over all profiles, never used again */
	int64_t number;      /* within the profile, from 1 */
	unsigned char hash[WARD_SHA256_SIZE];
	/* of all but what a live sandbox can take; see ward_policy_now */
	unsigned char rest[WARD_SHA256_SIZE];
	char *source; /* ward_policy_load only, else NULL */
	/* ward_policy_find only: which line of assignments.conf chose it. */
	struct ward_origin assigned;
};

void ward_policy_found_clear(struct ward_policy_found *found);

/*
 * Is the account in this group: 1, 0, or -errno where that cannot be told?
 * Asked in the order of assignments.conf until one says yes; no lock is held
 * meanwhile, so it may ask slow name services.
 */
typedef int ward_policy_in_group(void *context, const char *group);

/*
 * What governs this user now: its own assignment, else the first of a group
 * that it is in, else the default.  -ENOENT if there is none; whatever a
 * question about a group failed with.
 */
int ward_policy_find(struct ward_policy *policy, const char *user,
    ward_policy_in_group *in_group, void *context,
    struct ward_policy_found *found, struct err *err);

/* The same decision, without loading: is a live sandbox current? */
struct ward_policy_now {
	int64_t revision_id;
	/*
	 * The hash of what a sandbox is made of.  One of another revision with
	 * the same rest differs by network rules alone, which it can take.
	 */
	unsigned char rest[WARD_SHA256_SIZE];
	uint64_t grace; /* how long it goes on if it is not, in seconds */
};
int ward_policy_current(struct ward_policy *policy, const char *user,
    ward_policy_in_group *in_group, void *context, struct ward_policy_now *now,
    struct err *err);

/* One revision of a profile, retired ones too; number 0 is the current one. */
int ward_policy_load(struct ward_policy *policy, const char *name,
    int64_t number, struct ward_policy_found *found, struct err *err);

/*
 * Listings.  Rows are borrowed until the callback returns; it returns 0 to go
 * on, and anything else ends the listing and is returned.  The callback must
 * not use the same handle.
 */
struct ward_policy_revision {
	const char *profile;
	const char *description; /* of the profile as it is now, or NULL */
	bool retired;            /* the profile */
	bool current;            /* this revision is the profile's newest */
	int64_t revision_id;
	int64_t number;
	const unsigned char *hash; /* WARD_SHA256_SIZE bytes */
	const char *author;
	int64_t created; /* microseconds since 1970, UTC */
};
typedef int ward_policy_on_revision(
    void *context, const struct ward_policy_revision *revision);
typedef int ward_policy_on_assignment(
    void *context, const struct ward_assignment *assignment);

/* The current revision of each profile, by name; retired ones on request. */
int ward_policy_each_profile(struct ward_policy *policy, bool retired_too,
    ward_policy_on_revision *on_revision, void *context, struct err *err);
/* All revisions of one, newest first; -ENOENT if it never was. */
int ward_policy_each_revision(struct ward_policy *policy, const char *name,
    ward_policy_on_revision *on_revision, void *context, struct err *err);
/* In the order in which they count. */
int ward_policy_each_assignment(struct ward_policy *policy,
    ward_policy_on_assignment *on_assignment, void *context, struct err *err);

#endif
