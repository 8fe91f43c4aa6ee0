/* SPDX-License-Identifier: ISC */
/*
 * Protected names as a profile may give them, and what git's files say of where
 * its directories are: the account writes those.
 */
#include "config.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "profiles/protect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(int holds, const char *what, const char *text)
{
	if (holds)
		return;
	(void)fprintf(stderr, "%s: \"%s\"\n", what, text);
	abort();
}

static void
check_name(const uint8_t *data, size_t size)
{
	char *name = strndup((const char *)data, size);
	char why[400], again[400];

	if (name == NULL)
		abort();
	if (ward_protect_check(name, why, sizeof(why)) != 0) {
		check(strlen(why) > 0, "refused without a reason", name);
		free(name);
		return;
	}
	check(name[0] != '\0' && name[0] != '/', "no name", name);
	check(strlen(name) <= WARD_PROTECT_NAME_MAX, "too long", name);
	check(strstr(name, "//") == NULL, "not folded", name);
	check(ward_path_depth(name) < WARD_PROTECT_DEPTH_MAX, "deep", name);
	for (const char *c = name; *c != '\0'; c++)
		check(*c < 'A' || *c > 'Z', "not in lower case", name);
	char *once = strdup(name);
	if (once == NULL)
		abort();
	check(ward_protect_check(name, again, sizeof(again)) == 0 &&
		strcmp(once, name) == 0,
	    "another name the second time", once);
	check(ward_protect_is_entry(name, strlen(name), once), "is not itself",
	    once);
	free(once);
	free(name);
}

static void
check_file(const char *text, size_t size, const char *prefix)
{
	char *path = ward_protect_gitfile(text, size, prefix);

	if (path == NULL)
		return;
	check(path[0] != '\0' && strlen(path) < PATH_MAX, "no path", path);
	check(strlen(path) + strlen(prefix) <= size, "out of nothing", path);
	free(path);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* the exact size, so that a byte too far is seen */
	char *text = malloc(size + (size == 0));

	if (text == NULL)
		abort();
	memcpy(text, data, size);
	check_name(data, size);
	check_file(text, size, "gitdir: ");
	check_file(text, size, "");
	free(text);
	return 0;
}
