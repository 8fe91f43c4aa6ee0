/* SPDX-License-Identifier: ISC */
/* The layout: what is mounted where in a view. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "sandbox/layout.h"

static const char *const private_places[] = { "/dev", "/proc", "/run", "/sys",
	"/tmp", "/var/tmp" };
#define N_PRIVATE (sizeof(private_places) / sizeof(private_places[0]))

const char *
ward_layout_private(size_t i)
{
	return i < N_PRIVATE ? private_places[i] : NULL;
}

/* Something that may need a mount; path first, for ward_path_order. */
struct candidate {
	const char *path;
	bool is_mount;  /* of the host's own */
	bool is_absent; /* such a mount, of which the view has nothing */
	bool is_home;
	bool is_private;
	bool is_alias;      /* another name of a hidden place */
	bool is_alias_file; /* which is a file */
	bool is_pin;        /* on itself, so that it stays there */
	bool is_kept_pin;   /* which leads to protected names alone */
	const struct ward_plan_entry *entry;
	const struct ward_link *link;
};

struct list {
	struct candidate *items;
	size_t n;
	char **names; /* paths that are the list's own */
	size_t n_names;
};

static void
add(struct list *list, struct candidate candidate)
{
	list->items[list->n++] = candidate;
}

/* A mount of a type that is shown only where a rule opens a place in it. */
static bool
is_requested(const struct ward_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->n_entries; i++)
		if (plan->entries[i].state != WARD_HIDDEN &&
		    strcmp(plan->entries[i].path, "/") != 0 &&
		    ward_path_is_below(plan->entries[i].path, path))
			return true;
	return false;
}

static bool
is_shown(const struct ward_plan *plan, const struct ward_mount *mount)
{
	switch (mount->class) {
	case WARD_MOUNT_SHOWN:
		return true;
	case WARD_MOUNT_ON_REQUEST:
		return is_requested(plan, mount->path);
	case WARD_MOUNT_NEVER:
		break;
	}
	return false;
}

/* The root always is there; the home covers what the host has at its place. */
static bool
is_settled(const struct ward_plan *plan, const struct ward_mount *mount)
{
	return strcmp(mount->path, "/") == 0 ||
	    ward_plan_is_private(mount->path) ||
	    ward_path_is_below(mount->path, plan->home);
}

/*
 * A mount inside the real home, which the home does not show: 1, with its path
 * in the view; 0, or -ENOMEM.
 */
static int
add_in_home(const struct ward_plan *plan, const char *real_home,
    const struct ward_mount *mount, struct list *list)
{
	if (strcmp(mount->path, real_home) == 0 ||
	    !ward_path_is_below(mount->path, real_home))
		return 0;
	char *path = ward_path_rebase(mount->path, real_home, plan->home);
	if (path == NULL)
		return -ENOMEM;
	list->names[list->n_names++] = path;
	add(list, (struct candidate){ .path = path, .is_absent = true });
	return 1;
}

static int
add_mounts(const struct ward_plan *plan, const char *real_home,
    const struct ward_mounts *mounts, struct list *list)
{
	for (size_t i = 0; i < mounts->n; i++) {
		const struct ward_mount *mount = &mounts->list[i];
		int r = add_in_home(plan, real_home, mount, list);
		if (r < 0)
			return r;
		if (r > 0 || is_settled(plan, mount))
			continue;
		bool shown = is_shown(plan, mount);
		add(list,
		    (struct candidate){ .path = mount->path,
			.is_mount = shown,
			.is_absent = !shown });
	}
	return 0;
}

/* Everything that may need a mount, above before below, one for each path. */
static int
collect(const struct ward_plan *plan, const char *real_home,
    const struct ward_mounts *mounts, struct list *list)
{
	list->items = calloc(plan->n_entries + plan->n_links + mounts->n +
		N_PRIVATE + plan->n_aliases + 1,
	    sizeof(*list->items));
	list->names = calloc(mounts->n + 1, sizeof(*list->names));
	if (list->items == NULL || list->names == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < plan->n_entries; i++)
		add(list,
		    (struct candidate){ .path = plan->entries[i].path,
			.entry = &plan->entries[i] });
	for (size_t i = 0; i < plan->n_links; i++)
		add(list,
		    (struct candidate){
			.path = plan->links[i].at, .link = &plan->links[i] });
	int r = add_mounts(plan, real_home, mounts, list);
	if (r != 0)
		return r;
	for (size_t i = 0; i < plan->n_aliases; i++)
		add(list,
		    (struct candidate){ .path = plan->aliases[i].path,
			.is_alias = true,
			.is_alias_file = !plan->aliases[i].is_directory });
	for (size_t i = 0; i < N_PRIVATE; i++)
		add(list,
		    (struct candidate){
			.path = private_places[i], .is_private = true });
	add(list, (struct candidate){ .path = plan->home, .is_home = true });
	qsort(list->items, list->n, sizeof(*list->items), ward_path_order);

	size_t kept = 0;
	for (size_t i = 1; i < list->n; i++) {
		struct candidate *c = &list->items[i];
		struct candidate *k = &list->items[kept];
		if (strcmp(c->path, k->path) != 0) {
			list->items[++kept] = *c;
			continue;
		}
		k->is_mount |= c->is_mount;
		k->is_absent |= c->is_absent;
		k->is_home |= c->is_home;
		k->is_private |= c->is_private;
		k->is_alias |= c->is_alias;
		k->is_alias_file |= c->is_alias_file;
		if (k->entry == NULL)
			k->entry = c->entry;
		if (k->link == NULL)
			k->link = c->link;
	}
	list->n = list->n > 0 ? kept + 1 : 0;
	return 0;
}

struct maker {
	const struct ward_plan *plan;
	struct ward_layout *layout;
	const char *absent; /* a mount that is not there: nothing below it is */
	size_t *above;      /* the mounts that enclose the candidate, outermost
			       first */
	size_t n_above;
};

static bool
is_hidden(const struct ward_layout_mount *mount)
{
	return mount->kind == WARD_LAYOUT_HIDE_DIRECTORY ||
	    mount->kind == WARD_LAYOUT_HIDE_FILE;
}

static int
add_node(struct ward_layout *layout, size_t skeleton, const char *path,
    size_t n_path, enum ward_node_kind kind, const char *text)
{
	for (size_t i = 0; i < layout->n_nodes; i++)
		if (layout->nodes[i].skeleton == skeleton &&
		    strlen(layout->nodes[i].path) == n_path &&
		    strncmp(layout->nodes[i].path, path, n_path) == 0)
			return 0;
	struct ward_layout_node *more =
	    reallocarray(layout->nodes, layout->n_nodes + 1, sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	layout->nodes = more;
	struct ward_layout_node *node = &more[layout->n_nodes];
	*node = (struct ward_layout_node){
		.skeleton = skeleton,
		.path = strndup(path, n_path),
		.kind = kind,
		.text = text == NULL ? NULL : strdup(text),
	};
	if (node->path == NULL || (text != NULL && node->text == NULL)) {
		free(node->path);
		free(node->text);
		return -ENOMEM;
	}
	layout->n_nodes++;
	return 0;
}

/* Gives a hidden directory what leads to path, which is below it. */
static int
add_to_skeleton(struct ward_layout *layout, struct ward_layout_mount *hidden,
    const char *path, enum ward_node_kind kind, const char *text)
{
	if (hidden->skeleton == WARD_LAYOUT_EMPTY)
		hidden->skeleton = layout->n_skeletons++;
	size_t prefix =
	    strcmp(hidden->path, "/") == 0 ? 0 : strlen(hidden->path);
	const char *relative = path + prefix;
	int r = 0;

	for (const char *s = strchr(relative + 1, '/'); r == 0 && s != NULL;
	     s = strchr(s + 1, '/'))
		r = add_node(layout, hidden->skeleton, relative,
		    (size_t)(s - relative), WARD_NODE_DIRECTORY, NULL);
	return r != 0 ? r
		      : add_node(layout, hidden->skeleton, relative,
			    strlen(relative), kind, text);
}

/* A mount without a rule of its own is taken for a directory: nearly all are.
 */
static bool
is_file(const struct candidate *c)
{
	return c->is_alias_file ||
	    (c->entry != NULL && !c->entry->is_directory && !c->is_home);
}

/* Closed by such a rule, in a place that can be written. */
static bool
is_protected(const struct candidate *c)
{
	return c->entry != NULL && c->entry->rule->kind == WARD_PROTECT &&
	    !c->is_mount && !c->is_home;
}

/* Before what is below it, which a pin comes later than, and would cover. */
static size_t
make_room(struct ward_layout *layout, const char *path)
{
	size_t at = layout->n_mounts;

	while (
	    at > 0 && ward_path_order(&layout->mounts[at - 1].path, &path) > 0)
		at--;
	size_t n_below = layout->n_mounts - at;
	memmove(&layout->mounts[at + 1], &layout->mounts[at],
	    n_below * sizeof(*layout->mounts));
	layout->n_mounts++;
	return at;
}

static int
add_mount(struct maker *m, const struct candidate *c,
    enum ward_layout_kind kind, bool writable, bool in_skeleton)
{
	struct ward_layout *layout = m->layout;
	char *path = strdup(c->path);

	if (path == NULL)
		return -ENOMEM;
	/* what encloses it stands before it, and stays where it is */
	size_t at = make_room(layout, path);
	layout->mounts[at] = (struct ward_layout_mount){
		.path = path,
		.kind = kind,
		.writable = writable,
		.is_directory = !is_file(c),
		.is_mount = c->is_mount,
		.is_pin = c->is_pin,
		.is_absent = c->is_absent,
		.kept = c->is_kept_pin || is_protected(c),
		.in_skeleton = in_skeleton,
		.skeleton = WARD_LAYOUT_EMPTY,
	};
	m->above[m->n_above++] = at;
	return 0;
}

/* What to mount for a candidate; -1: nothing. */
static int
kind_of(const struct candidate *c, enum ward_state state,
    const struct ward_layout_mount *around)
{
	if (c->is_private)
		return WARD_LAYOUT_PRIVATE;
	if (state == WARD_HIDDEN) {
		if (around != NULL && is_hidden(around))
			return -1;
		/* a link hides nothing of its own */
		if (c->entry == NULL && !c->is_mount && !c->is_home &&
		    !c->is_absent && !c->is_alias)
			return -1;
		return is_file(c) ? WARD_LAYOUT_HIDE_FILE
				  : WARD_LAYOUT_HIDE_DIRECTORY;
	}
	if (c->is_home)
		return WARD_LAYOUT_HOME;
	if (c->is_mount || around == NULL || is_hidden(around))
		return c->entry == NULL && !c->is_mount ? -1 : WARD_LAYOUT_SHOW;
	if (c->entry != NULL && around->writable != (state == WARD_WRITABLE))
		return WARD_LAYOUT_SHOW;
	return -1;
}

/* Below a mount that is not there: the home, or a private place. */
static bool
is_needed(const struct maker *m, const struct candidate *c)
{
	const char *home = m->plan->home;

	return c->is_private ||
	    (ward_path_is_below(c->path, home) &&
		!ward_path_is_below(m->absent, home));
}

static bool
is_above_needed(const struct ward_plan *plan, const char *path)
{
	if (ward_path_is_below(plan->home, path))
		return true;
	for (size_t i = 0; i < N_PRIVATE; i++)
		if (ward_path_is_below(private_places[i], path))
			return true;
	return false;
}

/*
 * Of a mount that the view does not have, an entry must not bring a part in:
 * another instance of proc shows the whole host.  Only a mask can stand on its
 * place, and does where something is needed below it; and in what the account
 * can write, since it could remove or move the place otherwise.  The kernel
 * then takes the host's mount away with it (EBUSY is only for a place where
 * something is mounted in the caller's own namespace).
 */
static bool
is_kept_out(struct maker *m, const struct candidate *c,
    const struct ward_layout_mount *around, enum ward_state *state)
{
	if (m->absent != NULL && !ward_path_is_below(c->path, m->absent))
		m->absent = NULL;
	if (m->absent != NULL)
		return !is_needed(m, c);
	if (!c->is_absent)
		return false;
	m->absent = c->path;
	if (is_above_needed(m->plan, c->path) ||
	    (around != NULL && around->writable))
		*state = WARD_HIDDEN;
	return *state != WARD_HIDDEN;
}

/*
 * What lies between a writable mount and a place in it that is not: a mount on
 * itself, so that it cannot be renamed (EBUSY).  Otherwise the account would
 * move such a directory away, with the closed place in it, and have what it
 * likes under the name that the rule gives.
 */
static int
pin(struct maker *m, const struct ward_layout_mount *writable,
    const struct candidate *c)
{
	const char *closed = c->path;
	bool is_kept = is_protected(c);

	/* what leads to a protected name now leads to more than that */
	for (size_t i = m->n_above; !is_kept && i-- > 0;)
		m->layout->mounts[m->above[i]].kept = false;
	/* the list of mounts, and this with it, stays where it is */
	size_t n =
	    strcmp(writable->path, "/") == 0 ? 0 : strlen(writable->path);

	for (const char *s = strchr(closed + n + 1, '/'); s != NULL;
	     s = strchr(s + 1, '/')) {
		_cleanup_free_ char *path =
		    strndup(closed, (size_t)(s - closed));
		if (path == NULL)
			return -ENOMEM;
		int r = add_mount(m,
		    &(struct candidate){
			.path = path, .is_pin = true, .is_kept_pin = is_kept },
		    WARD_LAYOUT_SHOW, true, false);
		if (r != 0)
			return r;
	}
	return 0;
}

/* One mount for each candidate, and one for each directory above it. */
static size_t
count_mounts(const struct list *list)
{
	size_t n = list->n + 1; /* never none */

	for (size_t i = 0; i < list->n; i++)
		n += ward_path_depth(list->items[i].path);
	return n;
}

static int
place(struct maker *m, const struct candidate *c)
{
	struct ward_layout *layout = m->layout;

	while (m->n_above > 0 &&
	    !ward_path_is_below(
		c->path, layout->mounts[m->above[m->n_above - 1]].path))
		m->n_above--;
	struct ward_layout_mount *around =
	    m->n_above == 0 ? NULL : &layout->mounts[m->above[m->n_above - 1]];
	/* nothing of the host's stands inside a private place */
	if (around != NULL && around->kind == WARD_LAYOUT_PRIVATE)
		return 0;
	bool in_hidden = around != NULL && is_hidden(around);
	enum ward_state state = ward_plan_decide(m->plan, c->path).state;
	if (is_kept_out(m, c, around, &state))
		return 0;
	int kind = kind_of(c, state, around);
	if (kind < 0)
		return c->link != NULL && in_hidden
		    ? add_to_skeleton(layout, around, c->path, WARD_NODE_LINK,
			  c->link->text)
		    : 0;
	if (in_hidden) {
		int r = add_to_skeleton(layout, around, c->path,
		    is_file(c) ? WARD_NODE_FILE : WARD_NODE_DIRECTORY, NULL);
		if (r != 0)
			return r;
	}
	if (around != NULL && around->writable && state != WARD_WRITABLE &&
	    kind != WARD_LAYOUT_PRIVATE) {
		int r = pin(m, around, c);
		if (r != 0)
			return r;
	}
	return add_mount(m, c, (enum ward_layout_kind)kind,
	    state == WARD_WRITABLE, in_hidden);
}

int
ward_layout_make(const struct ward_plan *plan, const char *real_home,
    const struct ward_mounts *mounts, struct ward_layout *layout,
    struct err *err)
{
	struct maker m = { .plan = plan, .layout = layout };
	struct list list = { 0 };

	*layout = (struct ward_layout){ 0 };
	int r = collect(plan, real_home, mounts, &list);
	if (r == 0) {
		size_t most = count_mounts(&list);
		layout->mounts = calloc(most, sizeof(*layout->mounts));
		m.above = calloc(most, sizeof(*m.above));
		if (layout->mounts == NULL || m.above == NULL)
			r = -ENOMEM;
	}
	for (size_t i = 0; r == 0 && i < list.n; i++)
		r = place(&m, &list.items[i]);
	free(m.above);
	for (size_t i = 0; i < list.n_names; i++)
		free(list.names[i]);
	free(list.names);
	free(list.items);
	if (r == 0)
		return 0;
	ward_layout_clear(layout);
	return ward_err_sys(err, -r, "the layout of the view");
}

int
ward_layout_add_own(struct ward_layout *layout, enum ward_own_file file,
    const char *path, struct err *err)
{
	const struct ward_layout_mount *around = NULL;

	/* what is above stands before what is below */
	for (size_t i = 0; i < layout->n_mounts; i++)
		if (ward_path_is_below(path, layout->mounts[i].path))
			around = &layout->mounts[i];
	if (around == NULL || is_hidden(around) ||
	    (around->kind == WARD_LAYOUT_PRIVATE &&
		strcmp(around->path, "/run") != 0))
		return 0;
	bool is_own = around->kind == WARD_LAYOUT_PRIVATE;
	layout->own[file] = strdup(path);
	if (layout->own[file] == NULL)
		return ward_err_sys(err, ENOMEM, "%s", path);
	if (is_own)
		return 0;
	struct ward_layout_mount *more =
	    reallocarray(layout->mounts, layout->n_mounts + 1, sizeof(*more));
	if (more == NULL)
		return ward_err_sys(err, ENOMEM, "%s", path);
	layout->mounts = more;
	more[layout->n_mounts] = (struct ward_layout_mount){
		.path = strdup(path),
		.kind = WARD_LAYOUT_OWN_FILE,
		.own = file,
		.skeleton = WARD_LAYOUT_EMPTY,
	};
	if (more[layout->n_mounts].path == NULL)
		return ward_err_sys(err, ENOMEM, "%s", path);
	layout->n_mounts++;
	return 0;
}

void
ward_layout_clear(struct ward_layout *layout)
{
	for (size_t i = 0; i < layout->n_mounts; i++)
		free(layout->mounts[i].path);
	for (size_t i = 0; i < layout->n_nodes; i++) {
		free(layout->nodes[i].path);
		free(layout->nodes[i].text);
	}
	free(layout->mounts);
	free(layout->nodes);
	for (size_t i = 0; i < WARD_OWN_FILES; i++)
		free(layout->own[i]);
	*layout = (struct ward_layout){ 0 };
}
