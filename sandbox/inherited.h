/* SPDX-License-Identifier: ISC */
/*
 * What a process has from whoever started it.  The warden's starter is any
 * opener, with the limits and the priority that its user chose: a warden that
 * kept them would fail the sessions that others open later.  The warden only.
 */
#ifndef WARD_SANDBOX_INHERITED_H
#define WARD_SANDBOX_INHERITED_H

#include "common/err.h"

/* Before any thread is made: their stacks depend on it, too. */
int ward_inherited_drop(struct err *err);

#endif
