/* SPDX-License-Identifier: ISC */
/*
 * What nftables does in a sandbox, in the net namespace that this is started
 * in, by the warden, as root and on the host's files:
 *
 *	redirect PORT4 PORT6   rewrites where TCP goes (steer_redirect.c);
 *			       0 as PORT6: there is no IPv6
 *	redirect strays [6]    refuses what is not TCP, and tells of it
 *			       (refuse.c); 6: of IPv6 also
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
#include "sandbox/refuse.h"
#include "sandbox/routes.h"

static int
fail(const char *why)
{
	char line[400];

	(void)ward_text_visible(line, sizeof(line), why);
	/* libnftables goes on with the rules, which are fixed */
	syslog(LOG_WARNING, "ward: nftables of a sandbox: %.*s",
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

/* What is not the sandbox's own.  The address is made of numbers only. */
#define OWN_FORMAT "%u.%u.%u.%u"
#define OWN_NUMBERS                                                            \
	WARD_OWN_ADDRESS >> 24, WARD_OWN_ADDRESS >> 16 & 0xff,                 \
	    WARD_OWN_ADDRESS >> 8 & 0xff, WARD_OWN_ADDRESS & 0xff

static int
redirect(const char *port4_text, const char *port6_text)
{
	uint64_t port4 = 0, port6 = 0;
	char text[1024], six[128] = "";

	if (ward_number_parse(port4_text, UINT16_MAX, &port4) != 0 ||
	    ward_number_parse(port6_text, UINT16_MAX, &port6) != 0 ||
	    port4 == 0)
		return fail("no such port");
	if (port6 != 0)
		(void)snprintf(six, sizeof(six),
		    "ip6 daddr != ::1 meta l4proto tcp redirect to :%u\n",
		    (unsigned)port6);
	int n = snprintf(text, sizeof(text),
	    "table inet ward {\n"
	    "  chain steer {\n"
	    "    type nat hook output priority -100; policy accept;\n"
	    "    ip daddr { 127.0.0.0/8, " OWN_FORMAT " } accept\n"
	    "    meta nfproto ipv4 meta l4proto tcp redirect to :%u\n"
	    "    %s"
	    "  }\n"
	    "}\n",
	    OWN_NUMBERS, (unsigned)port4, six);
	if (n < 0 || (size_t)n >= sizeof(text))
		return fail("its rules are too long");
	return run_nft(text);
}

/*
 * Only what a process of the account's sends is told: the kernel has packets
 * of its own.  The routing gives way last, so that nothing goes unrefused.
 */
static int
refuse_strays(bool ipv6)
{
	struct err err = { 0 };
	char text[1024];
	int n = snprintf(text, sizeof(text),
	    "table inet " WARD_STRAYS_TABLE " {\n"
	    "  counter " WARD_STRAYS_COUNTER " { }\n"
	    "  chain out {\n"
	    "    type filter hook output priority 0; policy accept;\n"
	    "    meta l4proto tcp accept\n"
	    "    ip daddr { 127.0.0.0/8, " OWN_FORMAT " } accept\n"
	    "    ip6 daddr ::1 accept\n"
	    "    meta skuid != 0 counter name " WARD_STRAYS_COUNTER
	    " limit rate %u/second burst %u packets"
	    " log group %u snaplen %u\n"
	    "    drop\n"
	    "  }\n"
	    "}\n",
	    OWN_NUMBERS, (unsigned)WARD_STRAYS_SECOND,
	    (unsigned)WARD_STRAYS_BURST, (unsigned)WARD_STRAYS_GROUP,
	    (unsigned)WARD_STRAYS_BYTES);

	if (n < 0 || (size_t)n >= sizeof(text))
		return fail("its rules are too long");
	if (run_nft(text) != 0)
		return 1;
	return ward_routes_refuse_no_more(ipv6, &err) == 0 ? 0 : fail(err.text);
}

int
main(int argc, char **argv)
{
	openlog("ward", LOG_PID, LOG_AUTHPRIV);
	if (!has_nftables())
		return fail("the kernel has no nftables");
	if (argc >= 2 && argc <= 3 && strcmp(argv[1], "strays") == 0)
		return refuse_strays(argc == 3);
	if (argc == 3)
		return redirect(argv[1], argv[2]);
	return fail("usage: redirect PORT4 PORT6 | redirect strays [6]");
}
