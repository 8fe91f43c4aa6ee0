/* SPDX-License-Identifier: ISC */
/* What became of a view, as tables; and which mounts a list has. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sandbox/fate.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/*
 * layout: "PATH=KIND", as test_layout.c has them: S, H, D, F or P, then w for
 * writable and 0 for a skeleton.  now: "PATH" of what is mounted, with :w where
 * that is writable.  fate: a letter for each of the layout: . stands, h is
 * harmless, b bare, l loose, x broken.  A k in the layout is what is kept.
 */
static const struct {
	const char *name, *layout, *now, *fate, *stray;
} cases[] = {
	{ "all stands", "/=S /srv=D /etc/x=F /home/a=Hw /tmp=P",
	    "/ /etc/x /home/a:w /srv /tmp:w", ".....", NULL },
	{ "simple masks", "/=S /srv=D /etc/x=F", "/", ".bb", NULL },
	{ "a hidden directory with openings", "/=S /srv=D0 /srv/a=S", "/",
	    ".xh", NULL },
	{ "the home", "/=S /home/a=Hw", "/", ".x", NULL },
	{ "a private place", "/=S /tmp=P", "/", ".x", NULL },
	{ "what was shown in a read-only place", "/=S /srv=S /opt=Sw", "/",
	    ".hh", NULL },
	{ "what was closed in a writable one", "/=S /srv=Sw /srv/a=S",
	    "/ /srv:w", "..x", NULL },
	{ "closed in a writable one that is gone itself",
	    "/=S /srv=Sw /srv/a=S", "/", ".hh", NULL },
	{ "closed, in what is closed in a writable one",
	    "/=S /srv=Sw /srv/a=S /srv/a/b=S", "/ /srv:w /srv/a", "...h",
	    NULL },
	{ "a writable place that was moved", "/=S /srv=Sw", "/ /old:w", ".h",
	    "/old" },
	{ "the home that was moved", "/=S /home/a=Hw", "/ /home/b:w", ".x",
	    "/home/b" },
	{ "a mask that was moved", "/=S /srv=D", "/ /old", ".b", NULL },
	{ "what is private is not the layout's", "/=S /dev=P",
	    "/ /dev /dev/pts:w /dev/shm:w /proc:w /run/user/7:w", "..", NULL },
	{ "a protected name, and what leads to it",
	    "/=S /srv=Sw /srv/a=Swk /srv/a/b=Sk", "/ /srv:w", "..hl", NULL },
	{ "what leads there was moved within the place",
	    "/=S /srv=Sw /srv/a=Swk /srv/a/b=Sk", "/ /srv:w /srv/x:w /srv/x/b",
	    "..hl", NULL },
	{ "what leads there was moved out of it",
	    "/=S /srv=Sw /srv/a=Swk /srv/a/b=Sk", "/ /srv:w /opt/x:w /opt/x/b",
	    "..hl", "/opt/x" },
	{ "it was moved to where nothing can be written",
	    "/=S /srv=Sw /srv/a=Swk /srv/a/b=Sk /srv/c=S",
	    "/ /srv:w /srv/c /srv/c/x:w", "..hl.", "/srv/c/x" },
	{ "a file of the sandbox's own", "/=S /etc/hosts=O", "/", ".o", NULL },
	{ "a place that begins like another", "/=S /srv=Sw /srv-a=S",
	    "/ /srv:w", "..h", NULL },
};

static void
read_kind(struct ward_layout_mount *m, const char *letters)
{
	static const struct {
		char letter;
		enum ward_layout_kind kind;
	} kinds[] = { { 'S', WARD_LAYOUT_SHOW }, { 'H', WARD_LAYOUT_HOME },
		{ 'D', WARD_LAYOUT_HIDE_DIRECTORY },
		{ 'F', WARD_LAYOUT_HIDE_FILE }, { 'O', WARD_LAYOUT_OWN_FILE },
		{ 'P', WARD_LAYOUT_PRIVATE } };

	for (size_t i = 0; i < N(kinds); i++)
		if (kinds[i].letter == letters[0])
			m->kind = kinds[i].kind;
	m->writable = strchr(letters, 'w') != NULL;
	m->kept = strchr(letters, 'k') != NULL;
	m->skeleton = strchr(letters, '0') != NULL ? 0 : WARD_LAYOUT_EMPTY;
}

/* text stays the owner of the paths. */
static struct ward_layout
read_layout(char *text)
{
	struct ward_layout layout = { 0 };
	char *rest = NULL;

	layout.mounts = calloc(strlen(text), sizeof(*layout.mounts));
	assert_non_null(layout.mounts);
	for (char *word = strtok_r(text, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest)) {
		struct ward_layout_mount *m = &layout.mounts[layout.n_mounts++];
		char *kind = strchr(word, '=');
		assert_non_null(kind);
		*kind = '\0';
		m->path = word;
		read_kind(m, kind + 1);
	}
	return layout;
}

/* Each hangs on the nearest one above it, which stands before it. */
static struct ward_mounts
read_now(char *text)
{
	struct ward_mounts now = { 0 };
	struct err err = { 0 };
	char *rest = NULL, *info = NULL, *paths[32];
	size_t size = 0, n = 0;
	FILE *out = open_memstream(&info, &size);

	assert_non_null(out);
	for (char *word = strtok_r(text, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest)) {
		char *mode = strchr(word, ':');
		size_t parent = 0;
		if (mode != NULL)
			*mode = '\0';
		for (size_t i = 0; i < n; i++) {
			size_t length = strlen(paths[i]);
			if (length == 1 ||
			    (strncmp(word, paths[i], length) == 0 &&
				word[length] == '/'))
				parent = i + 1;
		}
		assert_true(n < N(paths));
		paths[n++] = word;
		(void)fprintf(out, "%zu %zu 8:1 / %s %s,nosuid - ext4 d rw\n",
		    n, parent, word, mode == NULL ? "ro" : "rw");
	}
	assert_int_equal(fclose(out), 0);
	if (ward_mounts_parse(info, &now, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(now.n, n);
	free(info);
	return now;
}

static void
fates(void **state)
{
	(void)state;
	for (size_t c = 0; c < N(cases); c++) {
		char *text = strdup(cases[c].layout);
		char *text_now = strdup(cases[c].now);
		assert_non_null(text);
		assert_non_null(text_now);
		struct ward_layout layout = read_layout(text);
		struct ward_mounts now = read_now(text_now);
		char got[32] = "";

		assert_true(layout.n_mounts < sizeof(got));
		for (size_t i = 0; i < layout.n_mounts; i++)
			got[i] = ".hblox"[ward_fate_of(&layout, i, &now)];
		if (strcmp(got, cases[c].fate) != 0)
			fail_msg("%s: %s, not %s", cases[c].name, got,
			    cases[c].fate);
		const char *stray = ward_fate_stray(&layout, &now, NULL);
		const char *none = ward_fate_stray(&layout, &now, "8:1");
		if ((stray == NULL) != (cases[c].stray == NULL) ||
		    (stray != NULL && strcmp(stray, cases[c].stray) != 0))
			fail_msg("%s: the stray is %s", cases[c].name,
			    stray == NULL ? "none" : stray);
		if (none != NULL)
			fail_msg("%s: its device counts", cases[c].name);
		ward_mounts_clear(&now);
		free(layout.mounts);
		free(text);
		free(text_now);
	}
}

static void
lists(void **state)
{
	static const char text[] = "22 29 0:20 / /sys rw - sysfs s rw\n"
				   "2 1 8:1 / / rw - ext4 d rw\n"
				   "31 22 0:6 / /x 22 29 0:9 rw - ext4 d rw";
	static const struct {
		uint64_t id;
		const char *device;
		bool listed;
	} asked[] = { { 22, "0:20", true }, { 2, "8:1", true },
		{ 31, "0:6", true }, { 2, "0:20", false }, { 22, "0:2", false },
		{ 22, "0:200", false }, { 22, "29", false },
		{ 29, "0:20", false }, { 3, "0:6", false }, { 1, "8:1", false },
		{ 22, "0:9", false } };

	(void)state;
	for (size_t i = 0; i < N(asked); i++)
		if (ward_mounts_lists(text, asked[i].id, asked[i].device) !=
		    asked[i].listed)
			fail_msg(
			    "%ju %s", (uintmax_t)asked[i].id, asked[i].device);
	assert_false(ward_mounts_lists("", 1, "8:1"));
	assert_false(ward_mounts_lists("1", 1, "8:1"));
	assert_false(ward_mounts_lists("1 2", 1, "8:1"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fates),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
