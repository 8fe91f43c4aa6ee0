/* SPDX-License-Identifier: ISC */
/*
 * The files of /etc that a filtered sandbox has of its own, since the host's
 * would lead past the sandbox's resolver: what a name stands for is decided by
 * egress, on the host.  Used by the warden, before the view is built.
 */
#ifndef WARD_SANDBOX_OWN_FILES_H
#define WARD_SANDBOX_OWN_FILES_H

#include <stddef.h>

#include "common/err.h"
#include "sandbox/layout.h"

/*
 * Puts them into the layout, where the host has them, or at what they are
 * links to.  Without a resolv.conf programs ask 127.0.0.1, which is right
 * (resolv.conf(5)); and without hosts the resolver.
 */
int ward_own_files_place(struct ward_layout *layout, struct err *err);

/* Where programs look for it. */
const char *ward_own_file_path(enum ward_own_file file);
/* Its name in the frame, and its text in a buffer. */
const char *ward_own_file_name(enum ward_own_file file);
void ward_own_file_text(enum ward_own_file file, char *text, size_t size);

#endif
