#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Unix sockets: an account's own are free, the host's only by the profile, and
# whatever changes while a connect is on its way changes nothing.  Where agent
# is refused, plain is let through.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"

ward_profile()
{
	cat <<-'PROFILE'
	profile:
	{
	  name       = "probe";
	  extends    = ( "base" );
	  filesystem:
	  {
	    read: { deny = ( "/srv/hidden", "/srv/allowed/hidden" ); };
	    write: { allow = ( "/srv/build" ); };
	  };
	  session: { linger = "1h"; };
	  unix_sockets:
	  {
	    allow = ( "/srv/allowed/one", "/srv/dir", "/srv/build/host",
	        "/run/opened" );
	  };
	};
	PROFILE
}

tool=$probe_dir/sockets.py
race=${WARD_RACE_SECONDS:-3}

# by ACCOUNT VERB ARGUMENTS: what came of it, in a session of its own.
by()
{
	local account=$1
	shift
	timeout 60 runuser -u "$account" -- python3 "$tool" "$@" 2>&1 || true
}

# serving KIND PATH: a server of root's that tells who came.
serving()
{
	python3 "$tool" serve "$1" "$2" </dev/null >/dev/null 2>&1 &
}

servers()
{
	local path
	install -d /srv/dir
	serving stream /srv/x/host
	serving seqpacket /srv/x/seq
	serving stream /run/host
	serving stream /run/other
	install -d /run/systemd
	serving stream /run/systemd/ward-host
	install -d -m 0711 /run/opened
	serving stream /run/opened/one
	install -d -m 0700 /run/opened/closed
	serving stream /run/opened/closed/one
	serving stream /srv/allowed/one
	serving stream /srv/allowed/two
	serving stream /srv/dir/in
	serving stream /srv/build/host
	python3 "$tool" serve_handing /srv/dir/gives /run \
	    </dev/null >/dev/null 2>&1 &
	python3 "$tool" serve_handing /srv/dir/fresh socket \
	    </dev/null >/dev/null 2>&1 &
	serving stream @ward-host
	for path in /srv/x/host /srv/x/seq /run/host /run/opened/one \
	    /run/other /run/systemd/ward-host \
	    /run/opened/closed/one /srv/allowed/one \
	    /srv/allowed/two /srv/dir/in /srv/dir/gives /srv/dir/fresh \
	    /srv/build/host; do
		wait_for 10 test -S "$path" ||
		    { diag "no server at $path"; exit 1; }
	done
	ln -s /srv/x/host /srv/link
	ln -s /srv/allowed/one /srv/to-allowed
	ln -s /srv/allowed/hidden /srv/to-hidden
}

# hidden_servers: those that are to be there before the masks.
hidden_servers()
{
	install -d /srv/allowed /srv/hidden
	serving stream /srv/hidden/host
	serving stream /srv/allowed/hidden
	wait_for 10 test -S /srv/hidden/host
	wait_for 10 test -S /srv/allowed/hidden
}

# violation TARGET: its newest row, in short.
violation()
{
	wait_for 10 has_row "$1" || true
	row_of "$1"
}

has_row()
{
	[ -n "$(row_of "$1")" ]
}

row_of()
{
	wardctl violations --account agent --json | python3 -c '
import json, sys
for row in json.load(sys.stdin):
    if row["target"] == sys.argv[1]:
        print(row["kind"], row["operation"], row["error"],
              row["confirmed"], row["rule_file"], row["rule_line"])
        break
' "$1"
}

# connector: its pid, as the host counts.
connector()
{
	pgrep -x ward-connector
}

plan 71
# before the first sandbox: what is mounted later is not in its view
install -d /srv/x /srv/alias
mount --bind /srv/x /srv/alias
install -D -m 0755 "$(dirname "$0")/17-sockets.py" "$tool"
hidden_servers
ward_setup
servers
agent_ids="$(id -u agent) $(id -g agent)"
plain_ids="$(id -u plain) $(id -g plain)"

# --- its own ---
for place in '/tmp/s' "/home/agent/s" /dev/shm/s /var/tmp/s /srv/build/s \
    @own; do
	is "own, at $place" "$(by agent own "$place")" ok
done
is "a full queue, not waiting" "$(by agent nonblock /tmp/full)" EAGAIN
is "and so without Ward" "$(by plain nonblock /tmp/full)" EAGAIN
is "a loopback server of its own" "$(by agent tcp -)" ok
succeeds "ssh-agent" runuser -u agent -- ssh-agent sh -c \
    'ssh-add -l; test $? -eq 1'
succeeds "a session of tmux" runuser -u agent -- sh -c \
    'cd; tmux new-session -d true && tmux kill-server; true'

# --- the host's ---
for path in /srv/x/host /srv/link /srv/allowed/two /srv/build/host; do
	opposite "$path" "$(by agent connect stream "$path")" \
	    "$(by plain connect stream "$path")" EACCES "$plain_ids"
done
# where the alias' type is not shown, its directory is empty
opposite "by an alias" "$(by agent connect stream /srv/alias/host)" \
    "$(by plain connect stream /srv/alias/host)" 'EACCES|ENOENT' "$plain_ids"
opposite "a seqpacket server" "$(by agent connect seqpacket /srv/x/seq)" \
    "$(by plain connect seqpacket /srv/x/seq)" EACCES "$plain_ids"
opposite "relative" "$(by agent relative /srv/x host)" \
    "$(by plain relative /srv/x host)" EACCES "$plain_ids"
opposite "in /run" "$(by agent connect stream /run/host)" \
    "$(by plain connect stream /run/host)" ENOENT "$plain_ids"
opposite "abstract" "$(by agent connect stream @ward-host)" \
    "$(by plain connect stream @ward-host)" ECONNREFUSED "$plain_ids"
opposite "one of a pair of datagrams" \
    "$(by agent pair dgram /dev/log)" "$(by plain pair dgram /dev/log)" \
    EPERM connected
opposite "a socket from outside" \
    "$(by agent handed /srv/dir/fresh /srv/allowed/one)" \
    "$(by plain handed /srv/dir/fresh /srv/allowed/one)" \
    EACCES "$plain_ids"

# --- what the profile opens ---
is "by the profile, with the account's ids" \
    "$(by agent connect stream /srv/allowed/one)" "$agent_ids"
is "in a directory" "$(by agent connect stream /srv/dir/in)" "$agent_ids"
is "by a link" "$(by agent connect stream /srv/to-allowed)" "$agent_ids"

is "below /run" "$(by agent connect stream /run/opened/one)" "$agent_ids"
is "by its other name" \
    "$(by agent connect stream /var/run/opened/one)" "$agent_ids"
is "not out of it" "$(by agent connect stream /run/opened/../host)" ENOENT
is "with the account's rights" \
    "$(by agent connect stream /run/opened/closed/one)" \
    "$(by plain connect stream /run/opened/closed/one)"
is "and not what is not there" \
    "$(by agent connect stream /run/opened/none)" ENOENT

# --- what is told ---
# explained PATH: the first line of what explain says of a socket there.
explained()
{
	wardctl explain --account agent "unix:$1" | sed -n '1s/^[^ ]*: //p'
}

is "explain: the host's" "$(explained /srv/x/host)" refused
is "explain: the profile's" "$(explained /srv/dir/in)" "can be connected to"
is "explain: its own" "$(explained /tmp/s)" "its own can be connected to"
is "explain: another's where it can write" \
    "$(explained /srv/build/host)" "its own can be connected to"
is "a row" "$(violation /srv/x/host)" \
    "unix connect EACCES True built-in 0"

# what the kernel says of what the view does not have is Ward's doing
unshown="unix connect ENOENT True built-in 0"
is "a row of /run" "$(violation /run/host)" "$unshown"
opposite "by its other name" "$(by agent connect stream /var/run/other)" \
    "$(by plain connect stream /var/run/other)" ENOENT "$plain_ids"
is "its row" "$(violation /run/other)" "$unshown"
opposite "in a hidden directory" "$(by agent relative /srv hidden/host)" \
    "$(by plain relative /srv hidden/host)" ENOENT "$plain_ids"
is "its row, with the whole path" "$(violation /srv/hidden/host)" "$unshown"
opposite "a hidden one, by a link" "$(by agent connect stream /srv/to-hidden)" \
    "$(by plain connect stream /srv/to-hidden)" ECONNREFUSED "$plain_ids"
is "its row, with its own path" "$(violation /srv/allowed/hidden)" \
    "${unshown/ENOENT/ECONNREFUSED}"
# what is not there, or is looked for by the way, has none
is "nothing there" "$(by agent connect stream /run/none)" ENOENT
opposite "the C library's" \
    "$(by agent connect stream /run/systemd/ward-host)" \
    "$(by plain connect stream /run/systemd/ward-host)" ENOENT "$plain_ids"
is "and one behind them" "$(by agent connect stream /srv/hidden/x)" ENOENT
is "has a row" "$(violation /srv/hidden/x)" "$unshown"
is "no rows of them" "$(row_of /run/none)$(row_of /run/systemd/ward-host)" ""

# --- who changes what on the way ---
like "the name is another's by then" \
    "$(by agent race_path /tmp/mine /srv/x/host "$race")" \
    '^True (EACCES )?mine$'
like "the address" \
    "$(by agent race_address /tmp/mine /srv/x/host "$race")" \
    '^True (EACCES )?(ENOENT )?mine$'
unlike "the descriptor" "$(by agent race_number /srv/x/host "$race")" \
    'connected'
like "which without Ward does" \
    "$(by plain race_number /srv/x/host "$race")" '^True .*connected'

opposite "a directory from outside" \
    "$(by agent from_directory /srv/dir/gives host)" \
    "$(by plain from_directory /srv/dir/gives host)" EACCES "$plain_ids"
is "descriptors of a thread's own" "$(by agent unshared /srv/dir/in)" \
    "$agent_ids"
is "and what they are refused" "$(by agent unshared /srv/x/host)" EACCES

# --- waiting ---
is "a full queue holds up its caller alone" \
    "$(by agent full /tmp/stuck /srv/dir/in)" \
    "waited others passed went on"
is "and a signal goes through" "$(by agent interrupted /tmp/stuck)" \
    interrupted

like "more than may wait are told so, and who dies makes room" \
    "$(by agent crowd /tmp/stuck /srv/dir/in)" \
    "^\{'EAGAIN': 16\} EAGAIN passed$"

# --- without the connector ---
is "the account cannot look into it" "$(by agent trace ward-connector)" \
    "attach EPERM memory EACCES files EACCES root EACCES"
runuser -u agent -- python3 -c 'import ctypes, time
ctypes.CDLL(None).prctl(15, b"of-its-own")
time.sleep(20)' </dev/null >/dev/null 2>&1 &
sleep 0.7
like "as it can into what is its own, by the modes of files" \
    "$(by agent trace of-its-own)" '^attach (ok|EPERM) memory'
pid=$(connector)
like "the connector is the account's, and has nothing" \
    "$(xargs <<<"$(grep -E '^(Uid|CapPrm|CapBnd|NoNewPrivs):' \
	"/proc/$pid/status")")" \
    "^Uid: ${agent_ids% *} .* CapPrm: 0+ CapBnd: 0+ NoNewPrivs: 1$"
kill -STOP "$pid"
is "stopped: refused, since no answer would come" \
    "$(by agent connect stream /srv/allowed/one)" ECONNREFUSED
# connects: whether there is a connector that does it.
connects()
{
	[ "$(by agent connect stream /srv/allowed/one)" = "$agent_ids" ]
}
succeeds "and then there is another" wait_for 10 connects
kill -KILL "$(connector)"
succeeds "killed: the same" wait_for 10 connects
# losses: the rows of connectors that are gone.
losses()
{
	wardctl violations --account agent --json | python3 -c '
import json, sys
print(*sorted(row["operation"] for row in json.load(sys.stdin)
              if row["kind"] == "internal"))'
}
# both_are_told: a row is written after its act.
both_are_told()
{
	[ "$(losses)" = "connector-ended connector-stopped" ]
}
succeeds "each is a row" wait_for 10 both_are_told
is "and nothing else" "$(losses)" "connector-ended connector-stopped"

# --- where each session has a sandbox of its own ---
eval "$(declare -f ward_profile | sed '1s/.*/lingering_profile ()/')"
ward_profile()
{
	lingering_profile | sed 's/linger = "1h";//'
}
ward_scope session
for path in /srv/x/host /srv/build/host; do
	opposite "$path" "$(by agent connect stream "$path")" \
	    "$(by plain connect stream "$path")" EACCES "$plain_ids"
done
opposite "by an alias" "$(by agent connect stream /srv/alias/host)" \
    "$(by plain connect stream /srv/alias/host)" 'EACCES|ENOENT' "$plain_ids"
is "by the profile, with the account's ids" \
    "$(by agent connect stream /srv/allowed/one)" "$agent_ids"
is "a full queue holds up its caller alone" \
    "$(by agent full /tmp/stuck /srv/dir/in)" \
    "waited others passed went on"
like "more than may wait are told so, and who dies makes room" \
    "$(by agent crowd /tmp/stuck /srv/dir/in)" \
    "^\{'EAGAIN': 16\} EAGAIN passed$"
