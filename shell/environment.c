/* SPDX-License-Identifier: ISC */
/* The environment of a session's shell, made from nothing. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/environment.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"

struct list {
	char **items;
	size_t n;
};

/* The length of a name in "NAME=value"; 0 for what is no variable. */
static size_t
name_length(const char *variable)
{
	const char *equals = strchr(variable, '=');

	return equals == NULL ? 0 : (size_t)(equals - variable);
}

static bool
has(const struct list *list, const char *name, size_t n_name)
{
	for (size_t i = 0; i < list->n; i++)
		if (name_length(list->items[i]) == n_name &&
		    strncmp(list->items[i], name, n_name) == 0)
			return true;
	return false;
}

/* The first of a name stays. */
static int
add(struct list *list, const char *name, size_t n_name, const char *value)
{
	char *variable = NULL;

	if (has(list, name, n_name))
		return 0;
	if (asprintf(&variable, "%.*s=%s", (int)n_name, name, value) < 0)
		return -ENOMEM;
	list->items[list->n++] = variable;
	return 0;
}

/* A pattern is a name, or a prefix with * at its end. */
static bool
matches(const char *pattern, const char *name, size_t n_name)
{
	size_t n = strlen(pattern);

	if (n > 0 && pattern[n - 1] == '*')
		return n_name >= n - 1 && strncmp(pattern, name, n - 1) == 0;
	return n == n_name && strncmp(pattern, name, n) == 0;
}

static bool
passes(const struct ward_wire_inside *inside, const char *name, size_t n_name)
{
	const char *pattern = inside->lists;

	for (uint32_t i = 0; i < inside->n_pass; i++) {
		if (matches(pattern, name, n_name))
			return true;
		pattern += strlen(pattern) + 1;
	}
	return false;
}

static int
add_identity(const struct ward_wire_inside *inside, struct list *list)
{
	const struct {
		const char *name, *value;
	} identity[] = {
		{ "HOME", inside->home },
		{ "USER", inside->account },
		{ "LOGNAME", inside->account },
		{ "SHELL", inside->shell },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(identity) / sizeof(identity[0]);
	     i++)
		r = add(list, identity[i].name, strlen(identity[i].name),
		    identity[i].value);
	return r;
}

static int
add_set(const struct ward_wire_inside *inside, struct list *list)
{
	const char *at = inside->lists;
	int r = 0;

	for (uint32_t i = 0; i < inside->n_pass; i++)
		at += strlen(at) + 1;
	for (uint32_t i = 0; r == 0 && i < inside->n_set; i++) {
		const char *name = at;
		const char *value = name + strlen(name) + 1;
		at = value + strlen(value) + 1;
		r = add(list, name, strlen(name), value);
	}
	return r;
}

static int
add_passed(const struct ward_wire_inside *inside, char *const *caller,
    struct list *list)
{
	int r = 0;

	for (; r == 0 && *caller != NULL; caller++) {
		size_t n_name = name_length(*caller);
		if (n_name > 0 && passes(inside, *caller, n_name))
			r = add(list, *caller, n_name, *caller + n_name + 1);
	}
	return r;
}

int
ward_environment_make(const struct ward_wire_inside *inside,
    char *const *caller, char ***made, struct err *err)
{
	struct list list = { 0 };
	size_t n_caller = 0;

	while (caller[n_caller] != NULL)
		n_caller++;
	/* identity, the default PATH, and the end */
	list.items = calloc(n_caller + inside->n_set + 6, sizeof(char *));
	if (list.items == NULL)
		return ward_err_sys(err, ENOMEM, "the environment");
	int r = add_identity(inside, &list);
	if (r == 0)
		r = add_set(inside, &list);
	if (r == 0)
		r = add_passed(inside, caller, &list);
	if (r == 0)
		r = add(&list, "PATH", strlen("PATH"), DEFAULT_PATH);
	if (r != 0)
		return ward_err_sys(err, -r, "the environment");
	*made = list.items;
	return 0;
}
