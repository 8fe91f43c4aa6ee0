/* SPDX-License-Identifier: ISC */
/* Limits and priority of the warden's own. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "sandbox/inherited.h"

/*
 * Acts that wait for the judge hold up to two directories each, a thousand of
 * them; and an act whose directory cannot be opened is not seen.
 */
#define FILES ((rlim_t)16384)
#define STACK ((rlim_t)8 << 20)

static const struct {
	__rlimit_resource_t resource;
	rlim_t value;
} limits[] = {
	{ RLIMIT_AS, RLIM_INFINITY },
	{ RLIMIT_CPU, RLIM_INFINITY },
	{ RLIMIT_DATA, RLIM_INFINITY },
	{ RLIMIT_FSIZE, RLIM_INFINITY },
	{ RLIMIT_MEMLOCK, RLIM_INFINITY },
	{ RLIMIT_NOFILE, FILES },
	{ RLIMIT_NPROC, RLIM_INFINITY },
	{ RLIMIT_STACK, STACK },
};

static int
set_limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) != 0)
		return -errno;
	limit.rlim_cur = value;
	if (limit.rlim_max < value)
		limit.rlim_max = value;
	if (setrlimit(resource, &limit) == 0)
		return 0;
	if (errno != EPERM || getrlimit(resource, &limit) != 0)
		return -errno;
	/* a container without CAP_SYS_RESOURCE: as far as it goes */
	if (limit.rlim_max < value)
		limit.rlim_cur = limit.rlim_max;
	return setrlimit(resource, &limit) == 0 ? 0 : -errno;
}

int
ward_inherited_drop(struct err *err)
{
	const struct sched_param normal = { 0 };
	pthread_attr_t attr;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		int r = set_limit(limits[i].resource, limits[i].value);
		if (r != 0)
			return ward_err_sys(err, -r, "the warden's limits");
	}
	/* glibc took the size for new threads from the limit as it was */
	int r = pthread_attr_init(&attr);
	if (r == 0) {
		r = pthread_attr_setstacksize(&attr, STACK);
		if (r == 0)
			r = pthread_setattr_default_np(&attr);
		(void)pthread_attr_destroy(&attr);
	}
	if (r != 0)
		return ward_err_sys(err, r, "the warden's stacks");
	/* a container may refuse: then it is slow, and nothing worse */
	(void)sched_setscheduler(0, SCHED_OTHER, &normal);
	(void)setpriority(PRIO_PROCESS, 0, 0);
	return 0;
}
