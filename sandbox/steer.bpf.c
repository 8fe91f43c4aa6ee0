/* SPDX-License-Identifier: ISC */
/*
 * Steers TCP inside a sandbox: what is meant for another host than this one
 * goes to a listener of egress's.  Runs in the kernel for each new connection
 * in the sandbox's net namespace; see sk_lookup in the kernel's documentation.
 */
#include <linux/bpf.h>
#include <linux/in.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "sandbox/routes.h"

#define AF_INET 2

struct {
	__uint(type, BPF_MAP_TYPE_SOCKMAP);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} sockets SEC(".maps"); /* at 0 for IPv4, at 1 for IPv6 */

static int
is_loopback(const struct bpf_sk_lookup *to)
{
	if (to->family == AF_INET)
		return (to->local_ip4 & bpf_htonl(0xff000000)) ==
		    bpf_htonl(0x7f000000) ||
		    to->local_ip4 == bpf_htonl(WARD_OWN_ADDRESS);
	return to->local_ip6[0] == 0 && to->local_ip6[1] == 0 &&
	    to->local_ip6[2] == 0 && to->local_ip6[3] == bpf_htonl(1);
}

SEC("sk_lookup")
int
steer(struct bpf_sk_lookup *to)
{
	__u32 key = to->family == AF_INET ? 0 : 1;

	if (to->protocol != IPPROTO_TCP || is_loopback(to))
		return SK_PASS;
	struct bpf_sock *listener = bpf_map_lookup_elem(&sockets, &key);
	if (!listener)
		return SK_DROP;
	long r = bpf_sk_assign(to, listener, 0);
	bpf_sk_release(listener);
	return r == 0 ? SK_PASS : SK_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
