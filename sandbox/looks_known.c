/* SPDX-License-Identifier: ISC */
/* What the host has in hidden directories of which a view shows a part. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/path.h"
#include "sandbox/looks_known.h"

#define NAMES_MAX 4096

struct listing {
	bool whole; /* else nothing is said of it */
	char **names;
	size_t n;
};

struct ward_looks_known {
	size_t n;
	struct listing of[]; /* each mount of the layout */
};

static int
compare(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

static bool
add_name(struct listing *listing, const char *name)
{
	char **more = listing->n == NAMES_MAX
	    ? NULL
	    : reallocarray(listing->names, listing->n + 1, sizeof(*more));

	if (more == NULL)
		return false;
	listing->names = more;
	more[listing->n] = strdup(name);
	return more[listing->n] != NULL && ++listing->n > 0;
}

/* No link is followed: an account may write somewhere above it. */
static DIR *
open_place(const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (dir == NULL && fd >= 0)
		(void)close(fd);
	return dir;
}

static void
list(struct listing *listing, const char *path)
{
	DIR *dir = open_place(path);
	const struct dirent *entry;
	bool fits = true;

	if (dir == NULL)
		return;
	while (fits && (entry = readdir(dir)) != NULL)
		fits = add_name(listing, entry->d_name);
	(void)closedir(dir);
	listing->whole = fits;
	if (listing->n > 0)
		qsort(listing->names, listing->n, sizeof(*listing->names),
		    compare);
}

struct ward_looks_known *
ward_looks_known_read(const struct ward_layout *layout, const char *home)
{
	struct ward_looks_known *known =
	    calloc(1, sizeof(*known) + layout->n_mounts * sizeof(*known->of));

	if (known == NULL)
		return NULL;
	known->n = layout->n_mounts;
	for (size_t i = 0; i < known->n; i++) {
		const struct ward_layout_mount *m = &layout->mounts[i];
		if (m->kind == WARD_LAYOUT_HIDE_DIRECTORY &&
		    m->skeleton != WARD_LAYOUT_EMPTY &&
		    !ward_path_is_below(m->path, home))
			list(&known->of[i], m->path);
	}
	return known;
}

void
ward_looks_known_free(struct ward_looks_known *known)
{
	for (size_t i = 0; known != NULL && i < known->n; i++) {
		for (size_t j = 0; j < known->of[i].n; j++)
			free(known->of[i].names[j]);
		free(known->of[i].names);
	}
	free(known);
}

bool
ward_looks_known_absent(
    const struct ward_looks_known *known, size_t mask, const char *name)
{
	const struct listing *of = &known->of[mask];

	return of->whole && strchr(name, '/') == NULL &&
	    (of->n == 0 ||
		bsearch(&name, of->names, of->n, sizeof(*of->names), compare) ==
		    NULL);
}
