/* SPDX-License-Identifier: ISC */
/* What every sandbox has at /run/ward/README, for agents. */
#include "config.h"

#include "sandbox/readme.h"

const char ward_readme[] =
    "This session runs in a sandbox that Ward made for this account.\n"
    "\n"
    "What the profile does not open is refused: files are read-only or\n"
    "hidden, hosts cannot be reached, some system calls fail.  A refusal\n"
    "looks like an ordinary error (EROFS, EACCES, EPERM, HTTP 403, a lost\n"
    "connection).  Nothing that runs in here can change that.\n"
    "\n"
    "    ward status   what this sandbox is, and what can be written\n"
    "    ward why      what was refused lately, why, what to do instead\n"
    "    ward explain  what holds for a path, a host or a unix:PATH\n"
    "\n"
    "All print JSON with --json; ward(1) says what its members mean.\n"
    "\n"
    "When something was refused:\n"
    "- Where 'ward why' says \"will not succeed by retrying\", do not retry,\n"
    "  and look for no other way to the same thing.\n"
    "- Write to the places that 'ward status' lists.\n"
    "- Go on without it where that can be, and say what is missing.\n"
    "- Only whoever runs this machine can open more: ask them, with what\n"
    "  'ward why' says.  For a host: ward request HOST:PORT --reason WHY\n"
    "\n"
    "An error that 'ward why' does not have is not Ward's: look at the\n"
    "permissions.  A command over ssh that fails is followed, on its\n"
    "standard error, by what was refused to it, between the tags\n"
    "<sandbox_violations> and </sandbox_violations>.\n";
