/* SPDX-License-Identifier: ISC */
/*
 * The walk, in directories that are root's alone: what every machine has, and
 * paths that nothing has.  What the account can write is walked with its own
 * ids, which needs root: that is for the boxes.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sandbox/walk.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const struct ward_walk_account account = {
	.uid = 65534,
	.gid = 65534,
	.home = "/nonexistent/agent",
};

#define X10      "xxxxxxxxxx"
#define X50      X10 X10 X10 X10 X10
#define TOO_LONG X50 X50 X50 X50 X50 X50

static const struct {
	const char *path;
	enum ward_found found;
	const char *canonical;
} rows[] = {
	{ "/", WARD_FOUND_DIRECTORY, "/" },
	{ "//.", WARD_FOUND_DIRECTORY, "/" },
	{ "/..", WARD_FOUND_DIRECTORY, "/" },
	{ "/../../etc", WARD_FOUND_DIRECTORY, "/etc" },
	{ "/etc", WARD_FOUND_DIRECTORY, "/etc" },
	{ "/etc/", WARD_FOUND_DIRECTORY, "/etc" },
	{ "/etc/../etc//./passwd", WARD_FOUND_FILE, "/etc/passwd" },
	{ "/etc/passwd", WARD_FOUND_FILE, "/etc/passwd" },
	{ "/etc/passwd/", WARD_FOUND_FILE, "/etc/passwd" },
	{ "/etc/passwd/x/y", WARD_FOUND_ABSENT, "/etc/passwd/x/y" },
	{ "/etc/no-such-place", WARD_FOUND_ABSENT, "/etc/no-such-place" },
	{ "/etc/no-such-place/a//b", WARD_FOUND_ABSENT,
	    "/etc/no-such-place/a/b" },
	/* what is not there has no parent */
	{ "/etc/no-such-place/../passwd", WARD_FOUND_ABSENT,
	    "/etc/no-such-place" },
	{ "/etc/no-such-place/a/..", WARD_FOUND_ABSENT,
	    "/etc/no-such-place/a" },
	{ "/etc/no-such-place/..a/...", WARD_FOUND_ABSENT,
	    "/etc/no-such-place/..a/..." },
	{ "/dev/null", WARD_FOUND_SPECIAL, "/dev/null" },
	/* not the directory that it would be in */
	{ "/etc/" TOO_LONG, WARD_FOUND_ABSENT, "/etc/" TOO_LONG },
	{ "/etc/" TOO_LONG "/a", WARD_FOUND_ABSENT, "/etc/" TOO_LONG "/a" },
	{ "/" TOO_LONG, WARD_FOUND_ABSENT, "/" TOO_LONG },
};

static void
answers(void **state)
{
	const struct ward_resolver resolver = ward_walk_resolver(&account);

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct ward_place place;
		struct err err = { 0 };

		if (resolver.resolve(
			resolver.context, rows[i].path, &place, &err) != 0)
			fail_msg("%s: %s", rows[i].path, err.text);
		if (place.found != rows[i].found ||
		    strcmp(place.path, rows[i].canonical) != 0)
			fail_msg("%s: %d, %s", rows[i].path, (int)place.found,
			    place.path);
		assert_false(place.untrusted_link);
		ward_place_clear(&place);
	}
}

static void
no_path(void **state)
{
	const struct ward_resolver resolver = ward_walk_resolver(&account);
	static char endless[PATH_MAX + 1];
	const char *const paths[] = { "", "etc", "~", endless };

	(void)state;
	for (size_t i = 0; i < PATH_MAX; i++)
		endless[i] = i % 2 == 0 ? '/' : '.';
	for (size_t i = 0; i < N(paths); i++) {
		struct ward_place place;
		struct err err = { 0 };

		assert_int_equal(
		    resolver.resolve(resolver.context, paths[i], &place, &err),
		    -EINVAL);
		assert_null(place.path);
	}
}

static void
opening(void **state)
{
	struct err err = { 0 };
	struct stat by_fd, by_path;

	(void)state;
	int fd = ward_walk_open(&account, "/etc/passwd", &err);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &by_fd), 0);
	assert_int_equal(stat("/etc/passwd", &by_path), 0);
	assert_int_equal(by_fd.st_ino, by_path.st_ino);
	(void)close(fd);
	assert_int_equal(
	    ward_walk_open(&account, "/etc/no-such-place", &err), -ENOENT);
	err = (struct err){ 0 };
	assert_int_equal(
	    ward_walk_open(&account, "/etc/" TOO_LONG, &err), -ENOENT);
}

static void
listing(void **state)
{
	const struct ward_resolver resolver = ward_walk_resolver(&account);
	static const char *const empty[] = { "/etc/no-such-place",
		"/etc/passwd", "/etc/passwd/x", "/" TOO_LONG };
	struct err err = { 0 };
	char **names;
	size_t n, seen = 0;

	(void)state;
	assert_int_equal(
	    resolver.list(resolver.context, "/etc", &names, &n, &err), 0);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], "passwd") == 0)
			seen++;
		if (strcmp(names[i], ".") == 0 || strcmp(names[i], "..") == 0)
			fail_msg("%s is no name", names[i]);
		free(names[i]);
	}
	free(names);
	assert_int_equal(seen, 1);
	for (size_t i = 0; i < N(empty); i++) {
		assert_int_equal(
		    resolver.list(resolver.context, empty[i], &names, &n, &err),
		    0);
		assert_int_equal(n, 0);
		assert_null(names);
	}
}

static void
real_homes(void **state)
{
	static const struct {
		const char *home, *real;
	} homes[] = {
		{ "/home/agent", "/home/.ward/agent" },
		{ "/srv/x/agent", "/srv/x/.ward/agent" },
		{ "/agent", "/.ward/agent" },
	};

	(void)state;
	for (size_t i = 0; i < N(homes); i++) {
		char *real = ward_walk_real_home(homes[i].home, "agent");

		assert_non_null(real);
		assert_string_equal(real, homes[i].real);
		free(real);
	}
}

/* In a user namespace, say, / may be nobody's. */
static int
is_roots_alone(void)
{
	static const char *const places[] = { "/", "/etc", "/dev" };
	struct stat st;

	for (size_t i = 0; i < N(places); i++)
		if (stat(places[i], &st) != 0 || st.st_uid != 0 ||
		    (st.st_mode & 022) != 0)
			return 0;
	return 1;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(no_path),
		cmocka_unit_test(opening),
		cmocka_unit_test(listing),
		cmocka_unit_test(real_homes),
	};

	if (!is_roots_alone())
		return 77; /* automake: skipped */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
