/* SPDX-License-Identifier: ISC */
/*
 * Any text as mountinfo; what is taken is laid out with a plan that hides,
 * opens and re-opens, and must never bring a mount in that a view never has.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "sandbox/alias.h"
#include "sandbox/layout.h"
#include "tests/unit/fake_fs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
give_up(const char *why, const char *path)
{
	(void)fprintf(stderr, "%s: \"%s\"\n", why, path);
	abort();
}

/* Made once: the inputs are the mounts. */
static struct ward_plan *
the_plan(void)
{
	static char file[] = "fuzz.conf", srv[] = "/srv", a[] = "/srv/a",
		    p[] = "/srv/a/p", mnt[] = "/mnt/*", home[] = "~";
	static struct ward_rule rules[] = {
		{ WARD_READ_DENY, srv, { file, 1 } },
		{ WARD_READ_ALLOW, a, { file, 2 } },
		{ WARD_WRITE_ALLOW, p, { file, 3 } },
		{ WARD_WRITE_ALLOW, mnt, { file, 4 } },
		{ WARD_WRITE_ALLOW, home, { file, 5 } },
	};
	static const struct ward_profile profile = {
		.read_default_allow = true,
		.rules = rules,
		.n_rules = sizeof(rules) / sizeof(rules[0]),
	};
	static const struct ward_plan_account account = { "agent",
		"/home/agent" };
	static struct ward_plan *plan;
	struct fake_fs fs = { 0 };
	struct err err = { 0 };
	const struct ward_resolver resolver = {
		.resolve = fake_fs_resolve,
		.list = fake_fs_list,
		.protect = fake_fs_protect,
		.context = &fs,
	};

	if (plan != NULL)
		return plan;
	fake_fs_add(&fs,
	    "d /home/agent d /srv/a/p d /mnt/a d /mnt/b f /mnt/f d /var/tmp "
	    "d /var/log");
	if (ward_plan_compile(&profile, &account, &resolver, &plan, &err) != 0)
		give_up("no plan", err.text);
	fake_fs_clear(&fs);
	return plan;
}

static const struct ward_mount *
nearest(const struct ward_mounts *mounts, const char *path)
{
	const struct ward_mount *found = NULL;

	for (size_t i = 0; i < mounts->n; i++)
		if (ward_path_is_below(path, mounts->list[i].path))
			found = &mounts->list[i];
	return found;
}

static void
check_mounts(const struct ward_mounts *mounts)
{
	for (size_t i = 0; i < mounts->n; i++) {
		if (mounts->list[i].path[0] != '/')
			give_up("no path", mounts->list[i].path);
		if (i > 0 &&
		    ward_path_order(
			&mounts->list[i - 1].path, &mounts->list[i].path) >= 0)
			give_up("out of order", mounts->list[i].path);
	}
}

static void
check_layout(const struct ward_layout *layout, const struct ward_mounts *mounts)
{
	bool home = false;

	for (size_t i = 0; i < layout->n_mounts; i++) {
		const struct ward_layout_mount *m = &layout->mounts[i];
		const struct ward_mount *host = nearest(mounts, m->path);

		if (i > 0 &&
		    ward_path_order(&layout->mounts[i - 1].path, &m->path) >= 0)
			give_up("laid out in no order", m->path);
		home |= m->kind == WARD_LAYOUT_HOME;
		if (m->kind == WARD_LAYOUT_SHOW && host != NULL &&
		    strcmp(m->path, "/") != 0 && strcmp(host->path, "/") != 0 &&
		    !ward_path_is_below(m->path, "/home/agent") &&
		    host->class == WARD_MOUNT_NEVER)
			give_up("a part of what is never shown", m->path);
	}
	if (layout->n_mounts == 0 || strcmp(layout->mounts[0].path, "/") != 0 ||
	    !home)
		give_up("no root or no home", "");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ward_mounts mounts;
	struct ward_layout layout;
	struct err err = { 0 };
	char *text = malloc(size + 1);

	if (text == NULL)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	if (ward_mounts_parse(text, &mounts, &err) == 0) {
		check_mounts(&mounts);
		if (ward_aliases_find(the_plan(), &mounts, &err) != 0 ||
		    ward_layout_make(the_plan(), "/home/.ward/agent", &mounts,
			&layout, &err) != 0)
			abort();
		check_layout(&layout, &mounts);
		ward_layout_clear(&layout);
		ward_mounts_clear(&mounts);
	}
	free(text);
	return 0;
}
