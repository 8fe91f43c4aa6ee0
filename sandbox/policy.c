/* SPDX-License-Identifier: ISC */
/*
 * What the policy says of a sandbox: the revision that it is made of, and,
 * once another one governs the account, when it ends.  A warden is not told
 * what changed: whoever asks it something (a login, wardctl, a sandbox of the
 * same account) makes it look for itself, so nothing is lost by being told
 * twice, or late.
 */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/fd.h"
#include "common/group.h"
#include "common/places.h"
#include "db/grants.h"
#include "profiles/network_pack.h"
#include "sandbox/sandbox.h"

#define POLICY_WAIT_MS 1000
#define LAST_WORD_MS   60000

/* Names are asked for only where assignments.conf has groups. */
static int
in_group(void *context, const char *name)
{
	const struct ward_wire_open *account = context;

	return ward_group_has(
	    name, account->account, account->groups, account->n_groups);
}

static enum ward_refusal
policy_refusal(int r)
{
	return r == -ENOENT ? WARD_REFUSED_UNASSIGNED : WARD_REFUSED_POLICY;
}

enum ward_refusal
ward_sandbox_load_policy(struct ward_sandbox *s, struct err *err)
{
	struct ward_policy *policy;

	if (ward_policy_open(WARD_POLICY_DB, WARD_POLICY_READ, POLICY_WAIT_MS,
		&policy, err) != 0)
		return WARD_REFUSED_POLICY;
	int r = ward_policy_find(
	    policy, s->account.account, in_group, &s->account, &s->policy, err);
	ward_policy_close(policy);
	return r == 0 ? WARD_REFUSED_NONE : policy_refusal(r);
}

/* What governs now is not what the sandbox is made of. */
static void
become_stale(struct ward_sandbox *s, uint64_t grace)
{
	int64_t now_ms = ward_now_ms();

	if (s->stale_since_ms >= 0 && s->stale_grace == grace)
		return;
	if (s->stale_since_ms < 0)
		s->stale_since_ms = now_ms;
	s->stale_grace = grace;
	s->stale_tell_ms = now_ms;
}

enum ward_refusal
ward_sandbox_check_policy(
    struct ward_sandbox *sandbox, bool *stale, struct err *err)
{
	struct ward_policy_now now = { 0 };
	struct ward_policy *policy;

	/* opened anew each time: a database that is gone must refuse */
	if (ward_policy_open(WARD_POLICY_DB, WARD_POLICY_READ, POLICY_WAIT_MS,
		&policy, err) != 0)
		return WARD_REFUSED_POLICY;
	int r = ward_policy_current(policy, sandbox->account.account, in_group,
	    &sandbox->account, &now, err);
	ward_policy_close(policy);
	if (r == -ENOENT)
		/* nothing governs the account: its own word holds on */
		become_stale(sandbox, sandbox->policy.profile->grace);
	if (r != 0)
		return policy_refusal(r);
	*stale = memcmp(now.rest, sandbox->policy.rest, sizeof(now.rest)) != 0;
	if (*stale) {
		become_stale(sandbox, now.grace);
		return WARD_REFUSED_NONE;
	}
	/* a change that was taken back */
	sandbox->stale_since_ms = -1;
	/* network rules alone: it takes them, whoever forgot to say so */
	if (now.revision_id != sandbox->rules_revision &&
	    ward_admin_renew_rules(sandbox, err) != 0)
		return WARD_REFUSED_POLICY;
	return WARD_REFUSED_NONE;
}

int64_t
ward_sandbox_stale_left(const struct ward_sandbox *sandbox)
{
	if (sandbox->stale_since_ms < 0 ||
	    sandbox->stale_grace == WARD_UNLIMITED)
		return -1;
	/* a profile can say 30 days at most */
	int64_t left = sandbox->stale_since_ms +
	    (int64_t)sandbox->stale_grace * 1000 - ward_now_ms();
	return left < 0 ? 0 : left;
}

/* In the largest unit that leaves nothing over. */
static void
tell(struct ward_sandbox *s, int64_t left_ms)
{
	int64_t n = (left_ms + 999) / 1000;
	const char *unit = "s";

	if (n % 3600 == 0) {
		n /= 3600;
		unit = "h";
	} else if (n % 60 == 0) {
		n /= 60;
		unit = "min";
	}
	ward_admin_tell(s,
	    "its profile was changed, and this sandbox ends in %jd %s; a new "
	    "login has a new one",
	    (intmax_t)n, unit);
}

int64_t
ward_sandbox_stale_tend(struct ward_sandbox *sandbox)
{
	int64_t left = ward_sandbox_stale_left(sandbox);
	int64_t now_ms = ward_now_ms();

	if (left <= 0)
		return left;
	if (sandbox->stale_tell_ms >= 0 && now_ms >= sandbox->stale_tell_ms) {
		tell(sandbox, left);
		sandbox->stale_tell_ms =
		    left > LAST_WORD_MS ? now_ms + left - LAST_WORD_MS : -1;
	}
	int64_t word = sandbox->stale_tell_ms - now_ms;
	return sandbox->stale_tell_ms >= 0 && word < left ? word : left;
}

/* A profile that is gone, or has no network any more, lets nothing through. */
static int
pack(const struct ward_network *network, const struct ward_grant *grants,
    size_t n_grants, struct err *err)
{
	static const struct ward_network closed;
	const struct ward_net_policy policy = {
		.network = network == NULL ? &closed : network,
		.grants = grants,
		.n_grants = n_grants,
	};
	uint8_t *bytes;
	size_t size;

	int r = ward_network_pack(&policy, &bytes, &size);
	if (r != 0)
		return ward_err_sys(err, -r, "the network's rules");
	int fd = ward_fd_sealed("ward-rules", bytes, size);
	free(bytes);
	return fd >= 0 ? fd : ward_err_sys(err, -fd, "the network's rules");
}

int
ward_sandbox_pack_rules(struct ward_sandbox *sandbox, struct err *err)
{
	struct ward_policy_found found = { 0 };
	struct ward_grant *grants = NULL;
	struct ward_policy *policy;
	struct err none = { 0 };
	size_t n_grants = 0;

	int r = ward_policy_open(
	    WARD_POLICY_DB, WARD_POLICY_READ, POLICY_WAIT_MS, &policy, err);
	if (r != 0)
		return r;
	r = ward_policy_find(policy, sandbox->account.account, in_group,
	    &sandbox->account, &found, &none);
	const struct ward_network *network =
	    r == 0 ? &found.profile->network : NULL;
	if (r == -ENOENT)
		r = 0;
	else if (r != 0)
		(void)ward_err_set(err, -r, "%s", none.text);
	if (r == 0)
		r = ward_policy_grants(policy, sandbox->account.account,
		    ward_wall_now(), &grants, &n_grants, err);
	ward_policy_close(policy);
	if (r == 0)
		r = pack(network, grants, n_grants, err);
	if (r >= 0) {
		sandbox->rules_revision = found.revision_id;
		sandbox->asks = network != NULL && network->ask;
	}
	free(grants);
	ward_policy_found_clear(&found);
	return r;
}
