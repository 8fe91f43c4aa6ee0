/* SPDX-License-Identifier: ISC */
/* wardctl prune. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>

#include "common/clock.h"
#include "common/places.h"
#include "ctl/ctl.h"
#include "ctl/stores.h"
#include "profiles/load.h"
#include "profiles/retention.h"

#define SECOND INT64_C(1000000)

/* Its findings are on stderr. */
static int
read_retention(struct ward_retention *retention, struct err *err)
{
	struct ward_diagnostics findings = { 0 };
	struct err absent = { 0 };
	char *text = NULL;
	size_t size = 0;

	*retention = WARD_RETENTION_DEFAULT;
	int r = ward_policy_read(WARD_CONF, 0, &text, &size, &absent);
	if (r == -ENOENT)
		return 0;
	if (r != 0)
		return ward_err_set(err, -r, "%s", absent.text);
	r = ward_retention_parse(
	    WARD_CONF, text, size, retention, &findings, err);
	ward_diagnostics_clear(&findings);
	free(text);
	return r;
}

static int
prune(struct ward_violations_pruned *pruned, struct err *err)
{
	struct ward_violations_limits limits = { 0 };
	struct ward_violations *store = NULL;
	struct ward_retention retention;
	int64_t now = ward_wall_now();

	int r = read_retention(&retention, err);
	if (r != 0)
		return r;
	if (retention.age > 0)
		limits.before = now - (int64_t)retention.age * SECOND;
	limits.bytes = retention.size > INT64_MAX ? 0 : (int64_t)retention.size;
	r = ward_stores_violations(WARD_VIOLATIONS_WRITE, &store, err);
	if (r == 0 && store != NULL)
		r = ward_violations_prune(store, &limits, now, pruned, err);
	ward_violations_close(store);
	return r;
}

int
ward_ctl_prune(const struct ward_ctl_args *args)
{
	struct ward_violations_pruned pruned = { 0 };
	struct err err = { 0 };

	(void)args;
	if (prune(&pruned, &err) != 0) {
		/* nobody looks where a warden has started it */
		openlog("ward", LOG_PID, LOG_AUTHPRIV);
		syslog(LOG_ERR, "ward: nothing old is removed: %s", err.text);
		return ward_ctl_fail_err(&err);
	}
	ward_ctl_say("%" PRId64 " rows are removed; the rest takes %" PRId64
		     " KiB",
	    pruned.rows, pruned.bytes / 1024);
	if (pruned.damaged == 0)
		return ward_ctl_flush();
	openlog("ward", LOG_PID, LOG_AUTHPRIV);
	syslog(LOG_WARNING,
	    "ward: old rows of %" PRId64 " sandboxes stay: they are not what "
	    "was recorded: see wardctl verify",
	    pruned.damaged);
	return ward_ctl_fail("old rows of %" PRId64 " sandboxes stay: they are "
			     "not what was recorded: see wardctl verify",
	    pruned.damaged);
}
