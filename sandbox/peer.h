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

/*
 * The pid of one that has the socket open that the event is of, and its
 * program's name; 0 where that is not known.  For a question of DNS also a UDP
 * socket is looked for, by its own end.
 */
pid_t ward_peers_find(struct ward_peers *peers,
    const struct ward_wire_egress_event *event, char *program, size_t size);

/* It is sshd, which forwards for somebody outside. */
bool ward_peer_is_sshd(pid_t pid);

#endif
