/* SPDX-License-Identifier: ISC */
/* ward status. */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/ask.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/proxy.h"
#include "common/text.h"
#include "ctl/ctl.h"
#include "ctl/list.h"
#include "ctl/rules.h"

#define ANSWER_MS 5000

enum { STATUS_JSON };

static const char *const states[] = {
	[WARD_SANDBOX_CURRENT] = "current",
	[WARD_SANDBOX_STALE] = "stale",
	[WARD_SANDBOX_ENDING] = "ending",
	[WARD_SANDBOX_UNKNOWN] = "unknown",
};

static const char *
network_of(const struct ward_wire_about_is *m)
{
	return m->network == WARD_NET_NONE ? "none" : "filtered";
}

/* NULL where there is none. */
static const char *
proxy_of(const struct ward_wire_about_is *m)
{
	size_t n;
	const struct ward_variable *variables =
	    ward_proxy_variables((enum ward_net_kind)m->network, &n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(variables[i].name, "http_proxy") == 0)
			return variables[i].value;
	return NULL;
}

static int
ask_about(struct ward_wire_about_is *m, struct err *err)
{
	struct ward_wire wire;
	_cleanup_fd_ int fd = ward_ask_open(err);
	int r = fd < 0 ? fd : ward_wire_put_empty(&wire, WARD_WIRE_ABOUT);

	if (r == 0)
		r = ward_ask(fd, &wire, ward_now_ms() + ANSWER_MS, err);
	if (r == 0 && ward_wire_get_about_is(&wire, m) != 0)
		r = ward_err_set(err, EPROTO, "the warden says what is none");
	return r;
}

/* --- for people --- */

static void
print_writable(const struct ward_wire_about_is *m)
{
	const char *at = m->lists, *before = "writable   ";
	char path[16384];

	for (uint32_t i = 0; i < m->n_writable; i++) {
		ward_ctl_say(
		    "%s%s", before, ward_text_visible(path, sizeof(path), at));
		before = "           ";
		at += strlen(at) + 1;
	}
	if (m->more > 0)
		ward_ctl_say("%sand %u more", before, m->more);
}

static void
print_about(const struct ward_wire_about_is *m)
{
	const char *proxy = proxy_of(m);
	char since[64], ends[64];

	ward_list_time(since, sizeof(since), (int64_t)m->since, true);
	ward_ctl_say("account    %s", m->account);
	ward_ctl_say("profile    %s@%llu%s", m->profile,
	    (unsigned long long)m->revision,
	    m->state == WARD_SANDBOX_STALE
		? " (another one holds for new logins)"
		: "");
	ward_ctl_say("session    %s", m->session[0] == '\0' ? "-" : m->session);
	ward_ctl_say("sandbox    %s, since %s, %s", m->sandbox, since,
	    m->shared ? "shared by all sessions of the account"
		      : "of this session alone");
	if (m->ends != 0) {
		ward_list_time(ends, sizeof(ends), (int64_t)m->ends, true);
		ward_ctl_say("ends       %s", ends);
	}
	ward_ctl_say("network    %s%s", network_of(m),
	    m->network == WARD_NET_NONE ? ": nothing can be reached"
		: m->asks ? ": what the profile allows; the rest becomes a "
			    "request"
			  : ": what the profile allows");
	if (proxy != NULL)
		ward_ctl_say("proxy      %s%s", proxy,
		    m->network == WARD_NET_STEERED
			? ", and what does not ask it comes to it all the same"
			: ", and nothing without it");
	print_writable(m);
}

/* --- for programs --- */

static json_t *
time_json(uint64_t when)
{
	char text[64];

	if (when == 0)
		return json_null();
	ward_list_time(text, sizeof(text), (int64_t)when, false);
	return json_string(text);
}

static json_t *
writable_json(const struct ward_wire_about_is *m)
{
	json_t *list = json_array();
	const char *at = m->lists;

	for (uint32_t i = 0; list != NULL && i < m->n_writable; i++) {
		if (json_array_append_new(list, ward_visible_json(at)) != 0) {
			json_decref(list);
			list = NULL;
		}
		at += strlen(at) + 1;
	}
	return list;
}

static int
print_json(const struct ward_wire_about_is *m)
{
	json_t *whole = json_pack("{s:i, s:o, s:o?, s:o, s:o, s:I, s:s, s:s, "
				  "s:o, s:o, s:s, s:s?, s:s, s:o, s:i}",
	    "version", 1, "account", ward_visible_json(m->account), "session",
	    m->session[0] == '\0' ? NULL : json_string(m->session), "sandbox",
	    ward_visible_json(m->sandbox), "profile",
	    ward_visible_json(m->profile), "revision", (json_int_t)m->revision,
	    "state", states[m->state], "scope",
	    m->shared ? "account" : "session", "since", time_json(m->since),
	    "ends", time_json(m->ends), "network", network_of(m), "proxy",
	    proxy_of(m), "unlisted", m->asks ? "ask" : "deny", "writable",
	    writable_json(m), "writable_more", (int)m->more);
	if (whole == NULL)
		return ward_ctl_fail("no memory");
	int failed = json_dumpf(whole, stdout, JSON_INDENT(2));
	json_decref(whole);
	(void)putchar('\n');
	return failed == 0 ? ward_ctl_flush()
			   : ward_ctl_fail("standard output cannot be written");
}

int
ward_ctl_status(const struct ward_ctl_args *args)
{
	static struct ward_wire_about_is m;
	struct err err = { 0 };

	if (ask_about(&m, &err) != 0)
		return ward_ctl_fail_err(&err);
	if (args->values[STATUS_JSON] != NULL)
		return print_json(&m);
	print_about(&m);
	return ward_ctl_flush();
}
