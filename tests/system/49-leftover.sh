#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What a session leaves behind on root's terminal ends with it, though the
# sandbox lives on; what has let go of the terminal stays.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

# begin [COMMAND]: a shell of root's on a terminal that stays, in which "su
# agent" runs, after the command; what is typed goes to $typed.
begin()
{
	rm -f /srv/out/*
	script -qfec "tty >/root/tty; ${1:-} su agent; touch /root/back
	    exec sleep 4900" /root/screen <&"$typed" >/dev/null 2>&1 &
	shell=$!
	type 'touch /srv/out/in'
	wait_for 10 test -e /srv/out/in
}

type()
{
	printf '%s\n' "$*" >&"$typed"
}

# leave: what a session can leave behind, each in its way; then it ends.
leave()
{
	type 'sleep 4901 &'
	type 'setsid sleep 4902 &'
	type '(trap "" HUP; exec sleep 4903) &'
	type 'setsid sleep 4904 </dev/null >/dev/null 2>&1 &'
	type 'setsid sh -c "exec 9</dev/tty; true"'
	type 'tmux new-session -d -s work "sleep 4905"'
	local i
	for i in 1 2 3 4 5; do
		wait_for 10 lives "490$i" || diag "no sleep 490$i"
	done
	type 'exit'
	wait_for 10 test -e /root/back
}

lives()
{
	pgrep -u agent -f "^sleep $1" >/dev/null
}

dead()
{
	! lives "$1"
}

# remaining: which of them live.
remaining()
{
	pgrep -a -u agent -f '^sleep 490' | awk '{ print $3 }' | sort | xargs
}

end()
{
	kill -KILL "$shell"
	wait "$shell" 2>/dev/null || true
	pkill -KILL -f '^sleep 4900' || true
	setting_do wardctl end agent --grace 0
	settled
	rm -f /root/back
}

roots_terminal()
{
	begin
	leave
	succeeds "on root's terminal: what has it as its own is gone" \
	    wait_for 10 dead 4901
	succeeds "what has it open is gone" wait_for 10 dead 4902
	succeeds "what does not hear of it is gone" wait_for 10 dead 4903
	is "what has let go of it lives, and tmux" "$(remaining)" '4904 4905'
	like "the log says so" "$(cat /var/log/auth.log)" \
	    'processes that stayed on .*pts/[0-9]+ after their session were killed'
	succeeds "another session finds it" \
	    su agent -c 'tmux has-session -t work'
	end
}

# The account's own, as one that sshd made would be.
accounts_terminal()
{
	begin
	chown agent "$(cat /root/tty)"
	leave
	# as long as the others had, twice
	sleep 2
	is "on a terminal of the account's nothing is touched" "$(remaining)" \
	    '4901 4902 4903 4904 4905'
	end
}

# Another session on the same terminal, which goes on.
two_sessions()
{
	begin 'su agent --session-command "exec sleep 4906" &'
	wait_for 10 lives 4906
	leave
	succeeds "of two sessions on one terminal, what the first left is gone" \
	    wait_for 10 dead 4903
	is "the other is not touched" "$(remaining)" '4904 4905 4906'
	end
}

plan 9
mkfifo -m 0600 /root/typed
exec {typed}<>/root/typed
setting
rsyslogd
sed -i '$d' /etc/ward/profiles.d/agent.conf
printf '  session: { linger = "1h"; };\n};\n' >>/etc/ward/profiles.d/agent.conf
setting_do wardctl profile apply
roots_terminal
accounts_terminal
two_sessions
