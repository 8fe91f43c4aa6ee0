/* SPDX-License-Identifier: ISC */
/* The parts of HOST[:PORT]. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/number.h"
#include "ctl/asked.h"

int
ward_asked_split(const char *text, struct ward_asked *asked)
{
	const char *colon = strrchr(text, ':');
	/* what has more colons, and no bracket, is an IPv6 address */
	bool has_port = colon != NULL &&
	    (colon == strchr(text, ':') ||
		(text[0] == '[' && colon > text && colon[-1] == ']'));
	uint64_t port;

	*asked = (struct ward_asked){
		.text = text,
		.size = strlen(text),
		.ports = { 443, 80 },
		.n_ports = 2,
	};
	/* what has a path is no host, and is told so */
	if (!has_port || strchr(colon, '/') != NULL)
		return 0;
	if (ward_number_parse(colon + 1, UINT16_MAX, &port) != 0)
		return -EINVAL;
	asked->size = (size_t)(colon - text);
	asked->ports[0] = (uint16_t)port;
	asked->n_ports = 1;
	return 0;
}
