/* SPDX-License-Identifier: ISC */
/* Every command of wardctl, its words, options and help. */
#include "config.h"

#include "ctl/ctl.h"

/* The order of each command's options is that of its enum in its own file. */
const struct ward_ctl_command ward_ctl_commands[] = {
	{ "profile", "check", "[FILE...]",
	    "Reads every profile, those of each FILE in place of the one of "
	    "the same name, and says what is wrong.",
	    { { NULL } }, 0, 256, true, ward_ctl_profile_check },
	{ "profile", "apply", "",
	    "Compiles all profiles and assignments and makes them hold for "
	    "new sessions: all of them, or none if one is wrong.",
	    { { NULL } }, 0, 0, false, ward_ctl_profile_apply },
	{ NULL, "enable", "",
	    "Puts Ward's lines into the PAM stacks and sshd's configuration, "
	    "makes what else it needs, and checks that every way in has them.",
	    { { NULL } }, 0, 0, false, ward_ctl_enable },
	{ NULL, "disable", "",
	    "Takes the lines out again; refused while an account needs them.",
	    { { NULL } }, 0, 0, false, ward_ctl_disable },
	{ "account", "add", "NAME",
	    "Makes an agent account, tries a session through every service "
	    "that its profile opens, and lets it in only if each was inside.",
	    { { "profile", "P", "assign this profile to it" },
		{ "key", "FILE",
		    "public keys that may log in; - is standard "
		    "input" } },
	    1, 1, false, ward_ctl_account_add },
	{ "account", "lock", "NAME", "Keeps an agent account from logging in.",
	    { { NULL } }, 1, 1, false, ward_ctl_account_lock },
	{ "account", "unlock", "NAME",
	    "Tries sessions as account add does, and lets the account in.",
	    { { NULL } }, 1, 1, false, ward_ctl_account_unlock },
};
const size_t ward_ctl_n_commands =
    sizeof(ward_ctl_commands) / sizeof(ward_ctl_commands[0]);
