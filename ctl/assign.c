/* SPDX-License-Identifier: ISC */
/* Edits the text of assignments.conf. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/places.h"
#include "ctl/assign.h"
#include "profiles/assignments.h"
#include "profiles/scan.h"

/* Where things are in the text; NULL: not there. */
struct layout {
	const char *inside; /* behind the ( of users */
	bool is_empty;      /* nothing follows but its ) */
	const char *from;   /* the first entry of the user, */
	const char *to;     /* and behind it, its comma too */
	bool is_last;       /* no comma followed */
	const char *comma;  /* the one before it */
};

static bool
is_text(const struct ward_token *token, const char *text)
{
	return token->length == strlen(text) &&
	    strncmp(token->start, text, token->length) == 0;
}

/* "name" as the text has it, quotes included. */
static bool
is_string(const struct ward_token *token, const char *text)
{
	size_t n = strlen(text);

	return token->kind == WARD_TOKEN_STRING && token->length == n + 2 &&
	    strncmp(token->start + 1, text, n) == 0;
}

/* One { ... } of users, whose { has been read. */
static int
find_entry(
    struct ward_scan *scan, const char *user, bool *is_users, const char **end)
{
	struct ward_token token, key = { 0 };

	*is_users = false;
	for (;;) {
		int r = ward_scan_next(scan, &token);
		if (r != 0)
			return r;
		if (token.kind == WARD_TOKEN_END)
			return -EINVAL;
		if (token.kind == WARD_TOKEN_NAME)
			key = token;
		if (key.start != NULL && is_text(&key, "name") &&
		    is_string(&token, user))
			*is_users = true;
		if (token.kind == WARD_TOKEN_CLOSE) {
			*end = token.start + 1;
			return 0;
		}
	}
}

/* The list of users, whose ( has been read. */
static int
find_in_list(struct ward_scan *scan, const char *user, struct layout *layout)
{
	struct ward_token token = { 0 };
	const char *comma = NULL;

	for (;;) {
		int r = ward_scan_next(scan, &token);
		if (r != 0)
			return r;
		if (token.kind == WARD_TOKEN_END)
			return -EINVAL;
		if (token.kind == WARD_TOKEN_CLOSE)
			return 0;
		if (layout->from != NULL && layout->is_last &&
		    token.kind == WARD_TOKEN_COMMA) {
			layout->is_last = false;
			layout->to = token.start + 1;
		}
		if (token.kind == WARD_TOKEN_COMMA)
			comma = token.start;
		if (token.kind != WARD_TOKEN_OPEN)
			continue;
		layout->is_empty = false;
		const char *from = token.start, *end;
		bool is_users;
		r = find_entry(scan, user, &is_users, &end);
		if (r != 0)
			return r;
		if (is_users && layout->from == NULL) {
			layout->from = from;
			layout->to = end;
			layout->is_last = true;
			layout->comma = comma;
			continue;
		}
		if (layout->from != NULL)
			/* the comma behind it has been seen */
			layout->is_last = false;
	}
}

static int
find_layout(const char *text, const char *user, struct layout *layout,
    struct ward_diagnostics *findings)
{
	struct ward_scan scan = {
		.file = WARD_ASSIGNMENTS,
		.at = text,
		.line = 1,
		.last_line = 1,
		.findings = findings,
	};
	struct ward_token token;
	unsigned depth = 0;
	bool users = false;

	*layout = (struct layout){ .is_empty = true };
	for (;;) {
		int r = ward_scan_next(&scan, &token);
		if (r != 0 || token.kind == WARD_TOKEN_END)
			return r;
		if (depth == 0 && token.kind == WARD_TOKEN_NAME)
			users = is_text(&token, "users");
		if (token.kind == WARD_TOKEN_CLOSE && depth > 0)
			depth--;
		if (token.kind != WARD_TOKEN_OPEN)
			continue;
		if (depth > 0 || !users) {
			depth++;
			continue;
		}
		layout->inside = token.start + 1;
		return find_in_list(&scan, user, layout);
	}
}

static int
parse(const char *text, struct ward_assignments *out, struct err *err)
{
	struct ward_diagnostics findings = { 0 };

	int r = ward_assignments_parse(
	    WARD_ASSIGNMENTS, text, strlen(text), out, &findings, err);
	ward_diagnostics_clear(&findings);
	return r;
}

/* The edited text says what was asked for, and all else as before. */
static int
verify(const struct ward_assignments *before, const char *made,
    const char *user, const char *profile, struct err *err)
{
	struct ward_assignments after = { 0 };
	size_t others = 0, others_after = 0;
	const char *now = NULL;

	int r = parse(made, &after, err);
	if (r != 0)
		return r;
	for (size_t i = 0; i < before->n; i++)
		others += before->items[i].kind != WARD_ASSIGNEE_USER ||
		    strcmp(before->items[i].name, user) != 0;
	for (size_t i = 0; i < after.n; i++) {
		const struct ward_assignment *a = &after.items[i];
		if (a->kind != WARD_ASSIGNEE_USER || strcmp(a->name, user) != 0)
			others_after++;
		else
			now = a->profile;
	}
	bool right = others == others_after &&
	    (profile == NULL ? now == NULL
			     : now != NULL && strcmp(now, profile) == 0);
	ward_assignments_clear(&after);
	if (right)
		return 0;
	return ward_err_set(err, EINVAL,
	    WARD_ASSIGNMENTS " is not written in a way that can be edited "
			     "here: edit it by hand, then 'wardctl profile "
			     "apply'");
}

/* The text without the entry that layout found. */
static char *
without(const char *text, const struct layout *l)
{
	const char *from = l->from, *to = l->to;
	char *made = NULL;

	if (l->is_last && l->comma != NULL)
		from = l->comma;
	/* and the blanks of a line that was its own */
	while (from > text && (from[-1] == ' ' || from[-1] == '\t'))
		from--;
	if (from > text && from[-1] == '\n' && *to == '\n')
		to++;
	if (asprintf(&made, "%.*s%s", (int)(from - text), text, to) < 0)
		return NULL;
	return made;
}

/* What stands between an entry that comes first and what was there. */
static const char *
behind(const struct layout *l)
{
	if (!l->is_empty)
		return ",";
	return l->inside[0] == '\n' ? "" : "\n";
}

static char *
with(const char *text, const struct layout *l, const char *user,
    const char *profile)
{
	size_t n = strlen(text);
	char *made = NULL;
	int r;

	if (l->inside == NULL)
		r = asprintf(&made,
		    "%s%susers:\n(\n\t{ name = \"%s\"; profile = \"%s\"; }\n"
		    ");\n",
		    text, n == 0 || text[n - 1] == '\n' ? "" : "\n", user,
		    profile);
	else
		r = asprintf(&made,
		    "%.*s\n\t{ name = \"%s\"; profile = \"%s\"; }%s%s",
		    (int)(l->inside - text), text, user, profile, behind(l),
		    l->inside);
	return r < 0 ? NULL : made;
}

static int
edit(const char *text, const char *user, const char *profile, char **out,
    struct err *err)
{
	struct ward_diagnostics findings = { 0 };
	struct layout layout;
	_cleanup_free_ char *made = strdup(text);

	for (;;) {
		if (made == NULL)
			return ward_err_sys(err, ENOMEM, WARD_ASSIGNMENTS);
		int r = find_layout(made, user, &layout, &findings);
		ward_diagnostics_clear(&findings);
		if (r != 0)
			return ward_err_set(
			    err, EINVAL, WARD_ASSIGNMENTS " cannot be read");
		if (layout.from == NULL)
			break;
		char *shorter = without(made, &layout);
		free(made);
		made = shorter;
	}
	*out = profile == NULL ? ward_steal_pointer(&made)
			       : with(made, &layout, user, profile);
	return *out == NULL ? ward_err_sys(err, ENOMEM, WARD_ASSIGNMENTS) : 0;
}

int
ward_assign_edit(const char *text, const char *user, const char *profile,
    char **out, struct err *err)
{
	struct ward_assignments before = { 0 };

	*out = NULL;
	/* what is wrong already is told with its line */
	int r = parse(text, &before, err);
	if (r != 0)
		return r;
	r = edit(text, user, profile, out, err);
	if (r == 0) {
		assert(*out != NULL);
		r = verify(&before, *out, user, profile, err);
	}
	ward_assignments_clear(&before);
	if (r != 0) {
		free(*out);
		*out = NULL;
	}
	return r;
}

int
ward_assign_find(
    const char *text, const char *user, char **profile, struct err *err)
{
	struct ward_assignments all = { 0 };

	*profile = NULL;
	int r = parse(text, &all, err);
	if (r != 0)
		return r;
	const struct ward_assignment *found =
	    ward_assignments_find(&all, user, NULL, 0);
	*profile = strdup(found == NULL || found->kind != WARD_ASSIGNEE_USER
		? ""
		: found->profile);
	ward_assignments_clear(&all);
	return *profile == NULL ? ward_err_sys(err, ENOMEM, WARD_ASSIGNMENTS)
				: 0;
}
