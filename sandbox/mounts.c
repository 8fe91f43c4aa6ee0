/* SPDX-License-Identifier: ISC */
/* The host's mounts, and which of them a view may have. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/number.h"
#include "common/path.h"
#include "sandbox/mounts.h"

/* Another instance of a type of the kernel's own shows the whole host. */
static const char *const shown[] = { "ext2", "ext3", "ext4", "xfs", "btrfs",
	"zfs", "f2fs", "bcachefs", "jfs", "reiserfs", "squashfs", "erofs" };
static const char *const on_request[] = { "tmpfs", "overlay", "nfs", "nfs4",
	"cifs", "smb3", "9p", "virtiofs", "ceph", "glusterfs", "vfat", "exfat",
	"ntfs3", "iso9660", "udf", "hfsplus", "fuseblk" };

static bool
is_among(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

static enum ward_mount_class
class_of(const char *type)
{
	if (is_among(type, shown, sizeof(shown) / sizeof(shown[0])))
		return WARD_MOUNT_SHOWN;
	if (is_among(
		type, on_request, sizeof(on_request) / sizeof(on_request[0])) ||
	    strncmp(type, "fuse.", 5) == 0)
		return WARD_MOUNT_ON_REQUEST;
	return WARD_MOUNT_NEVER;
}

/* Cuts the next word off *at; NULL at the end of the line. */
static char *
word(char **at)
{
	char *start = *at;

	if (*start == '\0')
		return NULL;
	char *end = strchrnul(start, ' ');
	if (*end == ' ')
		*end++ = '\0';
	*at = end;
	return start;
}

static bool
is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* mountinfo writes space, tab, newline and backslash as \ooo. */
static void
unescape(char *s)
{
	char *out = s;

	while (*s != '\0') {
		if (s[0] == '\\' && is_octal(s[1]) && is_octal(s[2]) &&
		    is_octal(s[3])) {
			*out++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
			    (s[3] - '0'));
			s += 4;
		} else {
			*out++ = *s++;
		}
	}
	*out = '\0';
}

/* 36 35 98:0 /root /path options optional... - type source options */
static int
parse_line(char *line, struct ward_mount *mount)
{
	char *words[6], *w;

	for (size_t i = 0; i < 6; i++)
		if ((words[i] = word(&line)) == NULL)
			return -EBADMSG;
	while ((w = word(&line)) != NULL && strcmp(w, "-") != 0)
		;
	if (w == NULL || (w = word(&line)) == NULL || words[4][0] != '/')
		return -EBADMSG;
	if (ward_number_parse(words[0], INT64_MAX, &mount->id) != 0 ||
	    ward_number_parse(words[1], INT64_MAX, &mount->parent) != 0)
		return -EBADMSG;
	/* seq_path_root in Linux writes "//deleted" behind such a place */
	mount->gone = strstr(words[4], "//") != NULL;
	unescape(words[3]);
	unescape(words[4]);
	mount->writable = strncmp(words[5], "rw", 2) == 0;
	mount->class = class_of(w);
	mount->path = strdup(words[4]);
	mount->root = strdup(words[3]);
	mount->device = strdup(words[2]);
	mount->type = strdup(w);
	return mount->path == NULL || mount->root == NULL ||
		mount->device == NULL || mount->type == NULL
	    ? -ENOMEM
	    : 0;
}

bool
ward_mount_is_local(const struct ward_mount *mount)
{
	return mount->class == WARD_MOUNT_SHOWN ||
	    strcmp(mount->type, "tmpfs") == 0 ||
	    strcmp(mount->type, "overlay") == 0;
}

int
ward_path_order(const void *a, const void *b)
{
	const char *x = *(const char *const *)a;
	const char *y = *(const char *const *)b;

	for (; *x == *y && *x != '\0'; x++, y++)
		;
	/* a slash sorts before all else, so that /a/b precedes /a-b */
	int left = *x == '/' ? 1 : (unsigned char)*x + (*x != '\0');
	int right = *y == '/' ? 1 : (unsigned char)*y + (*y != '\0');
	return left - right;
}

/* By path; of several on one place, as they were listed. */
static int
by_path_then_order(const void *a, const void *b)
{
	const struct ward_mount *x = a, *y = b;
	int order = ward_path_order(&x->path, &y->path);

	if (order != 0)
		return order;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void
mount_clear(struct ward_mount *mount)
{
	free(mount->path);
	free(mount->root);
	free(mount->device);
	free(mount->type);
}

/* Of the mounts on one place: the one on which none of them hangs. */
static size_t
top_of(const struct ward_mount *list, size_t n)
{
	size_t top = 0;

	for (size_t i = 0; i < n; i++) {
		bool covered = false;
		for (size_t k = 0; k < n && !covered; k++)
			covered = k != i && list[k].parent == list[i].id;
		if (!covered)
			top = i;
	}
	return top;
}

/* What the lowest of them hangs on. */
static uint64_t
base_of(const struct ward_mount *list, size_t n, size_t top)
{
	uint64_t parent = list[top].parent;

	/* one step for each at most, whatever the numbers say */
	for (size_t steps = 1; steps < n; steps++)
		for (size_t k = 0; k < n; k++)
			if (list[k].id == parent) {
				parent = list[k].parent;
				break;
			}
	return parent;
}

/*
 * Drops what a path does not reach: a mount that has another on the same
 * place, one whose parent is not what is on top of the place above it, and one
 * whose place is gone.
 */
static int
drop_covered(struct ward_mounts *mounts)
{
	size_t n = mounts->n, kept = 0, n_above = 0, end;
	size_t *above = calloc(n + 1, sizeof(*above));

	if (above == NULL)
		return -ENOMEM;
	for (size_t first = 0; first < n; first = end) {
		struct ward_mount *place = &mounts->list[first];
		end = first + 1;
		while (end < n &&
		    ward_path_order(&place->path, &mounts->list[end].path) == 0)
			end++;
		size_t top = top_of(place, end - first);
		uint64_t base = base_of(place, end - first, top);
		struct ward_mount m = place[top];
		for (size_t i = 0; i < end - first; i++)
			if (i != top)
				mount_clear(&place[i]);
		while (n_above > 0 &&
		    !ward_path_is_below(
			m.path, mounts->list[above[n_above - 1]].path))
			n_above--;
		if (m.gone ||
		    (n_above > 0 &&
			mounts->list[above[n_above - 1]].id != base)) {
			mount_clear(&m);
			continue;
		}
		mounts->list[kept] = m;
		above[n_above++] = kept++;
	}
	mounts->n = kept;
	free(above);
	return 0;
}

int
ward_mounts_parse(const char *text, struct ward_mounts *mounts, struct err *err)
{
	_cleanup_free_ char *copy = strdup(text);
	size_t lines = 0;
	int r = 0;

	*mounts = (struct ward_mounts){ 0 };
	if (copy == NULL)
		return ward_err_sys(err, ENOMEM, "mountinfo");
	for (const char *c = copy; *c != '\0'; c++)
		lines += *c == '\n';
	mounts->list = calloc(lines + 1, sizeof(*mounts->list));
	if (mounts->list == NULL)
		return ward_err_sys(err, ENOMEM, "mountinfo");
	for (char *line = copy; r == 0 && *line != '\0';) {
		char *end = strchr(line, '\n');
		if (end == NULL) {
			r = -EBADMSG;
			break;
		}
		*end = '\0';
		mounts->list[mounts->n].order = mounts->n;
		r = parse_line(line, &mounts->list[mounts->n++]);
		line = end + 1;
	}
	if (r == 0) {
		if (mounts->n > 1)
			qsort(mounts->list, mounts->n, sizeof(*mounts->list),
			    by_path_then_order);
		r = drop_covered(mounts);
	}
	if (r == 0)
		return 0;
	ward_mounts_clear(mounts);
	return ward_err_sys(err, -r, "mountinfo");
}

bool
ward_mounts_lists(const char *text, uint64_t id, const char *device)
{
	char start[32];
	size_t n = strlen(device);

	(void)snprintf(start, sizeof(start), "%ju ", (uintmax_t)id);
	for (const char *line = text; *line != '\0';) {
		const char *end = strchrnul(line, '\n');
		if (strncmp(line, start, strlen(start)) == 0) {
			const char *at = strchrnul(line + strlen(start), ' ');
			if (at < end && strncmp(at + 1, device, n) == 0 &&
			    at[1 + n] == ' ')
				return true;
		}
		line = *end == '\n' ? end + 1 : end;
	}
	return false;
}

char *
ward_mounts_text(int mountinfo_fd, struct err *err)
{
	size_t room = 65536, used = 0;
	_cleanup_free_ char *text = malloc(room);

	if (lseek(mountinfo_fd, 0, SEEK_SET) != 0) {
		(void)ward_err_sys(err, errno, "mountinfo");
		return NULL;
	}
	while (text != NULL) {
		ssize_t n = read(mountinfo_fd, text + used, room - used - 1);
		if (n < 0) {
			(void)ward_err_sys(err, errno, "mountinfo");
			return NULL;
		}
		if (n == 0) {
			text[used] = '\0';
			return ward_steal_pointer(&text);
		}
		used += (size_t)n;
		if (room - used > 4096)
			continue;
		char *bigger = reallocarray(text, 2, room);
		if (bigger == NULL)
			break;
		text = bigger;
		room *= 2;
	}
	(void)ward_err_sys(err, ENOMEM, "mountinfo");
	return NULL;
}

int
ward_mounts_read(struct ward_mounts *mounts, struct err *err)
{
	_cleanup_fd_ int fd =
	    open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return ward_err_sys(err, errno, "/proc/self/mountinfo");
	_cleanup_free_ char *text = ward_mounts_text(fd, err);
	return text == NULL ? -err->code : ward_mounts_parse(text, mounts, err);
}

void
ward_mounts_clear(struct ward_mounts *mounts)
{
	for (size_t i = 0; i < mounts->n; i++)
		mount_clear(&mounts->list[i]);
	free(mounts->list);
	*mounts = (struct ward_mounts){ 0 };
}

const struct ward_mount *
ward_mounts_find(const struct ward_mounts *mounts, const char *path)
{
	const struct ward_mount *found = NULL;

	/* what is above stands first, so the last that matches is nearest */
	for (size_t i = 0; i < mounts->n; i++)
		if (ward_path_is_below(path, mounts->list[i].path))
			found = &mounts->list[i];
	return found;
}
