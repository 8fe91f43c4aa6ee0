/* SPDX-License-Identifier: ISC */
/*
 * The kernel's requests to the masks.  What is there is told to be there for
 * ever, so that the kernel asks once; what is not there is asked for each time,
 * and each time is a look.  No permission is left to the kernel: a hidden
 * file's refusal would not be seen here.
 */
#include "config.h"

#include <errno.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/masks_fuse.h"

/* Older than which nobody hears of it: the kernel may say what it likes. */
#define MINOR_LEAST 26
#define FOR_EVER    (UINT64_C(1) << 30) /* seconds */
#define WRITE_LEAST 4096

struct request {
	const struct ward_masks_tree *tree;
	uint64_t now;
	struct fuse_in_header head;
	const unsigned char *body;
	size_t size; /* of the body */
	size_t node; /* that it is about */
};

static const mode_t modes[] = {
	[WARD_MASKS_EMPTY] = S_IFDIR | 0555,
	[WARD_MASKS_DIRECTORY] = S_IFDIR | 0755,
	[WARD_MASKS_FILE] = S_IFREG,
	[WARD_MASKS_LINK] = S_IFLNK | 0777,
};

static bool
is_directory(const struct request *q, size_t node)
{
	return S_ISDIR(modes[q->tree->nodes[node].kind]);
}

/* --- answers --- */

static void
answer_with(const struct request *q, struct ward_masks_answer *a, int error,
    const void *body, size_t size)
{
	const struct fuse_out_header head = {
		.len = (uint32_t)(sizeof(head) + size),
		.error = -error,
		.unique = q->head.unique,
	};

	memcpy(a->data, &head, sizeof(head));
	if (size > 0)
		memcpy(a->data + sizeof(head), body, size);
	a->size = sizeof(head) + size;
}

static void
answer_error(const struct request *q, struct ward_masks_answer *a, int error)
{
	answer_with(q, a, error, NULL, 0);
}

static void
fill_attr(const struct request *q, size_t node, struct fuse_attr *attr)
{
	const struct ward_masks_node *n = &q->tree->nodes[node];
	mode_t mode = modes[n->kind];

	*attr = (struct fuse_attr){
		.ino = node + 1,
		.size = S_ISLNK(mode) ? strlen(q->tree->strings + n->text) : 0,
		.atime = q->now,
		.mtime = q->now,
		.ctime = q->now,
		.mode = mode,
		.nlink = S_ISDIR(mode) ? 2 : 1,
		.blksize = 4096,
	};
}

/* --- looks --- */

/*
 * Root's are none: the view is built, kept and held by root's own.  A root of
 * the account's own namespace has another uid here.
 */
static bool
is_look(const struct request *q)
{
	return q->head.uid != 0;
}

static void
tell(const struct request *q, struct ward_masks_answer *a, enum ward_look what,
    const char *name)
{
	if (!is_look(q))
		return;
	a->looked = true;
	a->look = (struct ward_wire_look){
		.what = what,
		.mask = q->tree->nodes[q->node].mask,
		.tid = q->head.pid <= INT32_MAX ? q->head.pid : 0,
	};
	ward_masks_path(
	    q->tree, q->node, name, a->look.name, sizeof(a->look.name));
}

/* --- requests --- */

static int
do_init(const struct request *q, struct ward_masks_answer *a)
{
	struct fuse_init_in in = { 0 };
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.flags = FUSE_PARALLEL_DIROPS | FUSE_CACHE_SYMLINKS,
		.max_write = WRITE_LEAST,
		.max_background = 1,
		.congestion_threshold = 1,
		.time_gran = 1,
	};

	/* later versions say more than this */
	if (q->size < offsetof(struct fuse_init_in, flags) + sizeof(in.flags))
		return -EPROTO;
	memcpy(&in, q->body,
	    offsetof(struct fuse_init_in, flags) + sizeof(in.flags));
	if (in.major != FUSE_KERNEL_VERSION || in.minor < MINOR_LEAST) {
		answer_error(q, a, EPROTO);
		return 0;
	}
	if (in.minor < out.minor)
		out.minor = in.minor;
	out.max_readahead = in.max_readahead;
	out.flags &= in.flags;
	answer_with(q, a, 0, &out, sizeof(out));
	return 0;
}

static int
do_lookup(const struct request *q, struct ward_masks_answer *a)
{
	const char *name = (const char *)q->body;
	struct fuse_entry_out out = {
		.entry_valid = FOR_EVER,
		.attr_valid = FOR_EVER,
	};

	if (q->size < 2 || name[q->size - 1] != '\0')
		return -EPROTO;
	size_t child = is_directory(q, q->node)
	    ? ward_masks_find(q->tree, q->node, name)
	    : 0;
	if (child == 0) {
		tell(q, a, WARD_LOOK_LOOKUP, name);
		answer_error(q, a, ENOENT);
		return 0;
	}
	out.nodeid = child + 1;
	fill_attr(q, child, &out.attr);
	answer_with(q, a, 0, &out, sizeof(out));
	return 0;
}

static int
do_getattr(const struct request *q, struct ward_masks_answer *a)
{
	struct fuse_attr_out out = { .attr_valid = FOR_EVER };

	fill_attr(q, q->node, &out.attr);
	answer_with(q, a, 0, &out, sizeof(out));
	return 0;
}

static int
do_readlink(const struct request *q, struct ward_masks_answer *a)
{
	const struct ward_masks_node *n = &q->tree->nodes[q->node];
	const char *text = q->tree->strings + n->text;
	size_t size = strlen(text);

	if (n->kind != WARD_MASKS_LINK ||
	    size > sizeof(a->data) - sizeof(struct fuse_out_header))
		answer_error(q, a, EINVAL);
	else
		answer_with(q, a, 0, text, size);
	return 0;
}

/* As modes refuse it on any file system; to root they refuse nothing. */
static int
do_access(const struct request *q, struct ward_masks_answer *a)
{
	struct fuse_access_in in;
	mode_t mode = modes[q->tree->nodes[q->node].kind];

	if (q->size < sizeof(in))
		return -EPROTO;
	memcpy(&in, q->body, sizeof(in));
	bool refused = is_look(q) && (in.mask & ~mode & 07) != 0;
	if (refused && S_ISREG(mode))
		tell(q, a, WARD_LOOK_ACCESS, "");
	answer_error(q, a, refused ? EACCES : 0);
	return 0;
}

static int
do_open(const struct request *q, struct ward_masks_answer *a)
{
	const struct fuse_open_out out = { 0 };
	bool is_file = q->tree->nodes[q->node].kind == WARD_MASKS_FILE;

	if (q->head.opcode == FUSE_OPENDIR && is_directory(q, q->node)) {
		tell(q, a, WARD_LOOK_LIST, "");
		answer_with(q, a, 0, &out, sizeof(out));
	} else if (q->head.opcode == FUSE_OPEN && is_file && !is_look(q)) {
		answer_with(q, a, 0, &out, sizeof(out));
	} else {
		if (is_file)
			tell(q, a, WARD_LOOK_OPEN, "");
		answer_error(q, a, EACCES);
	}
	return 0;
}

/* A file has nothing; for root, whom nothing refuses to open it. */
static int
do_read(const struct request *q, struct ward_masks_answer *a)
{
	answer_error(q, a, 0);
	return 0;
}

/* Appends one, if there is room; next is where a reader goes on behind it. */
static bool
add_entry(unsigned char *out, size_t room, size_t *used, size_t node,
    mode_t mode, uint64_t next, const char *name)
{
	const struct fuse_dirent head = {
		.ino = node + 1,
		.off = next,
		.namelen = (uint32_t)strlen(name),
		.type = mode >> 12,
	};
	size_t size = FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + head.namelen);

	if (size > room - *used)
		return false;
	memset(out + *used, 0, size);
	memcpy(out + *used, &head, FUSE_NAME_OFFSET);
	memcpy(out + *used + FUSE_NAME_OFFSET, name, head.namelen);
	*used += size;
	return true;
}

static int
do_readdir(const struct request *q, struct ward_masks_answer *a)
{
	const struct ward_masks_tree *tree = q->tree;
	unsigned char
	    out[WARD_MASKS_ANSWER_MAX - sizeof(struct fuse_out_header)];
	struct fuse_read_in in;
	size_t used = 0;
	bool fits = true;

	if (q->size < sizeof(in))
		return -EPROTO;
	memcpy(&in, q->body, sizeof(in));
	if (!is_directory(q, q->node)) {
		answer_error(q, a, ENOTDIR);
		return 0;
	}
	size_t room = in.size < sizeof(out) ? in.size : sizeof(out);
	if (in.offset == 0)
		fits = add_entry(out, room, &used, q->node, S_IFDIR, 1, ".");
	if (in.offset <= 1 && fits)
		fits = add_entry(out, room, &used, tree->nodes[q->node].parent,
		    S_IFDIR, 2, "..");
	/* behind those a place is the number of a node, and two */
	for (uint64_t i = in.offset <= 2 ? 0 : in.offset - 2;
	     fits && i < tree->n_nodes; i++)
		if (i > q->node && tree->nodes[i].parent == q->node)
			fits = add_entry(out, room, &used, (size_t)i,
			    modes[tree->nodes[i].kind], i + 3,
			    ward_masks_name(tree, (size_t)i));
	answer_with(q, a, 0, out, used);
	return 0;
}

static int
do_statfs(const struct request *q, struct ward_masks_answer *a)
{
	const struct fuse_statfs_out out = {
		.st = { .bsize = 4096, .frsize = 4096, .namelen = 255 },
	};

	answer_with(q, a, 0, &out, sizeof(out));
	return 0;
}

/* A hidden file's mount is writable, or its modes would refuse nothing. */
static int
do_refuse(const struct request *q, struct ward_masks_answer *a)
{
	answer_error(q, a, EROFS);
	return 0;
}

static int
do_nothing(const struct request *q, struct ward_masks_answer *a)
{
	answer_error(q, a, 0);
	return 0;
}

static int
do_silence(const struct request *q, struct ward_masks_answer *a)
{
	(void)q;
	a->size = 0;
	return 0;
}

static int (*const handlers[])(
    const struct request *q, struct ward_masks_answer *a) = {
	[FUSE_LOOKUP] = do_lookup,
	[FUSE_FORGET] = do_silence,
	[FUSE_GETATTR] = do_getattr,
	[FUSE_SETATTR] = do_refuse,
	[FUSE_READLINK] = do_readlink,
	[FUSE_OPEN] = do_open,
	[FUSE_READ] = do_read,
	[FUSE_STATFS] = do_statfs,
	[FUSE_RELEASE] = do_nothing,
	[FUSE_SETXATTR] = do_refuse,
	[FUSE_REMOVEXATTR] = do_refuse,
	[FUSE_INIT] = do_init,
	[FUSE_OPENDIR] = do_open,
	[FUSE_READDIR] = do_readdir,
	[FUSE_RELEASEDIR] = do_nothing,
	[FUSE_ACCESS] = do_access,
	/* a caller that a signal wants waits for no more than an answer */
	[FUSE_INTERRUPT] = do_silence,
	[FUSE_BATCH_FORGET] = do_silence,
};

int
ward_masks_answer(const struct ward_masks_tree *tree, uint64_t now,
    const void *request, size_t size, struct ward_masks_answer *answer)
{
	struct request q = { .tree = tree, .now = now };

	answer->size = 0;
	answer->looked = false;
	if (size < sizeof(q.head))
		return -EPROTO;
	memcpy(&q.head, request, sizeof(q.head));
	if (q.head.len != size)
		return -EPROTO;
	q.body = (const unsigned char *)request + sizeof(q.head);
	q.size = size - sizeof(q.head);
	if (q.head.opcode >= sizeof(handlers) / sizeof(handlers[0]) ||
	    handlers[q.head.opcode] == NULL) {
		answer_error(&q, answer, ENOSYS);
		return 0;
	}
	/* those of none are about 0: INIT, INTERRUPT, BATCH_FORGET */
	q.node = (size_t)(q.head.nodeid - 1);
	if (q.head.nodeid == 0)
		q.node = 0;
	if (q.node >= tree->n_nodes) {
		answer_error(&q, answer, ESTALE);
		return 0;
	}
	return handlers[q.head.opcode](&q, answer);
}
