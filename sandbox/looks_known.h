/* SPDX-License-Identifier: ISC */
/*
 * What the host has in hidden directories of which a view shows a part.  A name
 * that is in none of them is as absent as it is without Ward, and programs ask
 * for such names all the time: from a project upward for their own, as git and
 * node do.  Where nothing is shown every name counts, since nobody is on the
 * way through. For sandbox/looks.c.
 */
#ifndef WARD_SANDBOX_LOOKS_KNOWN_H
#define WARD_SANDBOX_LOOKS_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/layout.h"

struct ward_looks_known;

/*
 * Lists them once: what the host makes there later is not known.  What cannot
 * be listed, or has thousands of names, or is in the account's home, is not
 * either, and all of it counts.  NULL without memory.
 */
struct ward_looks_known *
ward_looks_known_read(const struct ward_layout *layout, const char *home);
void ward_looks_known_free(struct ward_looks_known *known);

/* The host has no such name in that mask, a mount of the layout. */
bool ward_looks_known_absent(
    const struct ward_looks_known *known, size_t mask, const char *name);

#endif
