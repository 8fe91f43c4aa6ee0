#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# What the host tells of a governed account's sessions is, line by line, what
# it tells of another's: the journal and syslog, utmp, wtmp, lastlog, logind.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/40-entries.bash
. "$(dirname "$0")/40-entries.bash"

log=/var/log/auth.log

# plainly ACCOUNT: a text with what must differ between the accounts, and
# between two runs, taken out of it; sudo gives a shell named bash --login.
# Other numbers go before the uid, which one of them may happen to be.
plainly()
{
	sed -E -e 's/on pid [0-9]+/on pid PID/; s/\[[0-9]+\]/[PID]/' \
	    -e 's/port [0-9]+ on/port PORT on/; s/port [0-9]+/port PORT/' \
	    -e 's/[Ss]ession c?[0-9]+\b/session N/; s/job [0-9]+/job N/' \
	    -e "s/\\b$1\\b/ACCOUNT/g" -e "s/\\b$(id -u "$1")\\b/UID/g" \
	    -e 's,(/etc/ward/authorized_keys/ACCOUNT|/home/ACCOUNT/\.ssh/authorized_keys),KEYS,' \
	    -e 's,/usr/bin/(wardsh|bash)|/bin/bash,SHELL,; s/SHELL --login/SHELL/'
}

# not_child: without the lines of sshd's unprivileged child, which is inside:
# its pid is another there, and later lines find no socket.  Without logind's
# last line, too: see no_session.
not_child()
{
	grep -vE 'Starting session: |Close session: |[Dd]isconnect(ed)? from |Removed session' |
	    awk '
	    match($0, /sshd\[[0-9]+\]/) { from = substr($0, RSTART, RLENGTH) }
	    /User child is on pid/ { child["sshd[" $NF "]"] = 1 }
	    { line[NR] = $0; who[NR] = from; from = "" }
	    END { for (n = 1; n <= NR; n++)
		if (!(who[n] in child)) print line[n] }'
}

# syslog_lines: those of the programs that let people in, since log_from.
syslog_lines()
{
	tail -c "+$((log_from + 1))" "$log" | cut -d ' ' -f 3- |
	    grep -E '^(sshd|su|sudo|runuser|CRON|atd|systemd-logind)(\[|:)' |
	    not_child
}

# journal_lines: the same of the journal, since cursor.
journal_lines()
{
	journalctl --after-cursor="$cursor" -o short-iso --no-hostname |
	    cut -d ' ' -f 2- |
	    grep -E '^(sshd|su|sudo|runuser|CRON|atd|systemd-logind)(\[|:)' |
	    not_child
}

# no_session ACCOUNT: whether logind has none of the account's left but such
# as have ended, without a process.  Where the machine has the old control
# groups, the kernel does not tell a box that one has emptied.
no_session()
{
	local id scope
	for id in $(sessions_of "$1"); do
		[ "$(loginctl show-session "$id" -P State)" = closing ] ||
		    return 1
		scope=$(loginctl show-session "$id" -P Scope)
		! find /sys/fs/cgroup -path "*/$scope/cgroup.procs" \
		    -exec cat {} + | grep -q . || return 1
	done
}

# sessions_of ACCOUNT: logind's, by number.
sessions_of()
{
	loginctl --no-legend list-sessions | awk -v a="$1" '$3 == a { print $1 }'
}

# tell NAME ACCOUNT: comes in, and keeps what was told in /root/told.
tell()
{
	cursor=$(journalctl -n 0 --show-cursor | sed -n 's/^-- cursor: //p')
	log_from=$(stat -c %s "$log")
	rm -f /srv/out/mark
	enter "$1" "$2" /srv/out/mark >/dev/null || true
	wait_for 10 test -e /srv/out/mark || true
	wait_for 10 background_done || true
	wait_for 10 no_session "$2" || true
	# what is still on its way is behind a line of ours
	logger -p authpriv.info -t records "end of $1 $2"
	wait_for 10 grep -q "end of $1 $2" "$log"
	journalctl --sync
	mkdir -p "/root/told/$2"
	syslog_lines | plainly "$2" | LC_ALL=C sort >"/root/told/$2/syslog.$1"
	journal_lines | plainly "$2" | LC_ALL=C sort >"/root/told/$2/journal.$1"
}

# alike NAME FILE PATTERN: what was told of agent is what was told of plain,
# which has a line that fits.
alike()
{
	local agent=/root/told/agent/$2 plain=/root/told/plain/$2
	if ! grep -qE "$3" "$plain"; then
		fail "$1" "control: no such line: $3"$'\n'"$(cat "$plain")"
	elif diff "$plain" "$agent" >/root/told/difference; then
		pass "$1"
	else
		fail "$1" "$(cat /root/told/difference)"
	fi
}

# kept NAME COMMAND...: the output for both accounts, {} standing for each.
kept()
{
	local account name=$1
	shift
	for account in agent plain; do
		"${@//\{\}/$account}" 2>&1 | plainly "$account" |
		    sed -E -e 's/[A-Z][a-z]{2} [A-Z][a-z]{2} +[0-9]+ [0-9:]+( [+-][0-9]+)?( 20[0-9]{2})?/TIME/g' \
		    -e 's/20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}/TIME/g' \
		    -e 's/\([0-9:+]+\)/(TIME)/; s,pts/[0-9]+,pts/N,g' \
		    -e 's/ +/ /g' >"/root/told/$account/$name"
	done
}

# hold_tty ACCOUNT: a session with a terminal that stays until release_tty.
hold_tty()
{
	ssh -tt "${ssh_options[@]}" "$1@127.0.0.1" \
	    "tty >/srv/out/tty.$1; exec sleep 4242" \
	    <&"$silence" >/dev/null 2>&1 &
	wait_for 10 test -s "/srv/out/tty.$1"
}

release_tty()
{
	pkill -f 'sleep 4242' || true
	wait || true
	wait_for 10 no_session agent
	wait_for 10 no_session plain
}

# all_out: whether wtmp has the end of each login.
all_out()
{
	! last -w | grep -E '^(agent|plain) ' | grep -q still
}

# session_of ACCOUNT: what logind says of the account's session.
session_of()
{
	local id
	id=$(loginctl list-sessions --no-legend | awk -v a="$1" \
	    '$3 == a && $NF ~ /pts/ { print $1 }' | tail -n 1)
	loginctl show-session "$id" -p Name -p User -p Remote -p RemoteHost \
	    -p Service -p Type -p Class -p Active -p State -p TTY -p Seat
	echo "leader $(cat "/proc/$(loginctl show-session "$id" -P Leader)/comm")"
}

# processes_of ACCOUNT: where the kernel and systemd count what runs in it.
processes_of()
{
	local pid
	pid=$(pgrep -u "$1" -x sleep)
	sed -E 's/session-c?[0-9]+/session-N/' "/proc/$pid/cgroup"
	cat "/proc/$pid/loginuid" 2>/dev/null || echo "no audit"
}

plan $((2 * ${#entries[@]} + 14))
setting
entries_ready
cd /
for name in "${entries[@]}"; do
	tell "$name" plain
	tell "$name" agent
	case $name in
	ssh-* | scp* | sftp-*) line='^sshd\[PID\]: Accepted publickey' ;;
	cron) line='^CRON\[PID\]: pam_unix\(cron:session\)' ;;
	at) line='^atd\[PID\]: pam_unix\(atd:session\)' ;;
	*) line="pam_unix\\(${name%-shell}(-l)?:session\\): session closed" ;;
	esac
	alike "$name: syslog" "syslog.$name" "$line"
	alike "$name: the journal" "journal.$name" "$line"
done

hold_tty plain
hold_tty agent
kept who sh -c 'who | grep -w {}'
alike "who, while a session lives" who 'ACCOUNT pts/N TIME \(127.0.0.1\)'
kept logind session_of {}
alike "logind's session" logind '^Service=sshd$'
like "it is active" "$(cat /root/told/agent/logind)" 'State=active'
kept counted processes_of {}
alike "its process: control group and login uid" counted 'session-N.scope'
# shellcheck disable=SC2016 # the inner shell does
kept terminal sh -c 'stat -c "%U %G %a" "$(cat /srv/out/tty.{})"'
alike "its terminal's owner and mode" terminal '^ACCOUNT tty 620$'
kept last-in sh -c 'last -w | grep -w {} | head -n 1'
alike "last, while it lives" last-in \
    'ACCOUNT pts/N 127.0.0.1 TIME still logged in'
release_tty
wait_for 10 all_out || true
kept last sh -c 'last -w | grep -w {} | head -n 1'
alike "last, after it" last 'ACCOUNT pts/N 127.0.0.1 TIME - '
kept lastlog sh -c 'lastlog -u {}'
alike "lastlog" lastlog '^ACCOUNT pts/N 127.0.0.1 TIME'
is "who is empty again" "$(who)" ''
for account in agent plain; do
	wait_for 10 no_session "$account" || true
	succeeds "logind has no session of $account left" no_session "$account"
done
is "as many lines of last for both" \
    "$(last -w | grep -cw agent)" "$(last -w | grep -cw plain)"
su agent -c 'logger -p authpriv.info forged by agent' || true
su plain -c 'logger -p authpriv.info forged by plain'
wait_for 10 grep -q 'forged by plain' "$log" || true
is "the account cannot forge a line of the log, as another can" \
    "$(grep -o 'forged by .*' "$log")" 'forged by plain'
settled
is "no session of Ward's is open" \
    "$(rows 'SELECT count(*) FROM sessions WHERE ended IS NULL')" 0
