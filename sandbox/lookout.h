/* SPDX-License-Identifier: ISC */
/*
 * The lookout: learns of renames on the host, and of what is made there, that
 * mountinfo does not tell of (inotify(7)).  It watches inodes: directories that
 * are moved with what is mounted in them, and those in which something may
 * appear.  For the keeper's thread.
 */
#ifndef WARD_SANDBOX_LOOKOUT_H
#define WARD_SANDBOX_LOOKOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct ward_lookout_place {
	char *view; /* what it is called inside; owned */
	char *host; /* and on the host; owned */
	int number; /* of the watch; -1: there is none */
};

struct ward_lookout {
	int fd;     /* inotify; -1: root has no more instances */
	bool blind; /* not all is watched: look from time to time */
	struct ward_lookout_place *places;
	size_t n_places;
};

int ward_lookout_init(struct ward_lookout *lookout, struct err *err);
void ward_lookout_clear(struct ward_lookout *lookout);

/*
 * Watches a place and all that is above it.  home is what the account's home
 * is called inside, real_home where that is.  0 or -ENOMEM.
 */
int ward_lookout_add(struct ward_lookout *lookout, const char *path,
    const char *home, const char *real_home);

/*
 * Watches what is at the places now.  host_dfd is the host's root; fds_dfd
 * its /proc/self/fd, which becomes the calling thread's working directory.
 * What cannot be watched makes the lookout blind.
 */
void ward_lookout_arm(struct ward_lookout *lookout, int host_dfd, int fds_dfd);

/*
 * Takes what is waiting.  True if something was moved, or if something has
 * appeared for whose path (inside) the callback says so.
 */
typedef bool ward_lookout_callback(void *context, const char *path);
bool ward_lookout_read(struct ward_lookout *lookout,
    ward_lookout_callback *is_wanted, void *context);

#endif
