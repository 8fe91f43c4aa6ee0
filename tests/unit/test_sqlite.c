/* SPDX-License-Identifier: ISC */
/* Opening a store: what is refused and how it is said, and migrations. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#include "db/sqlite.h"
#include "tests/unit/scratch.h"

enum {
	PUT,
	COUNT,
	BEGIN,
	COMMIT,
	ROLLBACK,
	PUT_NOTE,
	N_STATEMENTS,
};

static const char *const statements[N_STATEMENTS] = {
	[PUT] = "INSERT INTO things (name) VALUES (?)",
	[COUNT] = "SELECT count(*), max(name) FROM things",
	[BEGIN] = "BEGIN IMMEDIATE",
	[COMMIT] = "COMMIT",
	[ROLLBACK] = "ROLLBACK",
	[PUT_NOTE] = "INSERT INTO things (name, note) VALUES (?, ?)",
};

static const char *const sql[] = {
	"PRAGMA application_id = 77; PRAGMA user_version = 1;"
	"CREATE TABLE things (name TEXT PRIMARY KEY) STRICT;",
	"PRAGMA user_version = 2; ALTER TABLE things ADD COLUMN note TEXT;",
	"PRAGMA user_version = 3; CREATE TABLE more (id INTEGER) STRICT;",
};
static const char *const broken_sql[] = {
	"PRAGMA application_id = 77; PRAGMA user_version = 1;"
	"CREATE TABLE things (name TEXT PRIMARY KEY) STRICT;",
	"CREATE TABLE half (id INTEGER) STRICT; CREATE TABEL;",
};
static const char *const unnumbered_sql[] = {
	"PRAGMA application_id = 77; CREATE TABLE things (name TEXT) STRICT;",
};
static const char *const unnamed_sql[] = {
	"PRAGMA user_version = 1; CREATE TABLE things (name TEXT) STRICT;",
};
static const struct ward_migrations one = { sql, 1 };
static const struct ward_migrations three = { sql, 3 };
static const struct ward_migrations broken = { broken_sql, 2 };
static const struct ward_migrations unnumbered = { unnumbered_sql, 1 };
static const struct ward_migrations unnamed = { unnamed_sql, 1 };

#define KIND(migrations_, journal_)                                            \
	{                                                                      \
		77, migrations_, "PRAGMA journal_mode = " journal_, NULL,      \
		    statements, N_STATEMENTS                                   \
	}
static const struct ward_sqlite_kind kind = KIND(&one, "DELETE");
static const struct ward_sqlite_kind kind_wal = KIND(&three, "WAL");
static const struct ward_sqlite_kind kind_new = KIND(&three, "DELETE");
static const struct ward_sqlite_kind kind_broken = KIND(&broken, "DELETE");
static const struct ward_sqlite_kind kind_unnumbered =
    KIND(&unnumbered, "DELETE");
static const struct ward_sqlite_kind kind_unnamed = KIND(&unnamed, "DELETE");

static int
put(struct ward_sqlite *store, const char *name, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, store, PUT);
	ward_query_bind_text(&query, name);
	return ward_query_run(&query, NULL, err);
}

static int64_t
count(struct ward_sqlite *store)
{
	struct ward_query query;
	struct err err = { 0 };
	int64_t n;

	ward_query_begin(&query, store, COUNT);
	check_error("count", ward_query_step(&query, &err) - 1, &err, 0, NULL);
	n = ward_query_take_int(&query);
	check_ok(ward_query_end(&query, &err), &err);
	return n;
}

/* A store with one row. */
static void
make_store(const char *path, const struct ward_sqlite_kind *which)
{
	struct ward_sqlite *store = NULL;
	struct err err = { 0 };

	check_ok(ward_sqlite_open(which, path, true, 100, &store, &err), &err);
	check_ok(put(store, "first", &err), &err);
	ward_sqlite_close(store);
}

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
	make_store(s->path, &kind);
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

	make_store(s->path, &kind);
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
	make_store(s->path, &kind);
	assert_int_equal(chmod(s->directory, 0750), 0);
}

static void
spoil_owner(struct scratch *s)
{
	make_store(s->path, &kind);
	if (geteuid() == 0)
		assert_int_equal(chown(s->directory, 65534, 65534), 0);
	else
		(void)snprintf(s->path, sizeof(s->path), "/store.db");
}

static void
spoil_file_owner(struct scratch *s)
{
	make_store(s->path, &kind);
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
	make_store(target, &kind);
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

	make_store(s->path, &kind);
	(void)snprintf(name, sizeof(name), "%s/other", s->directory);
	assert_int_equal(link(s->path, name), 0);
}

static void
spoil_mode(struct scratch *s)
{
	make_store(s->path, &kind);
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
	make_store(s->path, &kind);
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
		    &kind, s.path, table[i].write, 100, &store, &err);
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
	    ward_sqlite_open(&kind, s.path, true, 100, &store, &err), -EUCLEAN);
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
	    ward_sqlite_open(&kind_wal, s.path, true, 100, &store, &err), &err);
	check_ok(put(store, "a", &err), &err);
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
	make_store(s.path, &kind);
	(void)snprintf(link, sizeof(link), "%s/up", above.directory);
	*strrchr(s.directory, '/') = '\0';
	assert_int_equal(symlink(s.directory, link), 0);
	(void)snprintf(
	    path, sizeof(path), "%s%s", link, s.path + strlen(s.directory));
	check_ok(ward_sqlite_open(&kind, path, false, 100, &store, &err), &err);
	assert_int_equal(count(store), 1);
	ward_sqlite_close(store);
	s.directory[strlen(s.directory)] = '/';
	scratch_remove(&s);
	scratch_remove(&above);
}

static void
readers_do_not_write(void **state)
{
	struct ward_sqlite *store = NULL;
	struct err err = { 0 };
	struct scratch s;

	(void)state;
	scratch_make(&s);
	make_store(s.path, &kind);
	check_ok(
	    ward_sqlite_open(&kind, s.path, false, 100, &store, &err), &err);
	check_error("put", put(store, "second", &err), &err, EROFS,
	    "cannot be written");
	assert_int_equal(count(store), 1);
	ward_sqlite_close(store);
	scratch_remove(&s);
}

static int64_t
now_ms(void)
{
	struct timespec ts;

	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &ts), 0);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void
locked(void **state)
{
	struct ward_sqlite *store = NULL;
	struct ward_sqlite *other = NULL;
	struct err err = { 0 };
	struct scratch s;
	sqlite3 *db = NULL;
	int64_t begun;

	(void)state;
	scratch_make(&s);
	make_store(s.path, &kind);
	check_ok(ward_sqlite_open(&kind, s.path, true, 50, &store, &err), &err);
	assert_int_equal(sqlite3_open(s.path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	begun = now_ms();
	check_error("write", put(store, "x", &err), &err, EBUSY,
	    "another process holds its lock");
	err.code = 0;
	check_error("open",
	    ward_sqlite_open(&kind, s.path, false, 50, &other, &err), &err,
	    EBUSY, "another process holds its lock");
	if (now_ms() - begun < 80 || now_ms() - begun > 5000)
		fail_msg("waited %lld ms, not twice 50",
		    (long long)(now_ms() - begun));
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	err.code = 0;
	check_ok(put(store, "x", &err), &err);
	assert_int_equal(count(store), 2);
	ward_sqlite_close(store);
	scratch_remove(&s);
}

/* Writes until the pages are used up: an error, and nothing half there. */
static void
full(void **state)
{
	struct ward_sqlite *store = NULL;
	struct err err = { 0 };
	struct scratch s;
	char name[2048];
	int r = 0;
	int n = 0;

	(void)state;
	scratch_make(&s);
	make_store(s.path, &kind);
	check_ok(ward_sqlite_open(&kind, s.path, true, 50, &store, &err), &err);
	assert_int_equal(sqlite3_exec(store->db, "PRAGMA max_page_count = 20",
			     NULL, NULL, NULL),
	    SQLITE_OK);
	check_ok(ward_sqlite_run(store, BEGIN, &err), &err);
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	while (r == 0 && n < 1000) {
		name[0] = (char)('a' + n % 26);
		name[1] = (char)('a' + n / 26);
		r = put(store, name, &err);
		n++;
	}
	check_error("full", r, &err, ENOSPC, "no space left for it");
	ward_sqlite_rollback(store, ROLLBACK);
	ward_sqlite_rollback(store, ROLLBACK);
	assert_int_equal(count(store), 1);
	ward_sqlite_close(store);
	scratch_remove(&s);
}

static void
query_errors(void **state)
{
	struct ward_sqlite *store = NULL;
	struct ward_query query;
	struct err err = { 0 };
	struct scratch s;

	(void)state;
	scratch_make(&s);
	make_store(s.path, &kind);
	check_ok(ward_sqlite_open(&kind, s.path, true, 50, &store, &err), &err);
	check_error("twice", put(store, "first", &err), &err, EINVAL, "UNIQUE");
	err.code = 0;
	check_error("no such column", ward_sqlite_run(store, PUT_NOTE, &err),
	    &err, EIO, "note");
	err.code = 0;
	/* one parameter too many: kept until the step */
	ward_query_begin(&query, store, PUT);
	ward_query_bind_text(&query, "a");
	ward_query_bind_int(&query, 1);
	check_error("too many", ward_query_run(&query, NULL, &err), &err, EIO,
	    "store.db");
	err.code = 0;
	check_ok(put(store, "a", &err), &err);
	assert_int_equal(count(store), 2);
	ward_sqlite_close(store);
	scratch_remove(&s);
}

static void
moved(void **state)
{
	struct ward_sqlite *store = NULL;
	struct err err = { 0 };
	struct scratch s;

	(void)state;
	scratch_make(&s);
	check_ok(ward_sqlite_open(&kind, s.path, true, 50, &store, &err), &err);
	assert_false(ward_sqlite_is_moved(store));
	assert_int_equal(unlink(s.path), 0);
	assert_true(ward_sqlite_is_moved(store));
	ward_sqlite_close(store);
	scratch_remove(&s);
}

static int64_t
version(const char *path)
{
	sqlite3_stmt *statement = NULL;
	sqlite3 *db = NULL;
	int64_t found;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL),
	    SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	found = sqlite3_column_int64(statement, 0);
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return found;
}

/* Up by opening, by readers too; an old program goes on with a new schema. */
static void
older_and_newer(void **state)
{
	struct ward_sqlite *old = NULL;
	struct ward_sqlite *new = NULL;
	struct ward_query query;
	struct err err = { 0 };
	struct scratch s;

	(void)state;
	scratch_make(&s);
	make_store(s.path, &kind);
	check_ok(ward_sqlite_open(&kind, s.path, true, 50, &old, &err), &err);
	assert_int_equal(version(s.path), 1);
	check_ok(
	    ward_sqlite_open(&kind_new, s.path, false, 50, &new, &err), &err);
	assert_int_equal(version(s.path), 3);
	check_error("reader", put(new, "x", &err), &err, EROFS, NULL);
	ward_sqlite_close(new);
	err.code = 0;
	check_ok(put(old, "by the old one", &err), &err);
	ward_sqlite_close(old);
	check_ok(ward_sqlite_open(&kind, s.path, true, 50, &old, &err), &err);
	check_ok(put(old, "by a new open of the old one", &err), &err);
	ward_sqlite_close(old);
	assert_int_equal(version(s.path), 3);
	check_ok(
	    ward_sqlite_open(&kind_new, s.path, true, 50, &new, &err), &err);
	ward_query_begin(&query, new, PUT_NOTE);
	ward_query_bind_text(&query, "by the new one");
	ward_query_bind_text(&query, "noted");
	check_ok(ward_query_run(&query, NULL, &err), &err);
	assert_int_equal(count(new), 4);
	ward_sqlite_close(new);
	scratch_remove(&s);
}

struct bad_migration {
	const char *name;
	const struct ward_sqlite_kind *kind;
	int errnum;
	int64_t version; /* that stands afterwards */
	const char *fragment;
};

static const struct bad_migration bad_migrations[] = {
	{ "does not compile", &kind_broken, EIO, 1, "syntax error" },
	{ "sets no version", &kind_unnumbered, EINVAL, 0,
	    "migration 1 leads to version 0" },
	{ "sets no application_id", &kind_unnamed, EUCLEAN, 1,
	    "something else" },
};

/* Each migration is whole or not there. */
static void
migrations_that_fail(void **state)
{
	(void)state;
	for (size_t i = 0;
	     i < sizeof(bad_migrations) / sizeof(bad_migrations[0]); i++) {
		const struct bad_migration *bad = &bad_migrations[i];
		struct ward_sqlite *store = NULL;
		struct err err = { 0 };
		struct scratch s;
		sqlite3 *db = NULL;

		scratch_make(&s);
		check_error(bad->name,
		    ward_sqlite_open(bad->kind, s.path, true, 50, &store, &err),
		    &err, bad->errnum, bad->fragment);
		if (version(s.path) != bad->version)
			fail_msg("%s: version %lld", bad->name,
			    (long long)version(s.path));
		assert_int_equal(sqlite3_open(s.path, &db), SQLITE_OK);
		assert_int_equal(
		    sqlite3_exec(db, "SELECT * FROM half", NULL, NULL, NULL),
		    SQLITE_ERROR);
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
		scratch_remove(&s);
	}
}

/* Many processes find no file, and all of them get a whole store. */
static void
made_by_many(void **state)
{
	enum { ROUNDS = 10, PROCESSES = 6 };

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const struct ward_sqlite_kind *which =
		    round % 2 == 0 ? &kind_wal : &kind_new;
		pid_t children[PROCESSES];
		struct ward_sqlite *store = NULL;
		struct err err = { 0 };
		struct scratch s;
		int pipes[2];

		scratch_make(&s);
		assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
		for (int i = 0; i < PROCESSES; i++) {
			char name[] = { (char)('a' + i), '\0' };
			char go;

			children[i] = fork();
			assert_true(children[i] >= 0);
			if (children[i] != 0)
				continue;
			/* all at once: when the pipe ends */
			(void)close(pipes[1]);
			(void)read(pipes[0], &go, 1);
			if (ward_sqlite_open(which, s.path, true, 10000, &store,
				&err) != 0 ||
			    put(store, name, &err) != 0) {
				(void)fprintf(stderr, "%s\n", err.text);
				_exit(1);
			}
			ward_sqlite_close(store);
			_exit(0);
		}
		(void)close(pipes[0]);
		(void)close(pipes[1]);
		for (int i = 0; i < PROCESSES; i++) {
			int status = -1;

			assert_int_equal(
			    waitpid(children[i], &status, 0), children[i]);
			if (status != 0)
				fail_msg(
				    "round %d: process %d failed", round, i);
		}
		check_ok(
		    ward_sqlite_open(which, s.path, false, 100, &store, &err),
		    &err);
		assert_int_equal(count(store), PROCESSES);
		ward_sqlite_close(store);
		assert_int_equal(version(s.path), 3);
		scratch_remove(&s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals),
		cmocka_unit_test(refused_is_untouched),
		cmocka_unit_test(made_private),
		cmocka_unit_test(link_above),
		cmocka_unit_test(readers_do_not_write),
		cmocka_unit_test(locked),
		cmocka_unit_test(full),
		cmocka_unit_test(query_errors),
		cmocka_unit_test(moved),
		cmocka_unit_test(older_and_newer),
		cmocka_unit_test(migrations_that_fail),
		cmocka_unit_test(made_by_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
