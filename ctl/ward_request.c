/* SPDX-License-Identifier: ISC */
/*
 * ward request.  The warden says whether there is anything to ask for, and
 * files it; nobody is waited for.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/ask.h"
#include "common/cleanup.h"
#include "common/text.h"
#include "ctl/asked.h"
#include "ctl/ctl.h"
#include "ctl/list.h"

#define VISIBLE_SIZE 16384

enum { REQUEST_REASON, REQUEST_JSON };

static const struct ward_list_column columns[] = {
	{ "asked", NULL, false },
	{ "port", NULL, false },
	{ "verdict", NULL, false },
	{ "filed", NULL, false },
	{ "text", NULL, false },
};

static int
fill(const struct ward_ctl_args *args, struct ward_wire_request *request,
    struct err *err)
{
	const char *reason = args->values[REQUEST_REASON];
	struct ward_asked asked;

	if (ward_asked_split(args->operands[0], &asked) != 0 ||
	    asked.ports[0] == 0)
		return ward_err_set(err, EINVAL, WARD_ASKED_NO_PORT);
	if (asked.size >= sizeof(request->host))
		return ward_err_set(err, EINVAL, "no host has such a name");
	if (reason == NULL || reason[0] == '\0')
		return ward_err_set(err, EINVAL,
		    "say what it is needed for, with --reason: an admin reads "
		    "it");
	if (strlen(reason) >= sizeof(request->reason))
		return ward_err_set(err, EMSGSIZE,
		    "the reason can have %zu bytes at most",
		    sizeof(request->reason) - 1);
	request->port = asked.ports[0];
	(void)snprintf(request->host, sizeof(request->host), "%.*s",
	    (int)asked.size, asked.text);
	(void)snprintf(request->reason, sizeof(request->reason), "%s", reason);
	return 0;
}

static int
ask(const struct ward_wire_request *request, struct ward_wire_explain_is *m,
    struct err *err)
{
	struct ward_wire wire;
	_cleanup_fd_ int fd = ward_ask_open(err);

	if (fd < 0)
		return fd;
	int r = ward_wire_put_request(&wire, request);
	if (r != 0)
		return ward_err_set(err, -r, "it is too long");
	return ward_ask_explained(fd, &wire, m, err);
}

static int
print_json(const struct ward_wire_request *request,
    const struct ward_wire_explain_is *m)
{
	struct ward_list *list =
	    ward_list_new(columns, sizeof(columns) / sizeof(columns[0]));

	if (list == NULL)
		return ward_ctl_fail("no memory");
	ward_list_text(list, request->host);
	ward_list_number(list, request->port);
	ward_list_text(
	    list, m->verdict == WARD_EXPLAINED_ALLOWED ? "allowed" : "refused");
	ward_list_flag(list, m->asks);
	ward_list_text(list, m->text);
	return ward_list_end(list, true, false);
}

static int
print(const struct ward_wire_request *request,
    const struct ward_wire_explain_is *m)
{
	char host[VISIBLE_SIZE], text[VISIBLE_SIZE];

	(void)ward_text_visible(host, sizeof(host), request->host);
	(void)ward_text_visible(text, sizeof(text), m->text);
	if (m->asks) {
		ward_ctl_say("%s at port %u: whoever runs this machine is "
			     "asked, and may approve it",
		    host, request->port);
		ward_ctl_say(
		    "    go on without it until "
		    "'ward explain' says that it is allowed; what they "
		    "refused before stays refused");
	} else {
		ward_ctl_say("%s at port %u: there is nothing to ask for", host,
		    request->port);
		ward_ctl_say("    %s", text);
	}
	return ward_ctl_flush();
}

int
ward_ctl_ward_request(const struct ward_ctl_args *args)
{
	static struct ward_wire_request request;
	static struct ward_wire_explain_is m;
	struct err err = { 0 };
	int r = fill(args, &request, &err);

	if (r == 0)
		r = ask(&request, &m, &err);
	if (r != 0)
		return ward_ctl_fail_err(&err);
	int status = args->values[REQUEST_JSON] != NULL
	    ? print_json(&request, &m)
	    : print(&request, &m);
	if (status == WARD_EXIT_OK && !m.asks &&
	    m.verdict != WARD_EXPLAINED_ALLOWED)
		return WARD_EXIT_FAILED;
	return status;
}
