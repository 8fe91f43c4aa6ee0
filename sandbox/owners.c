/* SPDX-License-Identifier: ISC */
/* Whose a TCP connection is, remembered from its connect. */
#include "config.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "sandbox/owners.h"

/* Of these the oldest is forgotten: what is asked for is mostly the newest. */
#define REMEMBERED 512

struct one {
	uint32_t mark; /* 0: unused */
	struct ward_owner owner;
};

struct ward_owners {
	uint32_t last;
	struct one ring[REMEMBERED];
};

void
ward_owners_mark(
    struct ward_owners *owners, int socket_fd, const struct ward_owner *owner)
{
	uint32_t mark = owners->last + 1;

	if (mark == 0)
		mark++;
	if (setsockopt(socket_fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)) !=
	    0)
		return;
	owners->last = mark;
	owners->ring[mark % REMEMBERED] = (struct one){ mark, *owner };
}

bool
ward_owners_find(
    const struct ward_owners *owners, uint32_t mark, struct ward_owner *owner)
{
	const struct one *one = &owners->ring[mark % REMEMBERED];

	if (mark == 0 || one->mark != mark)
		return false;
	*owner = one->owner;
	return true;
}

struct ward_owners *
ward_owners_new(void)
{
	return calloc(1, sizeof(struct ward_owners));
}

void
ward_owners_free(struct ward_owners *owners)
{
	free(owners);
}
