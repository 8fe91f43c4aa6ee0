#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# From the box itself: su, sudo, runuser, cron and at, each the distribution's.
# The caller has descriptor 9 open on the host's root and variables of its own;
# sudo, cron and at close what they are born with, su and runuser do not.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"

# What the caller has in its environment, where it is not dropped anyway.
export CALLER_PLANTED=1
planted=(LD_PRELOAD=libm.so.6 BASH_ENV=/dev/null PLANTED=1)

# su -w lets a variable through that would be dropped for a login.
su_login()
{
	su -w CALLER_PLANTED - "$1" -c "$probe" 9</
}

su_shell()
{
	su -s /bin/bash -c "$probe" "$1" 9</
}

# The login shell, with all that the caller has.
su_kept()
{
	env "${planted[@]}" su "$1" -c "$probe" 9</
}

sudo_command()
{
	sudo -u "$1" "$(probe_of "$1")" 9</
}

# On a terminal sudo has a process of its own between itself and the command.
sudo_terminal()
{
	# script sends what ends an input, and the terminal echoes it
	script -qec "sudo -u $1 $(probe_of "$1")" /dev/null | tr -d '\0\b' |
	    sed 's/^\^[@D]//'
}

sudo_login()
{
	sudo -i -u "$1" "${planted[@]}" "$(probe_of "$1")" 9</
}

runuser_command()
{
	runuser -u "$1" -- "$probe" 9</
}

runuser_login()
{
	env "${planted[@]}" runuser "$1" -c "$probe" 9</
}

# job WAY ACCOUNT: its command line; the result has its name at once or never.
job()
{
	local file=/srv/build/$1.$2
	echo "$(probe_of "$2") >$file.new 2>&1; mv $file.new $file"
}

# mailing_job ACCOUNT: one that reads what stands behind %, and whose output is
# mailed; cron has forked for each of the two.
mailing_job()
{
	echo "cat >/srv/build/input.$1; $probe_dir/where input.job;" \
	    "echo output%one line%another"
}

# mailer: tells where it ran.
mailer()
{
	rm /usr/sbin/sendmail
	printf '#!/bin/sh\n%s\n' "exec $probe_dir/where mail" >/usr/sbin/sendmail
	chmod 0755 /usr/sbin/sendmail
}

# crons: @reboot lines run when cron starts, and this cron is told that it is
# the first one.
crons()
{
	local account
	for account in "$@"; do
		crontab -u "$account" - <<-CRONTAB
		MAILTO=root
		@reboot $(job cron "$account")
		@reboot $(mailing_job "$account")
		CRONTAB
	done
	rm -f /run/crond.reboot
	ward_do /usr/sbin/cron
}

# crons_end: so that the next ones are others.
crons_end()
{
	kill "$(cat /run/crond.pid)"
	wait_for 10 no_cron || diag "cron does not end"
	rm -f /var/spool/cron/crontabs/* /srv/build/*.agent /srv/build/*.agent.new
}

no_cron()
{
	! pgrep -x cron
}

# jobs_begin ACCOUNT...: they run while the rest does.
jobs_begin()
{
	local account
	crons "$@"
	for account in "$@"; do
		job at "$account" | (cd / && as_account "$account" at now) \
		    2>/dev/null
	done
}

at_job()
{
	wait_for 30 test -e "/srv/build/at.$1" || return
	cat "/srv/build/at.$1"
}

cron_job()
{
	wait_for 30 test -e "/srv/build/cron.$1" || return
	cat "/srv/build/cron.$1"
}

# every_way: in one scope.
every_way()
{
	probe_entry "su -" su_login environment
	probe_entry "su -s" su_shell
	probe_entry "su" su_kept environment
	probe_entry "sudo -u" sudo_command
	probe_entry "sudo on a terminal" sudo_terminal
	probe_entry "sudo -i" sudo_login environment
	probe_entry "runuser -u" runuser_command
	probe_entry "runuser" runuser_login environment
	probe_entry "at" at_job
	probe_entry "cron" cron_job
	wait_for 10 test -s /srv/build/mail.agent || true
	wait_for 10 test -s /srv/build/mail.plain || true
	opposite "cron: a job with input" "$(where_was input.job agent)" \
	    "$(where_was input.job plain)" sealed host
	is "cron: its input" "$(xargs </srv/build/input.agent)" \
	    "one line another"
	opposite "cron: its mailer" "$(where_was mail agent)" \
	    "$(where_was mail plain)" sealed host
}

plan $((2 * (10 * $(probe_count) + 7)))
ward_setup
mailer
ward_do /usr/sbin/atd
for scope in "${scopes[@]}"; do
	ward_scope "$scope"
	if [ "$scope" = account ]; then
		jobs_begin "${accounts[@]}"
	else
		crons_end
		jobs_begin agent
	fi
	every_way
done
