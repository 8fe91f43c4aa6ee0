/* SPDX-License-Identifier: ISC */
/*
 * A directory for one test of a store, and checks that name their case.  For
 * tests/unit only; include after cmocka.h.
 */
#ifndef WARD_TESTS_UNIT_SCRATCH_H
#define WARD_TESTS_UNIT_SCRATCH_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/err.h"

struct scratch {
	char directory[256];
	char path[300]; /* of a database in it */
};

static inline void
scratch_make(struct scratch *scratch)
{
	const char *tmp = getenv("TMPDIR");

	assert_true(snprintf(scratch->directory, sizeof(scratch->directory),
			"%s/ward-test-XXXXXX", tmp == NULL ? "/tmp" : tmp) <
	    (int)sizeof(scratch->directory));
	assert_non_null(mkdtemp(scratch->directory));
	(void)snprintf(scratch->path, sizeof(scratch->path), "%s/store.db",
	    scratch->directory);
}

static inline void
scratch_remove(const struct scratch *scratch)
{
	DIR *directory = opendir(scratch->directory);
	const struct dirent *entry;

	assert_non_null(directory);
	while ((entry = readdir(directory)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		if (unlinkat(dirfd(directory), entry->d_name, 0) != 0)
			assert_int_equal(unlinkat(dirfd(directory),
					     entry->d_name, AT_REMOVEDIR),
			    0);
	}
	(void)closedir(directory);
	assert_int_equal(rmdir(scratch->directory), 0);
}

/* r and the error are what the case says: -errnum, with fragment in the text;
 * errnum 0 is success. */
static inline void
check_error(const char *name, int r, const struct err *err, int errnum,
    const char *fragment)
{
	if (r != -errnum || err->code != errnum)
		fail_msg("%s: %d (%s), not %d", name, r,
		    err->code != 0 ? err->text : "no text", -errnum);
	if (fragment != NULL && strstr(err->text, fragment) == NULL)
		fail_msg("%s: \"%s\" does not say \"%s\"", name, err->text,
		    fragment);
}

#define check_ok(r, err) check_error(__func__, (r), (err), 0, NULL)

#endif
