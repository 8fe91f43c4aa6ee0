/* SPDX-License-Identifier: ISC */
/* From a command line to a command and what it was given.  ctl/ only. */
#ifndef WARD_CTL_ARGS_H
#define WARD_CTL_ARGS_H

#include <stdbool.h>
#include <stdio.h>

#include "ctl/ctl.h"

/*
 * The command that argv names, and how many words did; NULL if there is none,
 * or only "profile" without what to do.
 */
const struct ward_ctl_command *
ward_args_find(int argc, char *const argv[], int *n_words);

/*
 * What stands behind the command's words, argv[0] being the last of them.
 * WARD_EXIT_OK, or WARD_EXIT_USAGE when that was said.  *help: --help was among
 * them.
 */
int ward_args_parse(const struct ward_ctl_command *command, int argc,
    char *argv[], struct ward_ctl_args *args, bool *help);

/*
 * A command line of which none is found: --help, --version, or what is wrong is
 * said.  An exit status.
 */
int ward_args_none(int argc, char *const argv[]);

/* "profile" and the like. */
bool ward_args_is_group(const char *word);

/* Everything, or the commands that begin with this word. */
void ward_args_usage(FILE *out, const char *group);
void ward_args_help(FILE *out, const struct ward_ctl_command *command);

#endif
