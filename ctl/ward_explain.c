/* SPDX-License-Identifier: ISC */
/*
 * ward explain.  What a path is called is found here, as the account; what
 * holds for it the warden says.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/ask.h"
#include "common/cleanup.h"
#include "common/path.h"
#include "common/text.h"
#include "ctl/asked.h"
#include "ctl/ctl.h"
#include "ctl/list.h"

#define LINKS_MAX     40
#define VISIBLE_SIZE  16384
#define SOCKET_PREFIX "unix:"

enum { EXPLAIN_JSON };

static const char *const whats[] = {
	[WARD_EXPLAIN_PATH] = "path",
	[WARD_EXPLAIN_SOCKET] = "unix",
	[WARD_EXPLAIN_HOST] = "host",
};

static const char *const verdicts[] = {
	[WARD_EXPLAINED_HIDDEN] = "hidden",
	[WARD_EXPLAINED_READABLE] = "readable",
	[WARD_EXPLAINED_WRITABLE] = "writable",
	[WARD_EXPLAINED_CLOSED] = "closed",
	[WARD_EXPLAINED_OWN] = "own",
	[WARD_EXPLAINED_OPEN] = "open",
	[WARD_EXPLAINED_REFUSED] = "refused",
	[WARD_EXPLAINED_ALLOWED] = "allowed",
};

static const struct ward_list_column columns[] = {
	{ "asked", NULL, false },
	{ "kind", NULL, false },
	{ "resolved", NULL, false },
	{ "port", NULL, false },
	{ "verdict", NULL, false },
	{ "private", NULL, false },
	{ "ask", NULL, false },
	{ "list", NULL, false },
	{ "rule", NULL, false },
	{ "rule_file", NULL, false },
	{ "rule_line", NULL, false },
	{ "text", NULL, false },
};

struct asker {
	int fd;
	struct ward_list *list; /* NULL: for people */
};

static void
add_text(struct ward_list *list, const char *text)
{
	ward_list_text(list, text[0] == '\0' ? NULL : text);
}

static void
add_row(struct ward_list *list, const char *asked,
    const struct ward_wire_explain *q, const struct ward_wire_explain_is *m)
{
	bool is_host = q->what == WARD_EXPLAIN_HOST;

	ward_list_text(list, asked);
	ward_list_text(list, whats[q->what]);
	ward_list_text(list, is_host ? NULL : q->text);
	if (is_host)
		ward_list_number(list, q->port);
	else
		ward_list_nothing(list);
	ward_list_text(list, verdicts[m->verdict]);
	ward_list_flag(list, m->is_private);
	ward_list_flag(list, m->asks);
	add_text(list, m->list);
	add_text(list, m->rule);
	add_text(list, m->rule_file);
	ward_list_number(list, m->rule_line);
	add_text(list, m->text);
}

static void
print_row(const char *asked, const struct ward_wire_explain *q,
    const struct ward_wire_explain_is *m)
{
	char one[VISIBLE_SIZE], two[VISIBLE_SIZE];

	(void)ward_text_visible(one, sizeof(one), asked);
	if (q->what == WARD_EXPLAIN_HOST) {
		ward_ctl_say(
		    "%s at port %u: %s", one, q->port, verdicts[m->verdict]);
		ward_ctl_say(
		    "    %s", ward_text_visible(two, sizeof(two), m->text));
		return;
	}
	ward_ctl_say("%s: %s", one, verdicts[m->verdict]);
	if (strcmp(asked, q->text) != 0)
		ward_ctl_say(
		    "    is %s", ward_text_visible(one, sizeof(one), q->text));
	if (m->is_private)
		ward_ctl_say("    each sandbox has its own");
	(void)ward_text_visible(one, sizeof(one), m->rule);
	(void)ward_text_visible(two, sizeof(two), m->rule_file);
	if (m->rule_line == 0)
		ward_ctl_say("    by %s, which is built-in", m->list);
	else
		ward_ctl_say("    by %s \"%s\" (%s:%u)", m->list, one, two,
		    m->rule_line);
}

static int
ask(const struct asker *asker, const struct ward_wire_explain *q,
    struct ward_wire_explain_is *m, struct err *err)
{
	struct ward_wire wire;
	int r = ward_wire_put_explain(&wire, q);

	if (r != 0)
		return ward_err_set(err, -r, "it is too long");
	return ward_ask_explained(asker->fd, &wire, m, err);
}

static void
tell(const struct asker *asker, const char *asked,
    const struct ward_wire_explain *q, const struct ward_wire_explain_is *m)
{
	if (asker->list != NULL)
		add_row(asker->list, asked, q, m);
	else
		print_row(asked, q, m);
}

/* --- what a path is called --- */

struct way {
	char done[PATH_MAX]; /* canonical */
	char rest[PATH_MAX]; /* still to be walked */
};

static int
is_hidden(const struct asker *asker, const struct way *way, struct err *err)
{
	static struct ward_wire_explain_is m;
	static struct ward_wire_explain q;

	q = (struct ward_wire_explain){ .what = WARD_EXPLAIN_PATH };
	(void)snprintf(q.text, sizeof(q.text), "%s", way->done);
	if (!ward_path_append(q.text, sizeof(q.text), way->rest))
		return ward_err_set(err, ENAMETOOLONG, "it is too long");
	int r = ask(asker, &q, &m, err);
	return r == 0 ? m.verdict == WARD_EXPLAINED_HIDDEN : r;
}

/* Cuts the first component of the rest off. */
static bool
next_name(struct way *way, char name[PATH_MAX])
{
	const char *at = way->rest + strspn(way->rest, "/");
	size_t n = strcspn(at, "/");

	(void)snprintf(name, PATH_MAX, "%.*s", (int)n, at);
	memmove(way->rest, at + n, strlen(at + n) + 1);
	return n > 0;
}

/* 1: name is a link, and what it leads to comes before the rest; or -errno. */
static int
follow(struct way *way, const char *name)
{
	char place[PATH_MAX], target[PATH_MAX], rest[PATH_MAX];

	(void)snprintf(place, sizeof(place), "%s", way->done);
	if (!ward_path_append(place, sizeof(place), name))
		return -ENAMETOOLONG;
	ssize_t n = readlink(place, target, sizeof(target) - 1);
	/* EINVAL: it is there, and no link: readlink(2) */
	if (n <= 0)
		return n < 0 && errno != EINVAL ? -errno : 0;
	target[n] = '\0';
	(void)snprintf(rest, sizeof(rest), "%s", way->rest);
	if ((size_t)snprintf(way->rest, sizeof(way->rest), "%s/%s", target,
		rest) >= sizeof(way->rest))
		return -ENAMETOOLONG;
	if (target[0] == '/')
		(void)snprintf(way->done, sizeof(way->done), "/");
	return 1;
}

/*
 * Walks the rest as far as it is there; what is not is as it is spelt.  What is
 * hidden as it is spelt, also by a link, is not looked into: that would be an
 * attempt, and a refusal of its own.
 */
static int
resolve(const struct asker *asker, struct way *way, struct err *err)
{
	char name[PATH_MAX];
	int links = 0, r = is_hidden(asker, way, err);

	while (r == 0 && next_name(way, name)) {
		int found = 0;
		if (links == LINKS_MAX)
			found = -ELOOP;
		else if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
			found = follow(way, name);
		if (found == -ENAMETOOLONG)
			return ward_err_set(
			    err, ENAMETOOLONG, "it is too long");
		if (found == 1) {
			links++;
			r = is_hidden(asker, way, err);
			continue;
		}
		(void)ward_path_append(way->done, sizeof(way->done), name);
		if (found != 0)
			break;
	}
	if (r < 0)
		return r;
	return ward_path_append(way->done, sizeof(way->done), way->rest)
	    ? 0
	    : ward_err_set(err, ENAMETOOLONG, "it is too long");
}

static int
explain_path(const struct asker *asker, const char *asked, struct err *err)
{
	static struct ward_wire_explain q;
	static struct ward_wire_explain_is m;
	static struct way way;
	const size_t prefix = sizeof(SOCKET_PREFIX) - 1;
	bool is_socket = strncmp(asked, SOCKET_PREFIX, prefix) == 0;
	const char *text = is_socket ? asked + prefix : asked;
	const char *home = getenv("HOME");
	_cleanup_free_ char *path = text[0] == '/'
	    ? strdup(text)
	    : ward_path_join(home == NULL ? "/" : home,
		  strncmp(text, "~/", 2) == 0  ? text + 2
		      : strcmp(text, "~") == 0 ? ""
					       : text);

	if (path == NULL)
		return ward_err_sys(err, ENOMEM, "explain");
	if (strlen(path) >= sizeof(way.rest))
		return ward_err_set(err, ENAMETOOLONG, "it is too long");
	(void)snprintf(way.done, sizeof(way.done), "/");
	(void)snprintf(way.rest, sizeof(way.rest), "%s", path);
	int r = resolve(asker, &way, err);
	if (r != 0)
		return r;
	q = (struct ward_wire_explain){
		.what = is_socket ? WARD_EXPLAIN_SOCKET : WARD_EXPLAIN_PATH,
	};
	(void)snprintf(q.text, sizeof(q.text), "%s", way.done);
	r = ask(asker, &q, &m, err);
	if (r == 0)
		tell(asker, asked, &q, &m);
	return r;
}

static int
explain_host(const struct asker *asker, const char *text, struct err *err)
{
	static struct ward_wire_explain q;
	static struct ward_wire_explain_is m;
	struct ward_asked asked;
	int r = ward_asked_split(text, &asked);

	if (r != 0 || asked.ports[0] == 0)
		return ward_err_set(err, EINVAL, WARD_ASKED_NO_PORT);
	q = (struct ward_wire_explain){ .what = WARD_EXPLAIN_HOST };
	(void)snprintf(
	    q.text, sizeof(q.text), "%.*s", (int)asked.size, asked.text);
	for (size_t i = 0; r == 0 && i < asked.n_ports; i++) {
		q.port = asked.ports[i];
		r = ask(asker, &q, &m, err);
		if (r == 0)
			tell(asker, text, &q, &m);
	}
	return r;
}

static bool
is_path(const char *operand)
{
	return operand[0] == '/' || operand[0] == '~' ||
	    strncmp(operand, SOCKET_PREFIX, sizeof(SOCKET_PREFIX) - 1) == 0;
}

int
ward_ctl_ward_explain(const struct ward_ctl_args *args)
{
	struct asker asker = { 0 };
	struct err err = { 0 };
	_cleanup_fd_ int fd = ward_ask_open(&err);
	int r = 0;

	if (fd < 0)
		return ward_ctl_fail_err(&err);
	asker.fd = fd;
	if (args->values[EXPLAIN_JSON] != NULL) {
		asker.list = ward_list_new(
		    columns, sizeof(columns) / sizeof(columns[0]));
		if (asker.list == NULL)
			return ward_ctl_fail("no memory");
	}
	for (size_t i = 0; r == 0 && i < args->n_operands; i++)
		r = is_path(args->operands[i])
		    ? explain_path(&asker, args->operands[i], &err)
		    : explain_host(&asker, args->operands[i], &err);
	if (r != 0) {
		ward_list_free(asker.list);
		return ward_ctl_fail_err(&err);
	}
	return asker.list != NULL ? ward_list_end(asker.list, true, false)
				  : ward_ctl_flush();
}
