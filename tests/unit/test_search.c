/* SPDX-License-Identifier: ISC */
/*
 * The search for protected names, in real directories of the user who runs the
 * tests: which of them are found, and that a search is bounded.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/path.h"
#include "sandbox/search.h"
#include "sandbox/walk.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

#define GIT(p) " f " p "/HEAD d " p "/objects d " p "/hooks f " p "/config"

/*
 * tree: "d PATH", "f PATH", "g PATH TEXT" (a file with this text, _ for a
 * space, @ for the tree), "l PATH TEXT" (a link), "p PATH" (a FIFO), "c PATH"
 * (a directory that nobody may look into); what is above is made.  mounts: of
 * the tree, beside its own disk.  found: paths, each with / for a directory and
 * > for a link, sorted.
 */
static const struct {
	const char *name, *tree, *mounts, *found;
} cases[] = {
	{ "an empty place", "", "", "" },
	{ "names at the root, in any case",
	    "f .envrc d .VSCode f .envrcs f x/.envrc", "", ".VSCode/ .envrc" },
	{ "two of a name", "f .envrc f .ENVRC", "", ".ENVRC .envrc" },
	{ "parts in any case", "d .Claude/Agents d .claude/x d .claude/agents",
	    "", ".Claude/Agents/ .claude/agents/" },
	{ "a part that is no directory", "f .claude p .config", "", "" },
	{ "a FIFO", "p .envrc", "", ".envrc" },
	{ "git's own", GIT(".git"), "", ".git/config .git/hooks/" },
	{ "git's own, in any case", "d .GIT/Hooks f .git/CONFIG", "",
	    ".GIT/Hooks/ .git/CONFIG" },
	{ "a repository without its HEAD is one", "d x/.git/hooks", "",
	    "x/.git/hooks/" },
	{ "three levels",
	    "d a/.git/hooks f a/.envrc d a/b/c/.git/hooks "
	    "d a/b/c/d/.git/hooks f a/b/c/d/.envrc d x/y/z/w/.git/hooks",
	    "", "a/.envrc a/.git/hooks/ a/b/c/.git/hooks/" },
	{ "a bare repository, and a place that is one",
	    GIT("b.git") GIT("x/c.git") GIT("."), "",
	    "b.git/config b.git/hooks/ config hooks/ x/c.git/config "
	    "x/c.git/hooks/" },
	{ "a .git file",
	    "g .git gitdir:_far/away/deep/down/g" GIT("far/away/deep/down/g"),
	    "",
	    ".git far/away/deep/down/g/config far/away/deep/down/g/hooks/" },
	{ "a .git file with an absolute path, and one with too little",
	    "g .git gitdir:_@/d/g g x/.git gitdir: f y/.git" GIT("d/g"), "",
	    ".git d/g/config d/g/hooks/ x/.git y/.git" },
	{ "a .git file that leads out of the place", "g .git gitdir:_/etc", "",
	    ".git" },
	{ "a worktree",
	    "g w/.git gitdir:_../r/o/o/o/o/.git/worktrees/w "
	    "g r/o/o/o/o/.git/worktrees/w/commondir ../.. "
	    "f r/o/o/o/o/.git/worktrees/w/config.worktree" GIT(
		"r/o/o/o/o/.git"),
	    "",
	    "r/o/o/o/o/.git/config r/o/o/o/o/.git/hooks/ "
	    "r/o/o/o/o/.git/worktrees/w/config.worktree w/.git" },
	{ "submodules that are not checked out",
	    "d .git" GIT(".git/modules/a") GIT(".git/modules/b/c")
		GIT(".git/modules/a/modules/d"),
	    "",
	    ".git/modules/a/config .git/modules/a/hooks/ "
	    ".git/modules/a/modules/d/config .git/modules/a/modules/d/hooks/ "
	    ".git/modules/b/c/config .git/modules/b/c/hooks/" },
	{ "circles of git's", "g .git gitdir:_g g g/commondir .", "", ".git" },
	{ "links", "l .envrc x l .vscode .vscode l .claude c l .git g" GIT("g"),
	    "",
	    ".claude/agents> .claude/commands> .claude/settings.json> "
	    ".claude/settings.local.json> .claude/skills> .envrc> .git> "
	    ".vscode> g/config g/hooks/" },
	{ "directories behind links are not looked into",
	    "l a b d c/b/.git/hooks l b c", "", "c/b/.git/hooks/" },
	{ "what nobody may look into", "c x c .git c .claude c y/z", "",
	    ".claude/ .git/ x/ y/z/" },
	{ "a mount of this machine", "d a/b/.git/hooks f a/.envrc", "tmpfs /a",
	    "a/.envrc a/b/.git/hooks/" },
	{ "a mount from elsewhere", "d a/b/.git/hooks f a/.envrc f .envrc",
	    "nfs4 /a", ".envrc" },
	{ "an automount", "d a/b/.git/hooks f .envrc", "autofs /a/b",
	    ".envrc" },
	{ "a place from elsewhere", "d a/.git/hooks f .envrc", "nfs4 ", "" },
};

/* Who runs this; root may look into everything, so nobody for that. */
static struct ward_walk_account account = { .home = "/nonexistent/agent" };
static char root[256];
static const struct ward_rule *names[64];
static struct ward_rule rules[64];

static void
make_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (const char *c = text; *c != '\0'; c++)
		if (*c == '@')
			(void)fputs(root, file);
		else
			(void)fputc(*c == '_' ? ' ' : *c, file);
	assert_int_equal(fclose(file), 0);
}

static void
make_above(const char *path)
{
	char part[PATH_MAX];

	for (const char *s = strchr(path + strlen(root) + 1, '/'); s != NULL;
	     s = strchr(s + 1, '/')) {
		(void)snprintf(
		    part, sizeof(part), "%.*s", (int)(s - path), path);
		assert_true(mkdir(part, 0700) == 0 || errno == EEXIST);
	}
}

static void
make_root(void)
{
	assert_int_equal(ward_walk_as(&account), 0);
	assert_int_equal(mkdir(root, 0700), 0);
	assert_int_equal(ward_walk_as(NULL), 0);
}

static void
make_tree(const char *tree)
{
	char *copy = strdup(tree), *rest = copy, *word;

	assert_non_null(copy);
	assert_int_equal(ward_walk_as(&account), 0);
	while ((word = strsep(&rest, " ")) != NULL) {
		char path[PATH_MAX];
		char *name;

		if (word[0] == '\0')
			continue;
		name = strsep(&rest, " ");
		assert_non_null(name);
		(void)snprintf(path, sizeof(path), "%s/%s", root, name);
		make_above(path);
		if (word[0] == 'd' || word[0] == 'c')
			assert_true(
			    mkdir(path, word[0] == 'd' ? 0700 : 0) == 0 ||
			    errno == EEXIST);
		else if (word[0] == 'l')
			assert_int_equal(symlink(strsep(&rest, " "), path), 0);
		else if (word[0] == 'p')
			assert_int_equal(mkfifo(path, 0600), 0);
		else
			make_file(
			    path, word[0] == 'g' ? strsep(&rest, " ") : "");
	}
	assert_int_equal(ward_walk_as(NULL), 0);
	free(copy);
}

/* "TYPE PATH", below the tree. */
static void
make_mounts(const char *text, struct ward_mounts *mounts)
{
	char table[2 * PATH_MAX], type[16];
	int n = snprintf(table, sizeof(table), "1 0 8:1 / / rw - ext4 d rw\n");
	const char *path = strchr(text, ' ');
	struct err err = { 0 };

	if (path != NULL) {
		(void)snprintf(
		    type, sizeof(type), "%.*s", (int)(path - text), text);
		(void)snprintf(table + n, sizeof(table) - (size_t)n,
		    "2 1 8:2 / %s%s rw - %s d rw\n", root, path + 1, type);
	}
	if (ward_mounts_parse(table, mounts, &err) != 0)
		fail_msg("%s", err.text);
}

static int
compare(const void *a, const void *b)
{
	return strcmp(((const struct ward_protected *)a)->path,
	    ((const struct ward_protected *)b)->path);
}

/* What a search finds, in one line. */
static char *
search(const char *mounts_text, bool *whole)
{
	struct ward_mounts mounts;
	struct ward_protected_list found = { .whole = true };
	struct err err = { 0 };
	char *text = NULL;
	size_t size = 0;

	make_mounts(mounts_text, &mounts);
	account.mounts = &mounts;
	if (ward_search(&account, root, names, ward_n_protected_names, &found,
		&err) != 0)
		fail_msg("%s", err.text);
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	if (found.n > 0)
		qsort(found.list, found.n, sizeof(*found.list), compare);
	for (size_t i = 0; i < found.n; i++)
		(void)fprintf(out, "%s%s%s%s", i == 0 ? "" : " ",
		    found.list[i].path + strlen(root) + 1,
		    found.list[i].is_directory ? "/" : "",
		    found.list[i].is_link ? ">" : "");
	assert_int_equal(fclose(out), 0);
	*whole = found.whole;
	ward_protected_clear(&found);
	ward_mounts_clear(&mounts);
	return text;
}

static void
finds(void **state)
{
	char *scratch = *state;

	for (size_t i = 0; i < N(cases); i++) {
		bool whole;

		(void)snprintf(root, sizeof(root), "%s/%zu", scratch, i);
		make_root();
		make_tree(cases[i].tree);
		char *got = search(cases[i].mounts, &whole);
		if (strcmp(got, cases[i].found) != 0)
			fail_msg("%s:\n  is   %s\n  want %s", cases[i].name,
			    got, cases[i].found);
		assert_true(whole);
		free(got);
	}
}

/* Names at the root are found however much is in it; the rest is left out. */
static void
is_bounded(void **state)
{
	const char *scratch = *state;
	char path[PATH_MAX];
	bool whole;

	(void)snprintf(root, sizeof(root), "%s/many", scratch);
	make_root();
	assert_int_equal(ward_walk_as(&account), 0);
	for (int i = 0; i < 2000; i++) {
		(void)snprintf(path, sizeof(path), "%s/%d", root, i);
		assert_int_equal(mkdir(path, 0700), 0);
		(void)snprintf(path, sizeof(path), "%s/%d/x", root, i);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_int_equal(ward_walk_as(NULL), 0);
	make_tree("f .zshrc d .git/hooks");
	char *got = search("", &whole);
	assert_string_equal(got, ".git/hooks/ .zshrc");
	assert_false(whole);
	free(got);
}

/* A place that went, or never was. */
static void
nothing(void **state)
{
	bool whole;

	(void)snprintf(root, sizeof(root), "%s/none", (char *)*state);
	char *got = search("", &whole);
	assert_string_equal(got, "");
	assert_true(whole);
	free(got);
}

static int
begin(void **state)
{
	static char scratch[] = "/tmp/ward-search-XXXXXX";

	for (size_t i = 0; i < ward_n_protected_names; i++) {
		assert_true(i < N(rules));
		rules[i] = (struct ward_rule){
			.kind = WARD_PROTECT,
			.path = (char *)(uintptr_t)ward_protected_names[i],
		};
		names[i] = &rules[i];
	}
	*state = mkdtemp(scratch);
	account.uid = geteuid() == 0 ? 65534 : geteuid();
	account.gid = geteuid() == 0 ? 65534 : getegid();
	return *state == NULL ||
		(geteuid() == 0 &&
		    chown(scratch, account.uid, account.gid) != 0)
	    ? -1
	    : 0;
}

/* A test has closed it. */
static int
open_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	return type == FTW_D || type == FTW_DNR ? chmod(path, 0700) : 0;
}

static int
remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int
end(void **state)
{
	return nftw(*state, open_entry, 8, FTW_PHYS) != 0 ||
		nftw(*state, remove_entry, 8, FTW_PHYS | FTW_DEPTH) != 0
	    ? -1
	    : 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds),
		cmocka_unit_test(is_bounded),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
