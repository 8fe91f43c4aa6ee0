/* SPDX-License-Identifier: ISC */
/* Paths as text: tables of what each function makes of them. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/path.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void
fold(void **state)
{
	static const struct {
		const char *path, *folded;
	} rows[] = {
		{ "", "" },
		{ "/", "/" },
		{ "//", "/" },
		{ "///", "/" },
		{ "/.", "/" },
		{ "/./", "/" },
		{ "/./.", "/" },
		{ "//.//./", "/" },
		{ "/a", "/a" },
		{ "/a/", "/a" },
		{ "/a//", "/a" },
		{ "/a/.", "/a" },
		{ "/a/./", "/a" },
		{ "/a/.//.", "/a" },
		{ "//a//b", "/a/b" },
		{ "/./a/./b/.", "/a/b" },
		{ "/../a", "/../a" },
		{ "/..", "/.." },
		{ "/a/..", "/a/.." },
		{ "/a/../", "/a/.." },
		{ "/.a", "/.a" },
		{ "/a/.b/", "/a/.b" },
		{ "/a.", "/a." },
		{ "/a./b", "/a./b" },
		{ "/...", "/..." },
		{ "a", "a" },
		{ "a/", "a" },
		{ "a//b/.", "a/b" },
		{ ".", "." },
		{ "./", "." },
		{ "./a", "./a" },
		{ "~/", "~" },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		char *path = strdup(rows[i].path);

		assert_non_null(path);
		ward_path_fold(path);
		if (strcmp(path, rows[i].folded) != 0)
			fail_msg("\"%s\": \"%s\", not \"%s\"", rows[i].path,
			    path, rows[i].folded);
		ward_path_fold(path);
		if (strcmp(path, rows[i].folded) != 0)
			fail_msg(
			    "\"%s\": folded twice it is another", rows[i].path);
		free(path);
	}
}

static void
below(void **state)
{
	static const struct {
		const char *path, *directory;
		bool is;
	} rows[] = {
		{ "/", "/", true },
		{ "/a", "/", true },
		{ "/a/b", "/", true },
		{ "/a", "/a", true },
		{ "/a/b", "/a", true },
		{ "/a/b/c", "/a/b", true },
		{ "/", "/a", false },
		{ "/ab", "/a", false },
		{ "/a-b", "/a", false },
		{ "/a.", "/a", false },
		{ "/a", "/a/b", false },
		{ "/a", "/ab", false },
		{ "/b/a", "/a", false },
		{ "/A", "/a", false },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		if (ward_path_is_below(rows[i].path, rows[i].directory) !=
		    rows[i].is)
			fail_msg("\"%s\" below \"%s\"", rows[i].path,
			    rows[i].directory);
}

static void
parts(void **state)
{
	static const struct {
		const char *path;
		size_t depth;
		const char *base, *parent;
	} rows[] = {
		{ "/", 0, "", "/" },
		{ "/a", 1, "a", "/" },
		{ "/a/b", 2, "b", "/a" },
		{ "/a/b/c", 3, "c", "/a/b" },
		{ "/.ward", 1, ".ward", "/" },
		{ "/a/..", 2, "..", "/a" },
		{ "a", 0, "a", "a" },
		{ "a/b", 1, "b", "a" },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		char *path = strdup(rows[i].path);

		assert_non_null(path);
		if (ward_path_depth(path) != rows[i].depth)
			fail_msg(
			    "\"%s\": depth %zu", path, ward_path_depth(path));
		if (strcmp(ward_path_base(path), rows[i].base) != 0)
			fail_msg(
			    "\"%s\": base \"%s\"", path, ward_path_base(path));
		ward_path_to_parent(path);
		if (strcmp(path, rows[i].parent) != 0)
			fail_msg("\"%s\": parent \"%s\"", rows[i].path, path);
		free(path);
	}
}

static void
join(void **state)
{
	static const struct {
		const char *directory, *name, *joined;
	} rows[] = {
		{ "/", "a", "/a" },
		{ "/a", "b", "/a/b" },
		{ "/a/b", "c/d", "/a/b/c/d" },
		{ "/", "", "/" },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		char *joined = ward_path_join(rows[i].directory, rows[i].name);

		assert_non_null(joined);
		if (strcmp(joined, rows[i].joined) != 0)
			fail_msg("\"%s\" and \"%s\": \"%s\"", rows[i].directory,
			    rows[i].name, joined);
		free(joined);
	}
}

static void
rebase(void **state)
{
	static const struct {
		const char *path, *from, *to, *rebased;
	} rows[] = {
		{ "/a", "/a", "/x", "/x" },
		{ "/a/b", "/a", "/x", "/x/b" },
		{ "/a/b/c", "/a/b", "/x/y", "/x/y/c" },
		{ "/a/b", "/", "/x", "/x/a/b" },
		{ "/a/b", "/a", "/", "/b" },
		{ "/a", "/a", "/", "/" },
		{ "/", "/", "/x", "/x" },
		{ "/", "/", "/", "/" },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		char *rebased =
		    ward_path_rebase(rows[i].path, rows[i].from, rows[i].to);

		assert_non_null(rebased);
		if (strcmp(rebased, rows[i].rebased) != 0)
			fail_msg("\"%s\" from \"%s\" to \"%s\": \"%s\"",
			    rows[i].path, rows[i].from, rows[i].to, rebased);
		free(rebased);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fold),
		cmocka_unit_test(below),
		cmocka_unit_test(parts),
		cmocka_unit_test(join),
		cmocka_unit_test(rebase),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
