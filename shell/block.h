/* SPDX-License-Identifier: ISC */
/* What was refused to a command, told behind it on standard error. */
#ifndef WARD_SHELL_BLOCK_H
#define WARD_SHELL_BLOCK_H

#include <stdint.h>

/*
 * Asks the warden what it has refused this session since then (ward_now_us()),
 * and tells it between tags; nothing where there is nothing.  A warden that
 * does not answer, or a reader that has stopped reading, holds up the end for
 * a moment and no longer.
 */
void ward_block_tell(uint64_t since);

#endif
