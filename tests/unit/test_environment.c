/* SPDX-License-Identifier: ISC */
/* The environment of a session's shell: what passes, what is set, who wins. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/environment.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define MANY     12
#define IDENTITY "HOME=/home/agent|USER=agent|LOGNAME=agent|SHELL=/bin/bash"
#define USUAL_PATH                                                             \
	"PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"

static const struct {
	const char *name;
	const char *pass[MANY]; /* patterns */
	const char *set[MANY];  /* name, value ... */
	const char *caller[MANY];
	const char *made; /* with | between */
} cases[] = {
	{ "nothing", { NULL }, { NULL }, { NULL }, IDENTITY "|" USUAL_PATH },
	{ "nothing passes by itself", { NULL }, { NULL },
	    { "LANG=C", "TERM=xterm", "LD_PRELOAD=/tmp/x.so", "PATH=/tmp" },
	    IDENTITY "|" USUAL_PATH },
	{ "a name passes, and only it", { "LANG" }, { NULL },
	    { "LANG=C", "LANGUAGE=de", "LAN=x", "lang=C" },
	    IDENTITY "|LANG=C|" USUAL_PATH },
	{ "a prefix", { "LC_*" }, { NULL },
	    { "LC_ALL=C", "LC_=x", "LC=y", "XLC_ALL=z", "lc_all=q" },
	    IDENTITY "|LC_ALL=C|LC_=x|" USUAL_PATH },
	{ "a star is one only at the end", { "L*G" }, { NULL },
	    { "LANG=C", "L*G=x" }, IDENTITY "|L*G=x|" USUAL_PATH },
	{ "a star alone", { "*" }, { NULL },
	    { "A=1", "B=2", "PATH=/opt", "HOME=/root" },
	    IDENTITY "|A=1|B=2|PATH=/opt" },
	{ "an empty pattern is no star", { "" }, { NULL }, { "A=1", "=x" },
	    IDENTITY "|" USUAL_PATH },
	{ "the caller's order", { "A", "B" }, { NULL }, { "B=2", "A=1" },
	    IDENTITY "|B=2|A=1|" USUAL_PATH },
	{ "set", { NULL }, { "CI", "1", "EMPTY", "" }, { NULL },
	    IDENTITY "|CI=1|EMPTY=|" USUAL_PATH },
	{ "set wins over passed", { "CI" }, { "CI", "1" }, { "CI=0", "CI=2" },
	    IDENTITY "|CI=1|" USUAL_PATH },
	{ "the first set wins", { NULL }, { "A", "1", "A", "2" }, { NULL },
	    IDENTITY "|A=1|" USUAL_PATH },
	{ "identity is not set", { NULL },
	    { "HOME", "/root", "USER", "root", "LOGNAME", "root", "SHELL",
		"/tmp/sh" },
	    { NULL }, IDENTITY "|" USUAL_PATH },
	{ "identity is not passed", { "*" }, { NULL },
	    { "HOME=/root", "USER=root", "LOGNAME=root", "SHELL=/tmp/sh" },
	    IDENTITY "|" USUAL_PATH },
	{ "near to identity", { "HOM*", "SHELL*" }, { NULL },
	    { "HOME2=x", "HOM=y", "SHELLOPTS=z", "HOME=/root" },
	    IDENTITY "|HOME2=x|HOM=y|SHELLOPTS=z|" USUAL_PATH },
	{ "PATH is set", { NULL }, { "PATH", "/opt/bin" }, { "PATH=/x" },
	    IDENTITY "|PATH=/opt/bin" },
	{ "PATH is passed", { "PATH" }, { NULL }, { "PATH=/x" },
	    IDENTITY "|PATH=/x" },
	{ "an empty PATH is one", { NULL }, { "PATH", "" }, { NULL },
	    IDENTITY "|PATH=" },
	{ "twice: the first", { "A" }, { NULL }, { "A=1", "A=2", "A" },
	    IDENTITY "|A=1|" USUAL_PATH },
	{ "junk is no variable", { "*", "A", "" }, { NULL },
	    { "A", "=A", "", "==", "=", "B=" }, IDENTITY "|B=|" USUAL_PATH },
	{ "a value with = and newline", { "A" }, { NULL }, { "A=b=c\nd=" },
	    IDENTITY "|A=b=c\nd=|" USUAL_PATH },
	{ "a function of bash has another name", { "A", "BASH_*" },
	    { "BASH_FUNC_x%%", "no" }, { "BASH_FUNC_x%%=() { :; }" },
	    IDENTITY "|BASH_FUNC_x%%=no|" USUAL_PATH },
};

static void
add_string(struct ward_wire_inside *inside, const char *text)
{
	size_t n = strlen(text) + 1;

	assert_true(n <= sizeof(inside->lists) - inside->n_lists);
	memcpy(inside->lists + inside->n_lists, text, n);
	inside->n_lists += (uint32_t)n;
}

static void
fill(struct ward_wire_inside *inside, const char *const *pass,
    const char *const *set)
{
	*inside = (struct ward_wire_inside){
		.account = "agent",
		.home = "/home/agent",
		.shell = "/bin/bash",
	};
	for (; *pass != NULL; pass++, inside->n_pass++)
		add_string(inside, *pass);
	for (; *set != NULL; set += 2, inside->n_set++) {
		add_string(inside, set[0]);
		add_string(inside, set[1]);
	}
}

static char *
print_and_free(char **made)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; made[i] != NULL; i++) {
		(void)fprintf(out, "%s%s", i == 0 ? "" : "|", made[i]);
		free(made[i]);
	}
	free(made);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void
table(void **state)
{
	static struct ward_wire_inside inside;

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		char *caller[MANY];
		char **made = NULL;
		struct err err = { 0 };

		for (size_t k = 0; k < MANY; k++)
			caller[k] = (char *)(uintptr_t)cases[i].caller[k];
		fill(&inside, cases[i].pass, cases[i].set);
		assert_int_equal(
		    ward_environment_make(&inside, caller, &made, &err), 0);
		char *text = print_and_free(made);
		if (strcmp(text, cases[i].made) != 0)
			fail_msg("%s: %s\nnot %s", cases[i].name, text,
			    cases[i].made);
		free(text);
	}
}

/* As many as there can be of everything. */
static void
a_crowd(void **state)
{
	enum { CALLER = 5000 };
	static struct ward_wire_inside inside;
	static char names[CALLER][16];
	static char *caller[CALLER + 1];
	static const char *const pass[] = { "V*", NULL };
	static const char *const set[] = { NULL };
	char **made = NULL;
	struct err err = { 0 };
	size_t n = 0;

	(void)state;
	fill(&inside, pass, set);
	for (size_t i = 0; i < CALLER; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "V%zu=x", i);
		caller[i] = names[i];
	}
	while (inside.n_lists + 16 < sizeof(inside.lists)) {
		char name[8];

		(void)snprintf(name, sizeof(name), "S%u", inside.n_set);
		add_string(&inside, name);
		add_string(&inside, "");
		inside.n_set++;
	}
	assert_int_equal(
	    ward_environment_make(&inside, caller, &made, &err), 0);
	for (size_t i = 0; made[i] != NULL; i++, n++)
		free(made[i]);
	free(made);
	assert_int_equal(n, 4 + inside.n_set + CALLER + 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(a_crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
