/* SPDX-License-Identifier: ISC */
/* What the host mounts in places that the account can write. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "sandbox/cover.h"
#include "sandbox/fate.h"
#include "sandbox/guests.h"

bool
ward_guests_is_in_writable(const struct ward_plan *plan, const char *path)
{
	_cleanup_free_ char *above = strdup(path);

	if (above == NULL)
		return false;
	ward_path_to_parent(above);
	return ward_plan_decide(plan, above).state == WARD_WRITABLE;
}

/* The path in the view of a place of the host's; NULL: no memory. */
static char *
path_in_view(const struct ward_walk_account *account, const char *path)
{
	if (strcmp(path, account->real_home) == 0 ||
	    !ward_path_is_below(path, account->real_home))
		return strdup(path);
	return ward_path_rebase(path, account->real_home, account->home);
}

static bool
is_mounted(const struct ward_guests *guests, const struct ward_mounts *host,
    const char *place)
{
	for (size_t i = 0; i < host->n; i++) {
		_cleanup_free_ char *path =
		    path_in_view(guests->account, host->list[i].path);
		/* without memory: as if it were */
		if (path == NULL || strcmp(path, place) == 0)
			return true;
	}
	return false;
}

static int
let_go(
    struct ward_guests *guests, const struct ward_mounts *host, struct err *err)
{
	for (size_t i = 0; i < guests->n;) {
		char *place = guests->places[i];
		if (is_mounted(guests, host, place)) {
			i++;
			continue;
		}
		int r = ward_uncover(guests->view_dfd, place, err);
		if (r != 0)
			return r;
		free(place);
		guests->places[i] = guests->places[--guests->n];
	}
	return 0;
}

/* A mask, where it is needed and there is none.  1: there is now. */
static int
cover(const struct ward_guests *guests, const char *place,
    const struct ward_mounts *view, struct err *err)
{
	struct err ignored = { 0 };

	if (strcmp(place, "/") == 0 || ward_plan_is_private(place) ||
	    ward_fate_mount_at(view, place) != NULL ||
	    !ward_guests_is_in_writable(guests->plan, place))
		return 0;
	int r =
	    ward_cover(guests->view_dfd, guests->masks_dfd, place, &ignored);
	/* the place is no more, or the account's link by now */
	if (r == -ENOENT || r == -ELOOP)
		return 0;
	return r == 0 ? 1 : ward_err_set(err, -r, "%s", ignored.text);
}

static int
greet(struct ward_guests *guests, const char *host_path,
    const struct ward_mounts *view, ward_guests_tell *tell, void *context,
    struct err *err)
{
	_cleanup_free_ char *place = path_in_view(guests->account, host_path);
	char **more =
	    reallocarray(guests->places, guests->n + 1, sizeof(*more));

	if (more != NULL)
		guests->places = more;
	if (place == NULL || more == NULL)
		return ward_err_sys(err, ENOMEM, "what the host mounts");
	int r = cover(guests, place, view, err);
	if (r <= 0)
		return r;
	tell(context, place);
	more[guests->n++] = place;
	place = NULL;
	return 0;
}

int
ward_guests_tend(struct ward_guests *guests, const struct ward_mounts *host,
    const struct ward_mounts *view, ward_guests_tell *tell, void *context,
    struct err *err)
{
	int r = let_go(guests, host, err);

	for (size_t i = 0; r == 0 && i < host->n; i++)
		r = greet(guests, host->list[i].path, view, tell, context, err);
	return r;
}

void
ward_guests_clear(struct ward_guests *guests)
{
	for (size_t i = 0; i < guests->n; i++)
		free(guests->places[i]);
	free(guests->places);
	*guests = (struct ward_guests){ .view_dfd = -1, .masks_dfd = -1 };
}
