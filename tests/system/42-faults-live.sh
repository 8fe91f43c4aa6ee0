#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# What goes wrong while a sandbox lives, and what is wrong about an account or
# its stack: the session is refused or ends, the next one is right again.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

here=$(cd "$(dirname "$0")" && pwd -P)
mark=/srv/out/mark
log=/var/log/auth.log

open_sessions='SELECT count(*) FROM sessions WHERE ended IS NULL'

# logged PATTERN: whether the log has such a line, since log_from.
logged()
{
	tail -c "+$((log_from + 1))" "$log" | grep -qE "$1"
}

# hold: a session of agent's that stays; $held is its client.
hold()
{
	rm -f /srv/out/held
	over_ssh agent 'touch /srv/out/held; exec sleep 4242' \
	    </dev/null >/dev/null 2>&1 &
	held=$!
	wait_for 10 test -e /srv/out/held
}

# held_ended: whether ssh knows that the session is over.
held_ended()
{
	! kill -0 "$held" 2>/dev/null
}

# inside_gone: whether nothing of the held session lives.
inside_gone()
{
	! pgrep -f 'sleep 4242' >/dev/null
}

# release: ends the session that hold began.
release()
{
	pkill -f 'sleep 4242' || true
	wait "$held" || true
	settled
}

# refused ROW CODE COMMAND...: the command comes in as agent and makes $mark.
refused()
{
	local row=$1 code=$2 status=0 missing='' said
	shift 2
	rm -f "$mark"
	log_from=$(stat -c %s "$log")
	said=$("$@" 2>&1 </dev/null) || status=$?
	wait_for 10 logged "ward: $code: session for agent refused: " ||
	    missing+=' a line in the log;'
	[ ! -e "$mark" ] || missing+=' nothing may have run;'
	[ "$status" -ne 0 ] || missing+=' a failure;'
	if [ -z "$missing" ]; then
		pass "$row: $code"
	else
		fail "$row: $code" "wanted:$missing"$'\n'"status $status: $said
$(tail -c "+$((log_from + 1))" "$log")"
	fi
}

# works ROW COMMAND...: its control.
works()
{
	local row=$1 said
	shift
	rm -f "$mark"
	said=$("$@" 2>&1 </dev/null) || true
	if wait_for 10 test -e "$mark"; then
		pass "$row"
	else
		fail "$row" "$said"
	fi
}

su_marks=(su agent -c "touch $mark")
su_l_marks=(su - agent -c "touch $mark")
sudo_marks=(sudo -u agent touch "$mark")

stopped_warden()
{
	local began took warden place
	hold
	warden=$(oldest_warden)
	place=$(over_ssh agent 'readlink /proc/self/ns/mnt' </dev/null)
	kill -STOP "$warden"
	began=$(date +%s%3N)
	refused "a stopped warden" W011 "${su_marks[@]}"
	took=$(($(date +%s%3N) - began))
	if [ "$took" -ge 4000 ] && [ "$took" -le 6500 ]; then
		pass "a login waits for it, but not long"
	else
		fail "a login waits for it, but not long" "$took ms"
	fi
	is "nobody else waits" "$(timeout 4 su plain -c 'id -un')" plain
	kill -CONT "$warden"
	is "let go, it takes the next session" \
	    "$(su agent -c 'readlink /proc/self/ns/mnt')" "$place"
	if wait_for 10 rows_are "$open_sessions" 1; then
		pass "no session is open but the held one"
	else
		fail "no session is open but the held one" \
		    "$(rows 'SELECT * FROM sessions')"
	fi
	release
}

# What answers for a live sandbox is no warden of this version, or none at all.
lying_warden()
{
	local control lie liar
	hold
	control=$(find /run/ward -name control)
	mv "$control" "$control.kept"
	for lie in nonsense 'another version' 'strings without an end' \
	    'a sandbox without descriptors' 'descriptors of something else'; do
		python3 "$here/lying-warden.py" "$lie" "$control" &
		liar=$!
		wait_for 10 test -S "$control"
		refused "a live warden says $lie" W013 "${su_marks[@]}"
		kill "$liar"
		wait "$liar" || true
		rm "$control"
	done
	mv "$control.kept" "$control"
	works "the live one again: it takes the next session" "${su_marks[@]}"
	is "beside the held one" "$(find /run/ward -name control | wc -l)" 1
	release
}

killed_init()
{
	hold
	pkill -KILL -x ward-init
	if wait_for 3 held_ended; then
		pass "init killed: the session ends"
	else
		fail "init killed: the session ends"
	fi
	works "init killed: the next login works" "${su_marks[@]}"
	settled
	is "init killed: no row is left open" "$(rows 'SELECT count(*)
	    FROM sandboxes b LEFT JOIN sessions s ON s.sandbox = b.id
	    WHERE b.ended IS NULL OR s.ended IS NULL')" 0
	release
}

# killed_warden WHAT: with init as it is, or stopped.
killed_warden()
{
	local sandbox began took
	hold
	wait_for 5 rows_are "$open_sessions" 1
	sandbox=$(rows 'SELECT id FROM sandboxes WHERE ended IS NULL')
	succeeds "$1: control: the session's process lives" \
	    pgrep -f 'sleep 4242'
	[ "$1" != 'warden killed, init stopped' ] || pkill -STOP -x ward-init
	began=$(date +%s%3N)
	pkill -KILL -x warden
	wait_for 5 inside_gone || true
	took=$(($(date +%s%3N) - began))
	if inside_gone && [ "$took" -le 1000 ]; then
		pass "$1: nothing of the session lives a second longer"
	else
		fail "$1: nothing of the session lives a second longer" \
		    "$took ms"
	fi
	works "$1: the next login works" "${su_marks[@]}"
	settled
	is "$1: the rows that it left open are lost" "$(rows "SELECT
	    b.reason, s.reason FROM sandboxes b JOIN sessions s
	    ON s.sandbox = b.id WHERE b.id = '$sandbox'")" 'lost|lost'
	is "$1: and there is a gap for what was not seen" "$(rows "SELECT
	    count(*) > 0 FROM gaps WHERE sandbox = '$sandbox'")" 1
	release
}

run_directory()
{
	settled
	rm -rf /run/ward
	touch /run/ward
	refused "/run/ward is a file" W012 "${su_marks[@]}"
	rm /run/ward
	install -d -m 0700 /srv/elsewhere
	ln -s /srv/elsewhere /run/ward
	refused "/run/ward is a link" W012 "${su_marks[@]}"
	rm /run/ward
	install -d -m 0755 /run/ward
	refused "/run/ward is open to others" W012 "${su_marks[@]}"
	chmod 0700 /run/ward
	chown plain /run/ward
	refused "/run/ward is another's" W012 "${su_marks[@]}"
	chown root /run/ward
	mount -t tmpfs -o mode=0700,nr_inodes=1 full /run/ward
	refused "/run/ward is full" W012 "${su_marks[@]}"
	umount /run/ward
	rmdir /run/ward
	works "/run/ward is made where it is not" "${su_marks[@]}"
	is "and is root's alone" "$(stat -c '%a %U' /run/ward)" '700 root'
}

# refusals SINCE: what the store says of them, and of their sessions.
refusals()
{
	rows "SELECT v.kind, v.operation, v.target, v.reason, v.errno,
	    v.confirmed, v.program, v.count, s.service, s.refusal, s.reason,
	    s.ended >= s.started, b.ended >= b.started OR b.ended IS NULL
	    FROM violations v JOIN sessions s ON v.session = s.id
	    JOIN sandboxes b ON s.sandbox = b.id
	    WHERE v.kind = 'session' AND v.id > $1 ORDER BY v.id"
}

last_row()
{
	rows 'SELECT coalesce(max(id), 0) FROM violations'
}

policy()
{
	local since reason='su-l is not in the services of narrow'
	settled
	since=$(last_row)
	cat >/etc/ward/profiles.d/narrow.conf <<-'PROFILE'
	profile:
	{
	  name     = "narrow";
	  extends  = ( "agent" );
	  services = ( "!su-l" );
	};
	PROFILE
	setting_assign narrow
	refused "a service that the profile does not open" W002 \
	    "${su_l_marks[@]}"
	works "one that it opens" "${su_marks[@]}"
	hold
	refused "not by joining, either" W002 "${su_l_marks[@]}"
	release
	settled
	is "each of the two is a row" "$(refusals "$since" | sort | uniq -c |
	    xargs)" "2 session|open|su-l|W002: $reason|1|1|su|1|su-l|W002|refused|1|1"
	like "the admin sees it" "$(wardctl violations --kind session)" \
	    "su-l.*W002: $reason"
	setting_assign
	refused "no profile" W021 "${su_marks[@]}"
	setting_assign agent
	works "a profile again" "${su_l_marks[@]}"
}

home()
{
	settled
	chown agent /home/agent
	refused "a home that is not root's" W032 "${su_marks[@]}"
	chown root /home/agent
	mv /home/.ward/agent /home/.ward/away
	refused "no real home" W032 "${su_marks[@]}"
	ln -s away /home/.ward/agent
	refused "a real home that is a link" W032 "${su_marks[@]}"
	rm /home/.ward/agent
	install -d -m 0777 /home/.ward/agent
	refused "a real home that is another's" W032 "${su_marks[@]}"
	rmdir /home/.ward/agent
	mv /home/.ward/away /home/.ward/agent
	works "the home as it was" "${su_marks[@]}"
}

# as_service ACCOUNT PAM-NAME: systemd becomes the account itself, as no
# program of the table does.
as_service()
{
	systemd-run --quiet --wait --collect -p "User=$1" -p "PAMName=$2" \
	    touch "$mark"
}

callers()
{
	local since
	settled
	works "control: systemd opens a session by su's name" \
	    as_service plain su
	refused "systemd by su's name" W003 as_service agent su
	works "control: by login's" as_service plain login
	refused "by login's" W002 as_service agent login
	since=$(last_row)
	refused "a directory for a descriptor" W004 bash -c \
	    "exec su agent -c 'touch $mark' </"
	works "control: of an ungoverned account" bash -c \
	    "exec su plain -c 'touch $mark' </"
	refused "a network socket for one" W004 bash -c \
	    "exec 0<>/dev/tcp/127.0.0.1/25; exec su agent -c 'touch $mark'"
	works "control: of an ungoverned account" bash -c \
	    "exec 0<>/dev/tcp/127.0.0.1/25; exec su plain -c 'touch $mark'"
	settled
	is "each of the two is a row" "$(refusals "$since" | cut -d '|' -f 2-4,10-)" \
	    "open|su|W004: descriptor 0 is a directory|W004|refused|1|1
open|su|W004: descriptor 0 is a network socket|W004|refused|1|1"
	works "a higher descriptor is only closed" bash -c \
	    "exec su agent -c 'test ! -e /proc/self/fd/9 && touch $mark' 9</"
	works "control: it is there for an ungoverned one" bash -c \
	    "exec su plain -c 'test -e /proc/self/fd/9 && touch $mark' 9</"
	rm -f "$mark"
	exits "wardsh outside of any session" 254 setpriv --reuid=agent \
	    --regid=agent --clear-groups /usr/bin/wardsh -c "touch $mark"
	like "it says so" "$output" '^ward: W050: .* not inside a sandbox'
	fails "and has run nothing" test -e "$mark"
}

# sudo_stack [PLACE]: a module that fails as sudo does not mind: between the two
# places of the common stack; as the first of sudo's own, before Ward's lines; or
# where Debian's pam_limits stands, behind those and before the common stack.
sudo_stack()
{
	local line='session required pam_debug.so open_session=session_err'
	case ${1:-} in
	first) sed -i "1i $line" /etc/pam.d/sudo ;;
	limits) sed -i "/pam_limits.so/i $line" /etc/pam.d/sudo ;;
	*)
		sed -i "/pam_ward.so close/a $line" \
		    /etc/pam.d/common-session-noninteractive
		;;
	esac
}

masked_errors()
{
	local module
	module=$(find /usr/lib -name pam_ward.so)
	settled
	cp -a /etc/pam.d /root/pam.d
	sudo_stack
	works "control: sudo does not mind PAM_SESSION_ERR" \
	    sudo -u plain touch "$mark"
	rm -f "$mark"
	like "a governed account is inside all the same" \
	    "$(sudo -u agent cat /proc/1/comm)" '^ward-init'
	settled
	mv "$module" /root/module
	rm -f "$mark"
	fails "the module is missing as well: sudo fails" "${sudo_marks[@]}"
	fails "and has run nothing" test -e "$mark"
	cp -a /root/pam.d/. /etc/pam.d/
	sudo_stack limits
	fails "the error is where pam_limits stands: sudo fails" \
	    "${sudo_marks[@]}"
	fails "and has run nothing then" test -e "$mark"
	sed -i '/begin ward/,/end ward/d' /etc/pam.d/sudo
	works "control: without the lines in sudo's own stack it would" \
	    "${sudo_marks[@]}"
	rm -f "$mark"
	mv /root/module "$module"
	cp -a /root/pam.d/. /etc/pam.d/
	sudo_stack
	mv /usr/libexec/ward/warden /root/warden
	refused "the warden is missing as well" W010 "${sudo_marks[@]}"
	cp -a /root/pam.d/. /etc/pam.d/
	sudo_stack first
	refused "the error is the first of the stack" W010 "${sudo_marks[@]}"
	mv /root/warden /usr/libexec/ward/warden
	cp -a /root/pam.d/. /etc/pam.d/
	works "mended, it opens again" "${sudo_marks[@]}"
}

# store_has TEXT: whether a refusal of a path that ends so was recorded.
store_has()
{
	[ "$(rows "SELECT count(*) FROM violations
	    WHERE target LIKE '%$1'" 2>/dev/null)" -gt 0 ]
}

store()
{
	settled
	log_from=$(stat -c %s "$log")
	chmod 0644 /var/lib/ward/violations.db
	hold
	is "no store for violations: the session works, and no looser" \
	    "$(su agent -c 'touch /srv/open/while-away 2>&1')" \
	    "touch: cannot touch '/srv/open/while-away': Read-only file system"
	fails "the write was refused" test -e /srv/open/while-away
	if wait_for 10 logged 'wait to be recorded'; then
		pass "the log says that refusals wait"
	else
		fail "the log says that refusals wait"
	fi
	chmod 0600 /var/lib/ward/violations.db
	if wait_for 10 store_has /while-away; then
		pass "they are recorded once it is back"
	else
		fail "they are recorded once it is back"
	fi
	release
}

plan 74
setting
cd /
works "control: a login" "${su_marks[@]}"
stopped_warden
lying_warden
killed_init
killed_warden 'warden killed'
killed_warden 'warden killed, init stopped'
run_directory
policy
home
callers
masked_errors
store
userdel ward-egress
settled
refused "no user for init" W031 "${su_marks[@]}"
