/* SPDX-License-Identifier: ISC */
/*
 * The frame: what a sandbox has for itself.  One small tmpfs of root's with
 * /dev, /run and the masks, which nobody writes once it stands, and one
 * size-limited tmpfs with the temporary directories.  Used by sandbox/view.c,
 * in the sandbox's own mount namespace.
 */
#ifndef WARD_SANDBOX_FRAME_H
#define WARD_SANDBOX_FRAME_H

#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "sandbox/layout.h"

/* Directories of the frame, as ward_frame_clone takes them. */
#define WARD_FRAME_ROOT  "root" /* an empty one, for the view's root */
#define WARD_FRAME_DEV   "dev"
#define WARD_FRAME_RUN   "run"
#define WARD_FRAME_EMPTY "empty"
#define WARD_FRAME_FILE  "file"
#define WARD_FRAME_LOOKS "looks" /* for sandbox/looks.h */
#define WARD_FRAME_MASKS                                                       \
	"run/ward/masks" /* for later: EMPTY and FILE again                    \
			  */
#define WARD_FRAME_TMP     "scratch/tmp"
#define WARD_FRAME_VAR_TMP "scratch/var-tmp"
#define WARD_FRAME_SHM     "scratch/shm"
#define WARD_FRAME_USER    "scratch/user"

struct ward_frame_owner {
	uid_t uid;
	gid_t gid;
};

/*
 * Mounts the frame over staging (a path) and fills it; the umask must be 0.  An
 * O_PATH fd of its root, or -errno.
 */
int ward_frame_make(const char *staging, const struct ward_layout *layout,
    const struct ward_frame_owner *owner, uint64_t tmp_bytes, struct err *err);

/*
 * A detached mount of one of the frame's directories or files, nosuid and with
 * these MOUNT_ATTR_* as well.  An fd or -errno.
 */
int ward_frame_clone(
    int frame_dfd, const char *name, uint64_t attributes, struct err *err);

/* The name of skeleton n, in a buffer of 32 bytes. */
const char *ward_frame_skeleton(char *out, size_t n);

/* A new instance of a file system, detached.  An fd or -errno. */
int ward_frame_mount_new(
    const char *type, const char *size, uint64_t attributes, struct err *err);

#endif
