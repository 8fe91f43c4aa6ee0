/* SPDX-License-Identifier: ISC */
/*
 * Which process inside has a connection, by the client's end of it: the kernel
 * knows the socket (sock_diag(7)), and /proc who has it open.  What is not
 * found within bounds is not known.  For sandbox/traffic.c.
 */
#ifndef WARD_SANDBOX_PEER_H
#define WARD_SANDBOX_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/wire.h"

struct ward_peers {
	int diag_fd; /* borrowed; of the sandbox's net namespace */
	pid_t init;
	pid_t last;        /* found before: likely again */
	int64_t second_ms; /* looks that were taken since then */
	unsigned looks;
};

/* A socket inside. */
struct ward_peer_socket {
	const struct ward_wire_end_point *from, *to;
	uint32_t mark; /* of sandbox/owners.h; 0: none */
	bool udp;      /* may be UDP, told by its own end alone */
};

/*
 * The pid of one that has the socket open, and its program's name; 0 where that
 * is not known.
 */
pid_t ward_peers_find(struct ward_peers *peers,
    const struct ward_peer_socket *socket, char *program, size_t size);

/* It is sshd, which forwards for somebody outside. */
bool ward_peer_is_sshd(pid_t pid);

#endif
