#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Other ways in, by the numbers of the list of escapes: each is made, doctor
# names it and says what to do, and once all are gone it says none of it.  That
# what is reported is a way out at all is shown where it can be tried here.
# shellcheck disable=SC2154 # keep, stayed: 24-doctor.bash
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/24-doctor.bash
. "$(dirname "$0")/24-doctor.bash"

# Each way: its row's name; result; check; what the line says.
doors()
{
	cat <<-'DOORS'
	24 an sshd with an option of its own|fail|sshd|sshd_config -o UsePAM=no, agent: usepam is no
	24 one that the next start brings|fail|sshd|/etc/ssh/third, agent: usepam is no
	24 another sshd|fail|daemons|/usr/local/sbin/sshd \(pid [0-9]+\) is not the distribution's
	24 dropbear|fail|daemons|dropbear \(pid [0-9]+\) asks no PAM
	24 tinyssh|fail|daemons|tinysshd \(pid [0-9]+\) asks no PAM
	38 a unit|fail|units|/etc/systemd/system/runner.service runs as agent
	38 a unit's last word|fail|units|/etc/systemd/system/last.service runs as agent
	38 a drop-in|fail|units|ssh.service.d/who.conf runs as agent
	38 an instance|fail|units|multi-user.target.wants/sync@agent.service runs as agent
	38 a generated unit|fail|units|/run/systemd/generator.late/old.service runs as agent
	40 an alias that is a program|warn|mail|/etc/aliases:3: mail for agent starts a program
	40 a list of the account's own|fail|mail|/etc/aliases:2: /srv/lists/own is agent's
	40 a list in its home|fail|mail|/etc/aliases:5: /home/.ward/agent/list is agent's
	40 a transport|fail|files|/etc/postfix/master.cf:2 names agent: mail starts programs
	40 a router|fail|files|/etc/exim4/conf.d/router/1:2 names agent: mail starts programs
	41 inetd|fail|files|/etc/inetd.conf:1 names agent: programs are started
	41 xinetd|fail|files|/etc/xinetd.d/x:3 names agent: programs are started
	41 php-fpm|fail|files|/etc/php/8.2/fpm/pool.d/www.conf:3 names agent
	41 apache's suexec|fail|files|/etc/apache2/sites-enabled/x.conf:2 names agent
	41 apache itself|fail|files|/etc/apache2/envvars:1 names agent
	41 nginx|fail|files|/etc/nginx/nginx.conf:1 names agent
	41 rsyncd|fail|files|/etc/rsyncd.conf:2 names agent: files of the host
	41 samba|fail|files|/etc/samba/smb.conf:2 names agent: files of the host
	41 logrotate|warn|files|/etc/logrotate.d/x:2 names agent
	41 an init script's user|warn|files|/etc/default/x:1 names agent
	41 incron|fail|files|agent has a table of incron
	43 an ftp server|warn|daemons|vsftpd \(pid [0-9]+\) has ways of its own
	43 its stack|fail|pam-other|/etc/pam.d/vsftpd has none of Ward's lines
	45 a process that was there before|fail|outside|sleep \(pid [0-9]+\) of agent is in no sandbox
	93 sudo without sessions|fail|sudoers|/etc/sudoers:[0-9]+: sudo opens no PAM session
	93 by an included file|fail|sudoers|/etc/sudoers.local.box:2: sudo opens no PAM session
	93 by a file of another directory|fail|sudoers|/etc/sudoers.more/a:1: sudo opens no PAM session
	93 rules from elsewhere|warn|sudoers|nsswitch.conf:[0-9]+: sudo also has rules from sss
	95 a stack that was edited|fail|pam|/etc/pam.d/sshd:0: no session line .required pam_ward.so open
	97 a service of its own|fail|pam-other|/etc/pam.d/webshell has none of Ward's lines
	97 one of the vendor's|fail|pam-other|/usr/lib/pam.d/webshell2 has none of Ward's lines
	a job of the system's crontab|pass|crontabs|/etc/crontab:[0-9]+ is a job of agent's: it runs inside
	one of cron.d's|pass|crontabs|/etc/cron.d/x:2 is a job of agent's: it runs inside
	an account that may make crontabs|pass|jobs|agent may give itself jobs by /usr/bin/crontab
	and may not use at|pass|jobs|agent may not give itself jobs by /usr/bin/at
	ids to give away|warn|subids|/etc/subuid:1 gives agent other ids
	and groups, by number|warn|subids|/etc/subgid:1 gives agent other ids
	a uid in the fence that is none|warn|fence|the fence refuses the packets of uid 4242
	assignments that are not applied|warn|profiles|assignments.conf was changed since
	a seal of another version|warn|profiles|the seal of the profile base was compiled by another
	a profile that lost its file|warn|profiles|the profile gone is applied, and has no file
	DOORS
}

# put FILE LINE...: a file that was not there.
put()
{
	mkdir -p "$(dirname "$1")"
	[ ! -e "$1" ] || { diag "$1 is there"; exit 1; }
	printf '%s\n' "${@:2}" >"$1"
	made+=("$1")
}

# more FILE LINE...: behind what is there, for as long as this test runs.
more()
{
	kept "$1"
	printf '%s\n' "${@:2}" >>"$1"
	changed+=("$1")
}

# seal: one that another version compiled, in the policy's database.
seal()
{
	python3 - <<-'PROGRAM'
	import sqlite3
	with sqlite3.connect("/var/lib/ward/policy.db") as db:
	    for row in db.execute(
	            "SELECT r.id, r.seal FROM revisions r JOIN profiles p"
	            " ON p.current = r.id WHERE p.name = 'base'").fetchall():
	        seal = bytearray(row[1])
	        seal[-1] ^= 0x40
	        db.execute("UPDATE revisions SET seal = ?, hash = ? WHERE id = ?",
	                   (bytes(seal), bytes(32), row[0]))
	PROGRAM
}

made=() changed=() running=()

# runs COMMAND...: until all of it is taken away.
runs()
{
	stays "$@"
	running+=("$stayed")
}

front_doors()
{
	put /etc/ssh/third 'UsePAM no'
	more /etc/default/ssh 'SSHD_OPTS="-f /etc/ssh/third"'
	runs /usr/sbin/sshd -D -p 2245 -o UsePAM=no
	wait_for 10 sh -c 'ss -ltnH "sport = 2245" | grep -q .'
	local name
	for name in sshd dropbear tinysshd vsftpd; do
		named "$name"
		running+=("$stayed")
		made+=("/usr/local/sbin/$name")
	done
	put /etc/pam.d/vsftpd 'auth required pam_permit.so' \
	    'session required pam_permit.so'
	put /etc/pam.d/webshell 'session required pam_env.so' \
	    'session required pam_limits.so'
	put /usr/lib/pam.d/webshell2 'session required pam_permit.so'
	more /etc/pam.d/common-session
	# from then on pam-auth-update keeps its hands off, and says nothing
	sed -i '/pam_ward.so open/d; s/^session.*pam_unix.so/# by hand\n&/' \
	    /etc/pam.d/common-session
}

units()
{
	local etc=/etc/systemd/system
	put $etc/runner.service '[Unit]' 'User=nobody' '[Service]' 'User = agent'
	put $etc/last.service '[Service]' 'User=root' \
	    "User=\"$(id -u agent)\""
	# neither of these: another section, another last word
	put $etc/not.service '[X-Service]' 'User=agent' '[Service]' \
	    '# User=agent' 'User=agent' 'User=root'
	put $etc/ssh.service.d/who.conf '[Service]' 'User=agent'
	put $etc/sync@.service '[Service]' 'User=%i'
	mkdir -p $etc/multi-user.target.wants
	ln -s ../sync@.service $etc/multi-user.target.wants/sync@agent.service
	ln -s ../sync@.service $etc/multi-user.target.wants/sync@plain.service
	made+=("$etc"/multi-user.target.wants/sync@{agent,plain}.service)
	put /run/systemd/generator.late/old.service '[Service]' 'User=agent'
	put $etc/masked.service.d/x.conf '[Service]'
	ln -s /dev/null $etc/masked.service
	made+=("$etc/masked.service")
}

mail()
{
	[ ! -e /etc/aliases ] || mv /etc/aliases "$keep/aliases"
	put /etc/aliases '# aliases' 'list: root, :include:/srv/lists/own' \
	    'agent: root,' '  "|/usr/local/bin/handler x"' \
	    'other: :include:/home/.ward/agent/list' \
	    'fine: "|/bin/true", :include:/srv/lists/roots'
	put /srv/lists/own agent
	put /srv/lists/roots root
	chown agent /srv/lists/own
	put /etc/postfix/master.cf 'smtp inet n - y - - smtpd' \
	    'x unix - n n - - pipe flags=R user=agent:agent argv=/bin/x'
	put /etc/exim4/conf.d/router/1 'x:' '  user = agent'
}

files()
{
	put /etc/inetd.conf 'x stream tcp nowait agent.agent /bin/x x'
	put /etc/xinetd.d/x 'service x' '{' ' user = agent' '}'
	put /etc/php/8.2/fpm/pool.d/www.conf '[www]' '; user = agent' \
	    'user = agent'
	put /etc/apache2/sites-enabled/x.conf '<VirtualHost *>' \
	    ' SuexecUserGroup agent agent'
	put /etc/apache2/envvars 'export APACHE_RUN_USER=agent'
	put /etc/nginx/nginx.conf 'user agent agent;'
	put /etc/rsyncd.conf '[x]' " uid = $(id -u agent)"
	put /etc/samba/smb.conf '[x]' ' force user = "agent"'
	put /etc/logrotate.d/x '/srv/log/* {' ' su agent agent' '}'
	put /etc/default/x 'X_USER=agent'
	put /var/spool/incron/agent '/tmp IN_CREATE /bin/x'
	more /etc/crontab '@daily agent true'
	put /etc/cron.allow root agent
	put /etc/cron.deny agent
	more /etc/at.deny agent
	put /etc/cron.d/x 'WHO=agent' '1 2 3 4 5 agent true' \
	    '1 2 3 4 5 root agent'
	more /etc/subuid
	more /etc/subgid
	echo 'agent:100000:65536' >/etc/subuid
	echo "$(id -u agent):100000:65536" >/etc/subgid
}

sudo_files()
{
	more /etc/sudoers 'Defaults>root !pam_session' \
	    "Defaults env_reset, \\" ' !pam_session' \
	    '@include sudoers.local.%h' '#includedir /etc/sudoers.more'
	put /etc/sudoers.local.box "# Defaults !pam_session \\" \
	    'Defaults>AGENTS !pam_session' '@include sudoers.local.box'
	put /etc/sudoers.more/a 'Defaults:root !pam_session'
	put /etc/sudoers.more/b~ 'Defaults !pam_session'
	put /etc/sudoers.more/c.d 'Defaults !pam_session'
	more /etc/nsswitch.conf 'sudoers: files [SUCCESS=return] sss'
}

policy()
{
	put /etc/ward/profiles.d/gone.conf \
	    'profile: { name = "gone"; extends = ( "base" ); };'
	wardctl profile apply >/dev/null
	rm /etc/ward/profiles.d/gone.conf
	more /etc/ward/assignments.conf 'default = "base";'
	seal
}

# takes it all away again
mend()
{
	local file
	for file in "${running[@]}"; do
		kill "$file"
		wait "$file" 2>/dev/null || true
	done
	rm -f "${made[@]}"
	[ ! -e "$keep/aliases" ] || mv "$keep/aliases" /etc/aliases
	for file in "${changed[@]}"; do
		back "$file"
	done
	wardctl profile apply >/dev/null
	wardctl fence apply >/dev/null
}

n_doors=$(doors | wc -l)
plan $((2 * n_doors + 15))

hostname box
echo '127.0.1.1 box' >>/etc/hosts
ssh-keygen -q -t ed25519 -N '' -f /root/key
wardctl enable >/dev/null
wardctl account add agent --profile base --key /root/key.pub >/dev/null
install -d /run/sshd
useradd -m -s /bin/bash plain
touch /etc/subuid /etc/subgid /etc/default/ssh
succeeds "well, to begin with" wardctl doctor
well=$(report)

# 43: who asks PAM with a stack that has Ward's lines is refused
put /etc/pam.d/ftp 'session required pam_permit.so' '@include common-session'
# session SERVICE ACCOUNT: of a program that is not the service's.
session()
{
	python3 "$(dirname "$0")/pam-daemon.py" "$1" "$2" 2>&1 | head -n 1
}
like "43 a session of ftp" "$(session ftp agent)" '^refused 6 .*W002'
like "43 control: another's" "$(session ftp plain)" '^opened'
rm "${made[@]}"
made=()

# 93: what doctor would warn of, tried
host=$(readlink /proc/self/ns/mnt)
isnt "93 sudo, as it should be" \
    "$(sudo -u agent readlink /proc/self/ns/mnt)" "$host"
echo 'Defaults !pam_session' >/etc/sudoers.d/fault
is "93 control: without sessions it is on the host" \
    "$(sudo -u agent readlink /proc/self/ns/mnt)" "$host"
rm /etc/sudoers.d/fault

# 45: as the account was before it was an agent's
runs setpriv --reuid agent --clear-groups sleep 600
wait_for 10 grep -q sleep "/proc/$stayed/comm"
policy
front_doors
units
mail
files
sudo_files

fails "95 a stack that was edited: enable says so" wardctl enable
like "95 and what it means" "$output" 'no account can be let in'
nft add element inet ward accounts '{ 4242 }'
status=0
said=$(wardctl doctor 2>&1 </dev/null) || status=$?
is "doctor says that something fails" "$status" 1
while IFS='|' read -r name result check regex; do
	line=$(grep -E "^$result  $check: .*$regex" <<<"$said" | head -n 1) || true
	if [ -n "$line" ]; then
		pass "$name: $result"
	else
		fail "$name: $result" "$(grep -E "^[a-z]+  $check: " <<<"$said")"
	fi
	rest=$(grep -A 1 -F -e "$line" <<<"$said" | sed -n 2p)
	if [ "$result" = pass ]; then
		unlike "$name: nothing to do" "$rest" '^ +to do: '
	else
		like "$name: what to do" "$rest" '^      to do: .....'
	fi
done < <(doors)
unlike "nothing that is not so: units" "$said" '(not|plain|masked)\.service'
unlike "nor aliases" "$said" 'aliases:6|lists/roots'
unlike "nor what sudo skips" "$said" 'sudoers.more/[bc]'
unlike "nor a list of others" "$said" "sudoers:$(grep -n 'Defaults>root' \
    /etc/sudoers | cut -d : -f 1): "
unlike "nor cron's variables" "$said" '/etc/cron.d/x:[13] '

mend
is "all taken away, it is as it was" "$(report)" "$well"
succeeds "and well" wardctl doctor
