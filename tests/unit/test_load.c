/* SPDX-License-Identifier: ISC */
/* Policy files from disk: which are read, and which are refused. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "profiles/load.h"
#include "profiles/text.h"
#include "tests/unit/scratch.h"

/* Two directories; files in them are made by "shipped/NAME", "local/NAME". */
struct places {
	struct scratch shipped, local;
};

static void
place_make(const struct scratch *place, const char *name, const char *text,
    mode_t mode)
{
	char path[600];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", place->directory, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(close(fd), 0);
}

static int
set_up(void **state)
{
	static struct places places;

	scratch_make(&places.shipped);
	scratch_make(&places.local);
	*state = &places;
	return 0;
}

static int
tear_down(void **state)
{
	const struct places *places = *state;

	scratch_remove(&places->shipped);
	scratch_remove(&places->local);
	return 0;
}

static void
expect_refused(const struct places *places, const char *fragment)
{
	struct ward_loaded loaded;
	struct err err = { 0 };
	int r = ward_profiles_load(places->shipped.directory,
	    places->local.directory, geteuid(), &loaded, &err);

	if (r >= 0)
		fail_msg("loaded, not refused with \"%s\"", fragment);
	if (strstr(err.text, fragment) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", err.text, fragment);
	assert_int_equal(loaded.n, 0);
}

static void
test_replace(void **state)
{
	const struct places *places = *state;
	struct ward_loaded loaded;
	struct err err = { 0 };
	char path[600];

	place_make(&places->shipped, "base.conf", "shipped", 0644);
	place_make(&places->shipped, "strict.conf", "strict", 0444);
	place_make(&places->local, "base.conf", "local", 0600);
	place_make(&places->local, "zz.conf", "", 0600);
	place_make(&places->local, "base.conf.bak", "x", 0666);
	place_make(&places->local, ".hidden.conf", "x", 0666);
	place_make(&places->local, ".conf", "x", 0666);
	check_ok(ward_profiles_load(places->shipped.directory,
		     places->local.directory, geteuid(), &loaded, &err),
	    &err);
	assert_int_equal(loaded.n, 3);
	(void)snprintf(
	    path, sizeof(path), "%s/base.conf", places->local.directory);
	assert_string_equal(loaded.sources[0].file, path);
	assert_string_equal(loaded.sources[0].text, "local");
	assert_int_equal(loaded.sources[0].size, 5);
	assert_string_equal(loaded.sources[1].text, "strict");
	assert_int_equal(loaded.sources[2].size, 0);
	ward_loaded_clear(&loaded);
}

static void
test_absent(void **state)
{
	const struct places *places = *state;
	struct ward_loaded loaded;
	struct err err = { 0 };

	check_ok(ward_profiles_load(places->shipped.directory, "/nonexistent",
		     geteuid(), &loaded, &err),
	    &err);
	assert_int_equal(loaded.n, 0);
	ward_loaded_clear(&loaded);
	assert_int_equal(ward_profiles_load("/nonexistent",
			     places->local.directory, geteuid(), &loaded, &err),
	    -ENOENT);
}

static void
test_modes(void **state)
{
	const struct places *places = *state;

	place_make(&places->local, "a.conf", "x", 0620);
	expect_refused(places,
	    "/a.conf can be written by others than its owner: chmod go-w it");
}

static void
test_directory_modes(void **state)
{
	const struct places *places = *state;

	assert_int_equal(chmod(places->local.directory, 0777), 0);
	expect_refused(places, "can be written by others than its owner");
}

static void
test_owner(void **state)
{
	const struct places *places = *state;
	struct ward_loaded loaded;
	struct err err = { 0 };

	assert_int_equal(
	    ward_profiles_load(places->shipped.directory,
		places->local.directory, geteuid() + 1, &loaded, &err),
	    -EPERM);
	assert_non_null(strstr(err.text, " belongs to uid "));
}

static void
test_link(void **state)
{
	const struct places *places = *state;
	char path[600];

	(void)snprintf(
	    path, sizeof(path), "%s/a.conf", places->local.directory);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	expect_refused(
	    places, "/a.conf is a symbolic link: put the file itself there");
}

static void
test_fifo(void **state)
{
	const struct places *places = *state;
	char path[600];

	(void)snprintf(
	    path, sizeof(path), "%s/a.conf", places->local.directory);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_refused(
	    places, "/a.conf is not a regular file: remove or rename it");
}

static void
test_size(void **state)
{
	const struct places *places = *state;
	char path[600];

	place_make(&places->local, "a.conf", "x", 0600);
	(void)snprintf(
	    path, sizeof(path), "%s/a.conf", places->local.directory);
	assert_int_equal(truncate(path, (off_t)WARD_TEXT_MAX + 1), 0);
	expect_refused(places, "/a.conf is larger than 1048576 bytes");
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_replace),
		TEST(test_absent),
		TEST(test_modes),
		TEST(test_directory_modes),
		TEST(test_owner),
		TEST(test_link),
		TEST(test_fifo),
		TEST(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
