#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# What opens a session stays on the host, and its children do not, however it
# makes them.  The opener is tests/system/opener.py, which has to stand where
# su stands, because the module looks at that.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"

ways=(posix_spawn system popen clone clone3 thread fork fork_again grandchild)

# What each way comes to, armed and not.
ways_table()
{
	cat <<-'TABLE'
	posix_spawn|ENOMEM|host
	system|nothing ran|host
	popen|ENOMEM|host
	clone|ENOMEM|host
	clone3|ENOMEM|host
	thread|refused|ok
	fork|sealed|host
	fork_again|sealed|host
	grandchild|sealed|host
	TABLE
}

# opener SERVICE ACCOUNT WAY...
opener()
{
	/usr/bin/su "$probe_dir/opener.py" "$@" 2>&1 || true
}

# in_place_of_su: python has its name, and su another that the box's own
# stack does not mind.
in_place_of_su()
{
	install -m 0644 "$here/opener.py" "$probe_dir/opener.py"
	cp -p /usr/bin/su /root/su
	cp "$(readlink -f /usr/bin/python3)" /root/python
	mv /root/python /usr/bin/su
}

# command_of ACCOUNT: where a command of a session is.
command_of()
{
	su -s /bin/sh "$1" -c "$probe_dir/where command" 2>&1 || true
	where_was command "$1"
}

# inheritable ACCOUNT: the set that an opener with one passes on.
inheritable()
{
	setpriv --inh-caps +net_raw su -s /bin/sh "$1" -c \
	    "awk '/^CapInh:/ { print \$2 }' /proc/self/status" || true
}

# by_name SERVICE: what the session of a service came to, and what its caller
# can still do.
by_name()
{
	local said
	said=$(opener "$1" "$2" posix_spawn)
	echo "$(probe_value "$said" session), $(probe_value "$said" posix_spawn)"
}

# as_it_was: su is su again.
as_it_was()
{
	cp -p /root/su /root/su.new
	mv /root/su.new /usr/bin/su
}

# says NAME WAYS: a line for each, of both accounts, in $agent and $plain.
says()
{
	local name=$1
	shift
	agent=$(opener su agent "$@")
	plain_once "$name" opener su plain "$@"
}

# behind_our_line: a module behind ours that forks first, as root.
behind_our_line()
{
	local agent
	cp /etc/pam.d/common-session /root/common-session
	echo "session optional pam_exec.so type=open_session" \
	    "$probe_dir/where exec" >>/etc/pam.d/common-session
	rm -f /srv/build/exec.* /srv/build/command.*
	agent=$(command_of agent)
	opposite "pam_exec behind our line" "$(where_was exec agent)" \
	    "$(command_of plain >/dev/null; where_was exec plain)" sealed host
	opposite "the session behind pam_exec" "$agent" \
	    "$(where_was command plain)" sealed host
	cp /root/common-session /etc/pam.d/common-session
	opposite "an opener's inheritable capabilities" \
	    "$(inheritable agent)" "$(inheritable plain)" '0+' '0*2000'
}

every_fork()
{
	local name want control
	says ways "${ways[@]}"
	while IFS='|' read -r name want control; do
		opposite "$name" "$(probe_value "$agent" "$name")" \
		    "$(probe_value "$plain" "$name")" "$want" "$control"
	done < <(ways_table)
	says pam_end pam_end posix_spawn
	opposite "fork behind pam_end" "$(probe_value "$agent" pam_end)" \
	    "$(probe_value "$plain" pam_end)" sealed host
	opposite "posix_spawn behind pam_end" \
	    "$(probe_value "$agent" posix_spawn)" \
	    "$(probe_value "$plain" posix_spawn)" ENOMEM host
	# the sandbox ends while its opener forks
	says late late
	opposite "fork when init has ended" "$(probe_value "$agent" late)" \
	    "$(probe_value "$plain" late)" ENOMEM host
	says racing racing
	opposite "forks while init ends" "$(probe_value "$agent" racing)" \
	    "$(probe_value "$plain" racing)" \
	    'ENOMEM( nothing ran)? sealed' host
	# Once it has closed the session, the opener is as free as before.
	agent=$(opener su agent fork close posix_spawn)
	is "close" "$(probe_value "$agent" close)" ok
	is "posix_spawn behind close" "$(probe_value "$agent" posix_spawn)" \
	    host
}

# becoming: one that becomes the account itself, and does not fork.
becoming()
{
	local way before
	before=$(killed)
	for way in become_exec become_stay; do
		says "$way" "$way"
		is "$way: the session" "$(probe_value "$agent" session), $(
		    probe_value "$plain" session)" 'open, open'
		opposite "$way" "$(probe_value "$agent" "$way")" \
		    "$(probe_value "$plain" "$way")" \
		    '.the probe did not say.' lives
	done
	agent=$(opener su agent become_moment)
	is "become_moment" "$(probe_value "$agent" become_moment)" lives
	is "the reasons of both" $(($(killed) - before)) 2
}

killed()
{
	grep -c 'W003: .* became the account itself, and was killed' \
	    /var/log/auth.log || true
}

# names: a service that is unknown, and a program that is not its service's, may
# be a daemon that serves others too: it is refused and goes on.  Whatever asks
# by sudo's name runs nothing, since a sudo goes on after some errors.
names()
{
	local name
	for name in vsftpd systemd-user sshd; do
		opposite "service $name" "$(by_name "$name" agent)" \
		    "$(by_name "$name" plain)" 'refused 6, host' 'open, host'
	done
	opposite "another program in sudo's name" "$(by_name sudo agent)" \
	    "$(by_name sudo plain)" 'refused 6, EPERM' 'open, host'
	like "its reason" "$(opener sshd agent)" \
	    'W003: session for agent refused: .*/usr/bin/su'
}

plan $((2 * ($(ways_table | wc -l) + 20)))
ward_setup
for scope in "${scopes[@]}"; do
	ward_scope "$scope"
	behind_our_line
	in_place_of_su
	every_fork
	becoming
	names
	as_it_was
done
