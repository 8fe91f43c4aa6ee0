/* SPDX-License-Identifier: ISC */
/*
 * The plan: what an account may see and write, as a list that the sandbox
 * builder walks and as one decision that builder, observer and explain share.
 * Pure: the file system is asked through the caller's resolver, so that the
 * rules are tested without root.
 *
 * A rule stands at a *place*: its path with ~, ${user}, * and links resolved.
 *
 * Reads.  The deepest read rule at or above a path decides; at one place allow
 * beats deny; without any, read.default does.  A write.allow is a read.allow
 * as well.
 *
 * Writes.  A path is writable if some write.allow and no write.deny stands at
 * or above it, and it is readable.  Depth does not matter.
 *
 * Sockets.  One that is bound where the account can write is its own, if the
 * account is its owner.  Any other can be connected to only if some
 * unix_sockets.allow stands at or above it, where the account cannot write.
 * Of the private places, a rule counts only below /run.
 *
 * Protected names.  In a place that a write.allow opens, outside the home, a
 * name of the list (profiles/protect.h) that is there when the plan is compiled
 * is closed for writing, as by a write.deny.  Where it is a link, each link on
 * the way is, and so is what is at its end if that could be written.
 *
 * The order of the rules never matters.
 *
 * *       Any run of characters within one component, a leading dot included.
 *	   Expanded when the plan is compiled, at most WARD_PLAN_EXPANSIONS
 *	   places for a rule; ward_plan_decide also judges what appears later.
 * Links   A deny stands at the target, whoever made the link.  An allow stands
 *	   at the target if all links on the way are root's, and then lifts
 *	   read.default, but never a read.deny that decides at the target.  It
 *	   opens nothing (and gets a note) if somebody else could have made one
 *	   of the links, or if the target is / or otherwise above such a link.
 *	   What leads to the account's home does not count as a link here.
 * Absent  What is not there, is below a file, or loops is never an error: the
 *	   rule decides where the file would be (in a loop: a deny where it is
 *	   written, an allow nowhere), has no entry, gets a note.
 * Special A write.allow of a FIFO, socket or device only makes it readable.
 * Closed  If the account itself cannot search or list a directory on the way,
 *	   an allow opens nothing, and a deny stands at that directory, where
 *	   no allow lifts it.  If that would take the home away, compiling
 *	   fails.
 *
 * Every plan also has built-in rules (origin "built-in", line 0): read.deny of
 * /var/log and, so that re-opening that is not enough, of wtmp, btmp and
 * lastlog in it; and, where no rule lifts it, of Ward's policy and state and of
 * the directory of real homes.
 */
#ifndef WARD_PROFILES_PLAN_H
#define WARD_PROFILES_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "profiles/profile.h"
#include "profiles/protect.h"

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
	WARD_FOUND_LOOP,    /* more than 40 links; path is NULL, or where a rule
			       of that path is to stand */
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
 * How a plan asks about the file system.  Paths are as the view shows them: the
 * home, by whatever spelling it is reached, is the real one.
 *
 * resolve: 0 with *place filled, also for absent, loop and unreachable;
 * -errno only when no answer can be had, which fails the plan.
 *
 * list: the names in a directory, given by its canonical path, as a malloc'd
 * array of malloc'd strings.  -EACCES if the account may not list it; a
 * directory that is gone has no names; another -errno fails the plan.
 *
 * protect: which of the names, each a rule of WARD_PROTECT, there are in a
 * writable directory, given by its canonical path, and in the repositories in
 * it.  What cannot be looked at is left out; -errno fails the plan.
 */
struct ward_resolver {
	int (*resolve)(void *context, const char *path,
	    struct ward_place *place, struct err *err);
	int (*list)(void *context, const char *directory, char ***names,
	    size_t *n_names, struct err *err);
	int (*protect)(void *context, const char *place,
	    const struct ward_rule *const *names, size_t n_names,
	    struct ward_protected_list *found, struct err *err);
	void *context;
};

/* A place where the state differs from the nearest entry above it. */
struct ward_plan_entry {
	char *path; /* canonical, as the view shows it */
	enum ward_state state;
	bool is_directory;
	const struct ward_rule *rule; /* which made it differ; the plan's */
};

/* A rule that does nothing, or not what it seems to, and why. */
struct ward_plan_note {
	const struct ward_rule *rule; /* the plan's */
	char *text;                   /* without the rule's own file and line */
};

/*
 * Another name of a hidden place, which a mount of the host's gives it: hidden
 * with it.  Which there are, sandbox/alias.h finds.
 */
struct ward_plan_alias {
	char *path;
	char *of; /* the hidden place, or one that each sandbox has itself */
	bool is_directory;
	struct ward_rule rule; /* what hides it; borrows the plan's strings */
};

struct ward_plan_rules;

struct ward_plan {
	/*
	 * Shallow paths first, then by name; one for each place; the first is
	 * "/".  None is at or below a private place, and none below a file.
	 * Above an entry that is not hidden there may be hidden ones (the
	 * builder makes the directories between).  The home has one only if
	 * it differs: the builder mounts the home in any case, with the state
	 * that ward_plan_decide gives it.
	 */
	struct ward_plan_entry *entries;
	size_t n_entries;

	/*
	 * Links in hidden directories, to be made anew there, so that the
	 * spellings that the profile allows work; shallow ones first.
	 */
	struct ward_link *links;
	size_t n_links;

	struct ward_plan_note *notes; /* by file and line */
	size_t n_notes;

	/*
	 * The writable places that were searched for protected names, with
	 * which names, and what was found there: for who looks again.
	 */
	char **searched;
	size_t n_searched;
	const struct ward_rule **protect;
	size_t n_protect;
	struct ward_protected_list found;

	struct ward_plan_alias *aliases; /* by path; none once compiled */
	size_t n_aliases;

	char *home;                    /* the account's home, canonical */
	struct ward_plan_rules *rules; /* what ward_plan_decide reads */
};

/* The directory of real homes, beside the passwd homes: /home -> /home/.ward */
#define WARD_REAL_HOMES ".ward"

/* Into how many places one rule may expand before it is an error. */
#define WARD_PLAN_EXPANSIONS 1024

/*
 * Expands, resolves and orders.  The plan copies what it needs: profile and
 * account may go.  Free with ward_plan_free (NULL is fine).
 */
int ward_plan_compile(const struct ward_profile *profile,
    const struct ward_plan_account *account,
    const struct ward_resolver *resolver, struct ward_plan **plan,
    struct err *err);
void ward_plan_free(struct ward_plan *plan);

/*
 * The rules are never NULL, live as long as the plan, and may be built-in
 * ones.  In a private place all three are that place's own.
 */
struct ward_verdict {
	enum ward_state state;
	const struct ward_rule *rule;  /* read if hidden, else write */
	const struct ward_rule *read;  /* why it is readable or hidden */
	const struct ward_rule *write; /* why it is writable, or what refuses a
					  write: a write.deny, else what hides
					  the path, else the built-in rule
					  that writes are closed */
	const char *alias_of; /* hidden as another name of this place, else
				 NULL */
};

/*
 * The plan's other names of hidden places are these now, in no order, perhaps
 * some twice; none is a place of an entry, private, or in the home.  An entry
 * below one of them opens it there, as in any hidden place.  Takes the list and
 * its strings.
 */
void ward_plan_take_aliases(
    struct ward_plan *plan, struct ward_plan_alias *list, size_t n);

/*
 * The one decision.  path is canonical and need not exist.  It tells what the
 * rules say: a place that was absent when the plan was compiled is shown so
 * only by a sandbox that is built when it is there.  Allocates nothing.
 */
struct ward_verdict
ward_plan_decide(const struct ward_plan *plan, const char *path);

/*
 * The rule that a refused write at path met, where the path itself, or what
 * has to stay below it, is closed: what leads to a closed place cannot be
 * renamed either.
 */
const struct ward_rule *
ward_plan_refuses_write(const struct ward_plan *plan, const char *path);

/* What an account may do with a socket that is bound at a path. */
enum ward_socket_state {
	WARD_SOCKET_CLOSED,
	WARD_SOCKET_OWN,  /* connect, if the socket's owner is the account */
	WARD_SOCKET_OPEN, /* connect */
};

struct ward_socket_verdict {
	enum ward_socket_state state;
	const struct ward_rule *rule; /* never NULL, as above; of what is
					 closed a built-in one without path */
};

/* The same for connecting to a socket at a canonical path. */
struct ward_socket_verdict
ward_plan_decide_socket(const struct ward_plan *plan, const char *path);

/*
 * The places where rules stand, whether or not anything is there: number i, or
 * NULL behind the last.
 */
const char *ward_plan_spot(const struct ward_plan *plan, size_t i);

/*
 * Places that every sandbox has for itself (/proc, /dev, /tmp, /run ...): true
 * if path is one or below one.  Rules cannot name them.
 */
bool ward_plan_is_private(const char *path);

/*
 * Below /run, where the host's services have their sockets: not in the view,
 * but a rule for sockets can name it, and then the host's is meant.
 */
bool ward_plan_is_host_run(const char *path);

#endif
