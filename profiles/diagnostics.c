/* SPDX-License-Identifier: ISC */
/* What is wrong with policy texts: a list of findings. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/diagnostics.h"

#define KEPT 100

static void
clear_one(struct ward_diagnostic *item)
{
	free(item->file);
	free(item->text);
}

int
ward_diagnostics_add(struct ward_diagnostics *list, enum ward_severity severity,
    const char *file, unsigned line, const char *format, ...)
{
	struct ward_diagnostic item = { .severity = severity, .line = line };
	struct ward_diagnostic *items;
	va_list args;
	int answer = severity == WARD_ERROR ? -EINVAL : 0;

	if (severity == WARD_ERROR)
		list->n_errors++;
	if (list->n >= KEPT) {
		list->n_dropped++;
		return answer;
	}
	va_start(args, format);
	if (vasprintf(&item.text, format, args) < 0)
		item.text = NULL;
	va_end(args);
	item.file = strdup(file);
	items = reallocarray(list->items, list->n + 1, sizeof(*items));
	if (items != NULL)
		list->items = items;
	if (item.text == NULL || item.file == NULL || items == NULL) {
		clear_one(&item);
		return -ENOMEM;
	}
	items[list->n++] = item;
	return answer;
}

int
ward_diagnostics_result(const struct ward_diagnostics *list, struct err *err)
{
	if (list->n_errors == 0)
		return 0;
	for (size_t i = 0; i < list->n; i++) {
		const struct ward_diagnostic *item = &list->items[i];

		if (item->severity != WARD_ERROR)
			continue;
		if (item->line == 0)
			return ward_err_set(
			    err, EINVAL, "%s: %s", item->file, item->text);
		return ward_err_set(err, EINVAL, "%s:%u: %s", item->file,
		    item->line, item->text);
	}
	/* warnings filled the list before the first error */
	return ward_err_set(err, EINVAL, "%zu errors", list->n_errors);
}

int
ward_diagnostics_print(const struct ward_diagnostics *list, FILE *out)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct ward_diagnostic *item = &list->items[i];
		char place[16] = "";

		if (item->line != 0)
			(void)snprintf(place, sizeof(place), ":%u", item->line);
		if (fprintf(out, "%s%s: %s%s\n", item->file, place,
			item->severity == WARD_WARNING ? "warning: " : "",
			item->text) < 0)
			return -EIO;
	}
	if (list->n_dropped > 0 &&
	    fprintf(out, "and %zu more findings\n", list->n_dropped) < 0)
		return -EIO;
	return 0;
}

void
ward_diagnostics_clear(struct ward_diagnostics *list)
{
	for (size_t i = 0; i < list->n; i++)
		clear_one(&list->items[i]);
	free(list->items);
	memset(list, 0, sizeof(*list));
}
