/* SPDX-License-Identifier: ISC */
/* The places that every sandbox has for itself. */
#include "config.h"

#include <string.h>

#include "common/path.h"
#include "common/places.h"
#include "profiles/private.h"

/*
 * As sandbox/ mounts them.  /proc is writable as far as the kernel lets the
 * account; other devices than these do not exist in the view.
 */
const struct ward_private_place ward_private_places[WARD_PRIVATE_PLACES] = {
	{ "/dev", WARD_READABLE },
	{ "/dev/full", WARD_WRITABLE },
	{ "/dev/null", WARD_WRITABLE },
	{ "/dev/ptmx", WARD_WRITABLE },
	{ "/dev/pts", WARD_WRITABLE },
	{ "/dev/random", WARD_WRITABLE },
	{ "/dev/shm", WARD_WRITABLE },
	{ "/dev/tty", WARD_WRITABLE },
	{ "/dev/urandom", WARD_WRITABLE },
	{ "/dev/zero", WARD_WRITABLE },
	{ "/proc", WARD_WRITABLE },
	{ "/proc/sys", WARD_READABLE },
	{ "/run", WARD_READABLE },
	{ "/run/user", WARD_READABLE },
	{ "/run/user/*", WARD_WRITABLE },
	{ "/sys", WARD_READABLE },
	{ "/tmp", WARD_WRITABLE },
	{ "/var/tmp", WARD_WRITABLE },
};

/* place may end in a component of its own that is *. */
static bool
is_at_or_below(const char *path, const char *place)
{
	size_t n = strlen(place);

	if (place[n - 1] != '*')
		return ward_path_is_below(path, place);
	return strncmp(path, place, n - 1) == 0 && path[n - 1] != '\0';
}

int
ward_private_find(const char *path)
{
	int found = -1;
	size_t longest = 0;

	for (int i = 0; i < WARD_PRIVATE_PLACES; i++) {
		const char *place = ward_private_places[i].path;
		size_t n = strlen(place);

		if (n > longest && is_at_or_below(path, place)) {
			longest = n;
			found = i;
		}
	}
	return found;
}

bool
ward_plan_is_private(const char *path)
{
	return ward_private_find(path) >= 0;
}

bool
ward_plan_is_host_run(const char *path)
{
	/* Ward's own sockets, and the account's, are not the host's */
	return strncmp(path, "/run/", 5) == 0 &&
	    !ward_path_is_below(path, WARD_RUN) &&
	    !ward_path_is_below(path, "/run/user");
}
