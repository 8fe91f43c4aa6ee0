/* SPDX-License-Identifier: ISC */
/*
 * redirect PORT4 PORT6: rewrites where TCP goes in the net namespace that it
 * is started in, by nftables.  Started by the warden (steer_redirect.c), as
 * root and on the host's files; 0 as PORT6: there is no IPv6.
 */
#include "config.h"

#include <linux/netlink.h>
#include <nftables/libnftables.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <syslog.h>
#include <unistd.h>

#include "common/number.h"
#include "common/text.h"
#include "sandbox/routes.h"

static int
fail(const char *why)
{
	char line[400];

	(void)ward_text_visible(line, sizeof(line), why);
	/* libnftables goes on with the rules, which are fixed */
	syslog(LOG_WARNING, "ward: TCP of a sandbox is not redirected: %.*s",
	    (int)strcspn(line, "\\"), line);
	return 1;
}

/* libnftables ends the program where it cannot open one. */
static bool
has_nftables(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);

	if (fd < 0)
		return false;
	(void)close(fd);
	return true;
}

static int
run_nft(const char *text)
{
	struct nft_ctx *nft = nft_ctx_new(NFT_CTX_DEFAULT);

	if (nft == NULL || nft_ctx_buffer_error(nft) != 0 ||
	    nft_ctx_buffer_output(nft) != 0)
		return fail("libnftables does not start");
	int r = nft_run_cmd_from_buffer(nft, text);
	if (r != 0) {
		const char *said = nft_ctx_get_error_buffer(nft);
		r = fail(said == NULL ? "the kernel refuses it" : said);
	}
	nft_ctx_free(nft);
	return r;
}

int
main(int argc, char **argv)
{
	uint64_t port4 = 0, port6 = 0;
	char text[1024], six[128] = "";

	openlog("ward", LOG_PID, LOG_AUTHPRIV);
	if (argc != 3 || ward_number_parse(argv[1], UINT16_MAX, &port4) != 0 ||
	    ward_number_parse(argv[2], UINT16_MAX, &port6) != 0 || port4 == 0)
		return fail("usage: redirect PORT4 PORT6");
	if (!has_nftables())
		return fail("the kernel has no nftables");
	if (port6 != 0)
		(void)snprintf(six, sizeof(six),
		    "ip6 daddr != ::1 meta l4proto tcp redirect to :%u\n",
		    (unsigned)port6);
	int n = snprintf(text, sizeof(text),
	    "table inet ward {\n"
	    "  chain steer {\n"
	    "    type nat hook output priority -100; policy accept;\n"
	    "    ip daddr { 127.0.0.0/8, %u.%u.%u.%u } accept\n"
	    "    meta nfproto ipv4 meta l4proto tcp redirect to :%u\n"
	    "    %s"
	    "  }\n"
	    "}\n",
	    WARD_OWN_ADDRESS >> 24, WARD_OWN_ADDRESS >> 16 & 0xff,
	    WARD_OWN_ADDRESS >> 8 & 0xff, WARD_OWN_ADDRESS & 0xff,
	    (unsigned)port4, six);
	if (n < 0 || (size_t)n >= sizeof(text))
		return fail("its rules are too long");
	return run_nft(text);
}
