/* SPDX-License-Identifier: ISC */
/* Patterns: paths with * in them. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "profiles/match.h"

/*
 * After a mismatch only the last * takes one character more: what an earlier
 * one could take, the last can take as well.  So there is no exponential case.
 */
bool
ward_match_component(const char *pattern, size_t pattern_length,
    const char *name, size_t name_length)
{
	size_t p = 0, n = 0;
	size_t star = 0, taken = 0;
	bool has_star = false;

	while (n < name_length) {
		if (p < pattern_length && pattern[p] == '*') {
			has_star = true;
			star = ++p;
			taken = n;
		} else if (p < pattern_length && pattern[p] == name[n]) {
			p++;
			n++;
		} else if (has_star) {
			p = star;
			n = ++taken;
		} else {
			return false;
		}
	}
	while (p < pattern_length && pattern[p] == '*')
		p++;
	return p == pattern_length;
}

int
ward_pattern_init(
    struct ward_pattern *pattern, const char *prefix, const char *rest)
{
	*pattern = (struct ward_pattern){
		.prefix = strdup(prefix),
		.rest = strdup(rest),
		.depth = ward_path_depth(prefix) + 1,
	};
	if (pattern->prefix == NULL || pattern->rest == NULL) {
		ward_pattern_clear(pattern);
		return -ENOMEM;
	}
	for (const char *c = rest; *c != '\0'; c++)
		if (*c == '/')
			pattern->depth++;
	return 0;
}

void
ward_pattern_clear(struct ward_pattern *pattern)
{
	free(pattern->prefix);
	free(pattern->rest);
	*pattern = (struct ward_pattern){ 0 };
}

/* Length of the component at s, within length bytes. */
static size_t
component(const char *s, size_t length)
{
	const char *slash = memchr(s, '/', length);

	return slash == NULL ? length : (size_t)(slash - s);
}

bool
ward_pattern_matches(
    const struct ward_pattern *pattern, const char *path, size_t length)
{
	size_t n = strlen(pattern->prefix);
	const char *rest = pattern->rest;
	size_t rest_left = strlen(rest);

	if (n == 1)
		n = 0; /* "/": its slash is the one that is skipped below */
	if (length <= n + 1 || memcmp(path, pattern->prefix, n) != 0 ||
	    path[n] != '/')
		return false;
	path += n + 1;
	length -= n + 1;
	for (;;) {
		size_t want = component(rest, rest_left);
		size_t have = component(path, length);

		if (!ward_match_component(rest, want, path, have))
			return false;
		if (want == rest_left || have == length)
			return want == rest_left && have == length;
		rest += want + 1;
		rest_left -= want + 1;
		path += have + 1;
		length -= have + 1;
	}
}
