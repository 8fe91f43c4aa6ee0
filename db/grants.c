/* SPDX-License-Identifier: ISC */
/* Grants in the policy store. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "db/grants.h"
#include "db/policy_store.h"

#define SECOND INT64_C(1000000)

static int
read_entry(const char *entry, struct ward_endpoint *endpoint, const char **why)
{
	return ward_endpoint_read(entry, strlen(entry), false, endpoint, why);
}

int
ward_policy_grant_add(struct ward_policy *policy,
    const struct ward_policy_grant *grant, int64_t *id, struct err *err)
{
	struct ward_endpoint endpoint;
	struct ward_query query;
	const char *why = "";
	int r = read_entry(grant->entry, &endpoint, &why);

	if (r == -EINVAL)
		return ward_err_set(err, EINVAL, "%s", why);
	if (r != 0)
		return ward_err_sys(err, -r, "%s", policy->sqlite->path);
	ward_query_begin(&query, policy->sqlite, POLICY_PUT_GRANT);
	ward_query_bind_text(&query, grant->account);
	ward_query_bind_text(&query, grant->entry);
	ward_query_bind_int(&query, grant->until);
	ward_query_bind_text(&query, grant->reason);
	ward_query_bind_int(&query, grant->granted);
	ward_query_bind_text(&query, grant->granter);
	if (grant->request == 0)
		ward_query_bind_null(&query);
	else
		ward_query_bind_int(&query, grant->request);
	r = ward_query_run(&query, NULL, err);
	if (r == 0)
		*id = sqlite3_last_insert_rowid(policy->sqlite->db);
	return r;
}

static int
is_there(struct ward_policy *policy, int64_t id, struct err *err)
{
	struct ward_query query;

	ward_query_begin(&query, policy->sqlite, POLICY_HAS_GRANT);
	ward_query_bind_int(&query, id);
	int r = ward_query_step(&query, err);
	if (r > 0)
		(void)ward_query_end(&query, NULL);
	return r;
}

int
ward_policy_grant_revoke(struct ward_policy *policy, int64_t id,
    const char *revoker, int64_t now, struct err *err)
{
	struct ward_query query;
	int64_t changed = 0;

	ward_query_begin(&query, policy->sqlite, POLICY_REVOKE_GRANT);
	ward_query_bind_int(&query, id);
	ward_query_bind_int(&query, now);
	ward_query_bind_text(&query, revoker);
	int r = ward_query_run(&query, &changed, err);
	if (r != 0 || changed > 0)
		return r;
	r = is_there(policy, id, err);
	if (r < 0)
		return r;
	if (r == 0)
		return ward_err_set(
		    err, ENOENT, "there is no grant %lld", (long long)id);
	return ward_err_set(
	    err, EALREADY, "grant %lld is over already", (long long)id);
}

int
ward_policy_grants_revoke_all(struct ward_policy *policy, const char *account,
    const char *revoker, int64_t now, size_t *n, struct err *err)
{
	struct ward_query query;
	int64_t changed = 0;

	ward_query_begin(&query, policy->sqlite, POLICY_REVOKE_GRANTS);
	ward_query_bind_text(&query, account);
	ward_query_bind_int(&query, now);
	ward_query_bind_text(&query, revoker);
	int r = ward_query_run(&query, &changed, err);
	*n = (size_t)changed;
	return r;
}

int
ward_policy_each_grant(struct ward_policy *policy, const char *account,
    int64_t live_at, ward_policy_on_grant *on_grant, void *context,
    struct err *err)
{
	struct ward_query query;
	int r;

	ward_query_begin(&query, policy->sqlite, POLICY_LIST_GRANTS);
	ward_query_bind_text(&query, account);
	ward_query_bind_int(&query, live_at);
	while ((r = ward_query_step(&query, err)) > 0) {
		struct ward_policy_grant row;

		row.id = ward_query_take_int(&query);
		row.account = ward_query_take_text(&query);
		row.entry = ward_query_take_text(&query);
		row.until = ward_query_take_int(&query);
		row.reason = ward_query_take_text(&query);
		row.granted = ward_query_take_int(&query);
		row.granter = ward_query_take_text(&query);
		row.request = ward_query_take_int(&query);
		row.revoked = ward_query_take_int(&query);
		row.revoker = ward_query_take_text(&query);
		if (query.code != SQLITE_OK)
			return ward_query_end(&query, err);
		r = on_grant(context, &row);
		if (r != 0) {
			(void)ward_query_end(&query, NULL);
			return r;
		}
	}
	return r;
}

struct grants {
	struct ward_grant *list;
	size_t n;
};

/* What was taken once and is not any more is damage. */
static int
add_grant(void *context, const struct ward_policy_grant *row)
{
	struct grants *grants = context;
	const char *why;
	struct ward_grant *more =
	    ward_policy_grow(grants->list, grants->n, sizeof(*more));

	if (more == NULL)
		return -ENOMEM;
	grants->list = more;
	more += grants->n++;
	more->id = row->id;
	/* no longer than it was given for */
	more->until = row->until / SECOND;
	int r = read_entry(row->entry, &more->endpoint, &why);
	return r == -EINVAL ? -EUCLEAN : r;
}

int
ward_policy_grants(struct ward_policy *policy, const char *account, int64_t now,
    struct ward_grant **out, size_t *n, struct err *err)
{
	struct grants grants = { 0 };
	int r = ward_policy_each_grant(
	    policy, account, now, add_grant, &grants, err);

	*out = NULL;
	*n = 0;
	if (r != 0) {
		free(grants.list);
		/* the first that was set stands */
		return ward_err_sys(
		    err, -r, "%s: grants of %s", policy->sqlite->path, account);
	}
	*out = grants.list;
	*n = grants.n;
	return 0;
}
