/* SPDX-License-Identifier: ISC */
/*
 * PAM stacks from bytes: up to four files, separated by lines of "%%", the
 * first being the service.  A stack that passes the check is then run, as
 * _pam_dispatch_aux of Linux-PAM 1.5.2 runs one, with return values of its
 * modules' own choice: a governed account's session must never miss a line of
 * Ward's.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "ctl/stack.h"

#define FILES 4
#define RUNS  64
#define SHELL "/usr/bin/wardsh"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[FILES] = { "service", "one", "two", "other" };

struct files {
	char *texts[FILES];
};

static int
read_file(void *context, const char *name, char **text)
{
	const struct files *files = context;

	for (size_t i = 0; i < FILES; i++)
		if (files->texts[i] != NULL && strcmp(names[i], name) == 0) {
			*text = strdup(files->texts[i]);
			return *text == NULL ? -ENOMEM : 0;
		}
	return -ENOENT;
}

static bool
is_own(const struct ward_stack_line *line, const char *module)
{
	return strcmp(ward_path_base(line->module), module) == 0;
}

/* What a module returns for a governed account; others what they like. */
static size_t
call(const struct ward_stack_line *line, uint32_t *chance)
{
	if (is_own(line, "pam_ward.so"))
		return 0;
	/* neither root nor of another shell */
	if (is_own(line, "pam_succeed_if.so") && line->n_args == 4 &&
	    ((strcmp(line->args[1], "uid") == 0 &&
		 strcmp(line->args[3], "0") == 0) ||
		(strcmp(line->args[1], "shell") == 0 &&
		    strcmp(line->args[2], "!=") == 0)))
		return 7; /* PAM_AUTH_ERR */
	*chance = *chance * 1664525u + 1013904223u;
	/* half of the time the usual */
	return (*chance >> 30) > 1 ? 0 : (*chance >> 16) % WARD_STACK_VALUES;
}

/* Which of Ward's lines were called: 1 close, 2 open. */
static unsigned
run(const struct ward_stack *stack, uint32_t chance)
{
	bool negative = false;
	unsigned called = 0;

	for (size_t h = 0; h < stack->n; h++) {
		const struct ward_stack_line *line = &stack->lines[h];
		unsigned level = line->level;
		if (line->is_substack)
			continue;
		if (is_own(line, "pam_ward.so") && line->n_args == 1)
			called |= line->args[0][0] == 'c' ? 1 : 2;
		int action = line->actions[call(line, &chance)];
		if (action == WARD_STACK_BAD || action == WARD_STACK_DIE)
			negative = true;
		if (action == WARD_STACK_DIE ||
		    (action == WARD_STACK_DONE && !negative))
			while (h + 1 < stack->n &&
			    stack->lines[h + 1].level >= level)
				h++;
		while (action > 0 && h + 1 < stack->n &&
		    stack->lines[h + 1].level >= level) {
			do
				h++;
			while (h + 1 < stack->n &&
			    stack->lines[h + 1].level > level);
			action--;
		}
	}
	return called;
}

/* Cuts the input into its files. */
static void
cut(const uint8_t *data, size_t size, struct files *files)
{
	static const char mark[] = "\n%%\n";

	for (size_t i = 0; i < FILES; i++) {
		const uint8_t *end = memmem(data, size, mark, sizeof(mark) - 1);
		size_t n = end == NULL ? size : (size_t)(end - data) + 1;
		files->texts[i] = calloc(n + 1, 1);
		if (files->texts[i] == NULL)
			abort();
		memcpy(files->texts[i], data, n);
		if (end == NULL)
			return;
		n += sizeof(mark) - 2;
		data += n;
		size -= n;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct files files = { 0 };
	struct ward_diagnostics findings = { 0 };
	struct ward_stack stack;
	struct err err = { 0 };

	cut(data, size, &files);
	if (ward_stack_load("service", read_file, &files, &stack, &err) == 0) {
		int r = ward_stack_check(&stack, "service", SHELL, &findings);
		if ((r == 0) != (findings.n_errors == 0))
			abort();
		for (uint32_t i = 0; r == 0 && i < RUNS; i++)
			if (run(&stack, i) != 3)
				abort();
		ward_diagnostics_clear(&findings);
		ward_stack_clear(&stack);
	} else if (err.code == 0) {
		abort();
	}
	for (size_t i = 0; i < FILES; i++)
		free(files.texts[i]);
	return 0;
}
