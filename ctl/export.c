/* SPDX-License-Identifier: ISC */
/*
 * wardctl export: what was refused and what is missing, a JSON object on each
 * line, once each, in the order in which they became what they are.  A line's
 * cursor says how far that is; a file that is written to has the last one.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/number.h"
#include "common/text.h"
#include "ctl/ctl.h"
#include "ctl/follow.h"
#include "ctl/show.h"
#include "ctl/stores.h"

/* Of a line: members are added without a new one. */
#define SCHEMA    1
#define ROWS      1000
#define LINE_SIZE ((size_t)256 * 1024)

/* In the order of the options in commands.c. */
enum { EXPORT_TO, EXPORT_AFTER, EXPORT_FOLLOW };

/* What every line begins with. */
static const struct ward_list_column head[] = {
	{ "schema", NULL, false },
	{ "cursor", NULL, false },
	{ "event", NULL, false },
};
#define N_HEAD      (sizeof(head) / sizeof(head[0]))
#define COLUMNS_MAX 32

static const struct ward_list_column gap_columns[] = {
	{ "account", NULL, false },
	{ "sandbox", NULL, false },
	{ "from", NULL, true },
	{ "to", NULL, true },
	{ "count", NULL, false },
	{ "what", NULL, false },
};

struct exporting {
	struct ward_violations *store; /* NULL: there is none yet */
	struct ward_list *violations, *gaps;
	int64_t sealed, gap; /* as far as it is printed */
	bool to_file;
};

static void
add_head(struct ward_list *list, const struct exporting *e, const char *event)
{
	ward_list_number(list, SCHEMA);
	ward_list_format(list, "%" PRId64 ".%" PRId64, e->sealed, e->gap);
	ward_list_text(list, event);
}

static int
on_sealed(void *context, const struct ward_violations_violation_row *row)
{
	struct exporting *e = context;

	e->sealed = row->sealed;
	add_head(e->violations, e, "violation");
	ward_show_violation(e->violations, row);
	return 0;
}

static int
on_gap(void *context, const struct ward_violations_gap_row *row)
{
	struct exporting *e = context;

	e->gap = row->id;
	add_head(e->gaps, e, "gap");
	ward_list_text(e->gaps, row->account);
	ward_list_text(e->gaps, row->gap.sandbox);
	ward_list_number(e->gaps, row->gap.from);
	ward_list_number(e->gaps, row->gap.to);
	if (row->gap.count < 0)
		ward_list_nothing(e->gaps);
	else
		ward_list_number(e->gaps, row->gap.count);
	ward_list_text(e->gaps, row->gap.what);
	return 0;
}

/* "123.4" */
static int
read_cursor(const char *text, struct exporting *e)
{
	char sealed[32];
	uint64_t numbers[2];
	size_t n = strcspn(text, ".");

	if (text[n] == '\0' || n >= sizeof(sealed))
		return -EINVAL;
	memcpy(sealed, text, n);
	sealed[n] = '\0';
	if (ward_number_parse(sealed, INT64_MAX, &numbers[0]) != 0 ||
	    ward_number_parse(text + n + 1, INT64_MAX, &numbers[1]) != 0)
		return -EINVAL;
	e->sealed = (int64_t)numbers[0];
	e->gap = (int64_t)numbers[1];
	return 0;
}

/* --- a file --- */

/* The cursor of a line, which is from another's file or from ours. */
static int
read_line(const char *line, size_t size, struct exporting *e)
{
	json_t *object = json_loadb(line, size, 0, NULL);
	const char *cursor =
	    json_string_value(json_object_get(object, "cursor"));
	int r = cursor == NULL ? -EINVAL : read_cursor(cursor, e);

	json_decref(object);
	return r;
}

/* The first line, as far as it was written. */
static bool
is_first_line(const char *text, size_t size)
{
	static const char begin[] = "{\"schema\":";

	return memcmp(text, begin,
		   size < sizeof(begin) - 1 ? size : sizeof(begin) - 1) == 0;
}

/* Just behind the last end of a line before at; 0 without one. */
static size_t
line_begin(const char *text, size_t at)
{
	while (at > 0 && text[at - 1] != '\n')
		at--;
	return at;
}

/*
 * Behind the last whole line: what comes after it was cut by whatever ended an
 * export, and is written again.
 */
static int
find_end(int fd, const char *path, struct exporting *e, struct err *err)
{
	_cleanup_free_ char *tail = malloc(LINE_SIZE);
	struct stat st;
	bool ours;

	if (tail == NULL)
		return ward_err_sys(err, ENOMEM, "export");
	if (fstat(fd, &st) != 0)
		return ward_err_sys(err, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return ward_err_set(err, EINVAL, "%s is no file", path);
	off_t from =
	    st.st_size > (off_t)LINE_SIZE ? st.st_size - (off_t)LINE_SIZE : 0;
	ssize_t n = pread(fd, tail, LINE_SIZE, from);
	if (n < 0)
		return ward_err_sys(err, errno, "%s", path);
	size_t end = line_begin(tail, (size_t)n);
	if (end > 0) {
		size_t begin = line_begin(tail, end - 1);
		ours = (begin > 0 || from == 0) &&
		    read_line(tail + begin, end - begin, e) == 0;
	} else {
		ours = from == 0 && is_first_line(tail, (size_t)n);
	}
	if (!ours)
		return ward_err_set(err, EINVAL,
		    "%s does not end with a line of an export's", path);
	if (ftruncate(fd, from + (off_t)end) != 0)
		return ward_err_sys(err, errno, "%s", path);
	return 0;
}

/* Standard output becomes the file. */
static int
open_file(const char *path, struct exporting *e, struct err *err)
{
	_cleanup_fd_ int fd = open(path,
	    O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK |
		O_CLOEXEC,
	    0600);

	if (fd < 0)
		return ward_err_sys(err, errno, "%s", path);
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return ward_err_set(
		    err, errno, "%s: another export writes to it", path);
	int r = find_end(fd, path, e, err);
	if (r == 0 && dup2(fd, STDOUT_FILENO) < 0)
		r = ward_err_sys(err, errno, "%s", path);
	e->to_file = r == 0;
	return r;
}

/* --- all of it --- */

/* Gaps first, so that what comes behind one is not taken for whole. */
static int
print_some(struct exporting *e, int *status, struct err *err)
{
	int r =
	    ward_violations_gaps_after(e->store, e->gap, ROWS, on_gap, e, err);

	if (r == 0)
		*status = ward_list_lines(e->gaps, true, false);
	if (r == 0 && *status == WARD_EXIT_OK)
		r = ward_violations_sealed_after(
		    e->store, e->sealed, ROWS, on_sealed, e, err);
	if (r == 0 && *status == WARD_EXIT_OK)
		*status = ward_list_lines(e->violations, true, false);
	if (r == 0 && *status == WARD_EXIT_OK && e->to_file &&
	    fdatasync(STDOUT_FILENO) != 0)
		r = ward_err_sys(err, errno, "standard output");
	return r;
}

static int
print_all(struct exporting *e, int *status, struct err *err)
{
	int64_t sealed, gap;
	int r = e->store != NULL
	    ? 0
	    : ward_stores_violations(WARD_VIOLATIONS_READ, &e->store, err);

	if (e->store == NULL)
		return r;
	do {
		sealed = e->sealed;
		gap = e->gap;
		r = print_some(e, status, err);
	} while (r == 0 && *status == WARD_EXIT_OK &&
	    (e->sealed != sealed || e->gap != gap));
	return r;
}

static int
run(const struct ward_ctl_args *args, struct exporting *e, int *status,
    struct err *err)
{
	bool follows = args->values[EXPORT_FOLLOW] != NULL;
	_cleanup_fd_ int follow_fd = follows ? ward_follow_open(err) : -1;
	int r = follows && follow_fd < 0 ? follow_fd : 0;

	if (r == 0 && args->values[EXPORT_TO] != NULL)
		r = open_file(args->values[EXPORT_TO], e, err);
	if (r == 0)
		r = print_all(e, status, err);
	while (r == 0 && *status == WARD_EXIT_OK && follows &&
	    ward_follow_wait(follow_fd))
		r = print_all(e, status, err);
	return r;
}

/* Of the head and these columns, which stay in all. */
static struct ward_list *
make_list(struct ward_list_column all[COLUMNS_MAX],
    const struct ward_list_column *columns, size_t n)
{
	assert(N_HEAD + n <= COLUMNS_MAX);
	memcpy(all, head, sizeof(head));
	memcpy(all + N_HEAD, columns, n * sizeof(*columns));
	return ward_list_new(all, N_HEAD + n);
}

static int
make_lists(struct exporting *e)
{
	static struct ward_list_column violations[COLUMNS_MAX];
	static struct ward_list_column gaps[COLUMNS_MAX];

	e->violations = make_list(violations, ward_show_violation_columns,
	    ward_show_n_violation_columns);
	e->gaps = make_list(
	    gaps, gap_columns, sizeof(gap_columns) / sizeof(gap_columns[0]));
	return e->violations == NULL || e->gaps == NULL ? -ENOMEM : 0;
}

int
ward_ctl_export(const struct ward_ctl_args *args)
{
	const char *after = args->values[EXPORT_AFTER];
	struct exporting e = { 0 };
	struct err err = { 0 };
	int status = WARD_EXIT_OK;
	char visible[64];

	if (after != NULL && args->values[EXPORT_TO] != NULL)
		return ward_ctl_misuse("a file says itself how far it is: "
				       "--after is without --to");
	if (after != NULL && read_cursor(after, &e) != 0)
		return ward_ctl_misuse("--after %s: not the cursor of a line",
		    ward_text_visible(visible, sizeof(visible), after));
	int r = make_lists(&e) == 0 ? run(args, &e, &status, &err)
				    : ward_err_sys(&err, ENOMEM, "export");
	ward_list_free(e.violations);
	ward_list_free(e.gaps);
	ward_violations_close(e.store);
	return r == 0 ? status : ward_ctl_fail_err(&err);
}
