/* SPDX-License-Identifier: ISC */
/*
 * ward: what an agent asks of the sandbox that it is in.  Run by the account,
 * inside; asks the warden and reads nothing else.  See ward(1).
 */
#include "config.h"

#include "ctl/args.h"
#include "ctl/ctl.h"

const char ward_ctl_name[] = "ward";
const int ward_ctl_section = 1;

/* The order of each command's options is that of its enum in its own file. */
const struct ward_ctl_command ward_ctl_commands[] = {
	{ NULL, "status", "",
	    "Says what this sandbox is: profile, network, what can be written.",
	    { { "json", NULL, "print JSON" } }, .run = ward_ctl_status },
	{ NULL, "why", "",
	    "Lists what was refused lately, by which rule, and what to do "
	    "instead.",
	    { { "session", NULL, "of this session only" },
		{ "json", NULL, "print JSON" } },
	    .run = ward_ctl_why },
	{ NULL, "explain", "PATH|HOST[:PORT]|unix:PATH...",
	    "Says what may be done at each path, whether each host may be "
	    "reached and each socket connected to, and which rule decides.",
	    { { "json", NULL, "print JSON" } }, .least = 1, .most = 256,
	    .run = ward_ctl_ward_explain },
	{ NULL, "request", "HOST[:PORT]",
	    "Asks whoever runs this machine to let a host be reached, at port "
	    "443 if none is given.",
	    { { "reason", "TEXT", "what it is needed for" },
		{ "json", NULL, "print JSON" } },
	    .least = 1, .most = 1, .run = ward_ctl_ward_request },
};
const size_t ward_ctl_n_commands =
    sizeof(ward_ctl_commands) / sizeof(ward_ctl_commands[0]);

int
main(int argc, char *argv[])
{
	struct ward_ctl_args args;
	bool help;
	int n_words = 0;
	const struct ward_ctl_command *command =
	    ward_args_find(argc - 1, argv + 1, &n_words);

	if (command == NULL)
		return ward_args_none(argc, argv);
	int r = ward_args_parse(
	    command, argc - n_words, argv + n_words, &args, &help);
	if (r != WARD_EXIT_OK)
		return r;
	if (help) {
		ward_args_help(stdout, command);
		return ward_ctl_flush();
	}
	return command->run(&args);
}
