/* SPDX-License-Identifier: ISC */
/* What must hold before an account is made or taken, and let in. */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>

#include "common/places.h"
#include "common/text.h"
#include "ctl/account_ready.h"
#include "ctl/probe.h"
#include "ctl/services.h"

int
ward_ready_check_profile(const char *profile, struct err *err)
{
	char visible[128];
	struct ward_policy_found found = { 0 };
	struct ward_policy *policy;
	struct err why = { 0 };

	int r = ward_policy_open(
	    WARD_POLICY_DB, WARD_POLICY_READ, 10000, &policy, err);
	if (r != 0)
		return r;
	r = ward_policy_load(policy, profile, 0, &found, &why);
	ward_policy_close(policy);
	ward_policy_found_clear(&found);
	if (r == 0)
		return 0;
	return ward_err_set(err, -r,
	    "the profile %s cannot be used: %s; see 'wardctl profile list'",
	    ward_text_visible(visible, sizeof(visible), profile), why.text);
}

static int
check_assigned(
    const char *name, const gid_t *groups, size_t n_groups, struct err *err)
{
	struct ward_policy_found found = { 0 };
	struct err why = { 0 };

	int r = ward_account_policy(name, groups, n_groups, &found, &why);
	ward_policy_found_clear(&found);
	if (r == -ENOENT)
		return ward_err_set(err, ENOENT,
		    "no profile would govern %s: give one with --profile, or "
		    "a default in " WARD_ASSIGNMENTS,
		    name);
	return r == 0 ? 0 : ward_err_set(err, -r, "%s", why.text);
}

int
ward_ready_check(const char *name, const gid_t *groups, size_t n_groups,
    const char *profile, struct err *err)
{
	if (getgrnam(WARD_GROUP) == NULL || getpwnam(WARD_USER) == NULL)
		return ward_err_set(err, ENOENT,
		    "Ward is not enabled on this machine: run 'wardctl "
		    "enable'");
	int r = ward_services_verify(err);
	if (r != 0)
		return r;
	return profile == NULL ? check_assigned(name, groups, n_groups, err)
			       : ward_ready_check_profile(profile, err);
}

int
ward_ready_let_in(
    const struct ward_account *account, const char *days, struct err *err)
{
	struct ward_policy_found found = { 0 };

	int r = ward_account_find_policy(account, &found, err);
	if (r == 0)
		r = ward_probe_all(account, found.profile, err);
	ward_policy_found_clear(&found);
	return r == 0 ? ward_account_set_expiry(account->name, days, err) : r;
}
