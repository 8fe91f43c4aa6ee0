# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# What tests/bench/monitor and its part under another kernel share.  Sourced.

interleave=/usr/lib/ward-bench/interleave
part=${part:-} # of what is measured, before its names

# set_up_accounts: one that is governed, and one that is not.
set_up_accounts()
{
	wardctl enable
	wardctl account add agent --profile base
	useradd --create-home --shell /bin/bash plain
}

# worker NAME: what standard input says, as a program of both accounts', in
# their home.
worker()
{
	{
		printf '#!/bin/sh\nset -eu\ncd\n'
		cat
	} >"/usr/local/bin/bench-$1"
	chmod 0755 "/usr/local/bin/bench-$1"
}

set_up_untar()
{
	tar -C /usr/lib -cf /srv/tree.tar --exclude='*.so*' python3 python3.11
	worker untar <<-'SCRIPT'
	tree=/dev/shm/tree.$(id -un)
	rm -rf "$tree"
	mkdir "$tree"
	exec tar -C "$tree" -xf /srv/tree.tar
	SCRIPT
}

# in_turn NAME RUNS: its medians as $a and $b, $more and $ratio.
in_turn()
{
	read -r a b more ratio < <("$interleave" "$2" 2 \
	    "/samples/monitor-$part$1" \
	    "/usr/sbin/runuser -u agent -- /usr/local/bin/bench-$1" \
	    "/usr/sbin/runuser -u plain -- /usr/local/bin/bench-$1")
}

# say_untar RUNS: what is told of it has no reach.
say_untar()
{
	local a b more ratio
	in_turn untar "$1"
	echo "ratio ${part}untar = $ratio ($a ms against $b ms, $more ms more)"
}
