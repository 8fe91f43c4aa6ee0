/* SPDX-License-Identifier: ISC */
/* A sandbox before its first session: from the policy to a view. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/fd.h"
#include "common/landlock.h"
#include "common/places.h"
#include "sandbox/alias.h"
#include "sandbox/own_files.h"
#include "sandbox/sandbox.h"

#define BUILD_MS 4000 /* less than a login waits for its warden */

bool
ward_sandbox_opens(const struct ward_sandbox *sandbox, const char *service)
{
	const struct ward_profile *profile = sandbox->policy.profile;

	for (size_t i = 0; i < profile->n_services; i++)
		if (strcmp(profile->services[i], service) == 0)
			return true;
	return false;
}

enum ward_net_kind
ward_sandbox_network(const struct ward_sandbox *sandbox)
{
	if (!sandbox->policy.profile->network.filtered)
		return WARD_NET_NONE;
	return sandbox->steer.how == WARD_STEERED_NOT ? WARD_NET_PROXIED
						      : WARD_NET_STEERED;
}

/* The floor of the profile's own, above what Ward itself cannot do without. */
static enum ward_refusal
check_kernel(const struct ward_sandbox *s, struct err *err)
{
	const struct ward_profile *profile = s->policy.profile;
	int abi = ward_landlock_abi();

	if (abi < 0) {
		ward_err_sys(err, -abi, "landlock");
		return WARD_REFUSED_KERNEL;
	}
	if ((uint64_t)abi >= profile->landlock)
		return WARD_REFUSED_NONE;
	ward_err_set(err, ENOTSUP,
	    "%s asks for version %ju of landlock's ABI, and it has version %d",
	    profile->name, (uintmax_t)profile->landlock, abi);
	return WARD_REFUSED_KERNEL;
}

/*
 * The home that the passwd names is root's; the real one is the account's, in
 * a directory of root's beside it.
 */
static enum ward_refusal
check_home(struct ward_sandbox *s, struct err *err)
{
	struct stat st;

	s->real_home = ward_walk_real_home(s->account.home, s->account.account);
	if (s->real_home == NULL) {
		ward_err_sys(err, ENOMEM, "the real home");
		return WARD_REFUSED_HOME;
	}
	_cleanup_fd_ int dfd =
	    open(s->real_home, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dfd < 0 || fstat(dfd, &st) != 0) {
		ward_err_sys(err, errno, "%s", s->real_home);
		return WARD_REFUSED_HOME;
	}
	if (st.st_uid != s->account.uid) {
		ward_err_set(
		    err, EPERM, "%s is not the account's", s->real_home);
		return WARD_REFUSED_HOME;
	}
	if (lstat(s->account.home, &st) != 0) {
		ward_err_sys(err, errno, "%s", s->account.home);
		return WARD_REFUSED_HOME;
	}
	/* what the host's daemons read there must not be the account's */
	if (!S_ISDIR(st.st_mode) || st.st_uid != 0 || (st.st_mode & 022) != 0) {
		ward_err_set(
		    err, EPERM, "%s is not root's alone", s->account.home);
		return WARD_REFUSED_HOME;
	}
	/* by another spelling the walk would not find the real home */
	_cleanup_free_ char *canonical = realpath(s->account.home, NULL);
	if (canonical == NULL || strcmp(canonical, s->account.home) != 0) {
		ward_err_set(err, ELOOP, "passwd says %s, which is %s",
		    s->account.home, canonical == NULL ? "nowhere" : canonical);
		return WARD_REFUSED_HOME;
	}
	s->walk = (struct ward_walk_account){
		.uid = s->account.uid,
		.gid = s->account.gid,
		.home = s->account.home,
		.real_home = s->real_home,
		.mounts = &s->mounts,
	};
	return WARD_REFUSED_NONE;
}

static enum ward_refusal
make_plan(struct ward_sandbox *s, struct err *err)
{
	const struct ward_plan_account account = {
		.name = s->account.account,
		.home = s->account.home,
	};
	const struct ward_resolver resolver = ward_walk_resolver(&s->walk);

	/* for the walks as the account; root's own rights need no group */
	if (setgroups(s->account.n_groups, s->account.groups) != 0) {
		ward_err_sys(err, errno, "setgroups");
		return WARD_REFUSED_PLAN;
	}
	/* first, since the plan looks only at what is on disks of the host */
	if (ward_mounts_read(&s->mounts, err) != 0)
		return WARD_REFUSED_VIEW;
	if (ward_plan_compile(
		s->policy.profile, &account, &resolver, &s->plan, err) != 0)
		return WARD_REFUSED_PLAN;
	if (s->plan->n_searched > 0 && !s->plan->found.whole)
		syslog(LOG_WARNING,
		    "ward: sandbox of %s: %s%s has too much in it to look "
		    "everywhere for protected names: those deep in it can be "
		    "changed; name smaller places in write.allow",
		    s->account.account, s->plan->searched[0],
		    s->plan->n_searched > 1 ? " (or another place)" : "");
	int r = ward_aliases_find(s->plan, &s->mounts, err);
	if (r == 0)
		r = ward_layout_make(
		    s->plan, s->real_home, &s->mounts, &s->layout, err);
	if (r == 0 && s->policy.profile->network.filtered)
		r = ward_own_files_place(&s->layout, err);
	return r == 0 ? WARD_REFUSED_NONE : WARD_REFUSED_VIEW;
}

/* The seal as a memfd that nobody can change. */
static int
make_seal(struct ward_sandbox *s, struct err *err)
{
	const struct ward_seal *seal = &s->policy.seal;
	int fd = ward_fd_sealed(
	    "ward-seal", seal->code, seal->n_code * sizeof(*seal->code));

	if (fd < 0)
		return ward_err_sys(err, -fd, "the seal");
	s->seal_fd = fd;
	return 0;
}

/* A user of Ward's own: the account could signal one of its own. */
static int
find_user(struct ward_sandbox *s, struct err *err)
{
	const struct passwd *pw = getpwnam(WARD_USER);

	if (pw == NULL || pw->pw_uid == 0)
		return ward_err_set(err, ENOENT,
		    "there is no user " WARD_USER ": run 'wardctl enable'");
	s->user = pw->pw_uid;
	s->group = pw->pw_gid;
	return 0;
}

/* The masks begin to be served while the rest is made. */
static int
start_looks(struct ward_sandbox *s, struct err *err)
{
	if (!s->policy.profile->seal.observe)
		return 0;
	return ward_looks_start(&s->layout, s->user, s->group, &s->looks, err);
}

static int
make_container(struct ward_sandbox *s, struct err *err)
{
	const struct ward_view_request view = {
		.layout = &s->layout,
		.account = &s->walk,
		.tmp_bytes = s->policy.profile->limits.tmp,
		.looks_fd = ward_looks_mount(s->looks),
		.staging = s->rundir.staging,
	};
	const struct ward_contain_request request = {
		.view = &view,
		.init_uid = s->user,
		.init_gid = s->group,
		.filtered = s->policy.profile->network.filtered,
	};
	/* who builds the view waits for what it looks up in them */
	int r = ward_looks_await(s->looks, err);
	if (r != 0)
		return r;
	ward_looks_limit(s->looks, BUILD_MS);
	r = ward_contain(&request, &s->container, err);
	ward_looks_limit(s->looks, 0);
	return r;
}

/*
 * Programs that know of proxies work also where nothing is steered: no reason
 * to refuse a session.
 */
static void
steer(struct ward_sandbox *s)
{
	struct err err = s->container.unrouted;

	if (!s->policy.profile->network.filtered ||
	    (err.code == 0 &&
		ward_steer_start(&s->container.listeners, s->container.net_nsfd,
		    &s->steer, &err) == 0))
		return;
	syslog(LOG_WARNING,
	    "ward: sandbox of %s: only programs that use its proxy reach the "
	    "network: %s; see '" WARD_CTL " doctor'",
	    s->account.account, err.text);
}

enum ward_refusal
ward_sandbox_setup(struct ward_sandbox *sandbox, struct err *err)
{
	enum ward_refusal code = ward_sandbox_load_policy(sandbox, err);

	if (code != WARD_REFUSED_NONE)
		return code;
	if (!ward_sandbox_opens(sandbox, sandbox->account.service)) {
		ward_err_set(err, EPERM, "%s is not in the services of %s",
		    sandbox->account.service, sandbox->policy.profile->name);
		return WARD_REFUSED_SERVICE;
	}
	code = check_kernel(sandbox, err);
	if (code == WARD_REFUSED_NONE)
		code = check_home(sandbox, err);
	if (code == WARD_REFUSED_NONE)
		code = make_plan(sandbox, err);
	if (code != WARD_REFUSED_NONE)
		return code;
	if (ward_rundir_make(sandbox->account.uid, sandbox->policy.revision_id,
		&sandbox->rundir, err) != 0)
		return WARD_REFUSED_RUN;
	if (find_user(sandbox, err) != 0 || start_looks(sandbox, err) != 0)
		return WARD_REFUSED_VIEW;
	sandbox->dead_nsfd = ward_dead_namespace_make(err);
	if (sandbox->dead_nsfd < 0 || make_seal(sandbox, err) != 0 ||
	    make_container(sandbox, err) != 0)
		return WARD_REFUSED_VIEW;
	steer(sandbox);
	return WARD_REFUSED_NONE;
}

void
ward_sandbox_clear(struct ward_sandbox *sandbox)
{
	ward_steer_stop(&sandbox->steer);
	ward_rundir_remove(&sandbox->rundir);
	ward_layout_clear(&sandbox->layout);
	ward_mounts_clear(&sandbox->mounts);
	ward_protected_clear(&sandbox->appeared);
	ward_plan_free(sandbox->plan);
	ward_policy_found_clear(&sandbox->policy);
	free(sandbox->real_home);
	if (sandbox->seal_fd >= 0)
		(void)close(sandbox->seal_fd);
	if (sandbox->dead_nsfd >= 0)
		(void)close(sandbox->dead_nsfd);
}
