#!/bin/bash
# SPDX-License-Identifier: ISC
# box: vm
# Under Debian 12's own kernel, which refuses what a newer one allows: every
# service is tried by account add, then the ways in, a refused write's row, and
# a look's, joining, the uid fence, protected names, what is left when the last session has
# ended, a profile that asks for more than this kernel has, and the calls of i386,
# which it has.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# One of each kind, of files, links and what is above them: a machine that is
# made by software takes its time.
# shellcheck disable=SC2034 # of the next one
acts_like='^(rm .envrc|mv nested other|mv dots|ln -sfn|rm .vscode|echo x >(.envrc|.vscode|.git/hooks))'
# shellcheck source=tests/system/19-protect.bash
. "$(dirname "$0")/19-protect.bash"

over_ssh()
{
	ssh_as "$1" "$(probe_of "$1")"
}

su_login()
{
	su - "$1" -c "$probe" 9</
}

sudo_command()
{
	sudo -u "$1" "$(probe_of "$1")" 9</
}

runuser_command()
{
	runuser -u "$1" -- "$probe" 9</
}

# job WAY ACCOUNT: its command line; the result has its name at once or never.
job()
{
	local file=/srv/build/$1.$2
	echo "$(probe_of "$2") >$file.new 2>&1; mv $file.new $file"
}

# jobs_begin: cron looks at the minute, so its jobs wait while the rest runs.
jobs_begin()
{
	local account
	for account in "${accounts[@]}"; do
		echo "* * * * * $(job cron "$account")" |
		    crontab -u "$account" -
		job at "$account" | (cd / && as_account "$account" at now) \
		    2>/dev/null
	done
}

# jobs_end: so that no later minute brings a session.
jobs_end()
{
	local account
	for account in "${accounts[@]}"; do
		crontab -u "$account" -r
	done
}

at_job()
{
	wait_for 60 test -e "/srv/build/at.$1" || return
	cat "/srv/build/at.$1"
}

cron_job()
{
	wait_for 90 test -e "/srv/build/cron.$1" || return
	cat "/srv/build/cron.$1"
}

# nothing_left: no process of a sandbox, none of the account's inside one, and
# no run directory of a sandbox.
nothing_left()
{
	! pgrep -x 'warden|ward-init|init-connector' >/dev/null &&
	    [ -z "$(find /run/ward -mindepth 2 -type d 2>/dev/null)" ]
}

# nothing_left_row NAME
nothing_left_row()
{
	if wait_for 30 nothing_left; then
		pass "$1"
	else
		fail "$1" "$(ps -eo pid,user,args; find /run/ward)"
	fi
}

# refused_write: by the table it fails; here is what the admin reads of it.
refused_write()
{
	like "a refused write" \
	    "$(su - agent -c 'echo x >/srv/open.d/refused' 2>&1 || true)" \
	    'Read-only file system'
	nothing_left_row "its sandbox ends"
	like "is one row" "$(wardctl violations --account agent |
	    grep -c /srv/open.d/refused)" '^1$'
}

# look: on this kernel a module, which the box loads none of at boot.
look()
{
	local busy
	# whose processors are taken from them before they wait, too
	while :; do :; done &
	busy=$!
	like "looks into a hidden place" "$(su - agent -c 'for i in {1..40}; do
	    cat /srv/secrets/a/b; done' 2>&1 || true)" 'No such file'
	kill "$busy"
	nothing_left_row "their sandbox ends, too"
	is "are each a read of the path that was meant" "$(rows "SELECT target,
	    operation, errno, sum(count) FROM violations
	    WHERE target GLOB '/srv/secrets/a*'
	    GROUP BY 1, 2, 3")" '/srv/secrets/a/b|lookup|2|40'
}

# joined: two sessions and one sandbox, until the last has ended.
joined()
{
	local first second holder
	ssh_as agent 'readlink /proc/self/ns/pid >/srv/build/first;
	    exec sleep 4242' </dev/null >/dev/null 2>&1 &
	holder=$!
	wait_for 30 test -s /srv/build/first || true
	first=$(cat /srv/build/first)
	second=$(su - agent -c 'readlink /proc/self/ns/pid; pgrep -x sleep')
	is "another session joins" "${second%%$'\n'*}" "$first"
	like "and sees the first one's processes" "$second" $'\n[0-9]+$'
	is "it is not the box" \
	    "$([ "$first" = "$(readlink /proc/self/ns/pid)" ] || echo other)" \
	    other
	is "one warden" "$(pgrep -cx warden)" 1
	pkill -f 'sleep 4242'
	wait "$holder" || true
	nothing_left_row "nothing is left of them"
}

# sends ACCOUNT KIND: without PAM, from the host's own namespace.
sends()
{
	as_account "$1" python3 "$here/fence.py" send "$2" 2>&1 </dev/null ||
	    true
}

# fence_rows: the uid fence, by this kernel's nftables.
fence_rows()
{
	local kind
	python3 "$here/fence.py" listen /run/listens </dev/null \
	    >/dev/null 2>&1 &
	wait_for 30 test -e /run/listens || diag "no listeners"
	for kind in tcp4 udp4 udp6; do
		opposite "the fence: $kind" "$(sends agent "$kind")" \
		    "$(sends plain "$kind")" 'ECONNREFUSED|EPERM' ok
	done
	ward_do nft delete table inet ward
	is "control: without it, it is sent" "$(sends agent udp4)" ok
	succeeds "wardctl puts it back" wardctl fence apply
	is "and nothing is" "$(sends agent udp4)" EPERM
}

# cores: the program that root's kernel runs for a crash, for agent's and then
# for plain's; both have asked for the limit that it does not mind.
cores()
{
	local account
	# shellcheck disable=SC2016 # the handler expands it
	printf '#!/bin/sh\necho "$1" >>/srv/cores\n' >/usr/local/lib/on-core
	chmod 755 /usr/local/lib/on-core
	echo '|/usr/local/lib/on-core %u' >/proc/sys/kernel/core_pattern
	for account in "${accounts[@]}"; do
		su "$account" -c 'ulimit -S -c 0; sh -c "kill -SEGV \$\$"' \
		    >/dev/null 2>&1 || true
	done
	wait_for 30 grep -qx "$(id -u plain)" /srv/cores || true
	is "root's handler of crashes runs for plain alone" \
	    "$(cat /srv/cores)" "$(id -u plain)"
}

# floor: this kernel's Landlock is the oldest one that does.
floor()
{
	like "doctor knows how old its Landlock is" "$(wardctl doctor || true)" \
	    "pass  kernel: .*Landlock's ABI is 2"
	seal_of 'landlock = 3;'
	like "a profile that asks for more is refused" \
	    "$(su - agent -c 'echo in' 2>&1 || true)" \
	    '^ward: W033: .* asks for version 3 .* it has version 2;'
	like "doctor says so" "$(wardctl doctor || true)" \
	    'fail  policy: agent: probe asks for Landlock ABI 3, and the kernel has 2'
	seal_of 'landlock = 2;'
	like "one that does not is let in" "$(su - agent -c 'echo in' 2>&1)" \
	    '^in$'
}

# seal_of SETTING: of agent's profile.
seal_of()
{
	ward_profile | sed "\$i seal: { $1 };" >/etc/ward/profiles.d/probe.conf
	ward_do wardctl profile apply
}

# foreign: this kernel has i386's calls; x32's it has for nobody.
foreign()
{
	local setting want plain
	install -m 0644 "$here/seal-settings.py" /usr/local/lib/
	plain=$(int80_of plain)
	for setting in false true; do
		seal_of "multilib = $setting;"
		[ "$setting" = true ] && want=ok || want=ENOSYS
		is "multilib = $setting: a call of i386's, and control" \
		    "$(int80_of agent), $plain" "$want, ok"
	done
}

# int80_of ACCOUNT
int80_of()
{
	{ su - "$1" -c 'python3 /usr/local/lib/seal-settings.py' || true; } 2>&1 |
	    sed -n 's/^int 0x80: //p'
}

plan $((6 * $(probe_count) + 2 + 23 + n_acts + 1 + 4 + 2 + 3))
is "the kind of box" "$WARD_BOX" vm
like "the kernel" "$(uname -r)" '^6\.1\.[0-9].*-amd64$'
like "Landlock is on" "$(dmesg)" 'landlock: Up and running'
ward_do modprobe fuse
ward_setup
jobs_begin
probe_entry "ssh" over_ssh environment
probe_entry "su -" su_login environment
probe_entry "sudo -u" sudo_command
probe_entry "runuser -u" runuser_command
probe_entry "at" at_job
probe_entry "cron" cron_job
jobs_end
nothing_left_row "nothing is left of the ways in"
refused_write
look
joined
fence_rows
cores
protect_ready
refused_all
nothing_left_row "nothing is left of protected names"
floor
foreign
succeeds "an account, tried through every service" \
    wardctl account add other --profile base
is "each was inside" "$(grep -c ': inside$' <<<"$output")" 9
is "no unit has failed" "$(systemctl --failed --no-legend --plain)" ''
unlike "the kernel has no complaint" "$(dmesg)" \
    'BUG:|WARNING:|Oops|general protection'
