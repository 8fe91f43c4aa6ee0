/* SPDX-License-Identifier: ISC */
/* What commands list. */
#include "config.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/text.h"
#include "ctl/ctl.h"
#include "ctl/list.h"

#define CELL_SIZE 16384
#define GAP       2

/* Characters of a cell in a table: what is longer loses its middle. */
#define WIDTH_MAX  80
#define WIDTH_HEAD 30
#define WIDTH_TAIL 47
#define SHOWN      (4 * WIDTH_MAX + 1)

struct ward_list {
	const struct ward_list_column *columns;
	size_t n_columns;
	json_t **cells; /* row by row */
	size_t n_cells;
	size_t room;
	bool no_memory;
};

struct ward_list *
ward_list_new(const struct ward_list_column *columns, size_t n_columns)
{
	struct ward_list *list = calloc(1, sizeof(*list));

	if (list == NULL)
		return NULL;
	list->columns = columns;
	list->n_columns = n_columns;
	return list;
}

static void
add_take(struct ward_list *list, json_t *cell)
{
	if (list->n_cells == list->room) {
		size_t room = list->room * 2 + 256;
		json_t **more =
		    reallocarray(list->cells, room, sizeof(json_t *));
		if (more != NULL) {
			list->cells = more;
			list->room = room;
		}
	}
	if (cell == NULL || list->n_cells == list->room) {
		list->no_memory = true;
		json_decref(cell);
		return;
	}
	list->cells[list->n_cells++] = cell;
}

void
ward_list_text(struct ward_list *list, const char *text)
{
	char visible[CELL_SIZE];

	if (text == NULL)
		ward_list_nothing(list);
	else
		add_take(list,
		    json_string(
			ward_text_visible(visible, sizeof(visible), text)));
}

void
ward_list_format(struct ward_list *list, const char *format, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, format);
	int n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0) {
		list->no_memory = true;
		return;
	}
	ward_list_text(list, text);
	free(text);
}

void
ward_list_number(struct ward_list *list, int64_t number)
{
	add_take(list, json_integer(number));
}

void
ward_list_flag(struct ward_list *list, bool flag)
{
	add_take(list, json_boolean(flag));
}

void
ward_list_nothing(struct ward_list *list)
{
	add_take(list, json_null());
}

bool
ward_list_is_empty(const struct ward_list *list)
{
	return list->n_cells == 0 && !list->no_memory;
}

void
ward_list_free(struct ward_list *list)
{
	if (list == NULL)
		return;
	for (size_t i = 0; i < list->n_cells; i++)
		json_decref(list->cells[i]);
	free(list->cells);
	free(list);
}

void
ward_list_time(char *out, size_t size, int64_t when, bool for_people)
{
	time_t seconds = when / 1000000;
	struct tm tm;

	out[0] = '\0';
	if (for_people) {
		if (localtime_r(&seconds, &tm) != NULL)
			(void)strftime(out, size, "%Y-%m-%d %H:%M:%S", &tm);
		return;
	}
	if (gmtime_r(&seconds, &tm) == NULL)
		return;
	size_t n = strftime(out, size, "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(out + n, size - n, ".%06dZ", (int)(when % 1000000));
}

/* --- JSON --- */

static json_t *
cell_json(const struct ward_list_column *column, json_t *cell)
{
	char text[64];

	if (!column->is_time || !json_is_integer(cell))
		return json_incref(cell);
	ward_list_time(text, sizeof(text), json_integer_value(cell), false);
	return json_string(text);
}

static json_t *
row_json(const struct ward_list *list, json_t *const *cells)
{
	json_t *row = json_object();

	for (size_t c = 0; row != NULL && c < list->n_columns; c++)
		if (list->columns[c].key != NULL &&
		    json_object_set_new(row, list->columns[c].key,
			cell_json(&list->columns[c], cells[c])) != 0) {
			json_decref(row);
			row = NULL;
		}
	return row;
}

/* Row by row, so that a long list is not held twice. */
static bool
print_json(const struct ward_list *list, size_t n_rows, bool last_first)
{
	(void)fputs("[", stdout);
	for (size_t i = 0; i < n_rows; i++) {
		size_t r = last_first ? n_rows - 1 - i : i;
		json_t *row = row_json(list, list->cells + r * list->n_columns);
		if (row == NULL)
			return false;
		(void)fputs(i == 0 ? "\n  " : ",\n  ", stdout);
		int failed = json_dumpf(row, stdout, JSON_COMPACT);
		json_decref(row);
		if (failed != 0)
			return false;
	}
	(void)fputs(n_rows == 0 ? "]\n" : "\n]\n", stdout);
	return true;
}

/* --- tables --- */

/* Characters, as far as a terminal is concerned. */
static size_t
width(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* Where the text goes on after n characters. */
static const char *
after(const char *text, size_t n)
{
	for (; *text != '\0'; text++)
		if (((unsigned char)*text & 0xc0) != 0x80 && n-- == 0)
			break;
	return text;
}

/* Its end says as much as its beginning: it is a path, mostly. */
static const char *
shorten(const char *text, char *out, size_t size)
{
	size_t n = width(text);

	if (n <= WIDTH_MAX)
		return text;
	(void)snprintf(out, size, "%.*s...%s",
	    (int)(after(text, WIDTH_HEAD) - text), text,
	    after(text, n - WIDTH_TAIL));
	return out;
}

static const char *
cell_text(const struct ward_list_column *column, const json_t *cell, char *out,
    size_t size)
{
	if (json_is_string(cell))
		return shorten(json_string_value(cell), out, size);
	if (json_is_boolean(cell))
		return json_is_true(cell) ? "yes" : "no";
	if (!json_is_integer(cell))
		return "-";
	if (column->is_time)
		ward_list_time(out, size, json_integer_value(cell), true);
	else
		(void)snprintf(
		    out, size, "%lld", (long long)json_integer_value(cell));
	return out;
}

static void
print_cell(const char *text, size_t column_width, bool is_last)
{
	(void)fputs(text, stdout);
	if (!is_last)
		(void)printf(
		    "%*s", (int)(column_width - width(text) + GAP), "");
	else
		(void)putchar('\n');
}

static bool
print_table(const struct ward_list *list, size_t n_rows, bool last_first,
    bool with_titles)
{
	size_t n = list->n_columns, last = 0;
	size_t *widths = calloc(n + 1, sizeof(*widths));
	char buffer[SHOWN];

	if (widths == NULL)
		return false;
	for (size_t c = 0; c < n; c++) {
		if (list->columns[c].title == NULL)
			continue;
		last = c;
		widths[c] = width(list->columns[c].title);
		for (size_t r = 0; r < n_rows; r++) {
			size_t w = width(cell_text(&list->columns[c],
			    list->cells[r * n + c], buffer, sizeof(buffer)));
			if (w > widths[c])
				widths[c] = w;
		}
	}
	for (size_t i = with_titles ? 0 : 1; i <= n_rows; i++) {
		size_t r = last_first ? n_rows - i : i - 1;
		for (size_t c = 0; c < n; c++)
			if (list->columns[c].title != NULL)
				print_cell(i == 0 ? list->columns[c].title
						  : cell_text(&list->columns[c],
							list->cells[r * n + c],
							buffer, sizeof(buffer)),
				    widths[c], c == last);
	}
	free(widths);
	return true;
}

static bool
print_json_lines(const struct ward_list *list, size_t n_rows)
{
	for (size_t r = 0; r < n_rows; r++) {
		json_t *row = row_json(list, list->cells + r * list->n_columns);
		int failed =
		    row == NULL ? -1 : json_dumpf(row, stdout, JSON_COMPACT);
		json_decref(row);
		if (failed != 0)
			return false;
		(void)putchar('\n');
	}
	return true;
}

int
ward_list_lines(struct ward_list *list, bool json, bool with_titles)
{
	size_t n_rows = list->n_cells / list->n_columns;
	bool done = !list->no_memory &&
	    (json ? print_json_lines(list, n_rows)
		  : print_table(list, n_rows, false, with_titles));

	for (size_t i = 0; i < list->n_cells; i++)
		json_decref(list->cells[i]);
	list->n_cells = 0;
	return done ? ward_ctl_flush() : ward_ctl_fail("no memory");
}

int
ward_list_end(struct ward_list *list, bool json, bool last_first)
{
	size_t n_rows = list->n_cells / list->n_columns;
	bool done = !list->no_memory &&
	    (json ? print_json(list, n_rows, last_first)
		  : print_table(list, n_rows, last_first, true));

	ward_list_free(list);
	return done ? ward_ctl_flush()
		    : ward_ctl_fail("no memory for a list this long: see "
				    "--limit");
}
