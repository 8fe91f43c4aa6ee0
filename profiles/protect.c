/* SPDX-License-Identifier: ISC */
/* Protected names. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "common/text.h"
#include "profiles/protect.h"

/* In lower case.  ward-profile(5) lists the same. */
const char *const ward_protected_names[] = {
	/* git: what it runs, and what tells it what to run */
	".git",
	".git/config",
	".git/config.worktree",
	".git/hooks",
	".git/info/attributes",
	".gitconfig",
	".gitmodules",
	".husky",
	/* editors, agents and other tools that run what a project says */
	".claude/agents",
	".claude/commands",
	".claude/settings.json",
	".claude/settings.local.json",
	".claude/skills",
	".envrc",
	".idea",
	".mcp.json",
	".ripgreprc",
	".vscode",
	/* what a forge runs for who pushes it */
	".github/workflows",
	".gitlab-ci.yml",
	/* shells */
	".bash_login",
	".bash_logout",
	".bash_profile",
	".bashrc",
	".inputrc",
	".profile",
	".zlogin",
	".zprofile",
	".zshenv",
	".zshrc",
	/* what daemons read in a home */
	".config/autostart",
	".config/environment.d",
	".config/systemd",
	".forward",
	".k5login",
	".local/share/systemd",
	".netrc",
	".pam_environment",
	".procmailrc",
	".rhosts",
	".shosts",
	".ssh",
};
const size_t ward_n_protected_names =
    sizeof(ward_protected_names) / sizeof(ward_protected_names[0]);

/* Of ASCII alone: what else a file system folds, it folds when it is asked. */
static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int
refuse(char *why, size_t size, const char *name, const char *reason)
{
	char shown[128];

	(void)snprintf(why, size, "\"%s\" %s",
	    ward_text_visible(shown, sizeof(shown), name), reason);
	return -EINVAL;
}

static bool
has_control(const char *name)
{
	for (; *name != '\0'; name++)
		if ((unsigned char)*name < 0x20 || *name == 0x7f)
			return true;
	return false;
}

/* . and .. among the components. */
static bool
has_dots(const char *name)
{
	for (const char *s = name; s != NULL;) {
		size_t n = strcspn(s, "/");
		if (n > 0 && n <= 2 && strncmp(s, "..", n) == 0)
			return true;
		s = s[n] == '\0' ? NULL : s + n + 1;
	}
	return false;
}

int
ward_protect_check(char *name, char *why, size_t size)
{
	if (name[0] == '/' || name[0] == '~')
		return refuse(why, size, name,
		    "is a path: protected names are relative to each writable "
		    "place; close a path with write.deny");
	if (has_control(name))
		return refuse(why, size, name, "holds a control character");
	if (strpbrk(name, "*?[$") != NULL)
		return refuse(why, size, name,
		    "is taken as it is: * ? [ and $ have no place in it");
	if (has_dots(name))
		return refuse(why, size, name,
		    "holds a . or .. component: write the name that is meant");
	ward_path_fold(name);
	if (name[0] == '\0')
		return refuse(why, size, name,
		    "is no name: write one such as \".envrc\"");
	if (strlen(name) > WARD_PROTECT_NAME_MAX)
		return refuse(why, size, name, "is longer than 255 bytes");
	size_t depth = 1;
	for (char *c = name; *c != '\0'; c++) {
		*c = lower(*c);
		depth += *c == '/';
	}
	if (depth > WARD_PROTECT_DEPTH_MAX)
		return refuse(why, size, name,
		    "is more than four names deep: close a path with "
		    "write.deny");
	return 0;
}

const struct ward_rule *
ward_protect_find(const struct ward_profile *profile, enum ward_rule_kind kind,
    const char *name)
{
	for (size_t i = 0; i < profile->n_rules; i++)
		if (profile->rules[i].kind == kind &&
		    strcmp(profile->rules[i].path, name) == 0)
			return &profile->rules[i];
	return NULL;
}

bool
ward_protect_is_entry(const char *component, size_t n, const char *entry)
{
	for (size_t i = 0; i < n; i++)
		if (entry[i] == '\0' || lower(entry[i]) != lower(component[i]))
			return false;
	return entry[n] == '\0';
}

int
ward_protected_add(
    struct ward_protected_list *list, const struct ward_protected *one)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->list[i].path, one->path) == 0)
			return 0;
	struct ward_protected *more =
	    reallocarray(list->list, list->n + 1, sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	list->list = more;
	more += list->n;
	*more = *one;
	more->path = strdup(one->path);
	if (more->path == NULL)
		return -ENOMEM;
	list->n++;
	return 0;
}

void
ward_protected_clear(struct ward_protected_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->list[i].path);
	free(list->list);
	*list = (struct ward_protected_list){ 0 };
}

char *
ward_protect_gitfile(const char *text, size_t n, const char *prefix)
{
	size_t skip = strlen(prefix);

	if (n < skip || memcmp(text, prefix, skip) != 0)
		return NULL;
	text += skip;
	n -= skip;
	/* git cuts these off the end, and nothing else anywhere */
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		n--;
	if (n == 0 || n >= PATH_MAX || memchr(text, '\0', n) != NULL)
		return NULL;
	return strndup(text, n);
}
