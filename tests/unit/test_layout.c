/* SPDX-License-Identifier: ISC */
/*
 * The layout: what is mounted for a plan and the mounts of a host, as tables;
 * and, for every case of the plan's own tables, that the mounts give each path
 * the state that the one decision gives it.
 */
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

#include "common/path.h"
#include "sandbox/alias.h"
#include "sandbox/layout.h"
#include "tests/unit/fake_fs.h"
#include "tests/unit/plan_cases.h"
#include "tests/unit/plan_setting.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const struct ward_plan_account agent = { "agent", "/home/agent" };

/*
 * mounts: "TYPE PATH ...", beside an ext4 at "/"; each hangs on the nearest one
 * above that stands before it, and is a file system of its own, unless it is
 * "TYPE=NUMBER:ROOT": a part of that one, counted from 1, which is "/". layout:
 * "PATH=KIND", all but the private places that stand on the host's own; KIND is
 * S (shown), H (home), D (directory hidden), F (file hidden) or P (private),
 * then w for writable, f for a file, m for a mount of the host's, k for what is
 * kept (a protected name, and what leads only to such), s for one that stands
 * in a skeleton, and the skeleton's number.  nodes: "NUMBER:PATH", with /
 * behind a directory and >TEXT behind a link.
 */
static const struct layout_case {
	const char *name, *fs, *rules, *mounts, *layout, *nodes;
} cases[] = {
	{ "no rules", NULL, NULL, NULL, "/=S /home/agent=H", NULL },
	{ "the home is writable", NULL, "wa ~", NULL, "/=S /home/agent=Hw",
	    NULL },
	{ "a directory and a file hidden", NULL, "rd /srv;rd /etc/passwd", NULL,
	    "/=S /etc/passwd=Ff /home/agent=H /srv=D", NULL },
	{ "re-opened inside a hidden place", NULL, "rd /srv;ra /srv/a/b", NULL,
	    "/=S /home/agent=H /srv=D0 /srv/a/b=Ss", "0:/a/ 0:/a/b/" },
	{ "a file re-opened", "f /srv/a/k", "rd /srv;ra /srv/a/k", NULL,
	    "/=S /home/agent=H /srv=D0 /srv/a/k=Sfs", "0:/a/ 0:/a/k" },
	{ "carve-outs inside carve-outs", NULL,
	    "rd /srv;wa /srv/a;rd /srv/a/b;ra /srv/a/b/c", NULL,
	    "/=S /home/agent=H /srv=D0 /srv/a=Sws /srv/a/b=D1 /srv/a/b/c=Sws",
	    "0:/a/ 1:/c/" },
	{ "two in one skeleton share what leads there", NULL,
	    "rd /srv;ra /srv/a/b;ra /srv/a", NULL,
	    "/=S /home/agent=H /srv=D0 /srv/a=Ss", "0:/a/" },
	{ "two branches of one skeleton", "d /srv/a/d",
	    "rd /srv;ra /srv/a/b;ra /srv/a/d", NULL,
	    "/=S /home/agent=H /srv=D0 /srv/a/b=Ss /srv/a/d=Ss",
	    "0:/a/ 0:/a/b/ 0:/a/d/" },
	{ "writable, and closed again", NULL, "wa /srv;wd /srv/a", NULL,
	    "/=S /home/agent=H /srv=Sw /srv/a=S", NULL },
	{ "a rule that changes nothing needs no mount", NULL,
	    "ra /srv;ra /srv/a", NULL, "/=S /home/agent=H", NULL },
	{ "everything hidden, the home as well", NULL, "closed", NULL,
	    "/=D0 /dev=Ps /proc=Ps /run=Ps /sys=Ps /tmp=Ps /var/tmp=Ps",
	    "0:/dev/ 0:/proc/ 0:/run/ 0:/sys/ 0:/tmp/ 0:/var/ 0:/var/tmp/" },
	{ "the home hidden", NULL, "rd ~", NULL, "/=S /home/agent=D", NULL },
	{ "the home hidden, a place in it not", NULL, "rd ~;wa ~/work", NULL,
	    "/=S /home/agent=D0 /home/agent/work=Sws", "0:/work/" },
	{ "/ denied with carve-outs", NULL, "rd /;ra /usr;wa ~;ra /etc/passwd",
	    NULL,
	    "/=D0 /dev=Ps /etc/passwd=Sfs /home/agent=Hws /proc=Ps /run=Ps "
	    "/sys=Ps /tmp=Ps /usr=Ss /var/tmp=Ps",
	    "0:/dev/ 0:/etc/ 0:/etc/passwd 0:/home/ 0:/home/agent/ 0:/proc/ "
	    "0:/run/ 0:/sys/ 0:/tmp/ 0:/usr/ 0:/var/ 0:/var/tmp/" },
	{ "links are made anew in a hidden root",
	    "l /bin usr/bin l /lib usr/lib", "closed;ra /bin;ra /usr;wa ~",
	    NULL,
	    "/=D0 /dev=Ps /home/agent=Hws /proc=Ps /run=Ps /sys=Ps /tmp=Ps "
	    "/usr=Ss /var/tmp=Ps",
	    "0:/bin>usr/bin 0:/dev/ 0:/home/ 0:/home/agent/ 0:/proc/ 0:/run/ "
	    "0:/sys/ 0:/tmp/ 0:/usr/ 0:/var/ 0:/var/tmp/" },
	{ "a link below what is hidden", "l /srv/x/l ../a",
	    "closed;ra /srv/x/l;ra /srv/x/y", NULL,
	    "/=D0 /dev=Ps /proc=Ps /run=Ps /srv/a=Ss /srv/x/y=Ss /sys=Ps "
	    "/tmp=Ps /var/tmp=Ps",
	    "0:/dev/ 0:/proc/ 0:/run/ 0:/srv/ 0:/srv/a/ 0:/srv/x/ "
	    "0:/srv/x/l>../a 0:/srv/x/y/ 0:/sys/ 0:/tmp/ 0:/var/ "
	    "0:/var/tmp/" },
	{ "the homes hidden, the account's own not", NULL, "rd /home;wa ~",
	    NULL, "/=S /home=D0 /home/agent=Hws", "0:/agent/" },
	{ "hidden inside the home", NULL, "wa ~;rd ~/.aws;rd ~/.netrc", NULL,
	    "/=S /home/agent=Hw /home/agent/.aws=D /home/agent/.netrc=Ff",
	    NULL },
	{ "what is above a private place hidden", "d /var/lib", "rd /var", NULL,
	    "/=S /home/agent=H /var=D0 /var/tmp=Ps", "0:/tmp/" },

	/* what is above a closed place in a writable one stays where it is */
	{ "closed two levels down", NULL, "wa /srv;wd /srv/a/b", NULL,
	    "/=S /home/agent=H /srv=Sw /srv/a=Sw /srv/a/b=S", NULL },
	{ "hidden below the home", "d /home/agent/work/x/secret",
	    "wa ~;rd ~/work/x/secret", NULL,
	    "/=S /home/agent=Hw /home/agent/work=Sw /home/agent/work/x=Sw "
	    "/home/agent/work/x/secret=D",
	    NULL },
	{ "two closed places share what is above", "d /srv/a/d f /srv/a/e",
	    "wa /srv;wd /srv/a/d;rd /srv/a/e", NULL,
	    "/=S /home/agent=H /srv=Sw /srv/a=Sw /srv/a/d=S /srv/a/e=Ff",
	    NULL },
	{ "what keeps one in place covers no mount beside it", "d /srv/a/d",
	    "wa /srv;wd /srv/a/d", "ext4 /srv/a/b/c",
	    "/=S /home/agent=H /srv=Sw /srv/a=Sw /srv/a/b/c=Swm /srv/a/d=S",
	    NULL },
	{ "writable within closed within writable", "d /srv/a/b/c/d/e",
	    "wa /;rd /srv/a/b;ra /srv/a/b/c;rd /srv/a/b/c/d/e", NULL,
	    "/=Sw /home/agent=Hw /srv=Sw /srv/a=Sw /srv/a/b=D0 "
	    "/srv/a/b/c=Sws /srv/a/b/c/d=Sw /srv/a/b/c/d/e=D",
	    "0:/c/" },

	/* protected names */
	{ "a protected name, and what leads there",
	    "d /srv/a/.git/hooks f /srv/a/.git/config",
	    "wa /srv/a;pr .git/hooks;pr .git/config", NULL,
	    "/=S /home/agent=H /srv/a=Sw /srv/a/.git=Swk "
	    "/srv/a/.git/config=Sfk /srv/a/.git/hooks=Sk",
	    NULL },
	{ "what leads to a closed place as well",
	    "d /srv/a/.git/hooks f /srv/a/.git/x",
	    "wa /srv/a;pr .git/hooks;wd /srv/a/.git/x", NULL,
	    "/=S /home/agent=H /srv/a=Sw /srv/a/.git=Sw /srv/a/.git/hooks=Sk "
	    "/srv/a/.git/x=Sf",
	    NULL },
	{ "a link", "u /srv/a/.envrc b/envrc f /srv/a/b/envrc", "wa /srv/a",
	    NULL,
	    "/=S /home/agent=H /srv/a=Sw /srv/a/.envrc=Sfk /srv/a/b=Swk "
	    "/srv/a/b/envrc=Sfk",
	    NULL },
	{ "a disk at a protected name", "d /srv/a/.vscode", "wa /srv/a",
	    "ext4 /srv/a/.vscode",
	    "/=S /home/agent=H /srv/a=Sw /srv/a/.vscode=Sm", NULL },

	/* other names of hidden places */
	{ "a bind of a hidden place", NULL, "rd /srv/a", "ext4=1:/srv/a /opt",
	    "/=S /home/agent=H /opt=Dm /srv/a=D", NULL },
	{ "a bind of what is in a hidden place", NULL, "rd /srv/a",
	    "ext4=1:/srv/a/b /opt", "/=S /home/agent=H /opt=Dm /srv/a=D",
	    NULL },
	{ "a bind of what has a hidden place in it", NULL, "rd /srv/a/b",
	    "ext4=1:/srv /opt",
	    "/=S /home/agent=H /opt=Sm /opt/a/b=D "
	    "/srv/a/b=D",
	    NULL },
	{ "a bind of what has a hidden file in it", NULL, "rd /etc/passwd",
	    "ext4=1:/etc /opt",
	    "/=S /etc/passwd=Ff /home/agent=H /opt=Sm "
	    "/opt/passwd=Ff",
	    NULL },
	{ "a bind of the root", NULL, "rd /srv", "ext4=1:/ /opt",
	    "/=S /home/agent=H /opt=Sm /opt/dev=D /opt/proc=D /opt/run=D "
	    "/opt/srv=D /opt/sys=D /opt/tmp=D /opt/var/tmp=D /srv=D",
	    NULL },
	{ "a bind of /tmp", NULL, NULL, "ext4=1:/tmp /opt",
	    "/=S /home/agent=H /opt=Dm", NULL },
	{ "a bind that a rule opens by its name", NULL, "rd /srv/a;wa /opt",
	    "ext4=1:/srv/a /opt", "/=S /home/agent=H /opt=Swm /srv/a=D", NULL },
	{ "a bind in what a rule opens", NULL, "rd /srv;wa /opt",
	    "ext4=1:/srv /opt/b",
	    "/=S /home/agent=H /opt=Sw /opt/b=Dm "
	    "/srv=D",
	    NULL },
	{ "a hidden place on a disk, and another mount of that disk", NULL,
	    "rd /srv/a/b", "ext4 /srv ext4=2:/a /opt",
	    "/=S /home/agent=H /opt=Sm /opt/b=D /srv=Sm /srv/a/b=D", NULL },
	{ "a hidden alias hides what it is an alias of", "d /opt/b d /srv/a/b",
	    "rd /opt/b", "ext4=1:/srv/a /opt",
	    "/=S /home/agent=H /opt=Sm /opt/b=D "
	    "/srv/a/b=D",
	    NULL },
	{ "the same path on another disk", NULL, "rd /srv/a",
	    "ext4 /opt ext4 /srv ext4=2:/a /mnt",
	    "/=S /home/agent=H /mnt=Sm /opt=Sm /srv=Sm /srv/a=D", NULL },
	{ "what a disk covers is not what the bind shows", NULL, "rd /srv/a",
	    "ext4 /srv/a ext4=1:/srv /opt",
	    "/=S /home/agent=H /opt=Sm /srv/a=Dm", NULL },

	/* the host's mounts */
	{ "a disk is shown", NULL, NULL, "ext4 /srv xfs /srv/a",
	    "/=S /home/agent=H /srv=Sm /srv/a=Sm", NULL },
	{ "a disk in a writable place", NULL, "wa /srv", "ext4 /srv/a",
	    "/=S /home/agent=H /srv=Sw /srv/a=Swm", NULL },
	{ "a disk that is writable", NULL, "wa /srv", "ext4 /srv",
	    "/=S /home/agent=H /srv=Swm", NULL },
	{ "a disk that is hidden", NULL, "rd /srv", "ext4 /srv",
	    "/=S /home/agent=H /srv=Dm", NULL },
	{ "a disk under a hidden place", NULL, "rd /srv", "ext4 /srv/a",
	    "/=S /home/agent=H /srv=D", NULL },
	{ "a disk under a hidden place, re-opened", NULL, "rd /srv;ra /srv/a",
	    "ext4 /srv/a", "/=S /home/agent=H /srv=D0 /srv/a=Sms", "0:/a/" },
	{ "a disk below a re-opened place", NULL, "rd /srv;ra /srv/a",
	    "ext4 /srv/a/b", "/=S /home/agent=H /srv=D0 /srv/a=Ss /srv/a/b=Sm",
	    "0:/a/" },
	{ "a disk in a denied root", NULL, "closed;ra /srv;wa ~",
	    "ext4 /srv/a ext4 /opt ext4 /usr",
	    "/=D0 /dev=Ps /home/agent=Hws /proc=Ps /run=Ps /srv=Ss /srv/a=Sm "
	    "/sys=Ps /tmp=Ps /var/tmp=Ps",
	    "0:/dev/ 0:/home/ 0:/home/agent/ 0:/proc/ 0:/run/ 0:/srv/ 0:/sys/ "
	    "0:/tmp/ 0:/var/ 0:/var/tmp/" },
	{ "a file that is mounted on", NULL, "rd /etc/passwd",
	    "ext4 /etc/passwd", "/=S /etc/passwd=Ffm /home/agent=H", NULL },
	{ "a network mount is not shown by itself", NULL, "ra /srv",
	    "nfs4 /srv/a", "/=S /home/agent=H", NULL },
	{ "a network mount that a rule opens", NULL, "wa /srv/a", "nfs4 /srv/a",
	    "/=S /home/agent=H /srv/a=Swm", NULL },
	{ "a network mount in which a rule opens a place", NULL,
	    "wa /srv/a/b/c", "nfs4 /srv/a",
	    "/=S /home/agent=H /srv/a=Sm /srv/a/b/c=Sw", NULL },
	{ "a rule above a network mount does not ask for it", NULL, "wa /srv",
	    "nfs4 /srv/a", "/=S /home/agent=H /srv=Sw /srv/a=D", NULL },
	{ "a network mount that is only denied", NULL, "rd /srv/a",
	    "nfs4 /srv/a", "/=S /home/agent=H /srv/a=D", NULL },
	{ "a deny inside what is not shown", NULL, "rd /srv/a/b", "nfs4 /srv/a",
	    "/=S /home/agent=H", NULL },
	{ "a disk on what is not shown", NULL, NULL, "nfs4 /srv ext4 /srv/a",
	    "/=S /home/agent=H", NULL },
	{ "beside what is not shown", NULL, "rd /srv/x/y;rd /srv/a/b",
	    "nfs4 /srv/a ext4 /srv/x", "/=S /home/agent=H /srv/x=Sm /srv/x/y=D",
	    NULL },

	/* another instance of proc shows all of the host */
	{ "proc of a chroot", "d /srv/a/proc/1", NULL, "proc /srv/a/proc",
	    "/=S /home/agent=H", NULL },
	{ "proc, opened by its name", "d /srv/a/proc/1", "wa /srv/a/proc",
	    "proc /srv/a/proc", "/=S /home/agent=H", NULL },
	{ "proc, opened by a pattern", "d /srv/a/proc/1", "wa /srv/a/*",
	    "proc /srv/a/proc", "/=S /home/agent=H /srv/a/b=Sw", NULL },
	{ "a place in proc, opened by its name", "d /srv/a/proc/1",
	    "wa /srv/a/proc/1", "proc /srv/a/proc", "/=S /home/agent=H", NULL },
	{ "proc, re-opened in a hidden place", "d /srv/a/proc/1",
	    "rd /srv;ra /srv/a;ra /srv/a/proc", "proc /srv/a/proc",
	    "/=S /home/agent=H /srv=D0 /srv/a=Ss", "0:/a/" },
	{ "proc, alone re-opened in a hidden place", "d /srv/a/proc/1",
	    "rd /srv;ra /srv/a/proc", "proc /srv/a/proc",
	    "/=S /home/agent=H /srv=D", NULL },
	{ "a disk below devices", NULL, "wa /srv/a/b",
	    "devtmpfs /srv/a ext4 /srv/a/b", "/=S /home/agent=H", NULL },

	/* what is private or needed */
	{ "mounts in private places are the sandbox's own", NULL, NULL,
	    "proc /proc sysfs /sys devtmpfs /dev devpts /dev/pts tmpfs /run "
	    "ext4 /tmp ext4 /var/tmp ext4 /run/media/x",
	    "/=S /home/agent=H", NULL },
	{ "a disk above a private place", NULL, NULL, "ext4 /var",
	    "/=S /home/agent=H /var=Sm", NULL },
	{ "a network mount above a private place", NULL, NULL, "nfs4 /var",
	    "/=S /home/agent=H /var=D0 /var/tmp=Ps", "0:/tmp/" },
	{ "homes on a disk", NULL, "wa ~", "ext4 /home",
	    "/=S /home=Sm /home/agent=Hw", NULL },
	{ "homes on the network", NULL, "wa ~", "nfs4 /home",
	    "/=S /home=Sm /home/agent=Hw", NULL },
	{ "homes on the network, no rule of the home", NULL, NULL, "nfs4 /home",
	    "/=S /home=D0 /home/agent=Hs", "0:/agent/" },
	{ "homes on an unknown file system", NULL, "wa ~;rd ~/.aws",
	    "unknownfs /home",
	    "/=S /home=D0 /home/agent=Hws /home/agent/.aws=D", "0:/agent/" },
	{ "homes on an unknown one, hidden", NULL, "rd /home;wa ~",
	    "unknownfs /home", "/=S /home=D0 /home/agent=Hws", "0:/agent/" },
	{ "the real home covers what is mounted there", NULL, "wa ~",
	    "ext4 /home/agent proc /home/agent/work", "/=S /home/agent=Hw",
	    NULL },
	/* else the account could remove the place, and the mount with it */
	{ "proc where the account can write", NULL, "wa /srv/a",
	    "proc /srv/a/proc", "/=S /home/agent=H /srv/a=Sw /srv/a/proc=D",
	    NULL },
	{ "deeper: what leads there stays, too", NULL, "wa /srv",
	    "nfs4 /srv/a/proc",
	    "/=S /home/agent=H /srv=Sw /srv/a=Sw /srv/a/proc=D", NULL },
	{ "a disk there is shown", NULL, "wa /srv", "ext4 /srv/a",
	    "/=S /home/agent=H /srv=Sw /srv/a=Swm", NULL },
	{ "mounts inside the real home", NULL, "wa ~",
	    "ext4 /home/.ward/agent/work proc /home/.ward/agent/.aws",
	    "/=S /home/agent=Hw /home/agent/.aws=D /home/agent/work=D", NULL },
	{ "deeper in it, with a rule inside", NULL, "wa ~;wd ~/work/infra/x",
	    "ext4 /home/.ward/agent/work/infra",
	    "/=S /home/agent=Hw /home/agent/work=Sw /home/agent/work/infra=D",
	    NULL },
	{ "a home that is read only keeps them out", NULL, NULL,
	    "proc /home/.ward/agent/work", "/=S /home/agent=H", NULL },
	{ "and so does a hidden one, whatever is opened there", NULL,
	    "rd ~;wa ~/work/infra", "proc /home/.ward/agent/work",
	    "/=S /home/agent=D", NULL },
};

static void
make_mounts(const char *text, struct ward_mounts *mounts)
{
	char *table = NULL, *copy = text == NULL ? NULL : strdup(text);
	char *rest = copy, *type;
	const char *places[32];
	size_t size = 0, n = 0;
	struct err err = { 0 };
	FILE *out = open_memstream(&table, &size);

	assert_non_null(out);
	(void)fprintf(out, "1 0 1 / / rw - ext4 d rw\n");
	places[n++] = "/";
	while (rest != NULL && (type = strsep(&rest, " ")) != NULL) {
		const char *path = strsep(&rest, " ");
		size_t parent = 0;

		assert_non_null(path);
		assert_true(n < N(places));
		for (size_t i = 0; i < n; i++)
			if (ward_path_is_below(path, places[i]) &&
			    ward_path_depth(places[i]) >=
				ward_path_depth(places[parent]))
				parent = i;
		(void)fprintf(out, "%zu %zu ", n + 1, parent + 1);
		char *part = strchr(type, '=');
		if (part == NULL) {
			(void)fprintf(out, "%zu /", n + 1);
		} else {
			*part++ = '\0';
			char *root = strchr(part, ':');
			assert_non_null(root);
			*root++ = '\0';
			(void)fprintf(out, "%s %s", part, root);
		}
		(void)fprintf(out, " %s rw - %s d rw\n", path, type);
		places[n++] = path;
	}
	assert_int_equal(fclose(out), 0);
	if (ward_mounts_parse(table, mounts, &err) != 0)
		fail_msg("%s: %s", table, err.text);
	free(copy);
	free(table);
}

static void
print_mount(FILE *out, const struct ward_layout_mount *m)
{
	(void)fprintf(out, "%s=%c%s%s%s%s%s", m->path, "SHDFP"[m->kind],
	    m -> writable && m -> kind != WARD_LAYOUT_PRIVATE ? "w" : "",
	    m->is_directory ? "" : "f", m->is_mount ? "m" : "",
	    m->kept ? "k" : "", m->in_skeleton ? "s" : "");
	if (m->skeleton != WARD_LAYOUT_EMPTY)
		(void)fprintf(out, "%zu", m->skeleton);
}

static char *
print_mounts(const struct ward_layout *layout)
{
	char *text = NULL;
	const char *space = "";
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; i < layout->n_mounts; i++) {
		const struct ward_layout_mount *m = &layout->mounts[i];

		if (m->kind == WARD_LAYOUT_PRIVATE && !m->in_skeleton)
			continue;
		(void)fprintf(out, "%s", space);
		print_mount(out, m);
		space = " ";
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *
print_nodes(const struct ward_layout *layout)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; i < layout->n_nodes; i++) {
		const struct ward_layout_node *node = &layout->nodes[i];

		(void)fprintf(out, "%s%zu:%s%s%s%s", i == 0 ? "" : " ",
		    node->skeleton, node->path,
		    node->kind == WARD_NODE_DIRECTORY ? "/" : "",
		    node->kind == WARD_NODE_LINK ? ">" : "",
		    node->text == NULL ? "" : node->text);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

/* --- what is true of every layout --- */

static const struct ward_layout_mount *
find(const struct ward_layout *layout, const char *path)
{
	for (size_t i = 0; i < layout->n_mounts; i++)
		if (strcmp(layout->mounts[i].path, path) == 0)
			return &layout->mounts[i];
	return NULL;
}

/* The mount that a path is in. */
static const struct ward_layout_mount *
nearest(const struct ward_layout *layout, const char *path, bool itself)
{
	const struct ward_layout_mount *found = NULL;

	for (size_t i = 0; i < layout->n_mounts; i++)
		if (ward_path_is_below(path, layout->mounts[i].path) &&
		    (itself || strcmp(path, layout->mounts[i].path) != 0))
			found = &layout->mounts[i];
	return found;
}

static const struct ward_layout_node *
find_node(const struct ward_layout *layout, size_t skeleton, const char *path)
{
	for (size_t i = 0; i < layout->n_nodes; i++)
		if (layout->nodes[i].skeleton == skeleton &&
		    strcmp(layout->nodes[i].path, path) == 0)
			return &layout->nodes[i];
	return NULL;
}

static void
check_mounts(const char *name, const struct ward_layout *layout)
{
	static const char *const private[] = { "/dev", "/proc", "/run", "/sys",
		"/tmp", "/var/tmp" };

	assert_true(layout->n_mounts > 0);
	assert_string_equal(layout->mounts[0].path, "/");
	for (size_t i = 1; i < layout->n_mounts; i++) {
		const struct ward_layout_mount *m = &layout->mounts[i];
		const struct ward_layout_mount *around =
		    nearest(layout, m->path, false);

		if (ward_path_order(&layout->mounts[i - 1].path, &m->path) >= 0)
			fail_msg("%s: %s out of order", name, m->path);
		if (around->kind == WARD_LAYOUT_PRIVATE ||
		    around->kind == WARD_LAYOUT_HIDE_FILE)
			fail_msg(
			    "%s: %s stands in %s", name, m->path, around->path);
		if (m->in_skeleton !=
		    (around->kind == WARD_LAYOUT_HIDE_DIRECTORY))
			fail_msg("%s: %s in a skeleton: %d", name, m->path,
			    m->in_skeleton);
		if (m->in_skeleton) {
			const char *relative = m->path +
			    (around->path[1] == '\0' ? 0
						     : strlen(around->path));
			const struct ward_layout_node *node =
			    find_node(layout, around->skeleton, relative);

			if (node == NULL ||
			    (node->kind == WARD_NODE_DIRECTORY) !=
				m->is_directory)
				fail_msg("%s: no place for %s", name, m->path);
		}
	}
	for (size_t i = 0; i < N(private); i++) {
		const struct ward_layout_mount *m = find(layout, private[i]);

		if (m == NULL || m->kind != WARD_LAYOUT_PRIVATE)
			fail_msg("%s: %s is not private", name, private[i]);
	}
}

static void
check_nodes(const char *name, const struct ward_layout *layout)
{
	for (size_t i = 0; i < layout->n_nodes; i++) {
		const struct ward_layout_node *node = &layout->nodes[i];
		char *parent = strdup(node->path);

		assert_non_null(parent);
		assert_true(node->skeleton < layout->n_skeletons);
		assert_int_equal(node->path[0], '/');
		if (find_node(layout, node->skeleton, node->path) != node)
			fail_msg("%s: %s twice", name, node->path);
		ward_path_to_parent(parent);
		if (strcmp(parent, "/") != 0) {
			const struct ward_layout_node *above =
			    find_node(layout, node->skeleton, parent);

			if (above == NULL || above > node ||
			    above->kind != WARD_NODE_DIRECTORY)
				fail_msg("%s: %s before its parent", name,
				    node->path);
		}
		free(parent);
	}
}

static bool
is_hidden(const struct ward_layout_mount *m)
{
	return m->kind == WARD_LAYOUT_HIDE_DIRECTORY ||
	    m->kind == WARD_LAYOUT_HIDE_FILE;
}

/* What the mounts give a path. */
static enum ward_state
state_of(const struct ward_layout *layout, const char *path)
{
	const struct ward_layout_mount *m = nearest(layout, path, true);

	if (is_hidden(m))
		return WARD_HIDDEN;
	return m->writable ? WARD_WRITABLE : WARD_READABLE;
}

static void
check_states(const char *name, const struct fake_fs *fs,
    const struct ward_plan *plan, const struct ward_layout *layout)
{
	for (size_t i = 0; i < fs->n_nodes; i++) {
		const struct fake_node *node = &fs->nodes[i];

		/* a special file is never written to, wherever it lies */
		if (ward_plan_is_private(node->path) || node->text != NULL ||
		    node->kind == FAKE_SPECIAL)
			continue;
		enum ward_state decided =
		    ward_plan_decide(plan, node->path).state;
		enum ward_state given = state_of(layout, node->path);
		if (given != decided)
			fail_msg("%s: %s is %c, and its mount is %c", name,
			    node->path, "hrw"[decided], "hrw"[given]);
	}
}

static bool
make(struct plan_setting *setting, const char *mounts_text,
    struct ward_plan **plan, struct ward_layout *layout)
{
	struct ward_mounts mounts;
	struct err err = { 0 };

	if (plan_setting_compile(setting, &agent, plan, &err) != 0)
		return false;
	make_mounts(mounts_text, &mounts);
	assert_int_equal(ward_aliases_find(*plan, &mounts, &err), 0);
	assert_int_equal(
	    ward_layout_make(*plan, "/home/.ward/agent", &mounts, layout, &err),
	    0);
	/* the layout borrows nothing */
	ward_mounts_clear(&mounts);
	return true;
}

static int
expect(const char *name, const char *what, char *text, const char *wanted)
{
	int r = strcmp(text, wanted == NULL ? "" : wanted) == 0 ? 0 : 1;

	if (r != 0)
		print_error("%s: %s\n%s\nnot\n%s\n", name, what, text,
		    wanted == NULL ? "" : wanted);
	free(text);
	return r;
}

static void
table(void **state)
{
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct plan_setting setting;
		struct ward_plan *plan = NULL;
		struct ward_layout layout = { 0 };

		plan_setting_init(&setting, cases[i].fs, cases[i].rules);
		if (!make(&setting, cases[i].mounts, &plan, &layout))
			fail_msg("%s: no plan", cases[i].name);
		wrong += expect(cases[i].name, "mounts", print_mounts(&layout),
		    cases[i].layout);
		wrong += expect(cases[i].name, "nodes", print_nodes(&layout),
		    cases[i].nodes);
		check_mounts(cases[i].name, &layout);
		check_nodes(cases[i].name, &layout);
		if (cases[i].mounts == NULL)
			check_states(cases[i].name, &setting.fs, plan, &layout);
		ward_layout_clear(&layout);
		assert_null(layout.mounts);
		ward_plan_free(plan);
		plan_setting_clear(&setting);
	}
	assert_int_equal(wrong, 0);
}

static void
check_plan_cases(const struct plan_case *list, size_t n)
{
	static const char *const hosts[] = { NULL, "ext4 /srv/a ext4 /home",
		"ext4 /srv ext4 /srv/a/b ext4 /etc ext4 /usr ext4 /var" };
	size_t n_made = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < N(hosts); k++) {
			struct plan_setting setting;
			struct ward_plan *plan = NULL;
			struct ward_layout layout = { 0 };

			plan_setting_init(&setting, list[i].fs, list[i].rules);
			if (make(&setting, hosts[k], &plan, &layout)) {
				check_mounts(list[i].name, &layout);
				check_nodes(list[i].name, &layout);
				check_states(
				    list[i].name, &setting.fs, plan, &layout);
				ward_layout_clear(&layout);
				ward_plan_free(plan);
				n_made++;
			}
			plan_setting_clear(&setting);
		}
	assert_true(n_made > n);
}

static void
as_the_plan_decides(void **state)
{
	(void)state;
	check_plan_cases(plan_cases, n_plan_cases);
	check_plan_cases(plan_place_cases, n_plan_place_cases);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(as_the_plan_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
