/* SPDX-License-Identifier: ISC */
/*
 * Does a command line speak a protocol to a program at the other end?  Then
 * nothing is added to what it says.  A guess from its words: who fools it is
 * told something, or is not.  Pure.  wardsh only.
 */
#ifndef WARD_SHELL_STREAM_H
#define WARD_SHELL_STREAM_H

#include <stdbool.h>

/* scp, sftp, rsync and git, as their clients start them at the far end. */
bool ward_line_is_stream(const char *line);

#endif
