/* SPDX-License-Identifier: ISC */
/* Paths as text: no file system is touched here. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "common/path.h"

void
ward_path_fold(char *path)
{
	const char *in = path;
	char *out = path;

	while (*in != '\0') {
		if (*in == '/' && in[1] == '/') {
			in++;
			continue;
		}
		if (*in == '/' && in[1] == '.' &&
		    (in[2] == '/' || in[2] == '\0')) {
			in += 2;
			/* "/." alone is the root, which keeps its slash */
			if (*in == '\0' && out == path)
				*out++ = '/';
			continue;
		}
		*out++ = *in++;
	}
	if (out > path + 1 && out[-1] == '/')
		out--;
	*out = '\0';
}

bool
ward_path_is_below(const char *path, const char *directory)
{
	size_t n = strlen(directory);

	if (n == 1 && directory[0] == '/')
		return path[0] == '/';
	return strncmp(path, directory, n) == 0 &&
	    (path[n] == '/' || path[n] == '\0');
}

size_t
ward_path_depth(const char *path)
{
	size_t depth = 0;

	for (; *path != '\0'; path++)
		if (*path == '/' && path[1] != '\0')
			depth++;
	return depth;
}

char *
ward_path_join(const char *directory, const char *name)
{
	char *joined = NULL;
	const char *slash = strcmp(directory, "/") == 0 ? "" : "/";

	if (asprintf(&joined, "%s%s%s", directory, slash, name) < 0)
		return NULL;
	return joined;
}

char *
ward_path_rebase(const char *path, const char *from, const char *to)
{
	const char *rest = path + (strcmp(from, "/") == 0 ? 0 : strlen(from));

	rest += strspn(rest, "/");
	return rest[0] == '\0' ? strdup(to) : ward_path_join(to, rest);
}

const char *
ward_path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

void
ward_path_to_parent(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash == NULL || slash[1] == '\0')
		return;
	if (slash == path)
		slash++;
	*slash = '\0';
}

bool
ward_path_append(char *out, size_t size, const char *text)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "/"), at = strlen(out);
		if (n == 2 && strncmp(text, "..", 2) == 0) {
			ward_path_to_parent(out);
		} else if (n > 0 && !(n == 1 && text[0] == '.')) {
			if (at == 1)
				at = 0;
			if (n + 2 > size - at)
				return false;
			out[at] = '/';
			memcpy(out + at + 1, text, n);
			out[at + 1 + n] = '\0';
		}
		text += n + (text[n] == '/');
	}
	return true;
}
