/* SPDX-License-Identifier: ISC */
/* The lookout: which changes in a directory of the test's own it tells of. */
#include "config.h"

#include <fcntl.h>
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

#include "sandbox/lookout.h"
#include "tests/unit/scratch.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

struct setting {
	struct scratch scratch;
	struct ward_lookout lookout;
	int dfd, host_dfd, fds_dfd;
	char seen[512]; /* what the callback was asked */
};

/* Wanted is whatever leads to in/file, inside. */
static bool
is_wanted(void *context, const char *path)
{
	struct setting *s = context;
	size_t n = strlen(s->scratch.directory);

	if (strncmp(path, s->scratch.directory, n) == 0)
		path += n;
	(void)snprintf(s->seen, sizeof(s->seen), "%s", path);
	return strcmp(path, "/in") == 0 || strcmp(path, "/in/file") == 0 ||
	    strcmp(path, "/home/a/x") == 0;
}

static bool
told(struct setting *s)
{
	s->seen[0] = '\0';
	return ward_lookout_read(&s->lookout, is_wanted, s);
}

static void
arm(struct setting *s)
{
	ward_lookout_arm(&s->lookout, s->host_dfd, s->fds_dfd);
	assert_false(s->lookout.blind);
}

static void
setting_make(struct setting *s)
{
	struct err err = { 0 };
	char path[300];

	scratch_make(&s->scratch);
	s->dfd = open(s->scratch.directory, O_RDONLY | O_DIRECTORY);
	s->host_dfd = open("/", O_PATH | O_DIRECTORY);
	s->fds_dfd = open("/proc/self/fd", O_PATH | O_DIRECTORY);
	assert_true(s->dfd >= 0 && s->host_dfd >= 0 && s->fds_dfd >= 0);
	check_ok(ward_lookout_init(&s->lookout, &err), &err);
	if (s->lookout.fd < 0)
		skip();
	(void)snprintf(path, sizeof(path), "%s/in/file", s->scratch.directory);
	assert_int_equal(ward_lookout_add(&s->lookout, path, "/home/a",
			     s->scratch.directory),
	    0);
}

static void
setting_remove(struct setting *s)
{
	ward_lookout_clear(&s->lookout);
	(void)unlinkat(s->dfd, "in/file", 0);
	(void)close(s->dfd);
	(void)close(s->host_dfd);
	(void)close(s->fds_dfd);
	scratch_remove(&s->scratch);
}

static void
touch(const struct setting *s, const char *name)
{
	int fd = openat(s->dfd, name, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	(void)close(fd);
}

static void
changes(void **state)
{
	struct setting s = { 0 };

	(void)state;
	setting_make(&s);
	arm(&s);
	assert_false(told(&s));
	touch(&s, "other");
	assert_false(told(&s));
	assert_string_equal(s.seen, "/other");
	/* what leads there, then what is there */
	assert_int_equal(mkdirat(s.dfd, "in", 0700), 0);
	assert_true(told(&s));
	touch(&s, "in/file");
	assert_false(told(&s));
	assert_int_equal(unlinkat(s.dfd, "in/file", 0), 0);
	arm(&s);
	touch(&s, "in/file");
	assert_true(told(&s));
	/* writing is not of interest */
	touch(&s, "in/file");
	assert_false(told(&s));
	/* another one over it, which is watched only later */
	assert_int_equal(renameat(s.dfd, "other", s.dfd, "in/file"), 0);
	assert_true(told(&s));
	arm(&s);
	assert_int_equal(renameat(s.dfd, "in/file", s.dfd, "other"), 0);
	assert_true(told(&s));
	/* what is above is moved away, and another takes its place */
	assert_int_equal(renameat(s.dfd, "in", s.dfd, "old"), 0);
	assert_true(told(&s));
	assert_int_equal(mkdirat(s.dfd, "in", 0700), 0);
	arm(&s);
	(void)told(&s);
	touch(&s, "in/file");
	assert_true(told(&s));
	/* the old one is let go */
	touch(&s, "old/file");
	assert_false(told(&s));
	assert_int_equal(unlinkat(s.dfd, "old/file", 0), 0);
	setting_remove(&s);
}

/* The home is told by its name inside, wherever it is. */
static void
home(void **state)
{
	struct setting s = { 0 };

	(void)state;
	setting_make(&s);
	assert_int_equal(ward_lookout_add(&s.lookout, "/home/a/x", "/home/a",
			     s.scratch.directory),
	    0);
	for (size_t i = 0; i < s.lookout.n_places; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(
			    s.lookout.places[i].host, s.lookout.places[k].host);
	ward_lookout_clear(&s.lookout);
	struct err err = { 0 };
	check_ok(ward_lookout_init(&s.lookout, &err), &err);
	assert_int_equal(ward_lookout_add(&s.lookout, "/home/a/x", "/home/a",
			     s.scratch.directory),
	    0);
	arm(&s);
	touch(&s, "y");
	assert_false(told(&s));
	assert_string_equal(s.seen, "/home/a/y");
	touch(&s, "x");
	assert_true(told(&s));
	setting_remove(&s);
}

/* A link is followed nowhere. */
static void
links(void **state)
{
	struct setting s = { 0 };

	(void)state;
	setting_make(&s);
	assert_int_equal(mkdirat(s.dfd, "old", 0700), 0);
	assert_int_equal(symlinkat("old", s.dfd, "in"), 0);
	arm(&s);
	touch(&s, "old/file");
	assert_false(told(&s));
	assert_int_equal(unlinkat(s.dfd, "old/file", 0), 0);
	setting_remove(&s);
}

/* Without inotify it says so, and does nothing. */
static void
none(void **state)
{
	struct ward_lookout lookout = { .fd = -1, .blind = true };

	(void)state;
	ward_lookout_arm(&lookout, -1, -1);
	assert_true(lookout.blind);
	assert_false(ward_lookout_read(&lookout, is_wanted, NULL));
	ward_lookout_clear(&lookout);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes),
		cmocka_unit_test(home),
		cmocka_unit_test(links),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
