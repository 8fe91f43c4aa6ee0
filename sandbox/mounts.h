/* SPDX-License-Identifier: ISC */
/*
 * The host's mounts, as /proc/PID/mountinfo tells them (proc(5)), and which of
 * them a view may have.  sandbox/ and wardctl use it.
 */
#ifndef WARD_SANDBOX_MOUNTS_H
#define WARD_SANDBOX_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

enum ward_mount_class {
	WARD_MOUNT_NEVER,      /* proc, cgroup, devices, containers ... */
	WARD_MOUNT_ON_REQUEST, /* network, removable: if a rule names a place
				  in it */
	WARD_MOUNT_SHOWN,      /* disks */
};

struct ward_mount {
	char *path;   /* where it is mounted */
	char *root;   /* what of its file system is there: a path in it */
	char *device; /* which file system that is, as "8:1" */
	char *type;
	uint64_t id, parent;
	size_t order;  /* in the list of the kernel */
	bool writable; /* the mount; its file system may not be */
	bool gone;     /* the place was removed */
	enum ward_mount_class class;
};

struct ward_mounts {
	struct ward_mount *list; /* what is above stands before what is below */
	size_t n;
};

/*
 * Pure.  Keeps the mounts that a path can reach: not those that another one
 * covers (the kernel's list has no order that tells which: a mount may be moved
 * over a younger one).  text is ended by NUL.  -EBADMSG for what is no
 * mountinfo.
 */
int ward_mounts_parse(
    const char *text, struct ward_mounts *mounts, struct err *err);

/*
 * Pure.  A mount of this number and device is in the list, though a path may
 * not reach it.
 */
bool ward_mounts_lists(const char *text, uint64_t id, const char *device);

/* All that there is now in an open mountinfo file: malloc'd, or NULL. */
char *ward_mounts_text(int mountinfo_fd, struct err *err);

/* The caller's own mount namespace. */
int ward_mounts_read(struct ward_mounts *mounts, struct err *err);

void ward_mounts_clear(struct ward_mounts *mounts);

/* The mount that a path is in; NULL where no mount is above it. */
const struct ward_mount *
ward_mounts_find(const struct ward_mounts *mounts, const char *path);

/* Its files are on this machine: a look at them waits for nobody else. */
bool ward_mount_is_local(const struct ward_mount *mount);

/*
 * Compares paths so that a directory stands right before all that is below it:
 * for qsort of things that begin with a path pointer.
 */
int ward_path_order(const void *a, const void *b);

#endif
