/* SPDX-License-Identifier: ISC */
/* Files that wardctl edits, and programs that it runs. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/edit.h"
#include "ctl/run.h"
#include "tests/unit/scratch.h"

static int
set_up(void **state)
{
	struct scratch *scratch = calloc(1, sizeof(*scratch));

	assert_non_null(scratch);
	scratch_make(scratch);
	*state = scratch;
	return 0;
}

static int
tear_down(void **state)
{
	scratch_remove(*state);
	free(*state);
	return 0;
}

static void
is_text(const char *path, const char *want)
{
	size_t size;
	char *text;

	assert_int_equal(ward_edit_read(path, &text, &size, NULL), 0);
	assert_string_equal(text, want);
	assert_int_equal(size, strlen(want));
	free(text);
}

/* Names in the directory that are not the file's own. */
static size_t
count_others(const struct scratch *scratch)
{
	size_t n = 0;
	const struct dirent *entry;
	DIR *directory = opendir(scratch->directory);

	assert_non_null(directory);
	while ((entry = readdir(directory)) != NULL)
		n += strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0 &&
		    strcmp(entry->d_name, "store.db") != 0;
	(void)closedir(directory);
	return n;
}

static void
test_write(void **state)
{
	const struct scratch *scratch = *state;
	struct stat before, after;

	assert_int_equal(
	    ward_edit_write(scratch->path, "one\n", 0640, NULL), 0);
	is_text(scratch->path, "one\n");
	assert_int_equal(stat(scratch->path, &before), 0);
	assert_int_equal(before.st_mode & 07777, 0640);
	/* the mode of what is there wins, and the file is another */
	assert_int_equal(chmod(scratch->path, 0600), 0);
	assert_int_equal(
	    ward_edit_write(scratch->path, "two\n", 0644, NULL), 0);
	is_text(scratch->path, "two\n");
	assert_int_equal(stat(scratch->path, &after), 0);
	assert_int_equal(after.st_mode & 07777, 0600);
	assert_true(before.st_ino != after.st_ino);
	assert_int_equal(count_others(scratch), 0);
}

static void
test_link(void **state)
{
	const struct scratch *scratch = *state;
	char link[300];
	struct stat st;

	(void)snprintf(link, sizeof(link), "%s/link", scratch->directory);
	assert_int_equal(ward_edit_write(scratch->path, "one", 0600, NULL), 0);
	assert_int_equal(symlink(scratch->path, link), 0);
	assert_int_equal(ward_edit_write(link, "two", 0600, NULL), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	is_text(scratch->path, "two");
}

static void
test_unwritable(void **state)
{
	const struct scratch *scratch = *state;
	struct err err = { 0 };
	char path[400];

	(void)snprintf(path, sizeof(path), "%s/no/file", scratch->directory);
	assert_int_equal(ward_edit_write(path, "x", 0600, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/no/"));
	(void)snprintf(
	    path, sizeof(path), "%s/store.db/file", scratch->directory);
	assert_int_equal(ward_edit_write(scratch->path, "x", 0600, NULL), 0);
	assert_int_equal(ward_edit_write(path, "x", 0600, NULL), -ENOTDIR);
	assert_int_equal(count_others(scratch), 0);
}

static void
test_read_refuses(void **state)
{
	const struct scratch *scratch = *state;
	char *text;
	size_t size;
	int fd;

	assert_int_equal(
	    ward_edit_read(scratch->path, &text, &size, NULL), -ENOENT);
	assert_int_equal(
	    ward_edit_read(scratch->directory, &text, &size, NULL), -EINVAL);
	/* a writer that never comes is not waited for */
	assert_int_equal(mkfifo(scratch->path, 0600), 0);
	assert_int_equal(
	    ward_edit_read(scratch->path, &text, &size, NULL), -EINVAL);
	assert_int_equal(unlink(scratch->path), 0);
	fd = open(scratch->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "a\0b", 3), 3);
	assert_int_equal(
	    ward_edit_read(scratch->path, &text, &size, NULL), -EINVAL);
	assert_int_equal(ftruncate(fd, (off_t)WARD_EDIT_MAX + 1), 0);
	(void)close(fd);
	assert_int_equal(
	    ward_edit_read(scratch->path, &text, &size, NULL), -EFBIG);
	assert_null(text);
}

static void
test_remove(void **state)
{
	const struct scratch *scratch = *state;

	assert_int_equal(ward_edit_write(scratch->path, "x", 0600, NULL), 0);
	assert_int_equal(ward_edit_remove(scratch->path, NULL), 0);
	assert_int_equal(ward_edit_remove(scratch->path, NULL), 0);
	assert_int_equal(ward_edit_remove(scratch->directory, NULL), -EISDIR);
}

/* --- programs --- */

static void
test_run(void **state)
{
	static struct ward_run run;
	const char *const script[] = { "/bin/sh", "-c",
		"cat; echo out; echo err >&2; unset PWD; env | sort; ls "
		"/proc/self/fd; "
		"exit 7",
		NULL };

	(void)state;
	/* neither the environment nor descriptors of ours go in */
	assert_int_equal(setenv("WARD_TEST_VARIABLE", "x", 1), 0);
	int fd = dup(STDERR_FILENO);
	assert_true(fd > 2);
	assert_int_equal(ward_run(script, &run, NULL), 0);
	(void)close(fd);
	assert_int_equal(run.status, 7);
	assert_string_equal(run.output,
	    "out\nerr\nDEBIAN_FRONTEND=noninteractive\nHOME=/nonexistent\n"
	    "LC_ALL=C\nPATH=/usr/sbin:/usr/bin:/sbin:/bin\n"
	    "0\n1\n2\n3\n");
}

static void
test_run_much(void **state)
{
	static struct ward_run run;
	const char *const script[] = { "/bin/sh", "-c",
		"head -c 300000 /dev/zero | tr '\\0' x", NULL };

	(void)state;
	assert_int_equal(ward_run(script, &run, NULL), 0);
	assert_int_equal(run.status, 0);
	assert_int_equal(run.n_output, WARD_RUN_OUTPUT - 1);
}

static void
test_run_fails(void **state)
{
	static struct ward_run run;
	struct err err = { 0 };
	const char *const absent[] = { "/no/such/program", NULL };
	const char *const failing[] = { "/bin/sh", "-c",
		"printf 'first\\033 line\\nsecond\\n'; exit 3", NULL };
	const char *const killed[] = { "/bin/sh", "-c", "kill -9 $$", NULL };

	(void)state;
	assert_int_equal(ward_run(absent, &run, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/no/such/program"));
	err.code = 0;
	assert_int_equal(ward_run_check(failing, &err), -EIO);
	assert_string_equal(
	    err.text, "/bin/sh ended with status 3: first\\x1b line");
	assert_int_equal(ward_run(killed, &run, NULL), 0);
	assert_int_equal(run.status, 137);
	assert_false(ward_run_is_there("/no/such/program"));
	assert_true(ward_run_is_there("/bin/sh"));
}

#define with_scratch(test)                                                     \
	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		with_scratch(test_write),
		with_scratch(test_link),
		with_scratch(test_unwritable),
		with_scratch(test_read_refuses),
		with_scratch(test_remove),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_run_much),
		cmocka_unit_test(test_run_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
