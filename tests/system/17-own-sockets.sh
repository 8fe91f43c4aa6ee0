#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Programs that talk to daemons of the account's own over Unix sockets, and what
# sshd forwards for it where an admin and the profile open that: all of it works
# inside, as for an ungoverned account.  Else the snippet closes the forwards,
# and nothing of the session knows of them.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

# on_host ACCOUNT: whether a process of the account's is outside a sandbox.
on_host()
{
	local pid
	for pid in $(pgrep -u "$1"); do
		[ "$(readlink "/proc/$pid/ns/mnt")" != \
		    "$(readlink /proc/self/ns/mnt)" ] || return 0
	done
	return 1
}

# A session of one account, which leaves nothing running.
# shellcheck disable=SC2016 # its shell expands them
gpg_session='
	gpg --batch --quiet --passphrase "" --pinentry-mode loopback \
	    --quick-gen-key me@example.org ed25519 sign never 2>/dev/null
	echo text | gpg --batch --sign | gpg --batch --verify 2>&1 |
	    grep -o "Good signature"
	gpg-connect-agent "getinfo pid" /bye | grep -c "^D"
	gpgconf --kill gpg-agent'
# shellcheck disable=SC2016
agent_session='
	eval "$(ssh-agent)" >/dev/null
	ssh-keygen -q -t ed25519 -N "" -f ~/own
	ssh-add -q ~/own
	ssh-add -l | grep -c ED25519
	ssh-agent -k >/dev/null'
tmux_session='
	tmux new-session -d -s own "exec sleep 100"
	tmux list-sessions -F "#{session_name}"
	tmux kill-server'

# daemons ACCOUNT: what each of the sessions says, in one line.
daemons()
{
	local session
	for session in "$gpg_session" "$agent_session" "$tmux_session"; do
		over_ssh "$1" "$session" </dev/null 2>&1
	done | xargs
}

# forwarded ACCOUNT: of the caller's agent, and of the caller's display.
forwarded()
{
	over_ssh "$1" -A 'ssh-add -l' </dev/null 2>&1 | tail -n 1 |
	    grep -o '^256\|Could not open a connection'
	DISPLAY=:99 over_ssh "$1" -Y 'python3 /usr/local/lib/x11.py ask' \
	    </dev/null 2>&1 | tail -n 1
}

# opened: sshd has read its configuration again.
opened()
{
	[ "$(forwarded agent | xargs)" = "$both" ]
}

nothing_of()
{
	! pgrep -u "$1" >/dev/null && [ -z "$(find /tmp -user "$1")" ]
}

plan 9
setting
cd /
install -m 0644 /tests/x11.py /usr/local/lib/
eval "$(ssh-agent -a /root/agent.sock)" >/dev/null
setting_do ssh-add "$key"
install -d -m 1777 /tmp/.X11-unix
python3 /usr/local/lib/x11.py serve /tmp/.X11-unix/X99 </dev/null \
    >/dev/null 2>&1 &
wait_for 10 test -S /tmp/.X11-unix/X99

works='Good signature 1 1 own'
is "control: gpg-agent, ssh-agent and tmux" "$(daemons plain)" "$works"
is "inside" "$(daemons agent)" "$works"
is "none was refused" "$(rows "SELECT count(*) FROM violations
    WHERE operation = 'connect'")" 0

closed='Could not open a connection no display'
both='256 XDISPLAY'
is "the snippet closes the forwards of an agent and of X11" \
    "$(forwarded agent | xargs)" "$closed"
is "control: to others they are open" "$(forwarded plain | xargs)" "$both"
cat >/etc/ssh/sshd_config.d/01-open.conf <<-'CONFIG'
Match User agent
	AllowAgentForwarding yes
	X11Forwarding yes
CONFIG
setting_sshd
sed -i 's/extends = .*/& environment: { pass = ( "SSH_AUTH_SOCK", "DISPLAY" ); };/' \
    /etc/ward/profiles.d/agent.conf
setting_do wardctl profile apply
wait_for 30 opened || true
is "where an admin opens them they work" "$(forwarded agent | xargs)" "$both"
over_ssh agent -A 'touch /srv/out/held; exec sleep 4242' </dev/null \
    >/dev/null 2>&1 &
held=$!
wait_for 20 test -e /srv/out/held
fails "their ends are inside: no process of the account's is on the host" \
    on_host agent
setpriv --reuid agent --regid agent --clear-groups sleep 30 &
wait_for 10 pgrep -u agent -x sleep
succeeds "control: one that is there would be seen" on_host agent
kill $!
pkill -f 'sleep 4242' || true
wait "$held" || true
settled
succeeds "and nothing of it stays" nothing_of agent
