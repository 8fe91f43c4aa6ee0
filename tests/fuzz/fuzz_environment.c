/* SPDX-License-Identifier: ISC */
/*
 * The environment of any lists and any caller's variables: two bytes of counts
 * (to pass, to set), then strings that NUL ends, the lists' first.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/environment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CALLER_MAX 512

static void
give_up(const char *why, const char *variable)
{
	(void)fprintf(stderr, "%s: \"%s\"\n", why, variable);
	abort();
}

static size_t
name_length(const char *variable)
{
	return strcspn(variable, "=");
}

static bool
is_in(char *const *list, const char *variable)
{
	for (; *list != NULL; list++)
		if (strcmp(*list, variable) == 0)
			return true;
	return false;
}

static bool
is_set(const struct ward_wire_inside *inside, const char *variable)
{
	const char *at = inside->lists;

	for (uint32_t i = 0; i < inside->n_pass; i++)
		at += strlen(at) + 1;
	for (uint32_t i = 0; i < inside->n_set; i++) {
		size_t n = strlen(at);
		const char *value = at + n + 1;

		if (strncmp(variable, at, n) == 0 && variable[n] == '=' &&
		    strcmp(variable + n + 1, value) == 0)
			return true;
		at = value + strlen(value) + 1;
	}
	return false;
}

static void
check(const struct ward_wire_inside *inside, char *const *caller,
    char *const *made)
{
	static const char *const identity[] = { "HOME=/home/agent",
		"USER=agent", "LOGNAME=agent", "SHELL=/bin/sh" };
	unsigned paths = 0;

	for (size_t i = 0; i < 4; i++)
		if (made[i] == NULL || strcmp(made[i], identity[i]) != 0)
			give_up("another identity", made[i]);
	for (size_t i = 0; made[i] != NULL; i++) {
		size_t n = name_length(made[i]);

		if (made[i][n] != '=')
			give_up("no variable", made[i]);
		paths += strncmp(made[i], "PATH=", 5) == 0;
		/* a name that is set may hold =, which no profile writes */
		for (size_t k = 0; k < i; k++)
			if (name_length(made[k]) == n &&
			    strncmp(made[k], made[i], n) == 0 &&
			    !is_set(inside, made[i]))
				give_up("twice", made[i]);
		if (i >= 4 && strncmp(made[i], "PATH=", 5) != 0 &&
		    !is_in(caller, made[i]) && !is_set(inside, made[i]))
			give_up("from nowhere", made[i]);
		if (n == 0 && !is_set(inside, made[i]))
			give_up("a variable without name", made[i]);
	}
	if (paths == 0)
		give_up("no PATH", "");
}

/* Cuts the strings off data; false where the lists do not get theirs. */
static bool
fill(
    char *text, const char *end, struct ward_wire_inside *inside, char **caller)
{
	size_t wanted = inside->n_pass + 2 * (size_t)inside->n_set;
	size_t n_caller = 0;

	for (size_t i = 0; text < end; i++) {
		size_t n = strlen(text) + 1;

		if (i < wanted) {
			if (n > sizeof(inside->lists) - inside->n_lists)
				return false;
			memcpy(inside->lists + inside->n_lists, text, n);
			inside->n_lists += (uint32_t)n;
		} else if (n_caller < CALLER_MAX) {
			caller[n_caller++] = text;
		}
		text += n;
		if (text >= end && i + 1 < wanted)
			return false;
	}
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ward_wire_inside inside;
	char *caller[CALLER_MAX + 1] = { NULL };
	char **made = NULL;
	struct err err = { 0 };

	if (size < 3)
		return 0;
	inside = (struct ward_wire_inside){
		.account = "agent",
		.home = "/home/agent",
		.shell = "/bin/sh",
		.n_pass = data[0] % 16,
		.n_set = data[1] % 16,
	};
	char *text = malloc(size - 1);
	if (text == NULL)
		abort();
	memcpy(text, data + 2, size - 2);
	text[size - 2] = '\0';
	if (fill(text, text + size - 1, &inside, caller)) {
		if (ward_environment_make(&inside, caller, &made, &err) != 0)
			abort();
		check(&inside, caller, made);
		for (size_t i = 0; made[i] != NULL; i++)
			free(made[i]);
		free(made);
	}
	free(text);
	return 0;
}
