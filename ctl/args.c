/* SPDX-License-Identifier: ISC */
/* From a command line to a command and what it was given. */
#include "config.h"

#include <getopt.h>
#include <string.h>

#include "common/text.h"
#include "ctl/args.h"

const struct ward_ctl_command *
ward_args_find(int argc, char *const argv[], int *n_words)
{
	for (size_t i = 0; i < ward_ctl_n_commands; i++) {
		const struct ward_ctl_command *c = &ward_ctl_commands[i];
		int n = c->group == NULL ? 1 : 2;
		if (argc < n || strcmp(argv[n - 1], c->name) != 0)
			continue;
		if (c->group != NULL && strcmp(argv[0], c->group) != 0)
			continue;
		*n_words = n;
		return c;
	}
	return NULL;
}

static size_t
n_options(const struct ward_ctl_command *command)
{
	size_t n = 0;

	while (n < WARD_CTL_OPTIONS && command->options[n].name != NULL)
		n++;
	return n;
}

static int
wrong_option(const struct ward_ctl_command *command, const char *word)
{
	char visible[128];

	return ward_ctl_misuse("%s%s%s: %s: no such option, or its argument "
			       "is missing or too much",
	    command->group == NULL ? "" : command->group,
	    command->group == NULL ? "" : " ", command->name,
	    ward_text_visible(visible, sizeof(visible), word));
}

int
ward_args_parse(const struct ward_ctl_command *command, int argc, char *argv[],
    struct ward_ctl_args *args, bool *help)
{
	struct option options[WARD_CTL_OPTIONS + 2] = { 0 };
	size_t n = n_options(command);
	int c;

	*args = (struct ward_ctl_args){ 0 };
	*help = false;
	for (size_t i = 0; i < n; i++)
		options[i] = (struct option){
			.name = command->options[i].name,
			.has_arg = command->options[i].argument == NULL
			    ? no_argument
			    : required_argument,
			.val = (int)i,
		};
	options[n] = (struct option){ .name = "help", .val = (int)n };
	optind = 1;
	opterr = 0;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == (int)n) {
			*help = true;
			return WARD_EXIT_OK;
		}
		if (c < 0 || c > (int)n)
			return wrong_option(command, argv[optind - 1]);
		args->values[c] = optarg == NULL ? "" : optarg;
	}
	args->operands = argv + optind;
	args->n_operands = (size_t)(argc - optind);
	if (args->n_operands < command->least)
		return ward_ctl_misuse(
		    "%s: %s is missing", command->name, command->operands);
	if (args->n_operands > command->most)
		return ward_ctl_misuse("%s: more than it takes", command->name);
	return WARD_EXIT_OK;
}

static void
synopsis(FILE *out, const struct ward_ctl_command *command)
{
	(void)fprintf(out, "%s %s%s%s", ward_ctl_name,
	    command->group == NULL ? "" : command->group,
	    command->group == NULL ? "" : " ", command->name);
	for (size_t i = 0; i < n_options(command); i++)
		(void)fprintf(out, " [--%s%s%s]", command->options[i].name,
		    command->options[i].argument == NULL ? "" : " ",
		    command->options[i].argument == NULL
			? ""
			: command->options[i].argument);
	(void)fprintf(out, "%s%s\n", command->operands[0] == '\0' ? "" : " ",
	    command->operands);
}

bool
ward_args_is_group(const char *word)
{
	for (size_t i = 0; i < ward_ctl_n_commands; i++)
		if (ward_ctl_commands[i].group != NULL &&
		    strcmp(ward_ctl_commands[i].group, word) == 0)
			return true;
	return false;
}

void
ward_args_usage(FILE *out, const char *group)
{
	const char *before = "usage: ";

	for (size_t i = 0; i < ward_ctl_n_commands; i++) {
		const struct ward_ctl_command *c = &ward_ctl_commands[i];
		if (group != NULL &&
		    (c->group == NULL || strcmp(c->group, group) != 0))
			continue;
		(void)fputs(before, out);
		synopsis(out, c);
		before = "       ";
	}
	(void)fprintf(out,
	    "'%s COMMAND --help' says more; %s(%d) all.\n"
	    "Exit status: 0; 1 for a failure or a finding; 2 for a command "
	    "line that is none.\n",
	    ward_ctl_name, ward_ctl_name, ward_ctl_section);
}

void
ward_args_help(FILE *out, const struct ward_ctl_command *command)
{
	(void)fputs("usage: ", out);
	synopsis(out, command);
	(void)fprintf(out, "%s\n", command->help);
	for (size_t i = 0; i < n_options(command); i++) {
		const struct ward_ctl_option *o = &command->options[i];
		(void)fprintf(out, "  --%s%s%-*s  %s\n", o->name,
		    o->argument == NULL ? "" : " ", (int)(16 - strlen(o->name)),
		    o->argument == NULL ? "" : o->argument, o->help);
	}
}

int
ward_args_none(int argc, char *const argv[])
{
	char word[128];

	if (argc < 2) {
		ward_args_usage(stderr, NULL);
		return WARD_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		ward_args_usage(stdout, NULL);
		return ward_ctl_flush();
	}
	if (strcmp(argv[1], "--version") == 0) {
		(void)printf("%s %s\n", ward_ctl_name, PACKAGE_VERSION);
		return ward_ctl_flush();
	}
	if (ward_args_is_group(argv[1])) {
		bool help = argc > 2 && strcmp(argv[2], "--help") == 0;
		ward_args_usage(help ? stdout : stderr, argv[1]);
		return help ? ward_ctl_flush() : WARD_EXIT_USAGE;
	}
	return ward_ctl_misuse("%s: no such command",
	    ward_text_visible(word, sizeof(word), argv[1]));
}
