/* SPDX-License-Identifier: ISC */
/* mountinfo: what is kept of real ones, what is refused of others. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sandbox/mounts.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* "PATH:TYPE" of each, s for shown, r for on request, - for never, in order. */
static char *
print(const struct ward_mounts *mounts)
{
	static const char letters[] = "-rs";
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; i < mounts->n; i++)
		(void)fprintf(out, "%s%c%s:%s", i == 0 ? "" : " ",
		    letters[mounts->list[i].class], mounts->list[i].path,
		    mounts->list[i].type);
	assert_int_equal(fclose(out), 0);
	return text;
}

static const struct {
	const char *name, *text, *kept;
} samples[] = {
	{ "nothing", "", "" },
	{ "one", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n", "s/:ext4" },
	{ "a Debian server",
	    "22 29 0:20 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - "
	    "sysfs sysfs rw\n"
	    "23 29 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:12 - "
	    "proc proc rw\n"
	    "24 29 0:5 / /dev rw,nosuid,relatime shared:2 - devtmpfs udev "
	    "rw,size=4004420k,nr_inodes=1001105,mode=755,inode64\n"
	    "25 24 0:22 / /dev/pts rw,nosuid,noexec,relatime shared:3 - devpts "
	    "devpts rw,gid=5,mode=620,ptmxmode=000\n"
	    "26 29 0:23 / /run rw,nosuid,nodev,noexec,relatime shared:5 - "
	    "tmpfs tmpfs rw,size=806324k,mode=755,inode64\n"
	    "29 1 254:1 / / rw,relatime shared:1 - ext4 /dev/mapper/vg-root "
	    "rw,errors=remount-ro\n"
	    "27 22 0:6 / /sys/kernel/security rw,nosuid,nodev,noexec,relatime "
	    "shared:8 - securityfs securityfs rw\n"
	    "28 24 0:24 / /dev/shm rw,nosuid,nodev shared:4 - tmpfs tmpfs "
	    "rw,inode64\n"
	    "30 26 0:25 / /run/lock rw,nosuid,nodev,noexec,relatime shared:6 - "
	    "tmpfs tmpfs rw,size=5120k,inode64\n"
	    "31 22 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime "
	    "shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n"
	    "32 22 0:27 / /sys/fs/pstore rw,nosuid,nodev,noexec,relatime "
	    "shared:10 - pstore pstore rw\n"
	    "33 22 0:28 / /sys/fs/bpf rw,nosuid,nodev,noexec,relatime "
	    "shared:11 - bpf bpf rw,mode=700\n"
	    "34 23 0:29 / /proc/sys/fs/binfmt_misc rw,relatime shared:13 - "
	    "autofs systemd-1 rw,fd=30,pgrp=1,timeout=0,minproto=5\n"
	    "35 24 0:30 / /dev/hugepages rw,relatime shared:14 - hugetlbfs "
	    "hugetlbfs rw,pagesize=2M\n"
	    "36 24 0:19 / /dev/mqueue rw,nosuid,nodev,noexec,relatime "
	    "shared:15 - mqueue mqueue rw\n"
	    "37 22 0:7 / /sys/kernel/debug rw,nosuid,nodev,noexec,relatime "
	    "shared:16 - debugfs debugfs rw\n"
	    "38 22 0:12 / /sys/kernel/tracing rw,nosuid,nodev,noexec,relatime "
	    "shared:17 - tracefs tracefs rw\n"
	    "39 22 0:31 / /sys/fs/fuse/connections "
	    "rw,nosuid,nodev,noexec,relatime shared:18 - fusectl fusectl rw\n"
	    "40 22 0:32 / /sys/kernel/config rw,nosuid,nodev,noexec,relatime "
	    "shared:19 - configfs configfs rw\n"
	    "70 26 0:33 / /run/credentials/systemd-sysusers.service "
	    "ro,nosuid,nodev,noexec,relatime shared:20 - ramfs none "
	    "rw,mode=700\n"
	    "91 29 8:1 / /boot rw,relatime shared:45 - ext2 /dev/sda1 rw\n"
	    "92 91 8:2 / /boot/efi rw,relatime shared:47 - vfat /dev/sda2 "
	    "rw,fmask=0077,dmask=0077,codepage=437\n"
	    "94 29 254:2 / /home rw,relatime shared:49 - xfs /dev/mapper/vg-h "
	    "rw,attr2,inode64,noquota\n"
	    "96 29 254:3 / /var rw,relatime shared:51 - btrfs /dev/mapper/vg-v "
	    "rw,space_cache=v2,subvolid=5,subvol=/\n"
	    "98 96 254:3 /log /var/log rw,relatime shared:53 - btrfs "
	    "/dev/mapper/vg-v rw,subvolid=256,subvol=/log\n"
	    "100 29 0:44 / /srv/nfs rw,relatime shared:55 - nfs4 "
	    "files:/srv rw,vers=4.2\n"
	    "102 29 0:45 / /mnt/s rw,nosuid,nodev shared:57 - fuse.sshfs "
	    "a@b:/ rw,user_id=0\n"
	    "104 29 7:0 / /snap/core/1 ro,nodev,relatime shared:59 - squashfs "
	    "/dev/loop0 ro\n"
	    "106 26 0:46 / /run/user/1000 rw,nosuid,nodev,relatime shared:61 - "
	    "tmpfs tmpfs rw,size=806320k\n"
	    "108 29 0:47 / /var/lib/docker/overlay2/x/merged rw,relatime - "
	    "overlay overlay rw,lowerdir=/a:/b\n",
	    /* the last one hangs on / and is covered by /var */
	    "s/:ext4 s/boot:ext2 r/boot/efi:vfat -/dev:devtmpfs "
	    "-/dev/hugepages:hugetlbfs -/dev/mqueue:mqueue -/dev/pts:devpts "
	    "r/dev/shm:tmpfs s/home:xfs r/mnt/s:fuse.sshfs -/proc:proc "
	    "-/proc/sys/fs/binfmt_misc:autofs r/run:tmpfs "
	    "-/run/credentials/systemd-sysusers.service:ramfs "
	    "r/run/lock:tmpfs r/run/user/1000:tmpfs s/snap/core/1:squashfs "
	    "r/srv/nfs:nfs4 -/sys:sysfs -/sys/fs/bpf:bpf "
	    "-/sys/fs/cgroup:cgroup2 -/sys/fs/fuse/connections:fusectl "
	    "-/sys/fs/pstore:pstore -/sys/kernel/config:configfs "
	    "-/sys/kernel/debug:debugfs -/sys/kernel/security:securityfs "
	    "-/sys/kernel/tracing:tracefs s/var:btrfs s/var/log:btrfs" },
	{ "a container",
	    "600 500 0:60 / / rw,relatime - overlay overlay rw,lowerdir=/l\n"
	    "601 600 0:61 / /proc rw - proc proc rw\n"
	    "602 600 0:62 / /dev rw - tmpfs tmpfs rw\n"
	    "603 600 8:1 /c/hosts /etc/hosts rw - ext4 /dev/sda1 rw\n"
	    "604 601 0:61 /bus /proc/bus ro - proc proc rw\n"
	    "605 601 0:63 / /proc/kcore ro - tmpfs tmpfs ro\n",
	    "r/:overlay r/dev:tmpfs s/etc/hosts:ext4 -/proc:proc "
	    "-/proc/bus:proc r/proc/kcore:tmpfs" },
	{ "binds of a chroot",
	    "10 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
	    "11 10 0:20 / /srv/chroot/proc rw - proc proc rw\n"
	    "12 10 0:5 / /srv/chroot/dev rw - devtmpfs udev rw\n"
	    "13 12 0:6 / /srv/chroot/dev/pts rw - devpts devpts rw\n"
	    "14 10 8:1 /home /srv/chroot/home rw - ext4 /dev/sda1 rw\n",
	    "s/:ext4 -/srv/chroot/dev:devtmpfs -/srv/chroot/dev/pts:devpts "
	    "s/srv/chroot/home:ext4 -/srv/chroot/proc:proc" },
	{ "inside a chroot: no root, and parents that are not listed",
	    "11 10 0:20 / /proc rw - proc proc rw\n"
	    "14 10 8:1 /home /home rw - ext4 /dev/sda1 rw\n"
	    "15 14 8:2 / /home/a rw - ext4 /dev/sda2 rw\n",
	    "s/home:ext4 s/home/a:ext4 -/proc:proc" },
	{ "escapes",
	    "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
	    "2 1 8:2 / /a\\040b rw - ext4 /dev/sda2 rw\n"
	    "3 1 8:2 / /a\\134040 rw - ext4 /dev/sda2 rw\n"
	    "4 1 8:2 / /a\\011b\\012c rw - ext4 /dev/a\\040b rw\n"
	    "5 1 8:2 / /f\\303\\274r rw - ext4 /dev/sda2 rw\n"
	    "6 1 8:2 / /n\\8\\01 rw - ext4 /dev/sda2 rw\n"
	    "7 1 8:2 / /x\\ rw - ext4 /dev/sda2 rw\n",
	    "s/:ext4 s/a\tb\nc:ext4 s/a b:ext4 s/a\\040:ext4 "
	    "s/f\303\274r:ext4 s/n\\8\\01:ext4 s/x\\:ext4" },
	{ "no optional field, many, and an empty source",
	    "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
	    "2 1 8:2 / /a rw shared:1 master:2 propagate_from:3 unbindable - "
	    "ext4 /dev/sda2 rw\n"
	    "3 1 8:3 / /b rw - xfs  rw\n"
	    "4 1 8:3 / /c rw - xfs\n",
	    "s/:ext4 s/a:ext4 s/b:xfs s/c:xfs" },
	{ "above before below, whatever sorts between",
	    "1 0 8:1 / / rw - ext4 d rw\n"
	    "2 1 8:1 / /a-b rw - ext4 d rw\n"
	    "3 1 8:1 / /a rw - ext4 d rw\n"
	    "4 1 8:1 / /a!b rw - ext4 d rw\n"
	    "5 3 8:1 / /a/z rw - ext4 d rw\n"
	    "6 1 8:1 / /a\\001b rw - ext4 d rw\n",
	    "s/:ext4 s/a:ext4 s/a/z:ext4 s/a\001b:ext4 s/a!b:ext4 "
	    "s/a-b:ext4" },
	{ "stacked on one place",
	    "1 0 8:1 / / rw - ext4 d rw\n"
	    "2 1 8:1 / /a rw - ext4 d rw\n"
	    "3 2 0:9 / /a rw - tmpfs t rw\n"
	    "4 3 0:8 / /a rw - xfs d rw\n",
	    "s/:ext4 s/a:xfs" },
	{ "stacked, with what hangs on each",
	    "1 0 8:1 / / rw - ext4 d rw\n"
	    "2 1 8:1 / /a rw - ext4 d rw\n"
	    "3 2 8:1 / /a/low rw - ext4 d rw\n"
	    "4 2 0:9 / /a rw - tmpfs t rw\n"
	    "5 4 8:1 / /a/high rw - ext4 d rw\n"
	    "6 5 8:1 / /a/high/x rw - ext4 d rw\n"
	    "7 3 8:1 / /a/low/y rw - ext4 d rw\n",
	    "s/:ext4 r/a:tmpfs s/a/high:ext4 s/a/high/x:ext4" },
	{ "an older one that was moved over a younger",
	    "1 0 8:1 / / rw - ext4 d rw\n"
	    "2 3 0:9 / /a rw - proc p rw\n"
	    "3 1 8:1 / /a rw - ext4 d rw\n"
	    "4 2 8:1 / /a/b rw - ext4 d rw\n"
	    "5 3 8:1 / /a/c rw - ext4 d rw\n",
	    "s/:ext4 -/a:proc s/a/b:ext4" },
	{ "three, in no order",
	    "1 0 8:1 / / rw - ext4 d rw\n"
	    "5 7 0:9 / /a rw - proc p rw\n"
	    "6 1 8:1 / /a rw - ext4 d rw\n"
	    "7 6 8:1 / /a rw - xfs d rw\n",
	    "s/:ext4 -/a:proc" },
	{ "the root covered, with what it had",
	    "1 1 0:1 / / rw - rootfs none rw\n"
	    "2 1 8:1 / / rw - ext4 d rw\n"
	    "3 1 8:1 / /old rw - ext4 d rw\n"
	    "4 2 8:1 / /new rw - ext4 d rw\n",
	    "s/:ext4 s/new:ext4" },
	{ "covered from above, all the way down",
	    "1 0 8:1 / / rw - ext4 d rw\n"
	    "2 1 8:1 / /a/b rw - ext4 d rw\n"
	    "3 2 8:1 / /a/b/c rw - ext4 d rw\n"
	    "4 1 8:1 / /a rw - xfs d rw\n"
	    "5 4 8:1 / /a/d rw - ext4 d rw\n",
	    "s/:ext4 s/a:xfs s/a/d:ext4" },
	{ "not covered by what only begins like it",
	    "1 0 8:1 / / rw - ext4 d rw\n"
	    "2 1 8:1 / /ab rw - ext4 d rw\n"
	    "3 1 8:1 / /a rw - xfs d rw\n",
	    "s/:ext4 s/a:xfs s/ab:ext4" },
	{ "a place that is gone",
	    "1 0 8:1 / / rw - ext4 d rw\n"
	    "2 1 8:1 / /a/b//deleted rw - ext4 d rw\n"
	    "3 2 8:1 / /a/b//deleted/c rw - ext4 d rw\n"
	    "4 1 8:1 / /a/c rw - ext4 d rw\n",
	    "s/:ext4 s/a/c:ext4" },
	{ "an automount, before and after",
	    "1 0 8:1 / / rw - ext4 d rw\n"
	    "2 1 0:9 / /net rw - autofs a rw\n"
	    "3 2 0:8 / /net/h rw - nfs4 h:/ rw\n"
	    "4 1 0:7 / /efi rw - autofs a rw\n"
	    "5 4 8:2 / /efi rw - vfat d rw\n",
	    "s/:ext4 r/efi:vfat -/net:autofs r/net/h:nfs4" },
};

static void
kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(samples); i++) {
		struct ward_mounts mounts;
		struct err err = { 0 };

		if (ward_mounts_parse(samples[i].text, &mounts, &err) != 0)
			fail_msg("%s: %s", samples[i].name, err.text);
		char *text = print(&mounts);
		if (strcmp(text, samples[i].kept) != 0)
			fail_msg("%s: %s\nnot %s", samples[i].name, text,
			    samples[i].kept);
		free(text);
		ward_mounts_clear(&mounts);
		assert_null(mounts.list);
	}
}

static void
malformed(void **state)
{
	static const char *const texts[] = {
		"\n",
		" \n",
		"1\n",
		"1 0 8:1 / /\n",
		"1 0 8:1 / / rw\n",
		"1 0 8:1 / / rw -\n",
		"1 0 8:1 / / rw - \n",
		"1 0 8:1 / / rw shared:1 ext4 d rw\n",
		"1 0 8:1 / / rw - ext4 d rw",
		"x 0 8:1 / / rw - ext4 d rw\n",
		"1 x 8:1 / / rw - ext4 d rw\n",
		"-1 0 8:1 / / rw - ext4 d rw\n",
		"1 -1 8:1 / / rw - ext4 d rw\n",
		"99999999999999999999 0 8:1 / / rw - ext4 d rw\n",
		"1 0 8:1 / a rw - ext4 d rw\n",
		"1 0 8:1 /  rw - ext4 d rw\n",
		" 1 0 8:1 / / rw - ext4 d rw\n",
		"1 0 8:1 / / rw - ext4 d rw\n\n",
		"1 0 8:1 / / rw - ext4 d rw\n2 1 8:1 / /a rw\n",
	};

	(void)state;
	for (size_t i = 0; i < N(texts); i++) {
		struct ward_mounts mounts;
		struct err err = { 0 };
		int r = ward_mounts_parse(texts[i], &mounts, &err);

		if (r != -EBADMSG || err.code != EBADMSG)
			fail_msg("\"%s\": %d", texts[i], r);
		assert_int_equal(mounts.n, 0);
		assert_null(mounts.list);
		/* nothing more to let go */
		ward_mounts_clear(&mounts);
	}
}

static void
classes(void **state)
{
	static const struct {
		const char *type;
		enum ward_mount_class class;
	} rows[] = {
		{ "ext2", WARD_MOUNT_SHOWN },
		{ "ext4", WARD_MOUNT_SHOWN },
		{ "xfs", WARD_MOUNT_SHOWN },
		{ "btrfs", WARD_MOUNT_SHOWN },
		{ "zfs", WARD_MOUNT_SHOWN },
		{ "f2fs", WARD_MOUNT_SHOWN },
		{ "squashfs", WARD_MOUNT_SHOWN },
		{ "erofs", WARD_MOUNT_SHOWN },
		{ "tmpfs", WARD_MOUNT_ON_REQUEST },
		{ "overlay", WARD_MOUNT_ON_REQUEST },
		{ "nfs", WARD_MOUNT_ON_REQUEST },
		{ "nfs4", WARD_MOUNT_ON_REQUEST },
		{ "cifs", WARD_MOUNT_ON_REQUEST },
		{ "9p", WARD_MOUNT_ON_REQUEST },
		{ "vfat", WARD_MOUNT_ON_REQUEST },
		{ "fuseblk", WARD_MOUNT_ON_REQUEST },
		{ "fuse.sshfs", WARD_MOUNT_ON_REQUEST },
		{ "proc", WARD_MOUNT_NEVER },
		{ "sysfs", WARD_MOUNT_NEVER },
		{ "devtmpfs", WARD_MOUNT_NEVER },
		{ "devpts", WARD_MOUNT_NEVER },
		{ "cgroup", WARD_MOUNT_NEVER },
		{ "cgroup2", WARD_MOUNT_NEVER },
		{ "debugfs", WARD_MOUNT_NEVER },
		{ "securityfs", WARD_MOUNT_NEVER },
		{ "bpf", WARD_MOUNT_NEVER },
		{ "nsfs", WARD_MOUNT_NEVER },
		{ "mqueue", WARD_MOUNT_NEVER },
		{ "autofs", WARD_MOUNT_NEVER },
		{ "fusectl", WARD_MOUNT_NEVER },
		{ "fuse", WARD_MOUNT_NEVER },
		{ "binfmt_misc", WARD_MOUNT_NEVER },
		{ "ramfs", WARD_MOUNT_NEVER },
		{ "rootfs", WARD_MOUNT_NEVER },
		{ "ext", WARD_MOUNT_NEVER },
		{ "ext44", WARD_MOUNT_NEVER },
		{ "EXT4", WARD_MOUNT_NEVER },
		{ "something-new", WARD_MOUNT_NEVER },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct ward_mounts mounts;
		struct err err = { 0 };
		char text[128];

		(void)snprintf(text, sizeof(text), "1 0 8:1 / / rw - %s d rw\n",
		    rows[i].type);
		assert_int_equal(ward_mounts_parse(text, &mounts, &err), 0);
		if (mounts.list[0].class != rows[i].class)
			fail_msg(
			    "%s: %d", rows[i].type, (int)mounts.list[0].class);
		ward_mounts_clear(&mounts);
	}
}

/* The order is one: of any three paths, as qsort needs it. */
static void
order(void **state)
{
	static const char *const paths[] = { "", "/", "/!", "/\001", "/-", "/a",
		"/a/", "/a/b", "/a/b/c", "/a\001", "/a!", "/a-b", "/a0", "/aa",
		"/b", "/\xff", "/a/\xff" };

	(void)state;
	for (size_t a = 0; a < N(paths); a++)
		for (size_t b = 0; b < N(paths); b++) {
			int ab = ward_path_order(&paths[a], &paths[b]);
			int ba = ward_path_order(&paths[b], &paths[a]);

			if ((ab < 0) != (ba > 0) || (ab == 0) != (a == b))
				fail_msg(
				    "\"%s\" and \"%s\"", paths[a], paths[b]);
			for (size_t c = 0; c < N(paths); c++)
				if (ab < 0 &&
				    ward_path_order(&paths[b], &paths[c]) < 0 &&
				    ward_path_order(&paths[a], &paths[c]) >= 0)
					fail_msg("\"%s\", \"%s\", \"%s\"",
					    paths[a], paths[b], paths[c]);
		}
}

/* The machine's own, whatever it has. */
static void
own(void **state)
{
	struct ward_mounts mounts;
	struct err err = { 0 };

	(void)state;
	if (ward_mounts_read(&mounts, &err) != 0)
		fail_msg("%s", err.text);
	assert_true(mounts.n > 0);
	for (size_t i = 1; i < mounts.n; i++)
		if (ward_path_order(
			&mounts.list[i - 1].path, &mounts.list[i].path) >= 0)
			fail_msg("%s before %s", mounts.list[i - 1].path,
			    mounts.list[i].path);
	ward_mounts_clear(&mounts);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept),
		cmocka_unit_test(malformed),
		cmocka_unit_test(classes),
		cmocka_unit_test(order),
		cmocka_unit_test(own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
