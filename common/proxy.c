/* SPDX-License-Identifier: ISC */
/* The variables by which programs find the proxy of a filtered sandbox. */
#include "config.h"

#include "common/proxy.h"

#define TEXT(number)   #number
#define TEXT_OF(macro) TEXT(macro)
#define PORT           TEXT_OF(WARD_PROXY_PORT)
#define PROXY          "http://127.0.0.1:" PORT
#define NOT_BY_IT      "localhost,127.0.0.1,::1"

/*
 * First those that all get: a refusal comes with its reasons by the proxy, and
 * by a connection that was steered often cannot.  ALL_PROXY names the same
 * front, not SOCKS: programs that know no SOCKS fail as soon as they see it.
 * The rest repairs what steering makes work by itself.
 */
static const struct ward_variable variables[] = {
	{ "http_proxy", PROXY },
	{ "HTTP_PROXY", PROXY },
	{ "https_proxy", PROXY },
	{ "HTTPS_PROXY", PROXY },
	{ "all_proxy", PROXY },
	{ "ALL_PROXY", PROXY },
	{ "no_proxy", NOT_BY_IT },
	{ "NO_PROXY", NOT_BY_IT },
	{ "grpc_proxy", PROXY },
	{ "GRPC_PROXY", PROXY },
	{ "NODE_USE_ENV_PROXY", "1" },
	/* only where nothing is steered */
	{ "ftp_proxy", PROXY },
	{ "FTP_PROXY", PROXY },
	{ "RSYNC_PROXY", "127.0.0.1:" PORT },
	{ "JAVA_TOOL_OPTIONS",
	    "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=" PORT
	    " -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=" PORT },
};
#define N_ALL     (sizeof(variables) / sizeof(variables[0]))
#define N_STEERED (N_ALL - 4)

const struct ward_variable *
ward_proxy_variables(enum ward_net_kind kind, size_t *n)
{
	*n = kind == WARD_NET_NONE     ? 0
	    : kind == WARD_NET_STEERED ? N_STEERED
				       : N_ALL;
	return variables;
}
