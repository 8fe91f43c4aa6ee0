/* SPDX-License-Identifier: ISC */
/* The lookout: learns of renames on the host, and of what is made there. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "sandbox/lookout.h"

int
ward_lookout_init(struct ward_lookout *lookout, struct err *err)
{
	*lookout = (struct ward_lookout){
		.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
	};
	/* root's number of them is limited, and others use them up, too */
	lookout->blind = lookout->fd < 0;
	if (lookout->blind && errno != EMFILE)
		return ward_err_sys(err, errno, "inotify");
	return 0;
}

void
ward_lookout_clear(struct ward_lookout *lookout)
{
	for (size_t i = 0; i < lookout->n_places; i++) {
		free(lookout->places[i].view);
		free(lookout->places[i].host);
	}
	free(lookout->places);
	if (lookout->fd >= 0)
		(void)close(lookout->fd);
	*lookout = (struct ward_lookout){ .fd = -1 };
}

/* Takes host. */
static int
add_place_take(struct ward_lookout *lookout, const char *view, char *host)
{
	for (size_t i = 0; host != NULL && i < lookout->n_places; i++)
		if (strcmp(lookout->places[i].host, host) == 0) {
			free(host);
			return 0;
		}
	char *name = strdup(view);
	struct ward_lookout_place *more =
	    reallocarray(lookout->places, lookout->n_places + 1, sizeof(*more));
	if (more != NULL)
		lookout->places = more;
	if (host == NULL || name == NULL || more == NULL) {
		free(host);
		free(name);
		return -ENOMEM;
	}
	more[lookout->n_places++] = (struct ward_lookout_place){
		.view = name,
		.host = host,
		.number = -1,
	};
	return 0;
}

static int
add_place(struct ward_lookout *lookout, const char *view, const char *home,
    const char *real_home)
{
	int r = 0;

	/* the home itself is two: what is covered, and what covers it */
	if (strcmp(view, home) == 0 || !ward_path_is_below(view, home))
		r = add_place_take(lookout, view, strdup(view));
	if (r == 0 && ward_path_is_below(view, home))
		r = add_place_take(
		    lookout, view, ward_path_rebase(view, home, real_home));
	return r;
}

int
ward_lookout_add(struct ward_lookout *lookout, const char *path,
    const char *home, const char *real_home)
{
	int r = add_place(lookout, "/", home, real_home);

	for (const char *s = path; r == 0 && *s != '\0';) {
		s = strchrnul(s + 1, '/');
		_cleanup_free_ char *above = strndup(path, (size_t)(s - path));
		r = above == NULL ? -ENOMEM
				  : add_place(lookout, above, home, real_home);
	}
	return r;
}

/* The watch of what is there now; -1 if nothing is. */
static int
watch(struct ward_lookout *lookout, const char *path, int host_dfd)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS |
		    RESOLVE_NO_MAGICLINKS,
	};
	char name[16];
	struct stat st;
	_cleanup_fd_ int fd =
	    (int)syscall(SYS_openat2, host_dfd, path, &how, sizeof(how));

	if (fd < 0 || fstat(fd, &st) != 0 || S_ISLNK(st.st_mode))
		return -1;
	uint32_t events = IN_MOVE_SELF;
	if (S_ISDIR(st.st_mode))
		events |= IN_CREATE | IN_MOVED_TO;
	(void)snprintf(name, sizeof(name), "%d", fd);
	int number = inotify_add_watch(lookout->fd, name, events);
	if (number < 0)
		lookout->blind = true;
	return number;
}

static bool
is_used(const struct ward_lookout *lookout, int number)
{
	for (size_t i = 0; i < lookout->n_places; i++)
		if (lookout->places[i].number == number)
			return true;
	return false;
}

void
ward_lookout_arm(struct ward_lookout *lookout, int host_dfd, int fds_dfd)
{
	/* an inode has no other name in a call that takes paths */
	if (lookout->fd < 0)
		return;
	lookout->blind = fchdir(fds_dfd) != 0;
	if (lookout->blind)
		return;
	for (size_t i = 0; i < lookout->n_places; i++) {
		struct ward_lookout_place *place = &lookout->places[i];
		int old = place->number;
		place->number = watch(lookout, place->host, host_dfd);
		if (old >= 0 && !is_used(lookout, old))
			(void)inotify_rm_watch(lookout->fd, old);
	}
}

static bool
is_wanted_event(const struct ward_lookout *lookout,
    const struct inotify_event *event, ward_lookout_callback *is_wanted,
    void *context)
{
	if ((event->mask & (IN_MOVE_SELF | IN_Q_OVERFLOW)) != 0)
		return true;
	if (event->len == 0)
		return false;
	for (size_t i = 0; i < lookout->n_places; i++) {
		if (lookout->places[i].number != event->wd)
			continue;
		_cleanup_free_ char *path =
		    ward_path_join(lookout->places[i].view, event->name);
		if (path == NULL || is_wanted(context, path))
			return true;
	}
	return false;
}

bool
ward_lookout_read(struct ward_lookout *lookout,
    ward_lookout_callback *is_wanted, void *context)
{
	_Alignas(struct inotify_event) char buffer[4096];
	bool wanted = false;
	ssize_t n;

	while (lookout->fd >= 0 &&
	    (n = read(lookout->fd, buffer, sizeof(buffer))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *event =
			    (const void *)(buffer + at);
			wanted = wanted ||
			    is_wanted_event(lookout, event, is_wanted, context);
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	return wanted;
}
