/* SPDX-License-Identifier: ISC */
/* wardctl verify: holds the recorded violations against their chains. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/number.h"
#include "common/text.h"
#include "ctl/ctl.h"
#include "ctl/list.h"
#include "ctl/stores.h"
#include "ctl/when.h"

/* In the order of the options in commands.c. */
enum {
	VERIFY_SINCE,
	VERIFY_LOG,
	VERIFY_JSON,
};

static const struct ward_list_column columns[] = {
	{ "account", NULL, false },
	{ "sandbox", NULL, false },
	{ "chained", NULL, false },
	{ "open", NULL, false },
	{ "rows", NULL, false },
	{ "unlinked", NULL, false },
	{ "length", NULL, false },
	{ "head", NULL, false },
	{ "fault", NULL, false },
	{ "row", NULL, false },
	{ "first", NULL, false },
	{ "last", NULL, false },
	{ "text", NULL, false },
};

struct verify {
	struct ward_list *list; /* NULL: for people */
	char last[64];          /* the sandbox that was counted last */
	int64_t sandboxes, rows, open, older, faults, heads;
};

static const char *
fault_word(enum ward_chain_fault fault)
{
	switch (fault) {
	case WARD_CHAIN_CHANGED:
		return "changed";
	case WARD_CHAIN_REMOVED:
		return "removed";
	case WARD_CHAIN_CUT:
		return "cut";
	case WARD_CHAIN_UNCHAINED:
		return "unchained";
	case WARD_CHAIN_HEAD:
		return "head";
	}
	return "changed";
}

static void
fault_text(char *out, size_t size, const struct ward_violations_fault *f)
{
	intmax_t n = (intmax_t)(f->last - f->first + 1);

	switch (f->fault) {
	case WARD_CHAIN_CHANGED:
		(void)snprintf(out, size,
		    "row %jd is not what was recorded: it was edited or "
		    "moved%s",
		    (intmax_t)f->row,
		    f->first == 1 ? ", or its sandbox's row was" : "");
		break;
	case WARD_CHAIN_REMOVED:
		(void)snprintf(out, size,
		    "%jd row%s before row %jd %s gone, the chain's %jd to %jd",
		    n, n == 1 ? "" : "s", (intmax_t)f->row,
		    n == 1 ? "is" : "are", (intmax_t)f->first,
		    (intmax_t)f->last);
		break;
	case WARD_CHAIN_CUT:
		(void)snprintf(out, size,
		    "the last %jd row%s %s gone, the chain's %jd to %jd", n,
		    n == 1 ? "" : "s", n == 1 ? "is" : "are",
		    (intmax_t)f->first, (intmax_t)f->last);
		break;
	case WARD_CHAIN_UNCHAINED:
		(void)snprintf(out, size,
		    "row %jd is in no chain, though its sandbox has ended",
		    (intmax_t)f->row);
		break;
	case WARD_CHAIN_HEAD:
		(void)snprintf(out, size,
		    "the sandbox's own row is not what was recorded");
		break;
	}
}

static void
say_fault(const char *sandbox, const char *account, const char *text)
{
	char visible_sandbox[128], visible_account[128];

	(void)printf("sandbox %s of %s: %s\n",
	    ward_text_visible(
		visible_sandbox, sizeof(visible_sandbox), sandbox),
	    ward_text_visible(
		visible_account, sizeof(visible_account), account),
	    text);
}

static void
add_chain(struct ward_list *list, const struct ward_violations_chain_row *row,
    const struct ward_violations_fault *fault, const char *text)
{
	char hex[2 * WARD_SHA256_SIZE + 1];

	ward_list_text(list, row->account);
	ward_list_text(list, row->sandbox);
	ward_list_flag(list, row->is_chained);
	ward_list_flag(list, row->is_open);
	ward_list_number(list, row->rows);
	ward_list_number(list, row->unlinked);
	ward_list_number(list, row->length);
	if (row->is_chained)
		ward_sha256_hex(hex, row->head);
	ward_list_text(list, row->is_chained ? hex : NULL);
	if (fault == NULL) {
		for (int i = 0; i < 5; i++)
			ward_list_nothing(list);
		return;
	}
	ward_list_text(list, fault_word(fault->fault));
	if (fault->row == 0)
		ward_list_nothing(list);
	else
		ward_list_number(list, fault->row);
	ward_list_number(list, fault->first);
	ward_list_number(list, fault->last);
	ward_list_text(list, text);
}

static int
on_chain(void *context, const struct ward_violations_chain_row *row,
    const struct ward_violations_fault *fault)
{
	struct verify *v = context;
	char text[256] = "";

	/* the faults of one sandbox come one behind the other */
	if (strcmp(v->last, row->sandbox) != 0) {
		(void)snprintf(v->last, sizeof(v->last), "%s", row->sandbox);
		v->sandboxes++;
		v->rows += row->rows;
		if (!row->is_chained)
			v->older += row->unlinked;
		else if (row->is_open)
			v->open += row->unlinked;
	}
	if (fault != NULL) {
		v->faults++;
		fault_text(text, sizeof(text), fault);
	}
	if (v->list != NULL)
		add_chain(v->list, row, fault, text);
	else if (fault != NULL)
		say_fault(row->sandbox, row->account, text);
	return 0;
}

/* --- the log --- */

/* What the warden logs: sandbox/rows.c. */
#define LOGGED "ward: chain of sandbox "

struct logged {
	char *sandbox, *account; /* of the line */
	int64_t length;
	unsigned char head[WARD_SHA256_SIZE];
};

static bool
parse_hex(const char *text, unsigned char hash[WARD_SHA256_SIZE])
{
	static const char digits[] = "0123456789abcdef";

	if (strspn(text, digits) < (size_t)2 * WARD_SHA256_SIZE)
		return false;
	for (size_t i = 0; i < WARD_SHA256_SIZE; i++)
		hash[i] = (unsigned char)((strchr(digits, text[2 * i]) - digits)
			<< 4 |
		    (strchr(digits, text[2 * i + 1]) - digits));
	return true;
}

/* False for any other line. */
static bool
parse_line(char *line, struct logged *logged)
{
	char *rest = strstr(line, LOGGED);
	uint64_t length;

	if (rest == NULL)
		return false;
	logged->sandbox = rest + strlen(LOGGED);
	rest = strstr(logged->sandbox, " of ");
	if (rest == NULL)
		return false;
	*rest = '\0';
	logged->account = rest + strlen(" of ");
	rest = strstr(logged->account, ": ");
	if (rest == NULL)
		return false;
	*rest = '\0';
	char *number = rest + strlen(": ");
	rest = strchr(number, ' ');
	if (rest == NULL)
		return false;
	*rest = '\0';
	if (ward_number_parse(number, INT64_MAX, &length) != 0)
		return false;
	logged->length = (int64_t)length;
	return parse_hex(rest + 1, logged->head);
}

static void
add_logged(
    struct ward_list *list, const struct logged *logged, const char *text)
{
	char hex[2 * WARD_SHA256_SIZE + 1];

	ward_sha256_hex(hex, logged->head);
	ward_list_text(list, logged->account);
	ward_list_text(list, logged->sandbox);
	for (int i = 0; i < 4; i++)
		ward_list_nothing(list);
	ward_list_number(list, logged->length);
	ward_list_text(list, hex);
	ward_list_text(list, "log");
	ward_list_nothing(list);
	ward_list_number(list, logged->length);
	ward_list_number(list, logged->length);
	ward_list_text(list, text);
}

static int
hold_against_line(struct verify *v, struct ward_violations *store,
    const struct logged *logged, struct err *err)
{
	char text[128];
	int r = store == NULL ? 0
			      : ward_violations_was(store, logged->sandbox,
				    logged->length, logged->head, err);

	if (r < 0)
		return r;
	v->heads++;
	if (r > 0)
		return 0;
	v->faults++;
	(void)snprintf(text, sizeof(text),
	    "the log has another hash of the chain's row %jd, or it is gone",
	    (intmax_t)logged->length);
	if (v->list != NULL)
		add_logged(v->list, logged, text);
	else
		say_fault(logged->sandbox, logged->account, text);
	return 0;
}

static int
hold_against_log(struct verify *v, struct ward_violations *store,
    const char *path, struct err *err)
{
	FILE *log = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	struct logged logged;
	char *line = NULL;
	size_t size = 0;
	int r = 0;

	if (log == NULL)
		return ward_err_sys(err, errno, "%s", path);
	while (r == 0 && getline(&line, &size, log) >= 0)
		if (parse_line(line, &logged))
			r = hold_against_line(v, store, &logged, err);
	if (r == 0 && ferror(log))
		r = ward_err_sys(err, errno, "%s", path);
	free(line);
	if (log != stdin)
		(void)fclose(log);
	return r;
}

/* --- the command --- */

static void
say_result(const struct verify *v, bool with_log)
{
	if (v->open > 0)
		(void)printf(
		    "%jd rows are still counted, and in no chain yet\n",
		    (intmax_t)v->open);
	if (v->older > 0)
		(void)printf("%jd rows are not chained: an older version "
			     "wrote them\n",
		    (intmax_t)v->older);
	if (with_log)
		(void)printf("%jd lines of the log were held against them\n",
		    (intmax_t)v->heads);
	if (v->faults == 0)
		(void)printf("%jd rows of %jd sandboxes are what was "
			     "recorded\n",
		    (intmax_t)v->rows, (intmax_t)v->sandboxes);
	else
		(void)printf("%jd of what was recorded %s not hold\n",
		    (intmax_t)v->faults, v->faults == 1 ? "does" : "do");
}

static int
verify(struct verify *v, int64_t since, const char *log, struct err *err)
{
	struct ward_violations *store = NULL;
	int r = ward_stores_violations(WARD_VIOLATIONS_READ, &store, err);

	if (r == 0 && store != NULL)
		r = ward_violations_verify(store, since, on_chain, v, err);
	if (r == 0 && log != NULL)
		r = hold_against_log(v, store, log, err);
	ward_violations_close(store);
	return r;
}

int
ward_ctl_verify(const struct ward_ctl_args *args)
{
	const char *since = args->values[VERIFY_SINCE];
	const char *log = args->values[VERIFY_LOG];
	struct verify v = { 0 };
	struct err err = { 0 };
	int64_t from = 0;

	if (since != NULL &&
	    ward_when_parse(since, ward_wall_now(), &from) != 0)
		return ward_ctl_misuse("--since: neither a time such as 2h nor "
				       "a date such as 2026-05-04T12:30");
	if (args->values[VERIFY_JSON] != NULL) {
		v.list = ward_list_new(
		    columns, sizeof(columns) / sizeof(columns[0]));
		if (v.list == NULL)
			return ward_ctl_fail("no memory");
	}
	if (verify(&v, from, log, &err) != 0) {
		ward_list_free(v.list);
		return ward_ctl_fail_err(&err);
	}
	if (v.list == NULL)
		say_result(&v, log != NULL);
	int status = v.list == NULL ? ward_ctl_flush()
				    : ward_list_end(v.list, true, false);
	return v.faults > 0 ? WARD_EXIT_FAILED : status;
}
