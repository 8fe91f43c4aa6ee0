/* SPDX-License-Identifier: ISC */
/* The HOST[:PORT] that explain is asked of; for wardctl and ward. */
#ifndef WARD_CTL_ASKED_H
#define WARD_CTL_ASKED_H

#include <stddef.h>
#include <stdint.h>

struct ward_asked {
	const char *text;  /* borrowed */
	size_t size;       /* of the host, which it begins with */
	uint16_t ports[2]; /* the one that is given, or 443 and 80 */
	size_t n_ports;
};

/*
 * 0, or -EINVAL: what stands for a port is none.  Whether the host is one is
 * not asked here.
 */
int ward_asked_split(const char *text, struct ward_asked *asked);

/* What to say of such a port. */
#define WARD_ASKED_NO_PORT "a port is a number from 1 to 65535"

#endif
