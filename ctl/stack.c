/* SPDX-License-Identifier: ISC */
/*
 * PAM stacks, read as _pam_load_conf_file and _pam_assemble_line of Linux-PAM
 * 1.5.2 read them, mistakes of the file included.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "ctl/stack.h"

#define LINE_MAX_SIZE 1024 /* libpam's buffer */
#define FILES_DEEP    16   /* of includes within includes */
#define LINES_MOST    4096
#define BLANKS        " \n\t"

/* Names of return values, by value (pam.conf(5), _pam_types.h). */
static const char *const values[WARD_STACK_VALUES] = { "success", "open_err",
	"symbol_err", "service_err", "system_err", "buf_err", "perm_denied",
	"auth_err", "cred_insufficient", "authinfo_unavail", "user_unknown",
	"maxtries", "new_authtok_reqd", "acct_expired", "session_err",
	"cred_unavail", "cred_expired", "cred_err", "no_module_data",
	"conv_err", "authtok_err", "authtok_recover_err", "authtok_lock_busy",
	"authtok_disable_aging", "try_again", "ignore", "abort",
	"authtok_expired", "module_unknown", "bad_item", "conv_again",
	"incomplete" };

static const struct {
	const char *name;
	int action;
} actions[] = {
	{ "ignore", WARD_STACK_IGNORE },
	{ "ok", WARD_STACK_OK },
	{ "done", WARD_STACK_DONE },
	{ "bad", WARD_STACK_BAD },
	{ "die", WARD_STACK_DIE },
	{ "reset", WARD_STACK_RESET },
};

static const struct {
	const char *name;
	int success; /* and new_authtok_reqd */
	int ignore;
	int other;
} controls[] = {
	{ "required", WARD_STACK_OK, WARD_STACK_IGNORE, WARD_STACK_BAD },
	{ "requisite", WARD_STACK_OK, WARD_STACK_IGNORE, WARD_STACK_DIE },
	{ "optional", WARD_STACK_OK, WARD_STACK_IGNORE, WARD_STACK_IGNORE },
	{ "sufficient", WARD_STACK_DONE, WARD_STACK_IGNORE, WARD_STACK_IGNORE },
};

enum { NEW_AUTHTOK_REQD = 12, IGNORE = 25 };

/* One file that is being read; they stand on a stack, not on the C stack. */
struct source {
	char *name;
	char *text;
	char *next;    /* the rest of text */
	unsigned line; /* of what was read last */
	unsigned level;
};

struct loader {
	ward_stack_read *read;
	void *context;
	struct ward_stack *stack;
	struct source sources[FILES_DEEP];
	size_t n_sources;
	struct err *err;
};

static void
line_clear(struct ward_stack_line *line)
{
	for (size_t i = 0; i < line->n_args; i++)
		free(line->args[i]);
	free(line->args);
	free(line->file);
	free(line->control);
	free(line->module);
}

void
ward_stack_clear(struct ward_stack *stack)
{
	for (size_t i = 0; i < stack->n; i++)
		line_clear(&stack->lines[i]);
	free(stack->lines);
	*stack = (struct ward_stack){ 0 };
}

/* One physical line into out; false at the end. */
static bool
physical_line(struct source *s, char *out, size_t size, bool *fits)
{
	if (*s->next == '\0')
		return false;
	size_t n = strcspn(s->next, "\n");
	*fits = n < size;
	if (*fits) {
		memcpy(out, s->next, n);
		out[n] = '\0';
	}
	s->next += s->next[n] == '\n' ? n + 1 : n;
	s->line++;
	return true;
}

/*
 * One line as libpam sees it, without its comment and with its continuations:
 * 1, 0 at the end, or -EINVAL for what makes libpam give the file up.
 */
static int
assemble(struct source *s, char out[LINE_MAX_SIZE], unsigned *first)
{
	size_t used = 0;
	bool fits = true, is_first = true;

	while (physical_line(s, out + used, LINE_MAX_SIZE - used - 1, &fits)) {
		if (!fits)
			return -EINVAL;
		char *text = out + used;
		size_t blank = strspn(text, BLANKS);
		if (text[blank] == '\0' || text[blank] == '#')
			/* also between a line and its continuation */
			continue;
		if (is_first)
			*first = s->line;
		is_first = false;
		char *comment = strchr(text, '#');
		if (comment != NULL) {
			*comment = '\0';
			return 1;
		}
		size_t n = strlen(text);
		while (n > 0 && strchr(BLANKS, text[n - 1]) != NULL)
			n--;
		if (n == 0 || text[n - 1] != '\\')
			return 1;
		used += n - 1;
		out[used] = '\0';
	}
	return is_first ? 0 : -EINVAL;
}

/*
 * The next word; [ ... ] is one, without the brackets and with \] for ].  As
 * _pam_StrTok.  NULL at the end.
 */
static char *
word(char **rest, bool *bracketed)
{
	char *s = *rest + strspn(*rest, BLANKS);

	*bracketed = false;
	if (*s == '\0') {
		*rest = s;
		return NULL;
	}
	if (*s != '[') {
		char *end = s + strcspn(s, BLANKS);
		*rest = *end == '\0' ? end : end + 1;
		*end = '\0';
		return s;
	}
	char *begin = ++s, *out = s;
	*bracketed = true;
	while (*s != '\0' && *s != ']') {
		if (*s == '\\' && s[1] == ']')
			s++;
		*out++ = *s++;
	}
	*rest = *s == '\0' ? s : s + 1;
	*out = '\0';
	return begin;
}

static bool
find_action(const char *name, int *action)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (strcmp(actions[i].name, name) == 0) {
			*action = actions[i].action;
			return true;
		}
	/* a jump; libpam takes what it can read as digits */
	size_t n = strspn(name, "0123456789");
	if (n == 0 || n > 4 || name[n] != '\0')
		return false;
	*action = (int)strtoul(name, NULL, 10);
	return *action > 0;
}

/* Cuts the name off that text begins with; *rest is what stands behind it. */
static char *
cut(char *text, const char *ends, char *end, char **rest)
{
	char *name = text + strspn(text, BLANKS);
	size_t n = strcspn(name, ends);

	*end = name[n];
	*rest = name[n] == '\0' ? name + n : name + n + 1;
	name[n] = '\0';
	return name;
}

/* One return value or "default" gets its action. */
static bool
set_action(int out[WARD_STACK_VALUES], int *other, const char *name, int action)
{
	if (strcmp(name, "default") == 0) {
		*other = action;
		return true;
	}
	for (size_t i = 0; i < WARD_STACK_VALUES; i++)
		if (strcmp(values[i], name) == 0) {
			out[i] = action;
			return true;
		}
	return false;
}

/* "value=action value=action ..."; false for what libpam would not take. */
static bool
parse_bracket(int out[WARD_STACK_VALUES], const char *control)
{
	char copy[LINE_MAX_SIZE], *rest = copy, end;
	int other = WARD_STACK_BAD;

	for (size_t i = 0; i < WARD_STACK_VALUES; i++)
		out[i] = WARD_STACK_UNSET;
	(void)snprintf(copy, sizeof(copy), "%s", control);
	while (rest[strspn(rest, BLANKS)] != '\0') {
		int action;
		const char *name = cut(rest, "=" BLANKS, &end, &rest);
		if (end != '=') {
			rest += strspn(rest, BLANKS);
			if (*rest++ != '=')
				return false;
		}
		if (!find_action(cut(rest, BLANKS, &end, &rest), &action) ||
		    !set_action(out, &other, name, action))
			return false;
	}
	for (size_t i = 0; i < WARD_STACK_VALUES; i++)
		if (out[i] == WARD_STACK_UNSET)
			out[i] = other;
	return true;
}

static bool
parse_control(int out[WARD_STACK_VALUES], const char *control, bool bracketed)
{
	if (bracketed)
		return parse_bracket(out, control);
	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++) {
		if (strcasecmp(controls[i].name, control) != 0)
			continue;
		for (size_t v = 0; v < WARD_STACK_VALUES; v++)
			out[v] = controls[i].other;
		out[0] = out[NEW_AUTHTOK_REQD] = controls[i].success;
		out[IGNORE] = controls[i].ignore;
		return true;
	}
	return false;
}

static struct ward_stack_line *
add_line(struct loader *l, const struct source *s, unsigned number)
{
	struct ward_stack *stack = l->stack;

	if (stack->n == LINES_MOST)
		return NULL;
	struct ward_stack_line *more =
	    reallocarray(stack->lines, stack->n + 1, sizeof(*more));
	if (more == NULL)
		return NULL;
	stack->lines = more;
	struct ward_stack_line *line = &more[stack->n];
	*line = (struct ward_stack_line){
		.file = strdup(s->name),
		.line = number,
		.level = s->level,
	};
	for (size_t i = 0; i < WARD_STACK_VALUES; i++)
		line->actions[i] = WARD_STACK_BAD;
	if (line->file == NULL)
		return NULL;
	stack->n++;
	return line;
}

static int
no_memory(struct loader *l)
{
	return ward_err_set(l->err, ENOMEM,
	    "no memory, or a stack of more "
	    "than %d lines",
	    LINES_MOST);
}

static int
push(struct loader *l, const char *name, unsigned level)
{
	char *text = NULL, visible[128];

	(void)ward_text_visible(visible, sizeof(visible), name);
	if (l->n_sources == FILES_DEEP)
		return ward_err_set(l->err, ELOOP,
		    "%s: more than %d files include each other", visible,
		    FILES_DEEP);
	int r = l->read(l->context, name, &text);
	if (r != 0)
		return ward_err_sys(l->err, -r, "%s", visible);
	struct source *s = &l->sources[l->n_sources];
	*s = (struct source){ .text = text, .next = text, .level = level };
	l->n_sources++;
	if (asprintf(&s->name, "%s%s", name[0] == '/' ? "" : "/etc/pam.d/",
		name) < 0) {
		s->name = NULL;
		return no_memory(l);
	}
	return 0;
}

static void
pop(struct loader *l)
{
	struct source *s = &l->sources[--l->n_sources];

	free(s->name);
	free(s->text);
}

static int
add_module(struct loader *l, const struct source *s, unsigned number,
    const char *control, bool bracketed, char *rest)
{
	struct ward_stack_line *line = add_line(l, s, number);
	bool ignored;

	if (line == NULL)
		return no_memory(l);
	line->control = strdup(control);
	const char *module = word(&rest, &ignored);
	line->module = strdup(module == NULL ? "" : module);
	if (line->control == NULL || line->module == NULL)
		return no_memory(l);
	line->is_broken =
	    module == NULL || !parse_control(line->actions, control, bracketed);
	for (char *arg; (arg = word(&rest, &ignored)) != NULL;) {
		char **more =
		    reallocarray(line->args, line->n_args + 1, sizeof(*more));
		if (more == NULL)
			return no_memory(l);
		line->args = more;
		more[line->n_args] = strdup(arg);
		if (more[line->n_args] == NULL)
			return no_memory(l);
		line->n_args++;
	}
	return 0;
}

/* A line that libpam cannot read; it stays in the stack and fails there. */
static int
add_broken(struct loader *l, const struct source *s, unsigned number)
{
	struct ward_stack_line *line = add_line(l, s, number);

	if (line == NULL)
		return no_memory(l);
	line->is_broken = true;
	line->control = strdup("");
	line->module = strdup("");
	return line->control == NULL || line->module == NULL ? no_memory(l) : 0;
}

/* "include" and "substack" have read their word already. */
static int
include(struct loader *l, struct source *s, unsigned number, bool substack,
    char *rest)
{
	bool ignored;
	unsigned level = s->level;
	const char *name = word(&rest, &ignored);

	if (name == NULL)
		return add_broken(l, s, number);
	if (substack) {
		struct ward_stack_line *line = add_line(l, s, number);
		if (line == NULL)
			return no_memory(l);
		line->is_substack = true;
		line->control = strdup("substack");
		line->module = strdup(name);
		if (line->control == NULL || line->module == NULL)
			return no_memory(l);
		level++;
	}
	return push(l, name, level);
}

static int
one_line(struct loader *l, struct source *s, unsigned number, char *rest)
{
	bool bracketed;
	const char *type = word(&rest, &bracketed);

	if (type == NULL)
		return 0;
	if (strcasecmp(type, "@include") == 0)
		return include(l, s, number, false, rest);
	if (type[0] == '-')
		type++;
	if (strcasecmp(type, "auth") == 0 || strcasecmp(type, "account") == 0 ||
	    strcasecmp(type, "password") == 0)
		return 0;
	if (strcasecmp(type, "session") != 0)
		return add_broken(l, s, number);
	const char *control = word(&rest, &bracketed);
	if (control == NULL)
		return add_broken(l, s, number);
	if (!bracketed && strcasecmp(control, "include") == 0)
		return include(l, s, number, false, rest);
	if (!bracketed && strcasecmp(control, "substack") == 0)
		return include(l, s, number, true, rest);
	return add_module(l, s, number, control, bracketed, rest);
}

static int
load_all(struct loader *l)
{
	char text[LINE_MAX_SIZE];

	while (l->n_sources > 0) {
		struct source *s = &l->sources[l->n_sources - 1];
		unsigned number = 0;
		int r = assemble(s, text, &number);
		if (r == 0) {
			pop(l);
			continue;
		}
		if (r < 0)
			return ward_err_set(l->err, EINVAL,
			    "%s:%u: a line that is too long for libpam, or "
			    "continued by nothing",
			    s->name, s->line);
		r = one_line(l, s, number, text);
		if (r != 0)
			return r;
	}
	return 0;
}

static int
load_service(struct loader *l, const char *service)
{
	int r = push(l, service, 0);

	if (r == 0)
		r = load_all(l);
	while (l->n_sources > 0)
		pop(l);
	return r;
}

int
ward_stack_load(const char *service, ward_stack_read *read, void *context,
    struct ward_stack *stack, struct err *err)
{
	struct loader l = {
		.read = read,
		.context = context,
		.stack = stack,
		.err = err,
	};

	*stack = (struct ward_stack){ 0 };
	int r = load_service(&l, service);
	if (r == 0 && stack->n == 0)
		r = load_service(&l, "other");
	if (r != 0)
		ward_stack_clear(stack);
	return r;
}
