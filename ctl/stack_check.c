/* SPDX-License-Identifier: ISC */
/* Whether Ward's lines in a PAM stack hold. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "common/text.h"
#include "ctl/stack.h"

#define NONE       SIZE_MAX
#define REMEDY     "put it back, or run 'wardctl enable'"
#define JUMP_LINES 2

/*
 * Modules that must do their work on the host: what stands behind "open" can
 * only fork into the sandbox, and what closes before "close" does the same.
 */
static const struct {
	const char *module;
	bool after_close; /* its own close may not come before ours */
} host_modules[] = {
	{ "pam_exec.so", true },
	{ "pam_loginuid.so", false },
	{ "pam_mkhomedir.so", false },
	{ "pam_mount.so", true },
	{ "pam_namespace.so", true },
	{ "pam_script.so", true },
	{ "pam_systemd.so", false },
	{ "pam_unix.so", false },
};

struct check {
	const struct ward_stack *stack;
	const char *service;
	const char *shell;
	struct ward_diagnostics *findings;
};

static bool
is_module(const struct ward_stack_line *line, const char *name)
{
	return !line->is_substack && !line->is_broken &&
	    strcmp(ward_path_base(line->module), name) == 0;
}

static bool
has_args(const struct ward_stack_line *line, const char *const *args, size_t n)
{
	if (line->n_args != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(line->args[i], args[i]) != 0)
			return false;
	return true;
}

/* "[success=N default=ignore] pam_succeed_if.so ARGS" */
static bool
is_jump(const struct ward_stack_line *line, int distance,
    const char *const *args, size_t n)
{
	if (!is_module(line, "pam_succeed_if.so") || !has_args(line, args, n))
		return false;
	if (line->actions[0] != distance)
		return false;
	for (size_t v = 1; v < WARD_STACK_VALUES; v++)
		if (line->actions[v] != WARD_STACK_IGNORE)
			return false;
	return true;
}

static bool
is_required(const struct ward_stack_line *line)
{
	return strcasecmp(line->control, "required") == 0;
}

static bool
is_place(const struct ward_stack_line *line, const char *place)
{
	return is_module(line, "pam_ward.so") && has_args(line, &place, 1);
}

/*
 * The first line of Ward's with this word; NONE if there is none.  "close" may
 * stand again, as in sudo's stack: the later ones do nothing.
 */
static size_t
find_place(struct check *c, const char *place)
{
	size_t found = NONE;

	for (size_t i = 0; i < c->stack->n; i++) {
		const struct ward_stack_line *line = &c->stack->lines[i];
		if (!is_place(line, place))
			continue;
		if (found != NONE) {
			if (strcmp(place, "close") == 0)
				continue;
			(void)ward_diagnostics_add(c->findings, WARD_ERROR,
			    line->file, line->line,
			    "%s: a second 'pam_ward.so %s': remove it",
			    c->service, place);
			continue;
		}
		found = i;
	}
	return found;
}

static void
say_missing(struct check *c, const char *what)
{
	char file[128];

	(void)snprintf(file, sizeof(file), "/etc/pam.d/%s", c->service);
	(void)ward_diagnostics_add(c->findings, WARD_ERROR, file, 0,
	    "no session line %s, here or in what it includes: " REMEDY, what);
}

/* False, with a finding, unless both are there and in order. */
static bool
find_places(struct check *c, size_t *close, size_t *open)
{
	*close = find_place(c, "close");
	*open = find_place(c, "open");
	if (*close == NONE && *open == NONE)
		say_missing(c, "'required pam_ward.so' at all");
	else if (*close == NONE)
		say_missing(c, "'required pam_ward.so close'");
	else if (*open == NONE)
		say_missing(c, "'required pam_ward.so open'");
	else if (*close > *open)
		(void)ward_diagnostics_add(c->findings, WARD_ERROR,
		    c->stack->lines[*open].file, c->stack->lines[*open].line,
		    "%s: 'pam_ward.so open' stands before 'close': " REMEDY,
		    c->service);
	else
		return true;
	return false;
}

/* The line is what Ward installs, behind the two jumps that it installs. */
static void
check_place(struct check *c, size_t at, const char *place)
{
	const char *const root[] = { "quiet", "uid", "=", "0" };
	const char *const shell[] = { "quiet", "shell", "!=", c->shell };
	const struct ward_stack_line *lines = c->stack->lines;
	const struct ward_stack_line *line = &lines[at];

	if (!is_required(line))
		(void)ward_diagnostics_add(c->findings, WARD_ERROR, line->file,
		    line->line,
		    "%s: 'pam_ward.so %s' must be 'required': " REMEDY,
		    c->service, place);
	if (at < JUMP_LINES || lines[at - 1].level != line->level ||
	    lines[at - 2].level != line->level ||
	    !is_jump(&lines[at - 2], 2, root, 4) ||
	    !is_jump(&lines[at - 1], 1, shell, 4))
		(void)ward_diagnostics_add(c->findings, WARD_ERROR, line->file,
		    line->line,
		    "%s: the two pam_succeed_if.so lines that keep everybody "
		    "else away from 'pam_ward.so %s' are not right before "
		    "it: " REMEDY,
		    c->service, place);
}

/* Where libpam goes on after i: behind the end (n) if it ends there. */
static size_t
next_line(const struct ward_stack *stack, size_t i, int action)
{
	const struct ward_stack_line *lines = stack->lines;
	unsigned level = lines[i].level;

	if (action == WARD_STACK_DONE || action == WARD_STACK_DIE) {
		/* ends its substack, or all */
		while (i < stack->n && lines[i].level >= level)
			i++;
		return i;
	}
	i++;
	for (; action > 0; action--) {
		/* too far fails the stack, which then goes on at its end */
		if (i >= stack->n || lines[i].level < level)
			return i;
		/* a substack counts as one */
		i++;
		while (i < stack->n && lines[i].level > level)
			i++;
	}
	return i;
}

/*
 * Whether i may lead behind at without passing it, for a governed account: the
 * jumps of Ward's own lines are not taken then.
 */
static bool
may_skip(const struct ward_stack *stack, size_t i, size_t at)
{
	const struct ward_stack_line *line = &stack->lines[i];

	if (line->is_substack || line->is_broken)
		return false;
	for (size_t v = 0; v < WARD_STACK_VALUES; v++)
		if (next_line(stack, i, line->actions[v]) > at)
			return true;
	return false;
}

/* What a jump or end of i can reach, marked in reached. */
static void
mark_next(const struct ward_stack *stack, size_t i, bool *reached)
{
	const struct ward_stack_line *line = &stack->lines[i];

	if (line->is_substack || line->is_broken) {
		if (i + 1 < stack->n)
			reached[i + 1] = true;
		return;
	}
	for (size_t v = 0; v < WARD_STACK_VALUES; v++) {
		size_t next = next_line(stack, i, line->actions[v]);
		if (next < stack->n)
			reached[next] = true;
	}
}

/* One of Ward's lines, or of the jumps before one. */
static bool
is_own(const struct ward_stack *stack, size_t i)
{
	for (size_t k = 0; k <= JUMP_LINES && i + k < stack->n; k++) {
		if (is_module(&stack->lines[i + k], "pam_ward.so"))
			return true;
		if (!is_module(&stack->lines[i + k], "pam_succeed_if.so"))
			return false;
	}
	return false;
}

/*
 * No line before Ward's can end the stack or jump over them, whatever it
 * returns.  Lines that nothing reaches do not count: Debian's common-session
 * has a pam_deny that is always jumped over.
 */
static int
check_reached(struct check *c, size_t close, size_t open)
{
	const struct ward_stack *stack = c->stack;
	bool *reached = calloc(stack->n + 1, sizeof(*reached));

	if (reached == NULL)
		return -ENOMEM;
	reached[0] = true;
	for (size_t i = 0; i < open; i++) {
		const struct ward_stack_line *line = &stack->lines[i];
		size_t at = i < close ? close : open;
		/* lines go forward only, so every way to i is known now */
		if (!reached[i])
			continue;
		if (is_own(stack, i)) {
			reached[i + 1] = true;
			continue;
		}
		mark_next(stack, i, reached);
		if (may_skip(stack, i, at - JUMP_LINES))
			(void)ward_diagnostics_add(c->findings, WARD_ERROR,
			    line->file, line->line,
			    "%s: %s (%s) can end the stack before, or jump "
			    "over or into, Ward's '%s' lines: make it "
			    "'required' or 'optional', or put it behind them",
			    c->service, line->module, line->control,
			    at == close ? "close" : "open");
	}
	free(reached);
	return 0;
}

static void
check_host_modules(struct check *c, size_t close, size_t open)
{
	for (size_t i = 0; i < c->stack->n; i++)
		for (size_t m = 0;
		     m < sizeof(host_modules) / sizeof(host_modules[0]); m++) {
			const struct ward_stack_line *line =
			    &c->stack->lines[i];
			if (!is_module(line, host_modules[m].module))
				continue;
			if (i > open)
				(void)ward_diagnostics_add(c->findings,
				    WARD_ERROR, line->file, line->line,
				    "%s: %s must stand before "
				    "'pam_ward.so open': put it there",
				    c->service, line->module);
			if (i < close && host_modules[m].after_close)
				(void)ward_diagnostics_add(c->findings,
				    WARD_ERROR, line->file, line->line,
				    "%s: %s must stand behind "
				    "'pam_ward.so close': put it there",
				    c->service, line->module);
		}
}

/* libpam fails the whole session at such a line; one that is not read yet is
 * no better. */
static void
check_broken(struct check *c)
{
	for (size_t i = 0; i < c->stack->n; i++) {
		const struct ward_stack_line *line = &c->stack->lines[i];
		if (line->is_broken)
			(void)ward_diagnostics_add(c->findings, WARD_ERROR,
			    line->file, line->line,
			    "%s: a line that is none for PAM: see pam.d(5)",
			    c->service);
		else if (is_module(line, "pam_ward.so") &&
		    (line->n_args != 1 ||
			(strcmp(line->args[0], "open") != 0 &&
			    strcmp(line->args[0], "close") != 0)))
			(void)ward_diagnostics_add(c->findings, WARD_ERROR,
			    line->file, line->line,
			    "%s: pam_ward.so takes one word, 'open' or "
			    "'close': " REMEDY,
			    c->service);
	}
}

int
ward_stack_check(const struct ward_stack *stack, const char *service,
    const char *shell, struct ward_diagnostics *findings)
{
	struct check c = {
		.stack = stack,
		.service = service,
		.shell = shell,
		.findings = findings,
	};
	size_t before = findings->n_errors, close, open;

	check_broken(&c);
	if (find_places(&c, &close, &open)) {
		for (size_t i = close; i < stack->n; i++)
			if (is_place(&stack->lines[i], "close"))
				check_place(&c, i, "close");
		check_place(&c, open, "open");
	}
	/* the rest is about lines that are what and where they should be */
	if (findings->n_errors == before) {
		int r = check_reached(&c, close, open);
		if (r != 0)
			return r;
		check_host_modules(&c, close, open);
	}
	return findings->n_errors == before ? 0 : -EINVAL;
}
