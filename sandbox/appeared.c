/* SPDX-License-Identifier: ISC */
/* Protected names that were not there when a sandbox was built. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <syslog.h>

#include "sandbox/appeared.h"

#define TOLD_MAX 512 /* rows of one sandbox */

static bool
has(const struct ward_protected_list *list, const char *path)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->list[i].path, path) == 0)
			return true;
	return false;
}

static void
tell(struct ward_recorder *recorder, const struct ward_protected *one)
{
	const struct ward_refused_act act = {
		.kind = "protect",
		.operation = "appear",
		.target = one->path,
		.program = "",
		.confirmed = false,
		.rule = one->rule,
	};

	ward_recorder_violation(recorder, &act);
}

void
ward_appeared_tell(const struct ward_plan *plan,
    const struct ward_walk_account *account, struct ward_recorder *recorder,
    struct ward_protected_list *told)
{
	const struct ward_resolver resolver = ward_walk_resolver(account);
	struct ward_protected_list now = { .whole = true };
	struct err err = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < plan->n_searched; i++)
		r = resolver.protect(resolver.context, plan->searched[i],
		    plan->protect, plan->n_protect, &now, &err);
	for (size_t i = 0; r == 0 && i < now.n && told->n < TOLD_MAX; i++) {
		if (has(&plan->found, now.list[i].path) ||
		    has(told, now.list[i].path))
			continue;
		r = ward_protected_add(told, &now.list[i]);
		if (r == 0)
			tell(recorder, &now.list[i]);
	}
	ward_protected_clear(&now);
	if (r != 0)
		syslog(LOG_ERR,
		    "ward: protected names that appeared are not told: %s",
		    err.code != 0 ? err.text : strerror(-r));
}
