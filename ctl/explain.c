/* SPDX-License-Identifier: ISC */
/*
 * wardctl explain: what an account may do at a path, by the functions that a
 * sandbox is built with (sandbox/setup.c): the same plan, the same decision.
 * Hosts are explain_host.c's.
 */
#include "config.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "common/text.h"
#include "ctl/accounts.h"
#include "ctl/ctl.h"
#include "ctl/explain_host.h"
#include "ctl/rules.h"
#include "profiles/placing.h"
#include "profiles/plan.h"
#include "sandbox/alias.h"
#include "sandbox/mounts.h"
#include "sandbox/walk.h"

#define PATH_SIZE 16384

/* Before a path: what of a socket that is bound there? */
#define SOCKET_PREFIX "unix:"

enum { OPTION_ACCOUNT, OPTION_ADDRESS, OPTION_JSON };

/* An account's plan, and what it was made of. */
struct explained {
	struct ward_account account;
	struct ward_policy_found policy;
	struct ward_walk_account walk;
	struct ward_mounts mounts;
	struct ward_plan *plan; /* where a path is asked for */
	struct ward_explain_net net;
};

/* One path's answer. */
struct answer {
	const char *asked;
	struct ward_place place;
	struct ward_verdict verdict;
	bool has_verdict; /* not in a loop of links */
	bool is_socket;   /* then this one: */
	struct ward_socket_verdict socket;
	bool is_private;
};

static const char *const states[] = {
	[WARD_HIDDEN] = "hidden",
	[WARD_READABLE] = "readable",
	[WARD_WRITABLE] = "writable",
};

static const char *const socket_words[] = {
	[WARD_SOCKET_CLOSED] = "refused",
	[WARD_SOCKET_OWN] = "its own can be connected to",
	[WARD_SOCKET_OPEN] = "can be connected to",
};

static const char *const socket_states[] = {
	[WARD_SOCKET_CLOSED] = "closed",
	[WARD_SOCKET_OWN] = "own",
	[WARD_SOCKET_OPEN] = "open",
};

static const char *const kinds[] = {
	[WARD_FOUND_DIRECTORY] = "directory",
	[WARD_FOUND_FILE] = "file",
	[WARD_FOUND_SPECIAL] = "special",
	[WARD_FOUND_ABSENT] = "absent",
	[WARD_FOUND_LOOP] = "loop",
	[WARD_FOUND_UNREACHABLE] = "unreachable",
};

/* What is no path is a host. */
static bool
is_path(const char *operand)
{
	return operand[0] == '/' || operand[0] == '~' ||
	    strncmp(operand, SOCKET_PREFIX, sizeof(SOCKET_PREFIX) - 1) == 0;
}

static int
make_plan(struct explained *e, struct err *err)
{
	int r = ward_account_check_home(&e->account, err);

	if (r == 0)
		r = ward_mounts_read(&e->mounts, err);
	if (r != 0)
		return r;
	e->walk = (struct ward_walk_account){
		.uid = e->account.uid,
		.gid = e->account.gid,
		.home = e->account.home,
		.real_home = e->account.real_home,
		.mounts = &e->mounts,
	};
	const struct ward_plan_account account = {
		.name = e->account.name,
		.home = e->account.home,
	};
	const struct ward_resolver resolver = ward_walk_resolver(&e->walk);
	r = ward_plan_compile(
	    e->policy.profile, &account, &resolver, &e->plan, err);
	if (r == 0)
		r = ward_aliases_find(e->plan, &e->mounts, err);
	return r;
}

/* A plan for a profile is made if somebody asks for it. */
static int
prepare(struct explained *e, const char *name, bool with_plan, struct err *err)
{
	gid_t groups[WARD_ACCOUNT_GROUPS];
	size_t n = WARD_ACCOUNT_GROUPS;

	int r = ward_account_find(name, &e->account, err);
	if (r == 0)
		r = ward_account_groups(&e->account, groups, &n, err);
	if (r == 0)
		r = ward_account_policy(name, groups, n, &e->policy, err);
	if (r == 0)
		r = ward_explain_net_read(
		    &e->net, &e->account, &e->policy.profile->network, err);
	if (r != 0)
		return r;
	/* for the walks as the account; root's own rights need no group */
	if (setgroups(n, groups) != 0)
		return ward_err_sys(err, errno, "setgroups");
	return with_plan ? make_plan(e, err) : 0;
}

static void
explained_clear(struct explained *e)
{
	ward_explain_net_clear(&e->net);
	ward_plan_free(e->plan);
	ward_mounts_clear(&e->mounts);
	ward_policy_found_clear(&e->policy);
	ward_account_clear(&e->account);
}

/* Absolute: ~, and a relative path behind the prefix, is in the home. */
static char *
absolute(const struct explained *e, const char *path)
{
	char *made;

	if (path[0] == '/')
		made = strdup(path);
	else if (strcmp(path, "~") == 0)
		made = strdup(e->account.home);
	else
		made = ward_path_join(e->account.home,
		    strncmp(path, "~/", 2) == 0 ? path + 2 : path);
	if (made != NULL)
		ward_path_fold(made);
	return made;
}

static bool
has_dots(const char *path)
{
	size_t n = strlen(path);

	return strstr(path, "/../") != NULL ||
	    (n >= 3 && strcmp(path + n - 3, "/..") == 0);
}

static int
ask(const struct explained *e, const char *path, struct answer *answer,
    struct err *err)
{
	const struct ward_resolver resolver = ward_walk_resolver(&e->walk);
	const size_t prefix = sizeof(SOCKET_PREFIX) - 1;
	bool is_socket = strncmp(path, SOCKET_PREFIX, prefix) == 0;
	_cleanup_free_ char *whole =
	    absolute(e, is_socket ? path + prefix : path);

	*answer = (struct answer){ .asked = path, .is_socket = is_socket };
	if (whole == NULL)
		return ward_err_sys(err, ENOMEM, "explain");
	/* what the host has there is not what the sandbox has */
	if (ward_plan_is_private(whole) && !has_dots(whole)) {
		answer->place.found = WARD_FOUND_ABSENT;
		answer->place.path = ward_steal_pointer(&whole);
	} else {
		int r = resolver.resolve(
		    resolver.context, whole, &answer->place, err);
		if (r != 0)
			return r;
	}
	if (answer->place.path == NULL)
		return 0;
	answer->is_private = ward_plan_is_private(answer->place.path);
	answer->verdict = ward_plan_decide(e->plan, answer->place.path);
	answer->socket = ward_plan_decide_socket(e->plan, answer->place.path);
	answer->has_verdict = true;
	return 0;
}

/* --- for people --- */

static void
print_rule(const char *word, const struct ward_rule *rule)
{
	char path[PATH_SIZE], origin[600];

	ward_ctl_say("    %s %s \"%s\" (%s)", word,
	    ward_rule_kind_name(rule->kind),
	    ward_text_visible(path, sizeof(path), rule->path),
	    ward_origin_text(origin, sizeof(origin), &rule->origin));
}

static void
print_place(const struct answer *a)
{
	const char *asked =
	    a->asked + (a->is_socket ? sizeof(SOCKET_PREFIX) - 1 : 0);
	char one[PATH_SIZE], two[PATH_SIZE];

	for (size_t i = 0; i < a->place.n_links; i++)
		ward_ctl_say("    link %s -> %s",
		    ward_text_visible(one, sizeof(one), a->place.links[i].at),
		    ward_text_visible(
			two, sizeof(two), a->place.links[i].text));
	if (a->place.path == NULL)
		return;
	(void)ward_text_visible(one, sizeof(one), a->place.path);
	if (a->place.found == WARD_FOUND_UNREACHABLE)
		ward_ctl_say("    the account cannot search %s", one);
	else if (strcmp(a->place.path, asked) != 0)
		ward_ctl_say("    is %s", one);
	if (a->verdict.alias_of != NULL)
		ward_ctl_say("    another name of %s, by a mount",
		    ward_text_visible(two, sizeof(two), a->verdict.alias_of));
	if (a->is_private)
		ward_ctl_say("    each sandbox has its own");
	else if (a->place.found == WARD_FOUND_ABSENT)
		ward_ctl_say("    nothing is there");
}

/* Of a path that begins with SOCKET_PREFIX. */
static void
print_socket(const struct answer *a, const char *path)
{
	ward_ctl_say("%s: %s", path, socket_words[a->socket.state]);
	print_place(a);
	if (a->socket.state == WARD_SOCKET_CLOSED)
		ward_ctl_say("    no unix_sockets.allow names it (built-in)");
	else
		print_rule("by", a->socket.rule);
}

static void
print_answer(const struct answer *a)
{
	char path[PATH_SIZE];

	(void)ward_text_visible(path, sizeof(path), a->asked);
	if (!a->has_verdict) {
		ward_ctl_say("%s: a loop of links", path);
		print_place(a);
		return;
	}
	const struct ward_verdict *v = &a->verdict;
	if (a->is_socket) {
		print_socket(a, path);
		return;
	}
	assert(v->read != NULL && v->write != NULL);
	ward_ctl_say("%s: %s", path, states[v->state]);
	print_place(a);
	print_rule(
	    v->state == WARD_HIDDEN ? "hidden by" : "readable by", v->read);
	if (v->write != v->read)
		print_rule(v->state == WARD_WRITABLE ? "writable by"
						     : "writes refused by",
		    v->write);
}

/* --- for programs --- */

static json_t *
links_json(const struct ward_place *place)
{
	json_t *links = json_array();

	for (size_t i = 0; links != NULL && i < place->n_links; i++)
		if (json_array_append_new(links,
			json_pack("{s:o, s:o}", "at",
			    ward_visible_json(place->links[i].at), "text",
			    ward_visible_json(place->links[i].text))) != 0) {
			json_decref(links);
			links = NULL;
		}
	return links;
}

static json_t *
answer_json(const struct answer *a)
{
	const struct ward_verdict *v = &a->verdict;

	if (!a->has_verdict)
		return json_pack("{s:o, s:n, s:s, s:o, s:n}", "path",
		    ward_visible_json(a->asked), "resolved", "found",
		    kinds[a->place.found], "links", links_json(&a->place),
		    "state");
	if (a->is_socket)
		return json_pack("{s:o, s:o, s:s, s:b, s:o, s:s, s:o}", "path",
		    ward_visible_json(a->asked), "resolved",
		    ward_visible_json(a->place.path), "found",
		    kinds[a->place.found], "private", (int)a->is_private,
		    "links", links_json(&a->place), "socket",
		    socket_states[a->socket.state], "rule",
		    ward_rule_json(a->socket.rule));
	return json_pack("{s:o, s:o, s:s, s:b, s:o, s:o?, s:s, s:o, s:o, s:o}",
	    "path", ward_visible_json(a->asked), "resolved",
	    ward_visible_json(a->place.path), "found", kinds[a->place.found],
	    "private", (int)a->is_private, "links", links_json(&a->place),
	    "alias_of",
	    v->alias_of == NULL ? NULL : ward_visible_json(v->alias_of),
	    "state", states[v->state], "rule", ward_rule_json(v->rule), "read",
	    ward_rule_json(v->read), "write", ward_rule_json(v->write));
}

static int
explain_path(
    const struct explained *e, const char *path, json_t *list, struct err *err)
{
	struct answer answer;

	int r = ask(e, path, &answer, err);
	if (r == 0 && list == NULL)
		print_answer(&answer);
	else if (r == 0 &&
	    json_array_append_new(list, answer_json(&answer)) != 0)
		r = ward_err_sys(err, ENOMEM, "explain");
	ward_place_clear(&answer.place);
	return r;
}

static int
explain(const struct explained *e, const struct ward_ctl_args *args,
    json_t *list, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < args->n_operands; i++) {
		const char *operand = args->operands[i];
		r = is_path(operand)
		    ? explain_path(e, operand, list, err)
		    : ward_explain_host(&e->net, operand, list, err);
	}
	return r;
}

static bool
has_path(const struct ward_ctl_args *args)
{
	for (size_t i = 0; i < args->n_operands; i++)
		if (is_path(args->operands[i]))
			return true;
	return false;
}

static int
read_address(const char *text, struct in6_addr *address)
{
	struct ward_host host;
	const char *why;
	char visible[128];

	/* as it would be answered, not made canonical */
	if (inet_pton(AF_INET6, text, address) == 1)
		return WARD_EXIT_OK;
	if (ward_host_read(text, strlen(text), &host, &why) != 0 ||
	    host.kind == WARD_HOST_NAME)
		return ward_ctl_misuse("--address %s: not an address",
		    ward_text_visible(visible, sizeof(visible), text));
	*address = host.address;
	return WARD_EXIT_OK;
}

int
ward_ctl_explain(const struct ward_ctl_args *args)
{
	struct explained e = { .net.route_fd = -1 };
	const char *name = args->values[OPTION_ACCOUNT];
	const char *answer = args->values[OPTION_ADDRESS];
	struct in6_addr address;
	struct err err = { 0 };
	json_t *list = NULL;

	if (name == NULL)
		return ward_ctl_misuse("explain: --account is missing");
	if (answer != NULL && read_address(answer, &address) != WARD_EXIT_OK)
		return WARD_EXIT_USAGE;
	e.net.address = answer == NULL ? NULL : &address;
	if (args->values[OPTION_JSON] != NULL && (list = json_array()) == NULL)
		return ward_ctl_fail("no memory");
	int r = prepare(&e, name, has_path(args), &err);
	if (r == 0)
		r = explain(&e, args, list, &err);
	if (r == 0 && list != NULL) {
		if (json_dumpf(list, stdout, JSON_INDENT(2)) != 0)
			r = ward_err_sys(&err, EIO, "standard output");
		(void)putchar('\n');
	}
	json_decref(list);
	explained_clear(&e);
	return r == 0 ? ward_ctl_flush() : ward_ctl_fail_err(&err);
}
