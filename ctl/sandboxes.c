/* SPDX-License-Identifier: ISC */
/* wardctl sandboxes and end. */
#include "config.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "common/number.h"
#include "common/text.h"
#include "ctl/ctl.h"
#include "ctl/list.h"
#include "ctl/sandboxes.h"
#include "sandbox/inside.h"

/* In the order of the options in commands.c. */
enum { SANDBOXES_ACCOUNT, SANDBOXES_JSON };
enum { END_REASON, END_GRACE };

static const struct ward_list_column columns[] = {
	{ "since", "SINCE", true },
	{ "account", "ACCOUNT", false },
	{ "uid", NULL, false },
	{ "sandbox", "SANDBOX", false },
	{ "profile", NULL, false },
	{ "revision", NULL, false },
	{ NULL, "PROFILE", false },
	{ "state", "STATE", false },
	{ "sessions", "SESSIONS", false },
	{ "processes", "PROCESSES", false },
	{ "warden", "WARDEN", false },
	{ "until", "LINGERS UNTIL", true },
	{ "ends", "ENDS", true },
};

static const char *const states[] = {
	[WARD_SANDBOX_CURRENT] = "current",
	[WARD_SANDBOX_STALE] = "stale",
	[WARD_SANDBOX_ENDING] = "ending",
	[WARD_SANDBOX_UNKNOWN] = "unknown",
};

/* By its directory alone, where its warden says nothing. */
static void
add_silent(struct ward_list *list, const struct ward_live *live)
{
	const struct passwd *pw = getpwuid(live->uid);

	ward_list_nothing(list);
	ward_list_text(list, pw == NULL ? NULL : pw->pw_name);
	ward_list_number(list, live->uid);
	ward_list_text(list, live->id);
	for (int i = 0; i < 3; i++)
		ward_list_nothing(list);
	ward_list_text(list, "silent");
	for (int i = 0; i < 2; i++)
		ward_list_nothing(list);
	if (live->warden > 0)
		ward_list_number(list, live->warden);
	else
		ward_list_nothing(list);
	for (int i = 0; i < 2; i++)
		ward_list_nothing(list);
}

static void
add_moment(struct ward_list *list, uint64_t when)
{
	if (when == 0)
		ward_list_nothing(list);
	else
		ward_list_number(list, (int64_t)when);
}

static int
add_row(void *context, const struct ward_live *live, struct err *err)
{
	struct ward_list *list = context;
	const struct ward_wire_status_is *s = &live->status;

	(void)err;
	if (!live->answered) {
		add_silent(list, live);
		return 0;
	}
	ward_list_number(list, (int64_t)s->since);
	ward_list_text(list, s->account);
	ward_list_number(list, live->uid);
	ward_list_text(list, s->id);
	ward_list_text(list, s->profile);
	ward_list_number(list, (int64_t)s->revision);
	ward_list_format(
	    list, "%s@%llu", s->profile, (unsigned long long)s->revision);
	ward_list_text(list, states[s->state]);
	ward_list_number(list, s->sessions);
	ward_list_number(list, (int64_t)ward_inside_count((pid_t)s->init));
	ward_list_number(list, live->warden);
	add_moment(list, s->until);
	add_moment(list, s->ends);
	return 0;
}

/* A name of any user: one that is governed no longer may have one, too. */
static int
find_uid(const char *name, uid_t *uid)
{
	char visible[128];
	const struct passwd *pw = getpwnam(name);

	if (pw == NULL)
		return ward_ctl_fail("there is no user %s",
		    ward_text_visible(visible, sizeof(visible), name));
	*uid = pw->pw_uid;
	return WARD_EXIT_OK;
}

int
ward_ctl_sandboxes(const struct ward_ctl_args *args)
{
	const char *account = args->values[SANDBOXES_ACCOUNT];
	uid_t uid = (uid_t)-1;
	struct err err = { 0 };

	if (account != NULL && find_uid(account, &uid) != WARD_EXIT_OK)
		return WARD_EXIT_FAILED;
	struct ward_list *list =
	    ward_list_new(columns, sizeof(columns) / sizeof(columns[0]));
	if (list == NULL)
		return ward_ctl_fail("no memory");
	if (ward_live_each(uid, NULL, add_row, list, &err) != 0) {
		ward_list_free(list);
		return ward_ctl_fail_err(&err);
	}
	return ward_list_end(list, args->values[SANDBOXES_JSON] != NULL, false);
}

static int
parse_order(const struct ward_ctl_args *args, struct ward_wire_end *order)
{
	const char *reason = args->values[END_REASON];
	const char *grace = args->values[END_GRACE];
	char visible[128];
	uint64_t seconds = WARD_WIRE_GRACE;

	if (grace != NULL &&
	    ward_number_parse(grace, WARD_WIRE_GRACE_MAX, &seconds) != 0)
		return ward_ctl_misuse("--grace %s: not a number of seconds up "
				       "to %d",
		    ward_text_visible(visible, sizeof(visible), grace),
		    WARD_WIRE_GRACE_MAX);
	if (reason != NULL && strlen(reason) >= sizeof(order->reason))
		return ward_ctl_misuse(
		    "--reason: more than %zu bytes", sizeof(order->reason) - 1);
	order->grace = (uint32_t)seconds;
	(void)snprintf(order->reason, sizeof(order->reason), "%s",
	    reason == NULL ? "" : reason);
	return WARD_EXIT_OK;
}

int
ward_ctl_end(const struct ward_ctl_args *args)
{
	const char *name = args->operands[0];
	struct ward_ending ending = { .ended = 0 };
	struct err err = { 0 };
	uid_t uid = 0; /* never governed */

	int status = parse_order(args, &ending.order);
	if (status != WARD_EXIT_OK)
		return status;
	int r = ward_live_each((uid_t)-1, name, ward_live_end, &ending, &err);
	if (r == 0 && ending.ended == 0) {
		/* no sandbox's id: an account's name */
		if (find_uid(name, &uid) != WARD_EXIT_OK)
			return WARD_EXIT_FAILED;
		r = ward_live_each(uid, NULL, ward_live_end, &ending, &err);
	}
	if (r != 0)
		return ward_ctl_fail_err(&err);
	if (ending.ended == 0)
		ward_ctl_say("%s has no live sandbox", name);
	return ward_ctl_flush();
}
