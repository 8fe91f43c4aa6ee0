/* SPDX-License-Identifier: ISC */
/* The paths of rules as text. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/path.h"
#include "common/text.h"
#include "profiles/plan.h"
#include "profiles/rulepath.h"

#define USER "${user}"

static int refuse(char *why, size_t size, const char *path, const char *format,
    ...) __attribute__((format(printf, 4, 5)));

/* "PATH" and the reason behind it. */
static int
refuse(char *why, size_t size, const char *path, const char *format, ...)
{
	char shown[128];
	va_list args;
	int n = snprintf(why, size, "\"%s\" ",
	    ward_text_visible(shown, sizeof(shown), path));

	if (n < 0 || (size_t)n >= size)
		return -EINVAL;
	va_start(args, format);
	(void)vsnprintf(why + n, size - (size_t)n, format, args);
	va_end(args);
	return -EINVAL;
}

static bool
has_control(const char *path)
{
	for (; *path != '\0'; path++)
		if ((unsigned char)*path < 0x20 || *path == 0x7f)
			return true;
	return false;
}

static bool
has_dots(const char *path)
{
	const char *p = path;

	while ((p = strstr(p, "..")) != NULL) {
		if ((p == path || p[-1] == '/') &&
		    (p[2] == '/' || p[2] == '\0'))
			return true;
		p += 2;
	}
	return false;
}

/* What holds for every path. */
static int
check_any(char *path, char *why, size_t size)
{
	if (path[0] == '\0') {
		(void)snprintf(why, size,
		    "\"\" is no path: write \"/\" for everything, or remove "
		    "it");
		return -EINVAL;
	}
	if (has_control(path))
		return refuse(why, size, path,
		    "holds a control character: no rule can name such a file; "
		    "name the directory above it");
	if (has_dots(path))
		return refuse(why, size, path,
		    "holds a .. component: write the path that is meant");
	if (strlen(path) >= PATH_MAX)
		return refuse(why, size, path,
		    "is longer than the kernel takes (%d bytes)", PATH_MAX - 1);
	ward_path_fold(path);
	return 0;
}

static int
check_begin(const char *path, char *why, size_t size)
{
	if (path[0] == '/')
		return 0;
	if (path[0] != '~')
		return refuse(
		    why, size, path, "is not absolute: begin it with / or ~/");
	if (path[1] != '\0' && path[1] != '/')
		return refuse(why, size, path,
		    "names another home: only the account's own can be "
		    "written as ~; write the others in full");
	return 0;
}

/* $ begins ${user} or nothing; globs have one * in a component. */
static int
check_placeholders(const char *path, char *why, size_t size)
{
	for (const char *p = path; *p != '\0'; p++) {
		if (*p == '$' && strncmp(p, USER, strlen(USER)) != 0)
			return refuse(why, size, path,
			    "holds a $ that is not " USER
			    ": nothing else is put in");
		if (*p == '?' || *p == '[')
			return refuse(why, size, path,
			    "holds %c: only * stands for other characters, "
			    "and never for a /",
			    *p);
		if (*p == '*' && p[1] == '*')
			return refuse(why, size, path,
			    "holds **: * stays within one component; name "
			    "the directory, which means all below it");
	}
	return 0;
}

/* The components before the first that is not literal. */
static void
literal_part(const char *path, char *out)
{
	size_t n = strcspn(path, "*$");

	if (path[n] != '\0')
		while (n > 1 && path[n - 1] != '/')
			n--;
	if (n > 1 && path[n - 1] == '/')
		n--;
	memcpy(out, path, n);
	out[n] = '\0';
}

static int
check_place(const char *path, enum ward_key_id key, const char *advice,
    char *why, size_t size)
{
	char literal[PATH_MAX];

	if (path[0] != '/')
		return 0;
	literal_part(path, literal);
	if (!ward_plan_is_private(literal) ||
	    (key == WARD_KEY_SOCKETS_ALLOW && ward_plan_is_host_run(literal)))
		return 0;
	return refuse(
	    why, size, path, "is private to each sandbox: %s", advice);
}

int
ward_rulepath_check(char *path, enum ward_key_id key, char *why, size_t size)
{
	int r = check_any(path, why, size);

	if (r == 0)
		r = check_begin(path, why, size);
	if (r == 0)
		r = check_placeholders(path, why, size);
	if (r == 0)
		r = check_place(
		    path, key, "no rule reaches it; remove it", why, size);
	if (r != 0)
		return r;
	if (key == WARD_KEY_WRITE_ALLOW &&
	    (strcmp(path, "/") == 0 || strcmp(path, "/*") == 0))
		return refuse(why, size, path,
		    "would open the whole system: name the directories that "
		    "are to be written");
	return 0;
}

int
ward_rulepath_check_plain(char *path, char *why, size_t size)
{
	int r = check_any(path, why, size);

	if (r != 0)
		return r;
	if (path[0] != '/')
		return refuse(
		    why, size, path, "is not absolute: begin it with /");
	if (strpbrk(path, "*?[$") != NULL)
		return refuse(why, size, path,
		    "is taken as it is: * ? [ and $ have no place in it");
	return check_place(
	    path, WARD_KEY_SHELL, "there is no such file in it", why, size);
}
