/* SPDX-License-Identifier: ISC */
/* Every command of wardctl, its words, options and help. */
#include "config.h"

#include "ctl/ctl.h"

const char ward_ctl_name[] = "wardctl";
const int ward_ctl_section = 8;

/* The order of each command's options is that of its enum in its own file. */
const struct ward_ctl_command ward_ctl_commands[] = {
	{ "profile", "check", "[FILE...]",
	    "Reads every profile, those of each FILE in place of the one of "
	    "the same name, and says what is wrong.",
	    .most = 256, .anyone = true, .run = ward_ctl_profile_check },
	{ "profile", "apply", "",
	    "Compiles all profiles and assignments and makes them hold for "
	    "new sessions: all of them, or none if one is wrong.",
	    .changes = true, .run = ward_ctl_profile_apply },
	{ "profile", "list", "", "Lists the profiles that hold.",
	    { { "json", NULL, "print JSON" },
		{ "all", NULL, "profiles that were removed, too" } },
	    .run = ward_ctl_profile_list },
	{ "profile", "show", "NAME",
	    "Prints a profile: its text, or what came of it.",
	    { { "effective", NULL,
		  "rules and settings with parents merged in" },
		{ "seccomp", NULL, "the system call filter" },
		{ "revision", "N", "an older revision" },
		{ "json", NULL, "print JSON (with --effective)" } },
	    .least = 1, .most = 1, .run = ward_ctl_profile_show },
	{ NULL, "enable", "",
	    "Puts Ward's lines into the PAM stacks and sshd's configuration, "
	    "makes what else it needs, and checks that every way in has them.",
	    .changes = true, .run = ward_ctl_enable },
	{ NULL, "disable", "",
	    "Takes the lines out again; refused while an account needs them.",
	    { { "check", NULL,
		"change nothing: fail unless Ward could be uninstalled now" } },
	    .changes = true, .run = ward_ctl_disable },
	{ "fence", "apply", "",
	    "Makes the uid fence anew: agent accounts send nothing from the "
	    "host's own network.",
	    .changes = true, .run = ward_ctl_fence_apply },
	{ "account", "add", "NAME",
	    "Makes an agent account, tries a session through every service "
	    "that its profile opens, and lets it in only if each was inside.",
	    { { "profile", "P", "assign this profile to it" },
		{ "key", "FILE",
		    "public keys that may log in; - is standard "
		    "input" } },
	    .least = 1, .most = 1, .changes = true,
	    .run = ward_ctl_account_add },
	{ "account", "adopt", "NAME",
	    "Makes an account that is there an agent account: its home is "
	    "moved into Ward's by a rename, and it is let in as account add "
	    "does.",
	    { { "profile", "P", "assign this profile to it" },
		{ "key", "FILE",
		    "public keys that may log in, in place of those of its "
		    "home; - is standard input" } },
	    .least = 1, .most = 1, .changes = true,
	    .run = ward_ctl_account_adopt },
	{ "account", "release", "NAME",
	    "Makes an agent account an ordinary one, as it was before it was "
	    "adopted.",
	    .least = 1, .most = 1, .changes = true,
	    .run = ward_ctl_account_release },
	{ "account", "list", "", "Lists the agent accounts.",
	    { { "json", NULL, "print JSON" } }, .run = ward_ctl_account_list },
	{ "account", "remove", "NAME", "Removes an agent account.",
	    { { "keep-home", NULL, "leave its files" } }, .least = 1, .most = 1,
	    .changes = true, .run = ward_ctl_account_remove },
	{ "account", "lock", "NAME", "Keeps an agent account from logging in.",
	    { { "end", NULL, "end its sandboxes, too" } }, .least = 1,
	    .most = 1, .changes = true, .run = ward_ctl_account_lock },
	{ "account", "unlock", "NAME",
	    "Tries sessions as account add does, and lets the account in.",
	    .least = 1, .most = 1, .changes = true,
	    .run = ward_ctl_account_unlock },
	{ "grant", "add", "ACCOUNT HOST",
	    "Lets an account reach a host for a time, beside what its profile "
	    "allows.  HOST is written as in network.allow.",
	    { { "for", "TIME", "how long: 30m, 2h, 7d (required)" },
		{ "reason", "TEXT", "why, for the record" } },
	    .least = 2, .most = 2, .changes = true, .run = ward_ctl_grant_add },
	{ "grant", "list", "", "Lists the grants that live.",
	    { { "account", "A", "of this account" },
		{ "all", NULL, "those that are over or revoked, too" },
		{ "json", NULL, "print JSON" } },
	    .run = ward_ctl_grant_list },
	{ "grant", "revoke", "ID", "Ends a grant now.", .least = 1, .most = 1,
	    .changes = true, .run = ward_ctl_grant_revoke },
	{ NULL, "requests", "",
	    "Lists the hosts that accounts asked for and nobody answered.",
	    { { "account", "A", "of this account" },
		{ "all", NULL, "those that were answered, too" },
		{ "json", NULL, "print JSON" } },
	    .run = ward_ctl_requests },
	{ NULL, "approve", "ID", "Makes the grant that a request asks for.",
	    { { "for", "TIME", "how long: 30m, 2h, 7d (1d if not given)" },
		{ "reason", "TEXT", "why, for the record" } },
	    .least = 1, .most = 1, .changes = true, .run = ward_ctl_approve },
	{ NULL, "refuse", "ID",
	    "Refuses a request: asking again opens no new one.",
	    { { "reason", "TEXT", "why, for the record" } }, .least = 1,
	    .most = 1, .changes = true, .run = ward_ctl_refuse },
	{ NULL, "violations", "", "Lists what was refused.",
	    { { "account", "A", "of this account" },
		{ "session", "S", "of this session" },
		{ "since", "WHEN",
		    "not before: 30m, 2h, 7d ago, or "
		    "2026-05-04[T12:30[:00]]" },
		{ "kind", "K", "of this kind: write, network ..." },
		{ "target", "T",
		    "of this path or host:port; with * at its end, of those "
		    "that begin so" },
		{ "group-by", "COLUMN",
		    "count them instead, by account, session, sandbox, kind, "
		    "operation, target, program, profile or rule" },
		{ "follow", NULL,
		    "instead of what was: each as it is recorded, from now "
		    "on" },
		{ "limit", "N",
		    "the newest N, or the largest groups (200 if not given, "
		    "0: all)" },
		{ "json", NULL, "print JSON; with --follow, a line each" } },
	    .run = ward_ctl_violations },
	{ NULL, "export", "",
	    "Prints what was refused, and what is not recorded, as lines of "
	    "JSON, once each.",
	    { { "to", "FILE", "append them to a file, from where it ends on" },
		{ "after", "CURSOR", "from behind the line with this cursor" },
		{ "follow", NULL, "go on, as they are recorded" } },
	    .run = ward_ctl_export },
	{ NULL, "verify", "",
	    "Holds what was recorded against its chains of hashes, and says "
	    "which row was edited, removed or moved since.",
	    { { "since", "WHEN", "sandboxes that lived at this time or later" },
		{ "log", "FILE",
		    "also hold it against what the host's log says of the "
		    "chains; - is standard input" },
		{ "json", NULL, "print JSON" } },
	    .run = ward_ctl_verify },
	{ NULL, "prune", "",
	    "Removes what was recorded and is older, or more, than ward.conf "
	    "allows; once a day a warden that ends does so.",
	    .run = ward_ctl_prune },
	{ NULL, "connections", "",
	    "Lists the connections that went through the egress, once they "
	    "are over.",
	    { { "account", "A", "of this account" },
		{ "session", "S", "of this session" },
		{ "since", "WHEN", "as for violations" },
		{ "limit", "N", "the newest N (200 if not given, 0: all)" },
		{ "json", NULL, "print JSON" } },
	    .run = ward_ctl_connections },
	{ NULL, "sessions", "", "Lists sessions of agent accounts.",
	    { { "account", "A", "of this account" },
		{ "open", NULL, "those that are open now" },
		{ "since", "WHEN", "as for violations" },
		{ "limit", "N", "the newest N (200 if not given, 0: all)" },
		{ "json", NULL, "print JSON" } },
	    .run = ward_ctl_sessions },
	{ "session", "show", "ID",
	    "Tells what a session did: its commands, connections and "
	    "violations by time, and what is missing.",
	    { { "json", NULL, "print JSON" } }, .least = 1, .most = 1,
	    .run = ward_ctl_session_show },
	{ NULL, "report", "",
	    "Sums up what the accounts did: sessions, and refusals by kind, "
	    "target, program and rule.",
	    { { "account", "A", "of this account" },
		{ "since", "WHEN", "as for violations (7d if not given)" } },
	    .run = ward_ctl_report },
	{ NULL, "sandboxes", "", "Lists the sandboxes that live.",
	    { { "account", "A", "of this account" },
		{ "json", NULL, "print JSON" } },
	    .run = ward_ctl_sandboxes },
	{ NULL, "end", "ACCOUNT|ID",
	    "Ends the sandboxes of an account, or one of them, with "
	    "everything inside.",
	    { { "reason", "TEXT", "why, for its terminals and its rows" },
		{ "grace", "SECONDS",
		    "what its processes have to end themselves (5 if not "
		    "given)" } },
	    .least = 1, .most = 1, .run = ward_ctl_end },
	{ NULL, "doctor", "",
	    "Looks for what would let an agent account out, or keep it out of "
	    "its own sandbox: each line passes, warns or fails, with what to "
	    "do.",
	    { { "account", "A",
		  "open sessions of this account instead, and time them" },
		{ "json", NULL, "print JSON" } },
	    .run = ward_ctl_doctor },
	{ NULL, "explain", "PATH|HOST[:PORT]...",
	    "Says for each path what the account may do there, for each host "
	    "whether it may be reached, and which rule of which line decides.  "
	    "A path begins with / or ~; a host without a port is asked for at "
	    "443 and 80.",
	    { { "account", "A", "the account (required)" },
		{ "address", "IP", "what the names stand for" },
		{ "json", NULL, "print JSON" } },
	    .least = 1, .most = 256, .run = ward_ctl_explain },
};
const size_t ward_ctl_n_commands =
    sizeof(ward_ctl_commands) / sizeof(ward_ctl_commands[0]);
