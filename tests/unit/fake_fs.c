/* SPDX-License-Identifier: ISC */
/* A file system in memory that answers as a resolver. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "tests/unit/fake_fs.h"

#define MOST_LINKS 40

static void *
must(void *pointer)
{
	if (pointer == NULL)
		abort();
	return pointer;
}

static struct fake_node *
find(const struct fake_fs *fs, const char *path)
{
	for (size_t i = 0; i < fs->n_nodes; i++)
		if (strcmp(fs->nodes[i].path, path) == 0)
			return &fs->nodes[i];
	return NULL;
}

const struct fake_node *
fake_fs_find(const struct fake_fs *fs, const char *path)
{
	return find(fs, path);
}

static void
set_node(
    struct fake_fs *fs, enum fake_kind kind, const char *path, const char *text)
{
	struct fake_node *node = find(fs, path);

	if (node == NULL) {
		fs->nodes = must(reallocarray(
		    fs->nodes, fs->n_nodes + 1, sizeof(*fs->nodes)));
		node = &fs->nodes[fs->n_nodes++];
		*node = (struct fake_node){ .path = must(strdup(path)) };
	}
	free(node->text);
	node->kind = kind;
	node->text = text == NULL ? NULL : must(strdup(text));
}

void
fake_fs_add_node(
    struct fake_fs *fs, enum fake_kind kind, const char *path, const char *text)
{
	char *parent = must(strdup(path));

	while (strcmp(parent, "/") != 0) {
		ward_path_to_parent(parent);
		if (find(fs, parent) == NULL)
			set_node(fs, FAKE_DIRECTORY, parent, NULL);
	}
	free(parent);
	set_node(fs, kind, path, text);
}

static enum fake_kind
parse_kind(const char *word)
{
	static const char letters[] = "dxofplu";
	const char *letter = word == NULL ? NULL : strchr(letters, word[0]);

	if (letter == NULL || *letter == '\0' || word[1] != '\0')
		abort();
	return (enum fake_kind)(letter - letters);
}

void
fake_fs_add(struct fake_fs *fs, const char *text)
{
	char *copy = must(strdup(text));
	char *rest = copy, *word;

	while ((word = strsep(&rest, " ")) != NULL) {
		enum fake_kind kind;
		const char *path, *link_text = NULL;

		if (word[0] == '\0')
			continue;
		kind = parse_kind(word);
		path = must(strsep(&rest, " "));
		if (kind == FAKE_LINK || kind == FAKE_FOREIGN_LINK)
			link_text = must(strsep(&rest, " "));
		fake_fs_add_node(fs, kind, path, link_text);
	}
	free(copy);
}

void
fake_fs_clear(struct fake_fs *fs)
{
	for (size_t i = 0; i < fs->n_nodes; i++) {
		free(fs->nodes[i].path);
		free(fs->nodes[i].text);
	}
	free(fs->nodes);
	*fs = (struct fake_fs){ 0 };
}

/* One look-up on its way: where it is, and what is left to walk. */
struct walk {
	struct fake_fs *fs;
	struct ward_place *place;
	char *at; /* canonical */
	char *rest;
};

static void
set_at(struct walk *walk, char *path)
{
	free(walk->at);
	walk->at = path;
}

static void
follow(struct walk *walk, const struct fake_node *link, const char *rest)
{
	struct ward_place *place = walk->place;
	char *next = NULL;

	place->links = must(reallocarray(
	    place->links, place->n_links + 1, sizeof(*place->links)));
	place->links[place->n_links++] = (struct ward_link){
		must(strdup(link->path)),
		must(strdup(link->text)),
	};
	if (link->kind == FAKE_FOREIGN_LINK)
		place->untrusted_link = true;
	if (asprintf(&next, "%s/%s", link->text, rest) < 0)
		abort();
	free(walk->rest);
	walk->rest = next;
	if (next[0] == '/')
		set_at(walk, must(strdup("/")));
}

/*
 * Nothing more is found: the rest, .. and all, is only text behind what is
 * there.
 */
static void
go_blind(struct walk *walk, const char *name, const char *rest)
{
	char *copy = must(strdup(rest));
	char *left = copy, *word;

	set_at(walk, must(ward_path_join(walk->at, name)));
	while ((word = strsep(&left, "/")) != NULL) {
		if (word[0] == '\0' || strcmp(word, ".") == 0)
			continue;
		if (strcmp(word, "..") == 0)
			ward_path_to_parent(walk->at);
		else
			set_at(walk, must(ward_path_join(walk->at, word)));
	}
	free(copy);
	walk->place->found = WARD_FOUND_ABSENT;
}

static enum ward_found
found_kind(enum fake_kind kind)
{
	switch (kind) {
	case FAKE_DIRECTORY:
	case FAKE_SEARCHLESS:
	case FAKE_LISTLESS:
		return WARD_FOUND_DIRECTORY;
	case FAKE_FILE:
		return WARD_FOUND_FILE;
	case FAKE_SPECIAL:
		return WARD_FOUND_SPECIAL;
	case FAKE_LINK:
	case FAKE_FOREIGN_LINK:
		break;
	}
	abort();
}

/* One component, whose name it is; the rest is behind it. */
static bool
step_to(struct walk *walk, const char *name)
{
	char *path = must(ward_path_join(walk->at, name));
	const struct fake_node *node = find(walk->fs, path);
	char *rest = must(strdup(walk->rest));
	bool goes_on = true;

	if (walk->place->found == WARD_FOUND_DIRECTORY &&
	    strcmp(name, "..") == 0) {
		ward_path_to_parent(walk->at);
	} else if (node == NULL || walk->place->found != WARD_FOUND_DIRECTORY) {
		go_blind(walk, name, rest);
		goes_on = false;
	} else if (node->text == NULL) {
		set_at(walk, must(strdup(path)));
	} else if (walk->place->n_links == MOST_LINKS) {
		walk->place->found = WARD_FOUND_LOOP;
		goes_on = false;
	} else {
		follow(walk, node, rest);
	}
	free(rest);
	free(path);
	return goes_on;
}

/* False when the answer is there. */
static bool
step(struct walk *walk)
{
	const struct fake_node *here = must(find(walk->fs, walk->at));
	size_t skip = strspn(walk->rest, "/");
	size_t n = strcspn(walk->rest + skip, "/");
	char *name;
	bool goes_on = true;

	walk->place->found = found_kind(here->kind);
	if (n == 0)
		return false;
	if (here->kind == FAKE_SEARCHLESS) {
		walk->place->found = WARD_FOUND_UNREACHABLE;
		return false;
	}
	name = must(strndup(walk->rest + skip, n));
	memmove(walk->rest, walk->rest + skip + n,
	    strlen(walk->rest + skip + n) + 1);
	if (walk->place->found != WARD_FOUND_DIRECTORY ||
	    strcmp(name, ".") != 0)
		goes_on = step_to(walk, name);
	free(name);
	return goes_on;
}

int
fake_fs_resolve(
    void *context, const char *path, struct ward_place *place, struct err *err)
{
	struct walk walk = { .fs = context, .place = place };

	*place = (struct ward_place){ 0 };
	if (walk.fs->fail_resolve != 0)
		return ward_err_sys(err, walk.fs->fail_resolve, "fake");
	walk.at = must(strdup("/"));
	walk.rest = must(strdup(path));
	while (step(&walk))
		;
	free(walk.rest);
	if (place->found == WARD_FOUND_LOOP) {
		/* a rule of a loop stands where it is written */
		free(walk.at);
		walk.at = must(strdup(path));
	}
	place->path = walk.at;
	return 0;
}

int
fake_fs_list(void *context, const char *directory, char ***names,
    size_t *n_names, struct err *err)
{
	struct fake_fs *fs = context;
	const struct fake_node *node = find(fs, directory);

	*names = NULL;
	*n_names = 0;
	if (fs->fail_list != 0)
		return ward_err_sys(err, fs->fail_list, "fake");
	if (node == NULL)
		return 0;
	if (node->kind == FAKE_SEARCHLESS || node->kind == FAKE_LISTLESS)
		return ward_err_sys(err, EACCES, "%s", directory);
	for (size_t i = 0; i < fs->n_nodes; i++) {
		const char *path = fs->nodes[i].path;

		if (strcmp(path, directory) == 0 ||
		    !ward_path_is_below(path, directory) ||
		    ward_path_depth(path) != ward_path_depth(directory) + 1)
			continue;
		*names =
		    must(reallocarray(*names, *n_names + 1, sizeof(**names)));
		(*names)[(*n_names)++] = must(strdup(ward_path_base(path)));
	}
	return 0;
}

static bool
is_link(const struct fake_node *node)
{
	return node->kind == FAKE_LINK || node->kind == FAKE_FOREIGN_LINK;
}

/* The link at path or above it, but below the place; or NULL. */
static const struct fake_node *
link_on_way(const struct fake_fs *fs, const char *place, const char *path)
{
	const struct fake_node *link = NULL;
	char *at = must(strdup(path));

	for (; strcmp(at, place) != 0; ward_path_to_parent(at)) {
		const struct fake_node *node = find(fs, at);

		if (node != NULL && is_link(node))
			link = node;
	}
	free(at);
	return link;
}

int
fake_fs_protect(void *context, const char *place,
    const struct ward_rule *const *names, size_t n_names,
    struct ward_protected_list *found, struct err *err)
{
	struct fake_fs *fs = context;
	int r = 0;

	if (fs->fail_protect != 0)
		return ward_err_sys(err, fs->fail_protect, "fake");
	for (size_t i = 0; r == 0 && i < n_names; i++) {
		char *path = ward_path_join(place, names[i]->path);

		if (path == NULL)
			return ward_err_sys(err, ENOMEM, "fake");
		const struct fake_node *node = find(fs, path);
		const struct fake_node *link = link_on_way(fs, place, path);
		const struct ward_protected one = {
			.path = path,
			.rule = names[i],
			.is_directory =
			    node != NULL && node->kind == FAKE_DIRECTORY,
			.is_link = link != NULL,
		};
		/* that one is only meant as a file */
		bool is_git = one.is_directory &&
		    strcmp(names[i]->path, WARD_PROTECT_GIT) == 0;
		if ((node != NULL || link != NULL) && !is_git)
			r = ward_protected_add(found, &one);
		free(path);
	}
	return r;
}
