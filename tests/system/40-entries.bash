# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# Every way into an account, each running one command there; sourced by tests
# after 30-setting.bash.
# shellcheck disable=SC2034,SC2154 # of those who source it, and of the setting

entries=(ssh-tty ssh-command scp scp-old sftp-server sftp-internal su su-shell
    sudo sudo-i runuser runuser-l cron at)

internal_port=2022

# entries_ready: what the entries need beyond the setting: a second sshd, whose
# sftp is its own, and something to send.
entries_ready()
{
	local config=/etc/ssh/sshd_internal_config
	{
		grep -v '^Subsystem' /etc/ssh/sshd_config
		printf '%s\n' 'Subsystem sftp internal-sftp' \
		    "Port $internal_port" 'PidFile /run/sshd-internal.pid'
	} >"$config"
	/usr/sbin/sshd -f "$config"
	wait_for 10 listens "$internal_port"
	echo sent >/root/sent
}

# entry_prints NAME: whether the way can show a line to who comes in.
entry_prints()
{
	case $1 in
	ssh-* | su | su-shell | sudo | sudo-i | runuser | runuser-l) ;;
	*) return 1 ;;
	esac
}

# entry_waits NAME: whether what it starts is over when it returns.
entry_waits()
{
	case $1 in
	cron | at) return 1 ;;
	esac
}

# sftp_puts ACCOUNT PORT FILE
sftp_puts()
{
	echo "put /root/sent $3" | sftp "${ssh_options[@]}" -P "$2" -b - \
	    "$1@127.0.0.1"
}

# cron_runs ACCOUNT COMMAND: @reboot lines run when cron starts, and this
# cron is told that it is the first one.
cron_runs()
{
	rm -f /var/spool/cron/crontabs/*
	echo "@reboot $2" | crontab -u "$1" -
	rm -f /run/crond.reboot
	systemctl restart cron
}

# at_runs ACCOUNT COMMAND: the job is given by the account, on the host and
# past PAM; it is atd that comes in.
at_runs()
{
	(cd / && echo "$2" | setpriv --reuid="$1" --regid="$1" --init-groups \
	    env -i PATH="$PATH" HOME=/ USER="$1" LOGNAME="$1" SHELL=/bin/sh \
	    at now)
}

# enter NAME ACCOUNT FILE: comes in and makes FILE.  Prints what was said to
# who came in.  The exit status is the entry's own.
enter()
{
	local account=$2 file=$3
	case $1 in
	ssh-tty)
		printf 'touch %s\nexit\n' "$file" |
		    over_ssh "$account" -tt ;;
	ssh-command) over_ssh "$account" "touch $file" </dev/null ;;
	scp) scp -q "${ssh_options[@]}" /root/sent \
	    "$account@127.0.0.1:$file" ;;
	scp-old) scp -q -O "${ssh_options[@]}" /root/sent \
	    "$account@127.0.0.1:$file" ;;
	sftp-server) sftp_puts "$account" 22 "$file" ;;
	sftp-internal) sftp_puts "$account" "$internal_port" "$file" ;;
	su) su - "$account" -c "touch $file" ;;
	su-shell) su -s /bin/bash "$account" -c "touch $file" ;;
	sudo) sudo -u "$account" touch "$file" ;;
	sudo-i) sudo -i -u "$account" touch "$file" ;;
	runuser) runuser -u "$account" -- touch "$file" ;;
	runuser-l) runuser -l "$account" -c "touch $file" ;;
	cron) cron_runs "$account" "touch $file" ;;
	at) at_runs "$account" "touch $file" ;;
	esac 2>&1
}

# background_done: whether cron and atd run nothing, now that they began.
background_done()
{
	! pgrep -P "$(pgrep -o -x cron)" >/dev/null &&
	    ! pgrep -P "$(pgrep -o -x atd)" >/dev/null
}
