/* SPDX-License-Identifier: ISC */
/*
 * The plan: what an account may see and write, as a list that the sandbox
 * builder walks and as one decision that builder, observer and explain share.
 * Pure: the file system is asked through the caller's resolver, so that the
 * rules are tested without root.
 */
#ifndef WARD_PROFILES_PLAN_H
#define WARD_PROFILES_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "profiles/profile.h"

/* The account as a plan needs it; borrowed strings. */
struct ward_plan_account {
	const char *name;
	const char *home; /* the passwd home, where the real one is mounted */
};

enum ward_state {
	WARD_HIDDEN,
	WARD_READABLE,
	WARD_WRITABLE,
};

/* What stands at the end of a path. */
enum ward_found {
	WARD_FOUND_DIRECTORY,
	WARD_FOUND_FILE,    /* regular file */
	WARD_FOUND_SPECIAL, /* FIFO, socket, device */
	WARD_FOUND_ABSENT,  /* nothing, or a component below a file, or a
			       dangling link: path is as far as it goes,
			       with the missing rest behind it */
	WARD_FOUND_LOOP,    /* more than 40 links */
	WARD_FOUND_UNREACHABLE, /* a directory that the account cannot search:
				   path is that directory */
};

/* A symbolic link met on the way, for lists that re-create it. */
struct ward_link {
	char *at;   /* canonical path of the link itself */
	char *text; /* what it says */
};

/* A resolver's answer; owned by whoever asked. */
struct ward_place {
	enum ward_found found;
	char *path; /* canonical: absolute, no links, no . .. // or last / */
	bool untrusted_link; /* a link that someone other than root could have
				made was followed */
	struct ward_link *links; /* every link followed, in order */
	size_t n_links;
};

void ward_place_clear(struct ward_place *place);

/*
 * How a plan asks about the file system.  Paths are as the view shows them
 * (the home is the passwd home).  resolve: 0 with *place filled, also for
 * absent, loop and unreachable; -errno only when no answer can be had, which
 * fails the plan.  list: the names in a directory, malloc'd array of malloc'd
 * strings; a directory that cannot be listed has no names.
 */
struct ward_resolver {
	int (*resolve)(void *context, const char *path,
	    struct ward_place *place, struct err *err);
	int (*list)(void *context, const char *directory, char ***names,
	    size_t *n_names, struct err *err);
	void *context;
};

/* A place where the state differs from what stands around it. */
struct ward_plan_entry {
	char *path; /* canonical, as the view shows it */
	enum ward_state state;
	bool is_directory;
	const struct ward_rule *rule; /* which decided; owned by the plan */
};

/* A rule that does nothing, and why: for profile check and doctor. */
struct ward_plan_note {
	const struct ward_rule *rule;
	char *text;
};

struct ward_plan {
	struct ward_plan_entry *entries; /* shallow paths first; the first is
					    always "/" */
	size_t n_entries;
	struct ward_link *links; /* to be made anew inside hidden directories,
				    so that allowed spellings work */
	size_t n_links;
	struct ward_plan_note *notes;
	size_t n_notes;
	struct ward_plan_rules *rules; /* what ward_plan_decide reads */
};

/* The directory of real homes, beside the passwd homes: /home -> /home/.ward */
#define WARD_REAL_HOMES ".ward"

/*
 * Expands ~, ${user} and *, resolves, and orders.  The plan copies what it
 * needs: profile and account may go.  Free with ward_plan_free (NULL is fine).
 */
int ward_plan_compile(const struct ward_profile *profile,
    const struct ward_plan_account *account,
    const struct ward_resolver *resolver, struct ward_plan **plan,
    struct err *err);
void ward_plan_free(struct ward_plan *plan);

struct ward_verdict {
	enum ward_state state;
	const struct ward_rule *rule; /* never NULL: built-in rules have one */
};

/* The one decision.  path is canonical. */
struct ward_verdict ward_plan_decide(const struct ward_plan *plan,
    const char *path);

/*
 * Places that every sandbox has for itself (/proc, /dev, /tmp, /run ...): true
 * if path is one or below one.  Rules cannot name them.
 */
bool ward_plan_is_private(const char *path);

#endif
