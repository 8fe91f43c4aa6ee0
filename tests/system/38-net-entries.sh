#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# The filtered network by ways in that are no su: a job of everyday programs,
# each tried with an allowed name and another, over ssh and by cron.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/net.sh
. "$(dirname "$0")/net.sh"
# shellcheck source=tests/system/37-programs.bash
. "$(dirname "$0")/37-programs.bash"

tried='curl|wget|python|node|dial|git|git+ssh|pip|npm'

# job: the script that tries each program; says "NAME HOST WORLD", or "none".
# shellcheck disable=SC2154 # of 37-programs.bash
job()
{
	cat >/home/.ward/agent/work/job <<-'JOB'
	#!/bin/bash
	cd ~/work || exit
	export NODE_EXTRA_CA_CERTS=/usr/local/share/ca-certificates/world.crt
	authorities=/etc/ssl/certs/ca-certificates.crt
	ssh="ssh -F none -i key -o BatchMode=yes -o LogLevel=ERROR"
	ssh="$ssh -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
	try()
	{
		local name=$1 host=$2
		shift 2
		if timeout 20 "$@" 2>&1 </dev/null | grep -q WORLD; then
			echo "$name $host WORLD"
		else
			echo "$name $host none"
		fi
	}
	git_by()
	{
		rm -rf "got.$1" && git clone -q "$2" "got.$1" && cat "got.$1/file"
	}
	pip_by()
	{
		rm -rf lib
		pip install -q --retries 0 --timeout 8 --no-cache-dir \
		    --target lib --cert "$authorities" \
		    --index-url "https://$1/pip/" thing &&
		    PYTHONPATH=lib python3 -c 'import thing; print(thing.WORD)'
	}
	npm_by()
	{
		rm -rf node_modules package-lock.json
		npm --no-audit --no-fund --fetch-retries=0 --silent \
		    --cafile="$authorities" install "https://$1/thing.tgz" &&
		    node -p 'require("thing")'
	}
	export -f git_by pip_by npm_by
	export authorities
	for host in allowed.test other.test; do
		try curl $host curl -sS --max-time 8 https://$host/
		try wget $host wget -q -T 8 -t 1 -O - https://$host/
		try python $host python3 -c "import urllib.request
	print(urllib.request.urlopen('https://$host/', timeout=8).read())"
		try node $host node fetch.mjs https://$host/
		try dial $host python3 dial.py $host 80
		try git $host bash -c "git_by https https://$host/repo.git"
		GIT_SSH_COMMAND=$ssh try git+ssh $host bash -c \
		    "git_by ssh root@$host:/srv/world/repo.git"
		try pip $host bash -c "pip_by $host"
		try npm $host bash -c "npm_by $host"
	done
	JOB
	chmod 0755 /home/.ward/agent/work/job
}

# wanted HOST RESULT: what a job says of it.
wanted()
{
	tr '|' '\n' <<<"$tried" | sed "s/\$/ $1 $2/"
}

# tells ENTRY SAID: a job's two rows.
tells()
{
	is "$1: each program reaches an allowed name" \
	    "$(grep ' allowed.test ' <<<"$2")" "$(wanted allowed.test WORLD)"
	is "$1: and no other" \
	    "$(grep ' other.test ' <<<"$2")" "$(wanted other.test none)"
}

# done_with ENTRY: its job has ended.
done_with()
{
	[ -e "/home/.ward/agent/$1.done" ]
}

# said ENTRY: what the job that it ran said.
said()
{
	wait_for 200 done_with "$1" || diag "the job of $1 does not end"
	cat "/home/.ward/agent/$1.said" 2>/dev/null || true
}

# by_service SERVICE: sessions of it with a refusal of other.test.
by_service()
{
	[ "$(rows "SELECT count(*) > 0 FROM violations v
	    JOIN sessions s ON s.id = v.session
	    WHERE s.service = '$1' AND v.kind = 'network'
	    AND v.target LIKE 'other.test:%'")" = 1 ]
}

plan 8
rsyslogd
net_setup
net_account
shared
programs
job
ward_sshd
in_world install -d /run/sshd
ward_do in_world /usr/sbin/sshd -f /dev/null -p 22 \
    -h /etc/ssh/ssh_host_ed25519_key -o PidFile=none -o UsePAM=no
install -d -m 0700 /root/.ssh
cat /root/key.pub >>/root/.ssh/authorized_keys
# the control: root, on the host, reaches what the account does not
for name in allowed.test other.test; do
	is "control: $name is there" \
	    "$(curl -sS --max-time 8 "https://$name/")" WORLD
done

tells ssh "$(ssh "${ssh_options[@]}" -p "$ssh_port" -l agent 127.0.0.1 \
    work/job </dev/null)"

crontab -u agent - <<'CRONTAB'
@reboot work/job >cron.said 2>&1; touch cron.done
CRONTAB
rm -f /run/crond.reboot
ward_do /usr/sbin/cron
tells cron "$(said cron)"

for service in sshd cron; do
	succeeds "$service: its refusals are rows of its session" \
	    wait_for 10 by_service "$service"
done
kill "$(cat /run/crond.pid)"
