#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Everyday programs in a filtered network: each reaches an allowed name and is
# refused elsewhere, where root, on the host, reaches both.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/net.sh
. "$(dirname "$0")/net.sh"
# shellcheck source=tests/system/37-programs.bash
. "$(dirname "$0")/37-programs.bash"

plan 17
rsyslogd
net_setup
net_account
shared
programs
in_world install -d /run/sshd
ward_do in_world /usr/sbin/sshd -f /dev/null -p 22 -h /etc/ssh/ssh_host_ed25519_key \
    -o PidFile=none -o UsePAM=no
install -d -m 0700 /root/.ssh
cat /root/key.pub >>/root/.ssh/authorized_keys
keep_session

ssh="ssh -F none -i key -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
reaches curl "curl -sS --max-time 8 https://HOST/"
reaches wget "wget -q -T 8 -t 1 -O - https://HOST/"
reaches "Python" "python3 -c 'import urllib.request
print(urllib.request.urlopen(\"https://HOST/\", timeout=8).read().decode())'"
reaches "Node's fetch" "NODE_EXTRA_CA_CERTS=/usr/local/share/ca-certificates/world.crt node fetch.mjs https://HOST/"
reaches "a program that dials for itself" "python3 dial.py HOST 80"
reaches "git by https" "rm -rf got; git clone -q https://HOST/repo.git got; cat got/file"
reaches "git by ssh" "rm -rf got; GIT_SSH_COMMAND='$ssh' git clone -q root@HOST:/srv/world/repo.git got; cat got/file"

about refusals
like "ssh's says why" \
    "$(login "cd $work && $ssh root@denied.test true")" 'use allowed.test'
# recorded WHAT REGEX: of wardctl's.
recorded()
{
	wardctl "$1" --account agent | grep -qE "$2"
}
if wait_for 30 recorded violations 'tcp .*denied.test:22 .*ssh\('; then
	pass "a row names program and rule"
else
	fail "a row names program and rule" "$(wardctl violations)"
fi
curl='connect +allowed.test:443 +10.77.0.2 +allowed .*curl\('
wait_for 30 recorded connections "$curl" || true
like "connections are rows, by program" \
    "$(wardctl connections --account agent)" "$curl"

