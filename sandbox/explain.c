/* SPDX-License-Identifier: ISC */
/* What the rules of a sandbox say, for its own account. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "egress/route.h"
#include "egress/rules.h"
#include "profiles/decision_text.h"
#include "profiles/placing.h"
#include "sandbox/explain.h"

/* NULL is nothing; what is too long is cut. */
static void
copy(char *to, size_t size, const char *from)
{
	(void)snprintf(to, size, "%s", from == NULL ? "" : from);
}

static void
tell_rule(struct ward_wire_explain_is *m, const struct ward_rule *rule)
{
	copy(m->list, sizeof(m->list), ward_rule_kind_name(rule->kind));
	copy(m->rule, sizeof(m->rule), rule->path);
	copy(m->rule_file, sizeof(m->rule_file), rule->origin.file);
	m->rule_line = rule->origin.line;
}

static int
explain_path(
    const struct ward_plan *plan, char *path, struct ward_wire_explain_is *m)
{
	static const enum ward_explained states[] = {
		[WARD_HIDDEN] = WARD_EXPLAINED_HIDDEN,
		[WARD_READABLE] = WARD_EXPLAINED_READABLE,
		[WARD_WRITABLE] = WARD_EXPLAINED_WRITABLE,
	};
	const struct ward_verdict verdict = ward_plan_decide(plan, path);

	m->verdict = states[verdict.state];
	m->is_private = ward_plan_is_private(path);
	tell_rule(m, verdict.rule);
	return 0;
}

static int
explain_socket(
    const struct ward_plan *plan, char *path, struct ward_wire_explain_is *m)
{
	static const enum ward_explained states[] = {
		[WARD_SOCKET_CLOSED] = WARD_EXPLAINED_CLOSED,
		[WARD_SOCKET_OWN] = WARD_EXPLAINED_OWN,
		[WARD_SOCKET_OPEN] = WARD_EXPLAINED_OPEN,
	};
	const struct ward_socket_verdict verdict =
	    ward_plan_decide_socket(plan, path);

	m->verdict = states[verdict.state];
	m->is_private = ward_plan_is_private(path);
	tell_rule(m, verdict.rule);
	return 0;
}

static void
tell_decision(
    struct ward_wire_explain_is *m, const struct ward_decision *decision)
{
	m->verdict =
	    decision->allowed ? WARD_EXPLAINED_ALLOWED : WARD_EXPLAINED_REFUSED;
	m->asks = decision->ask;
	(void)ward_decision_text(decision, m->text, sizeof(m->text));
	if (decision->ground != WARD_GROUND_DENY &&
	    decision->ground != WARD_GROUND_ALLOW)
		return;
	copy(m->list, sizeof(m->list),
	    decision->rule->list == WARD_NET_DENY ? "network.deny"
						  : "network.allow");
	copy(m->rule, sizeof(m->rule), decision->rule->text);
	copy(m->rule_file, sizeof(m->rule_file), decision->rule->origin.file);
	m->rule_line = decision->rule->origin.line;
}

/*
 * Of a literal also whether it is an address of this machine's.  unlisted,
 * which may be NULL, becomes what a host is called that no rule names, or "".
 */
static int
explain_host(const struct ward_sandbox *s, const char *host, uint16_t port,
    struct ward_wire_explain_is *m, struct ward_host *unlisted)
{
	static struct ward_network closed;
	struct ward_rules none = { .network = &closed };
	struct ward_rules *rules = NULL;
	struct ward_decision decision;
	int r = 0;

	*m = (struct ward_wire_explain_is){ 0 };

	if (s->egress != NULL) {
		r = ward_rules_load(ward_egress_rules_fd(s->egress), &rules);
		if (r != 0)
			return r;
	}
	const struct ward_rules *of = rules == NULL ? &none : rules;
	ward_rules_decide(of, host, strlen(host), port, &decision);
	if (decision.allowed && decision.host.kind != WARD_HOST_NAME) {
		const struct in6_addr address = decision.host.address;
		_cleanup_fd_ int route_fd = ward_route_open();
		if (route_fd >= 0)
			ward_rules_decide_address(
			    of, route_fd, &address, &decision);
		else
			r = route_fd;
	}
	if (unlisted != NULL && decision.ground == WARD_GROUND_UNLISTED)
		*unlisted = decision.host;
	if (r == 0)
		tell_decision(m, &decision);
	ward_rules_drop(rules);
	return r;
}

/* As the plan has its places: absolute, folded, without "..". */
static bool
is_place(char *path)
{
	ward_path_fold(path);
	for (const char *at = strstr(path, "/.."); at != NULL;
	     at = strstr(at + 1, "/.."))
		if (at[3] == '/' || at[3] == '\0')
			return false;
	return path[0] == '/';
}

int
ward_explain(const struct ward_sandbox *sandbox,
    const struct ward_wire_explain *question, struct ward_wire_explain_is *m)
{
	char path[sizeof(question->text)];

	*m = (struct ward_wire_explain_is){ 0 };
	if (question->what == WARD_EXPLAIN_HOST)
		return explain_host(
		    sandbox, question->text, (uint16_t)question->port, m, NULL);
	copy(path, sizeof(path), question->text);
	if (!is_place(path))
		return -EINVAL;
	return question->what == WARD_EXPLAIN_PATH
	    ? explain_path(sandbox->plan, path, m)
	    : explain_socket(sandbox->plan, path, m);
}

int
ward_explain_request(const struct ward_sandbox *sandbox,
    const struct ward_wire_request *request, struct ward_wire_explain_is *m,
    struct ward_host *host)
{
	*host = (struct ward_host){ .text = "" };
	int r = explain_host(
	    sandbox, request->host, (uint16_t)request->port, m, host);
	m->asks = r == 0 && host->text[0] != '\0';
	return r;
}
