/* SPDX-License-Identifier: ISC */
/* Starts what refuses strays. */
#include "config.h"

#include <stddef.h>

#include "common/places.h"
#include "sandbox/refuse.h"

#define LIMIT_MS 10000

void
ward_refuse_program(struct ward_program *program, int net_nsfd, bool ipv6)
{
	static char name[] = "redirect", what[] = "strays", six[] = "6";
	static char *const with6[] = { name, what, six, NULL };
	static char *const without6[] = { name, what, NULL };
	static char *const environment[] = { NULL };

	*program = (struct ward_program){
		.path = WARD_REDIRECT,
		.argv = ipv6 ? with6 : without6,
		.environment = environment,
		.net_nsfd = net_nsfd,
		.limit_ms = LIMIT_MS,
	};
}

int
ward_refuse_strays(int net_nsfd, bool ipv6, struct err *err)
{
	struct ward_program program;

	ward_refuse_program(&program, net_nsfd, ipv6);
	int r = ward_program_run(&program);
	return r == 0 ? 0
		      : ward_err_sys(err, -r,
			    "nftables tells of no packets (see the log)");
}
