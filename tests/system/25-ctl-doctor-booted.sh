#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# The uid fence and wardctl doctor under a running systemd: the boot unit, what
# follows nftables.service, and what a service manager starts without PAM.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"

# stands: for agent, as the kernel does it.
stands()
{
	! setpriv --reuid agent --clear-groups python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.sendto(b"x", ("127.0.0.1", 9))' 2>/dev/null
}

# stands_within SECONDS NAME: a row.
stands_within()
{
	local seconds=$1
	shift
	if wait_for "$seconds" stands; then
		pass "$1"
	else
		fail "$1" "$(nft list ruleset; systemctl status ward-fence)"
	fi
}

# line RESULT CHECK: the first such line of the report.
line()
{
	wardctl doctor 2>/dev/null | grep -m 1 -E "^$1  $2: " || true
}

plan 25

ssh-keygen -q -t ed25519 -N '' -f /root/key
succeeds "enable" wardctl enable
like "starts the unit" "$output" 'ward-fence.service is started at boot'
systemctl reload ssh
wait_for 10 systemctl is-active ward-fence || true
is "which is active" "$(systemctl is-active ward-fence)" active
like "and wanted at boot" "$(systemctl show -P Wants multi-user.target)" \
    'ward-fence\.service'
like "behind nftables' own" "$(systemctl show -P After ward-fence)" \
    'nftables\.service'
succeeds "an account" wardctl account add agent --profile base \
    --key /root/key.pub
stands_within 10 "is behind the fence"
succeeds "and all is well" wardctl doctor
is "with nothing of Ward's to do" "$(grep -E '^(warn|fail)' <<<"$output" |
    grep -vE '^warn  (sysctl:|terminals:|network: the host.s resolver)' || true)" ''

# as at boot
nft delete table inet ward
isnt "control: without it" "$(line fail fence)" ''
systemctl restart ward-fence
stands_within 10 "its unit loads it"
systemctl start nftables
systemctl restart nftables
stands_within 0 "it is back when nftables.service was restarted"
systemctl reload nftables
stands_within 0 "and after it was loaded again"
systemctl stop nftables
stands_within 0 "and after it was stopped"
nft flush ruleset
isnt "control: flushed by hand" "$(line fail fence)" ''
ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=no -o LogLevel=ERROR \
    -o UserKnownHostsFile=/dev/null -i /root/key agent@127.0.0.1 sleep 2 \
    </dev/null || diag "no login"
stands_within 10 "the next login brings it back"

# what the manager starts
systemd-run --quiet --uid=agent --unit=agent-job sleep 600
like "systemd-run --uid is outside" "$(wait_for 5 pgrep -u agent sleep; line fail outside)" \
    'sleep \(pid [0-9]+\) of agent is in no sandbox'
like "its unit is seen" "$(line fail units)" 'agent-job\.service runs as agent'
like "and by wardctl sessions" "$(wardctl sessions | tail -n 1)" \
    'agent .* outside .*in no sandbox: sleep'
like "and sends nothing" "$(systemd-run --quiet --wait --pipe --uid=agent \
    python3 -c 'import socket
try:
    socket.create_connection(("127.0.0.1", 22), 5)
    print("connected")
except OSError as error:
    print(error.strerror)' 2>&1 || true)" '^Connection refused$'
like "control: as another it does" "$(systemd-run --quiet --wait --pipe \
    --uid=nobody python3 -c 'import socket
socket.create_connection(("127.0.0.1", 22), 5)
print("connected")' 2>&1 || true)" '^connected$'
systemctl stop agent-job
is "stopped, it is well again" "$(line fail '[a-z]+')" ''
loginctl enable-linger agent
like "linger is told" "$(line warn manager)" 'agent is to have a user manager'
loginctl disable-linger agent
wardctl account remove agent >/dev/null || diag "agent is still there"
wardctl disable >/dev/null
is "disabled, nothing of it is left" "$(nft list tables | grep ward || true; \
    find /etc/systemd/system -name 'ward-*')" ''
is "no unit has failed" "$(systemctl --failed --no-legend --plain)" ''
