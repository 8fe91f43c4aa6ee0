/* SPDX-License-Identifier: ISC */
/* The socket in the view where wardsh asks the warden. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/places.h"
#include "sandbox/agent_socket.h"

#define NAME  "agent"
#define QUEUE 64

int
ward_agent_socket_make(int frame_dfd, uid_t uid, gid_t gid, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	_cleanup_fd_ int dfd = openat(frame_dfd, "run/ward",
	    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dfd < 0)
		return ward_err_sys(err, errno, "frame: run/ward");
	_cleanup_fd_ int fd =
	    socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return ward_err_sys(err, errno, "the agent's socket");
	(void)snprintf(address.sun_path, sizeof(address.sun_path),
	    "/proc/self/fd/%d/" NAME, dfd);
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
		return ward_err_sys(err, errno, "bind " WARD_AGENT_SOCKET);
	if (fchownat(dfd, NAME, uid, gid, AT_SYMLINK_NOFOLLOW) != 0 ||
	    fchmodat(dfd, NAME, 0600, 0) != 0)
		return ward_err_sys(err, errno, WARD_AGENT_SOCKET);
	if (listen(fd, QUEUE) != 0)
		return ward_err_sys(err, errno, "listen " WARD_AGENT_SOCKET);
	return ward_steal_fd(&fd);
}
