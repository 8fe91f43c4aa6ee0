/* SPDX-License-Identifier: ISC */
/* The masks: their tree, and what the kernel is answered. */
#include "config.h"

#include <errno.h>
#include <linux/fuse.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sandbox/masks_fuse.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static char root[] = "/", home[] = "/home", secret[] = "/srv/secret",
	    file[] = "/srv/secret.txt";
static char user[] = "/user", in_user[] = "/user/x", link_at[] = "/lnk",
	    link_text[] = "user/x";

static struct ward_layout_mount mounts[] = {
	{ .path = root, .kind = WARD_LAYOUT_SHOW },
	{ .path = home, .kind = WARD_LAYOUT_HIDE_DIRECTORY, .skeleton = 0 },
	{ .path = secret,
	    .kind = WARD_LAYOUT_HIDE_DIRECTORY,
	    .skeleton = WARD_LAYOUT_EMPTY },
	{ .path = file, .kind = WARD_LAYOUT_HIDE_FILE },
};
static struct ward_layout_node nodes[] = {
	{ .path = user, .kind = WARD_NODE_DIRECTORY },
	{ .path = in_user, .kind = WARD_NODE_FILE },
	{ .path = link_at, .kind = WARD_NODE_LINK, .text = link_text },
};
static const struct ward_layout layout = {
	.mounts = mounts,
	.n_mounts = N(mounts),
	.nodes = nodes,
	.n_nodes = N(nodes),
	.n_skeletons = 1,
};

struct setting {
	void *data;
	size_t size;
	struct ward_masks_tree tree;
	struct ward_masks_answer answer;
};

static int
set_up(void **state)
{
	struct setting *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	assert_int_equal(ward_masks_pack(&layout, &s->data, &s->size), 0);
	assert_int_equal(ward_masks_load(s->data, s->size, &s->tree), 0);
	*state = s;
	return 0;
}

static int
tear_down(void **state)
{
	struct setting *s = *state;

	free(s->data);
	free(s);
	return 0;
}

/* The node of a path in the tree, or 0. */
static size_t
at(const struct ward_masks_tree *tree, const char *path)
{
	char copy[64], *rest = copy, *part;
	size_t node = 0;

	(void)snprintf(copy, sizeof(copy), "%s", path);
	while ((part = strsep(&rest, "/")) != NULL) {
		node = ward_masks_find(tree, node, part);
		if (node == 0)
			return 0;
	}
	return node;
}

static void
trees(void **state)
{
	const struct setting *s = *state;
	static const struct {
		const char *path;
		int kind; /* -1: it is not there */
	} cases[] = {
		{ "d0", -1 },
		{ "d1", WARD_MASKS_DIRECTORY },
		{ "f1", WARD_MASKS_FILE },
		{ "d1/user", WARD_MASKS_DIRECTORY },
		{ "d1/user/x", WARD_MASKS_FILE },
		{ "d1/x", -1 },
		{ "d1/lnk", WARD_MASKS_LINK },
		{ "d2", WARD_MASKS_EMPTY },
		{ "d2/user", -1 },
		{ "d3", WARD_MASKS_EMPTY },
		{ "f3", WARD_MASKS_FILE },
		{ "d4", -1 },
	};

	for (size_t i = 0; i < N(cases); i++) {
		size_t node = at(&s->tree, cases[i].path);
		if ((node == 0) != (cases[i].kind < 0) ||
		    (node != 0 &&
			s->tree.nodes[node].kind != (uint32_t)cases[i].kind))
			fail_msg("%s: node %zu", cases[i].path, node);
	}
}

static void
paths(void **state)
{
	const struct setting *s = *state;
	char path[32];
	static const struct {
		const char *node, *name, *want;
		size_t size;
	} cases[] = {
		{ "d2", "a", "a", 32 },
		{ "d2", "", "", 32 },
		{ "f3", "", "", 32 },
		{ "d1/user", "b", "user/b", 32 },
		{ "d1/user/x", "", "user/x", 32 },
		{ "d1/user", "b", "b", 6 },
	};

	for (size_t i = 0; i < N(cases); i++) {
		ward_masks_path(&s->tree, at(&s->tree, cases[i].node),
		    cases[i].name, path, cases[i].size);
		if (strcmp(path, cases[i].want) != 0)
			fail_msg(
			    "%s, %s: %s", cases[i].node, cases[i].name, path);
	}
}

/* Whatever is wrong with a tree, it is none. */
static void
wrong_trees(void **state)
{
	struct setting *s = *state;
	struct ward_masks_tree tree;
	uint32_t *words = s->data;

	for (size_t size = 0; size < s->size; size++)
		assert_int_equal(
		    ward_masks_load(s->data, size, &tree), -EPROTO);
	/* the head is two words, a node five */
	for (size_t i = 0; i < 2 + 5 * s->tree.n_nodes; i++) {
		uint32_t kept = words[i];
		words[i] = UINT32_MAX;
		/* which mask it is of is for the warden to judge */
		if (i < 2 || (i - 2) % 5 != 2)
			assert_int_equal(
			    ward_masks_load(s->data, s->size, &tree), -EPROTO);
		words[i] = kept;
	}
	((char *)s->data)[s->size - 1] = 'x';
	assert_int_equal(ward_masks_load(s->data, s->size, &tree), -EPROTO);
}

/* --- requests --- */

/* One request; what it was told of, and the error, are in the answer. */
static int
ask(struct setting *s, uint32_t opcode, size_t node, uint32_t uid,
    const void *body, size_t size)
{
	_Alignas(uint64_t) unsigned char request[512];
	const struct fuse_in_header head = {
		.len = (uint32_t)(sizeof(head) + size),
		.opcode = opcode,
		.unique = 42,
		.nodeid = node + 1,
		.uid = uid,
		.pid = 77,
	};
	struct fuse_out_header out;

	memcpy(request, &head, sizeof(head));
	if (size > 0)
		memcpy(request + sizeof(head), body, size);
	assert_int_equal(ward_masks_answer(&s->tree, 1000, request,
			     sizeof(head) + size, &s->answer),
	    0);
	if (s->answer.size == 0)
		return 1;
	memcpy(&out, s->answer.data, sizeof(out));
	assert_int_equal(out.len, s->answer.size);
	assert_int_equal(out.unique, 42);
	return out.error;
}

static const struct fuse_access_in readable = { .mask = R_OK };
static const struct fuse_access_in writable = { .mask = W_OK };
static const struct fuse_open_in opening;

static void
looks(void **state)
{
	struct setting *s = *state;
	static const struct {
		const char *node;
		uint32_t opcode;
		const void *body;
		size_t size;
		int error;
		int what; /* -1: no look */
		uint32_t mask;
		const char *name;
	} cases[] = {
		{ "d2", FUSE_LOOKUP, "a", 2, -ENOENT, WARD_LOOK_LOOKUP, 2,
		    "a" },
		{ "d1", FUSE_LOOKUP, "user", 5, 0, -1, 0, NULL },
		{ "d1/user", FUSE_LOOKUP, "y", 2, -ENOENT, WARD_LOOK_LOOKUP, 1,
		    "user/y" },
		{ "f3", FUSE_LOOKUP, "y", 2, -ENOENT, WARD_LOOK_LOOKUP, 3,
		    "y" },
		{ "f3", FUSE_OPEN, &opening, sizeof(opening), -EACCES,
		    WARD_LOOK_OPEN, 3, "" },
		{ "d1/user/x", FUSE_OPEN, &opening, sizeof(opening), -EACCES,
		    WARD_LOOK_OPEN, 1, "user/x" },
		{ "d2", FUSE_OPENDIR, &opening, sizeof(opening), 0,
		    WARD_LOOK_LIST, 2, "" },
		{ "f3", FUSE_OPENDIR, &opening, sizeof(opening), -EACCES,
		    WARD_LOOK_OPEN, 3, "" },
		{ "f3", FUSE_ACCESS, &readable, sizeof(readable), -EACCES,
		    WARD_LOOK_ACCESS, 3, "" },
		{ "d2", FUSE_ACCESS, &readable, sizeof(readable), 0, -1, 0,
		    NULL },
		{ "d2", FUSE_ACCESS, &writable, sizeof(writable), -EACCES, -1,
		    0, NULL },
		{ "d2", FUSE_GETATTR, NULL, 0, 0, -1, 0, NULL },
		{ "f3", FUSE_SETATTR, NULL, 0, -EROFS, -1, 0, NULL },
		{ "d2", FUSE_STATFS, NULL, 0, 0, -1, 0, NULL },
		{ "d2", FUSE_MKDIR, "a", 2, -ENOSYS, -1, 0, NULL },
		{ "d2", FUSE_GETXATTR, NULL, 0, -ENOSYS, -1, 0, NULL },
		{ "d2", 4096, NULL, 0, -ENOSYS, -1, 0, NULL },
		{ "d2", FUSE_FORGET, NULL, 0, 1, -1, 0, NULL },
		{ "d1/lnk", FUSE_READLINK, NULL, 0, 0, -1, 0, NULL },
		{ "d2", FUSE_READLINK, NULL, 0, -EINVAL, -1, 0, NULL },
	};

	for (size_t i = 0; i < N(cases); i++) {
		size_t node = at(&s->tree, cases[i].node);
		int error = ask(s, cases[i].opcode, node, 1000, cases[i].body,
		    cases[i].size);
		const struct ward_wire_look *look = &s->answer.look;
		if (error != cases[i].error ||
		    s->answer.looked != (cases[i].what >= 0))
			fail_msg("case %zu: error %d, %s", i, error,
			    s->answer.looked ? "a look" : "no look");
		if (s->answer.looked &&
		    (look->what != (uint32_t)cases[i].what ||
			look->mask != cases[i].mask || look->tid != 77 ||
			strcmp(look->name, cases[i].name) != 0))
			fail_msg(
			    "case %zu: mask %u, %s", i, look->mask, look->name);
		(void)ask(
		    s, cases[i].opcode, node, 0, cases[i].body, cases[i].size);
		if (s->answer.looked)
			fail_msg("case %zu: root looks", i);
	}
	assert_int_equal(
	    ask(s, FUSE_OPEN, at(&s->tree, "f3"), 0, &opening, sizeof(opening)),
	    0);
	assert_int_equal(ask(s, FUSE_GETATTR, 1000, 1000, NULL, 0), -ESTALE);
}

static void
first(void **state)
{
	struct setting *s = *state;
	struct fuse_init_in in = {
		.major = FUSE_KERNEL_VERSION,
		.minor = 36,
		.flags = FUSE_PARALLEL_DIROPS | FUSE_POSIX_ACL,
	};
	struct fuse_init_out out;

	assert_int_equal(ask(s, FUSE_INIT, (size_t)-1, 0, &in, sizeof(in)), 0);
	memcpy(
	    &out, s->answer.data + sizeof(struct fuse_out_header), sizeof(out));
	assert_int_equal(out.major, FUSE_KERNEL_VERSION);
	assert_true(out.minor <= 36);
	assert_int_equal(out.flags, FUSE_PARALLEL_DIROPS);
	in.major = 8;
	assert_int_equal(
	    ask(s, FUSE_INIT, (size_t)-1, 0, &in, sizeof(in)), -EPROTO);
}

/* As it is read in buffers of any size, from the beginning to its end. */
static void
lists(void **state)
{
	struct setting *s = *state;
	size_t node = at(&s->tree, "d1");

	for (uint32_t size = 32; size < 200; size += 8) {
		struct fuse_read_in in = { .size = size };
		char names[128] = "";
		size_t n = 1;
		while (n > 0) {
			struct fuse_dirent entry;
			const unsigned char *from =
			    s->answer.data + sizeof(struct fuse_out_header);
			assert_int_equal(
			    ask(s, FUSE_READDIR, node, 1000, &in, sizeof(in)),
			    0);
			n = s->answer.size - sizeof(struct fuse_out_header);
			assert_true(n <= size);
			for (size_t i = 0; i < n;
			     i += FUSE_DIRENT_ALIGN(
				 FUSE_NAME_OFFSET + entry.namelen)) {
				memcpy(&entry, from + i, FUSE_NAME_OFFSET);
				(void)snprintf(names + strlen(names),
				    sizeof(names) - strlen(names), "%.*s ",
				    (int)entry.namelen,
				    (const char *)from + i + FUSE_NAME_OFFSET);
				in.offset = entry.off;
			}
		}
		assert_string_equal(names, ". .. user lnk ");
	}
}

/* What no kernel sends. */
static void
wrong_requests(void **state)
{
	struct setting *s = *state;
	_Alignas(uint64_t) unsigned char request[64] = { 0 };
	struct fuse_in_header head = {
		.len = sizeof(head) + 1,
		.opcode = FUSE_LOOKUP,
		.nodeid = 1,
	};

	for (size_t size = 0; size < sizeof(head); size++)
		assert_int_equal(
		    ward_masks_answer(&s->tree, 0, request, size, &s->answer),
		    -EPROTO);
	static const uint32_t short_ones[] = { FUSE_LOOKUP, FUSE_INIT,
		FUSE_ACCESS, FUSE_READDIR };
	for (size_t i = 0; i < N(short_ones); i++) {
		head.opcode = short_ones[i];
		memcpy(request, &head, sizeof(head));
		request[sizeof(head)] = 'x';
		assert_int_equal(ward_masks_answer(&s->tree, 0, request,
				     sizeof(head) + 1, &s->answer),
		    -EPROTO);
	}
	/* of another length than it says */
	assert_int_equal(ward_masks_answer(&s->tree, 0, request,
			     sizeof(head) + 2, &s->answer),
	    -EPROTO);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(trees, set_up, tear_down),
		cmocka_unit_test_setup_teardown(paths, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wrong_trees, set_up, tear_down),
		cmocka_unit_test_setup_teardown(looks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lists, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    wrong_requests, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
