/* SPDX-License-Identifier: ISC */
/* One SQLite database of Ward's: opening, statements, errors. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "db/sqlite.h"

struct meaning {
	int code; /* SQLite's primary one */
	int errnum;
	const char *text;
};

static const struct meaning meanings[] = {
	{ SQLITE_BUSY, EBUSY, "another process holds its lock" },
	{ SQLITE_LOCKED, EBUSY, "is in use by this process itself" },
	{ SQLITE_FULL, ENOSPC, "no space left for it" },
	{ SQLITE_CORRUPT, EUCLEAN,
	    "is damaged; move it away and restore it (ward(7), RECOVERY)" },
	{ SQLITE_NOTADB, EUCLEAN,
	    "is no database; move it away (ward(7), RECOVERY)" },
	{ SQLITE_READONLY, EROFS, "cannot be written" },
	{ SQLITE_PERM, EPERM, "access is refused" },
	{ SQLITE_NOMEM, ENOMEM, "out of memory" },
	{ SQLITE_TOOBIG, E2BIG, "a value is too long for it" },
};

/* For what has an errno of its own behind it. */
static int
system_error(sqlite3 *db, const char *path, const char *text, struct err *err)
{
	int errnum = sqlite3_system_errno(db);

	if (errnum == EDQUOT || errnum == ENOSPC)
		return ward_err_sys(
		    err, errnum, "%s: no space left for it", path);
	return ward_err_sys(err, errnum > 0 ? errnum : EIO, "%s: %s (%s)", path,
	    text, sqlite3_errmsg(db));
}

int
ward_sqlite_error(sqlite3 *db, int code, const char *path, struct err *err)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if ((code & 0xff) == meanings[i].code)
			return ward_err_set(err, meanings[i].errnum, "%s: %s",
			    path, meanings[i].text);
	if ((code & 0xff) == SQLITE_CANTOPEN)
		return system_error(db, path, "cannot be opened", err);
	if ((code & 0xff) == SQLITE_IOERR)
		return system_error(db, path, "input or output failed", err);
	if (code == SQLITE_CONSTRAINT_FOREIGNKEY)
		return ward_err_set(err, ENOENT,
		    "%s: what the row refers to is not there", path);
	if ((code & 0xff) == SQLITE_CONSTRAINT)
		return ward_err_set(
		    err, EINVAL, "%s: %s", path, sqlite3_errmsg(db));
	return ward_err_set(
	    err, EIO, "%s: %s (SQLite %d)", path, sqlite3_errmsg(db), code);
}

static int
check_kind(const char *path, const struct stat *st, mode_t kind,
    const char *name, struct err *err)
{
	if ((st->st_mode & S_IFMT) == kind)
		return 0;
	if (S_ISLNK(st->st_mode))
		return ward_err_set(
		    err, ELOOP, "%s: is a symbolic link, not a %s", path, name);
	if (S_ISDIR(st->st_mode))
		return ward_err_set(err, EISDIR, "%s: is a directory", path);
	return ward_err_set(
	    err, kind == S_IFDIR ? ENOTDIR : EPERM, "%s: is no %s", path, name);
}

/* Nobody else may read or change it: the store is as safe as its names. */
static int
check_owner(const char *path, const struct stat *st, mode_t forbidden,
    mode_t right, struct err *err)
{
	if (st->st_uid != geteuid())
		return ward_err_set(err, EPERM,
		    "%s: belongs to uid %u; only uid %u may own it", path,
		    st->st_uid, geteuid());
	if ((st->st_mode & forbidden) != 0)
		return ward_err_set(err, EPERM,
		    "%s: has mode %04o; others could reach it: chmod %04o",
		    path, st->st_mode & 07777u, right);
	return 0;
}

static int
check_file(int dfd, const char *path, bool write, struct err *err)
{
	const char *base = ward_path_base(path);
	struct stat st;
	int r;

	if (write) {
		/* Close on a file that SQLite has open would drop its locks;
		 * what O_EXCL made, nobody has open. */
		_cleanup_fd_ int fd = openat(dfd, base,
		    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

		if (fd < 0 && errno != EEXIST)
			return ward_err_sys(
			    err, errno, "%s: cannot be made", path);
	}
	if (fstatat(dfd, base, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return ward_err_sys(err, errno, "%s", path);
	r = check_kind(path, &st, S_IFREG, "regular file", err);
	if (r == 0)
		r = check_owner(path, &st, 07177, 0600, err);
	if (r == 0 && st.st_nlink != 1)
		r = ward_err_set(err, EPERM,
		    "%s: has %ju names (hard links); it may have one", path,
		    (uintmax_t)st.st_nlink);
	return r;
}

/*
 * Everything is checked here, and the path is made one without links: SQLite
 * would refuse a link in any component, and /var may be one.
 */
static int
check_path(const char *path, bool write, char **real, struct err *err)
{
	_cleanup_free_ char *directory = NULL;
	_cleanup_free_ char *resolved = NULL;
	_cleanup_fd_ int dfd = -1;
	struct stat st;
	int r;

	if (path[0] != '/' || ward_path_base(path)[0] == '\0')
		return ward_err_set(
		    err, EINVAL, "%s: is no absolute path of a file", path);
	directory = strdup(path);
	if (directory == NULL)
		return ward_err_sys(err, ENOMEM, "%s", path);
	ward_path_to_parent(directory);
	dfd = open(directory, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (dfd < 0 || fstat(dfd, &st) != 0)
		return ward_err_sys(err, errno, "%s", directory);
	r = check_kind(directory, &st, S_IFDIR, "directory", err);
	if (r == 0)
		r = check_owner(directory, &st, 0077, 0700, err);
	if (r == 0)
		r = check_file(dfd, path, write, err);
	if (r != 0)
		return r;
	resolved = realpath(directory, NULL);
	if (resolved == NULL)
		return ward_err_sys(err, errno, "%s", directory);
	*real = ward_path_join(resolved, ward_path_base(path));
	if (*real == NULL)
		return ward_err_sys(err, ENOMEM, "%s", path);
	return 0;
}

struct switch_ {
	int option;
	int value;
};

/* The file is root's alone; this is for the day when that was not so. */
static int
harden(sqlite3 *db)
{
	static const struct switch_ switches[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_FKEY, 1 },
		{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
		{ SQLITE_DBCONFIG_DQS_DML, 0 },
		{ SQLITE_DBCONFIG_DQS_DDL, 0 },
	};
	int code = SQLITE_OK;

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		int now = -1;

		code = sqlite3_db_config(
		    db, switches[i].option, switches[i].value, &now);
		if (code == SQLITE_OK && now != switches[i].value)
			code = SQLITE_ERROR;
		if (code != SQLITE_OK)
			break;
	}
	return code;
}

static int
pragma(struct ward_sqlite *store, const char *sql, struct err *err)
{
	int code = SQLITE_OK;

	if (sql != NULL)
		code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
	if (code != SQLITE_OK)
		return ward_sqlite_error(store->db, code, store->path, err);
	return 0;
}

/* An older schema is brought up by readers too: an upgrade of the program
 * must not refuse logins until somebody writes. */
static int
prepare_schema(struct ward_sqlite *store, bool write, struct err *err)
{
	const struct ward_sqlite_kind *kind = store->kind;
	enum ward_migrate_state state;
	int r = ward_migrate_look(store->db, store->path, kind->application_id,
	    kind->migrations, &state, err);

	if (r != 0 || state == WARD_MIGRATE_CURRENT)
		return r;
	if (state == WARD_MIGRATE_EMPTY && !write)
		return ward_err_set(err, ENOENT, "%s: is empty", store->path);
	r = pragma(store, kind->journal, err);
	if (r == 0)
		r = ward_migrate_run(store->db, store->path,
		    kind->application_id, kind->migrations, err);
	return r;
}

static int64_t
now_ms(void)
{
	struct timespec ts = { 0, 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/*
 * SQLite does not wait where it sees a deadlock between two that both want to
 * change the journal mode: so this does, by beginning anew.
 */
static int
prepare_schema_wait(
    struct ward_sqlite *store, bool write, unsigned timeout_ms, struct err *err)
{
	static const struct timespec nap = { 0, 2000000 };
	int64_t deadline = now_ms() + timeout_ms;

	for (;;) {
		struct err one = { 0 };
		int r = prepare_schema(store, write, &one);

		if (r == 0)
			return 0;
		if (r != -EBUSY || now_ms() >= deadline)
			return ward_err_set(err, -r, "%s", one.text);
		(void)nanosleep(&nap, NULL);
	}
}

static int
open_checked(
    struct ward_sqlite *store, bool write, unsigned timeout_ms, struct err *err)
{
	static const char common[] = "PRAGMA cell_size_check = ON;"
				     "PRAGMA mmap_size = 0;"
				     "PRAGMA temp_store = MEMORY;";
	int code = sqlite3_open_v2(store->path, &store->db,
	    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX |
		SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE,
	    NULL);
	int r;

	if (code == SQLITE_OK)
		code = harden(store->db);
	if (code == SQLITE_OK)
		code = sqlite3_busy_timeout(store->db,
		    timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms);
	if (code != SQLITE_OK)
		return ward_sqlite_error(store->db, code, store->path, err);
	r = pragma(store, common, err);
	if (r == 0)
		r = pragma(store, store->kind->pragmas, err);
	if (r == 0)
		r = prepare_schema_wait(store, write, timeout_ms, err);
	if (r == 0 && !write)
		r = pragma(store, "PRAGMA query_only = ON", err);
	return r;
}

int
ward_sqlite_open(const struct ward_sqlite_kind *kind, const char *path,
    bool write, unsigned timeout_ms, struct ward_sqlite **out, struct err *err)
{
	struct ward_sqlite *store = calloc(1, sizeof(*store));
	int r;

	if (store == NULL)
		return ward_err_sys(err, ENOMEM, "%s", path);
	store->kind = kind;
	store->statements = calloc(kind->n_sql, sizeof(*store->statements));
	if (store->statements == NULL)
		r = ward_err_sys(err, ENOMEM, "%s", path);
	else
		r = check_path(path, write, &store->path, err);
	if (r == 0)
		r = open_checked(store, write, timeout_ms, err);
	if (r != 0) {
		ward_sqlite_close(store);
		return r;
	}
	*out = store;
	return 0;
}

void
ward_sqlite_close(struct ward_sqlite *store)
{
	if (store == NULL)
		return;
	for (size_t i = 0; store->statements != NULL && i < store->kind->n_sql;
	     i++)
		(void)sqlite3_finalize(store->statements[i]);
	free(store->statements);
	(void)sqlite3_close(store->db);
	free(store->path);
	free(store);
}

bool
ward_sqlite_is_moved(const struct ward_sqlite *store)
{
	int moved = 0;

	return sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED,
		   &moved) == SQLITE_OK &&
	    moved != 0;
}
