/* SPDX-License-Identifier: ISC */
/* Opening a store: what is refused, and how it is said. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/things_store.h"

static void
write_at(const char *path, long offset, const char *text, size_t times)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	for (size_t i = 0; i < times; i++) {
		size_t n = strlen(text);

		assert_int_equal(
		    pwrite(fd, text, n, offset + (long)(i * n)), n);
	}
	assert_int_equal(close(fd), 0);
}

static void
run_raw(const char *path, const char *text)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(chmod(path, 0600), 0);
}

/* Each spoils a scratch directory, and may change the path that is opened. */
static void
spoil_nothing(struct scratch *s)
{
	things_make(s->path, &things_kind);
}

static void
spoil_missing(struct scratch *s)
{
	(void)s;
}

static void
spoil_relative(struct scratch *s)
{
	(void)snprintf(s->path, sizeof(s->path), "store.db");
}

static void
spoil_no_name(struct scratch *s)
{
	(void)snprintf(s->path, sizeof(s->path), "%s/", s->directory);
}

static void
spoil_no_directory(struct scratch *s)
{
	(void)snprintf(
	    s->path, sizeof(s->path), "%s/none/store.db", s->directory);
}

static void
spoil_directory_link(struct scratch *s)
{
	char link[300];

	things_make(s->path, &things_kind);
	(void)snprintf(link, sizeof(link), "%s/link", s->directory);
	assert_int_equal(symlink(s->directory, link), 0);
	assert_true(
	    (size_t)snprintf(s->path, sizeof(s->path), "%.200s/link/store.db",
		s->directory) < sizeof(s->path));
}

static void
spoil_directory_file(struct scratch *s)
{
	write_at(s->path, 0, "x", 1);
	assert_true(
	    (size_t)snprintf(s->path, sizeof(s->path),
		"%.200s/store.db/store.db", s->directory) < sizeof(s->path));
}

static void
spoil_directory_mode(struct scratch *s)
{
	things_make(s->path, &things_kind);
	assert_int_equal(chmod(s->directory, 0750), 0);
}

static void
spoil_owner(struct scratch *s)
{
	things_make(s->path, &things_kind);
	if (geteuid() == 0)
		assert_int_equal(chown(s->directory, 65534, 65534), 0);
	else
		(void)snprintf(s->path, sizeof(s->path), "/store.db");
}

static void
spoil_file_owner(struct scratch *s)
{
	things_make(s->path, &things_kind);
	if (geteuid() == 0)
		assert_int_equal(chown(s->path, 65534, 65534), 0);
	else
		(void)snprintf(s->path, sizeof(s->path), "/store.db");
}

static void
spoil_link(struct scratch *s)
{
	char target[300];

	(void)snprintf(target, sizeof(target), "%s/target", s->directory);
	things_make(target, &things_kind);
	assert_int_equal(symlink("target", s->path), 0);
}

static void
spoil_dangling(struct scratch *s)
{
	assert_int_equal(symlink("nowhere", s->path), 0);
}

static void
spoil_directory(struct scratch *s)
{
	assert_int_equal(mkdir(s->path, 0700), 0);
}

static void
spoil_fifo(struct scratch *s)
{
	assert_int_equal(mkfifo(s->path, 0600), 0);
}

static void
spoil_hard_link(struct scratch *s)
{
	char name[300];

	things_make(s->path, &things_kind);
	(void)snprintf(name, sizeof(name), "%s/other", s->directory);
	assert_int_equal(link(s->path, name), 0);
}

static void
spoil_mode(struct scratch *s)
{
	things_make(s->path, &things_kind);
	assert_int_equal(chmod(s->path, 0640), 0);
}

static void
spoil_empty(struct scratch *s)
{
	write_at(s->path, 0, "", 1);
}

static void
spoil_short_text(struct scratch *s)
{
	write_at(s->path, 0, "not a database\n", 1);
}

static void
spoil_text(struct scratch *s)
{
	write_at(s->path, 0, "not a database\n", 1000);
}

static void
spoil_pages(struct scratch *s)
{
	things_make(s->path, &things_kind);
	write_at(s->path, 100, "junk", 900);
}

static void
spoil_other_program(struct scratch *s)
{
	run_raw(s->path, "CREATE TABLE t (a)");
}

static void
spoil_other_store(struct scratch *s)
{
	run_raw(s->path,
	    "PRAGMA application_id = 78; PRAGMA user_version = 1;"
	    "CREATE TABLE things (name TEXT)");
}

static void
spoil_version_only(struct scratch *s)
{
	run_raw(s->path, "PRAGMA user_version = 3");
}

struct spoilt {
	const char *name;
	void (*spoil)(struct scratch *);
	bool write;
	int errnum;
	const char *fragment;
};

static const struct spoilt table[] = {
	{ "well, to read", spoil_nothing, false, 0, NULL },
	{ "well, to write", spoil_nothing, true, 0, NULL },
	{ "missing, to write", spoil_missing, true, 0, NULL },
	{ "empty, to write", spoil_empty, true, 0, NULL },
	{ "missing", spoil_missing, false, ENOENT, "store.db: No such file" },
	{ "relative", spoil_relative, true, EINVAL, "no absolute path" },
	{ "no file name", spoil_no_name, true, EINVAL, "no absolute path" },
	{ "no directory", spoil_no_directory, true, ENOENT, "/none: No such" },
	{ "directory is a link", spoil_directory_link, true, ELOOP,
	    "/link: is a symbolic link, not a directory" },
	{ "directory is a file", spoil_directory_file, true, ENOTDIR,
	    "is no directory" },
	{ "directory's mode", spoil_directory_mode, true, EPERM,
	    "has mode 0750; others could reach it: chmod 0700" },
	{ "directory's owner", spoil_owner, true, EPERM, "belongs to uid" },
	{ "file's owner", spoil_file_owner, false, EPERM, "belongs to uid" },
	{ "link", spoil_link, false, ELOOP,
	    "store.db: is a symbolic link, not a regular file" },
	{ "link, to write", spoil_link, true, ELOOP, "is a symbolic link" },
	{ "dangling link", spoil_dangling, false, ELOOP, "symbolic link" },
	{ "dangling link, to write", spoil_dangling, true, ELOOP,
	    "symbolic link" },
	{ "directory instead", spoil_directory, true, EISDIR,
	    "store.db: is a directory" },
	{ "FIFO", spoil_fifo, false, EPERM, "is no regular file" },
	{ "hard link", spoil_hard_link, false, EPERM, "has 2 names" },
	{ "mode", spoil_mode, false, EPERM,
	    "has mode 0640; others could reach it: chmod 0600" },
	{ "empty", spoil_empty, false, ENOENT, "is empty" },
	{ "short text", spoil_short_text, true, EUCLEAN, "is no database" },
	{ "short text, to read", spoil_short_text, false, EUCLEAN,
	    "is no database" },
	{ "text", spoil_text, true, EUCLEAN, "is no database" },
	{ "damaged", spoil_pages, false, EUCLEAN, "is damaged" },
	{ "damaged, to write", spoil_pages, true, EUCLEAN, "is damaged" },
	{ "another program's", spoil_other_program, true, EUCLEAN,
	    "something else" },
	{ "another store", spoil_other_store, true, EUCLEAN,
	    "(application_id 78, expected 77)" },
	{ "another version without a name", spoil_version_only, true, EUCLEAN,
	    "something else" },
};

static void
refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct ward_sqlite *store = NULL;
		struct err err = { 0 };
		struct scratch s;
		int r;

		scratch_make(&s);
		table[i].spoil(&s);
		r = ward_sqlite_open(
		    &things_kind, s.path, table[i].write, 100, &store, &err);
		check_error(
		    table[i].name, r, &err, table[i].errnum, table[i].fragment);
		if ((store != NULL) != (r == 0))
			fail_msg("%s: a handle with an error", table[i].name);
		ward_sqlite_close(store);
		scratch_remove(&s);
	}
}

/* A file that was text is still the same after it was refused. */
static void
refused_is_untouched(void **state)
{
	struct ward_sqlite *store = NULL;
	struct err err = { 0 };
	struct scratch s;
	char text[64] = { 0 };
	int fd;

	(void)state;
	scratch_make(&s);
	spoil_short_text(&s);
	assert_int_equal(
	    ward_sqlite_open(&things_kind, s.path, true, 100, &store, &err),
	    -EUCLEAN);
	fd = open(s.path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, text, sizeof(text) - 1), 15);
	assert_string_equal(text, "not a database\n");
	assert_int_equal(close(fd), 0);
	scratch_remove(&s);
}

/* The new file is nobody else's, whatever the umask. */
static void
made_private(void **state)
{
	mode_t old = umask(0);
	struct scratch s;
	struct stat st;
	char wal[310];
	struct ward_sqlite *store = NULL;
	struct err err = { 0 };

	(void)state;
	scratch_make(&s);
	check_ok(
	    ward_sqlite_open(&things_kind_wal, s.path, true, 100, &store, &err),
	    &err);
	check_ok(things_put(store, "a", &err), &err);
	(void)snprintf(wal, sizeof(wal), "%s-wal", s.path);
	assert_int_equal(stat(s.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(wal, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	ward_sqlite_close(store);
	(void)umask(old);
	scratch_remove(&s);
}

/* A link above the directory is the admin's business. */
static void
link_above(void **state)
{
	struct ward_sqlite *store = NULL;
	struct err err = { 0 };
	struct scratch s;
	struct scratch above;
	char link[300];
	char path[600];

	(void)state;
	scratch_make(&s);
	scratch_make(&above);
	things_make(s.path, &things_kind);
	(void)snprintf(link, sizeof(link), "%s/up", above.directory);
	*strrchr(s.directory, '/') = '\0';
	assert_int_equal(symlink(s.directory, link), 0);
	(void)snprintf(
	    path, sizeof(path), "%s%s", link, s.path + strlen(s.directory));
	check_ok(ward_sqlite_open(&things_kind, path, false, 100, &store, &err),
	    &err);
	assert_int_equal(things_count(store), 1);
	ward_sqlite_close(store);
	s.directory[strlen(s.directory)] = '/';
	scratch_remove(&s);
	scratch_remove(&above);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals),
		cmocka_unit_test(refused_is_untouched),
		cmocka_unit_test(made_private),
		cmocka_unit_test(link_above),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
