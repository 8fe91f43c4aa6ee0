#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# wardctl under a running systemd: sshd takes the snippet, trying sessions
# leaves nothing of logind's behind, and no unit fails.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"

# login COMMAND: over the box's own sshd.
login()
{
	ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=no \
	    -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -i /root/key \
	    agent@127.0.0.1 "$@" </dev/null 2>&1 || true
}

# sessions: logind's, by number.
sessions()
{
	loginctl --no-legend list-sessions | awk '{ print $1 }' | xargs
}

# same_sessions: no other than before.
same_sessions()
{
	[ "$(sessions)" = "$before" ]
}

plan 14

ssh-keygen -q -t ed25519 -N '' -f /root/key
succeeds "enable" wardctl enable
like "says what sshd needs" "$output" 'now: systemctl reload ssh'
succeeds "which works" systemctl reload ssh
succeeds "enable again" wardctl enable
unlike "and nothing to do for sshd" "$output" 'reload ssh'
before=$(sessions)
succeeds "an account, tried through every service" \
    wardctl account add agent --profile base --key /root/key.pub
is "each was inside" "$(grep -c ': inside$' <<<"$output")" 9
wait_for 10 same_sessions || diag "$(loginctl list-sessions; loginctl \
    session-status "$(sessions)")"
is "none is left at logind's" "$(sessions)" "$before"
start=$SECONDS
is "a login is inside" "$(login 'cat /proc/1/comm; id -un' | xargs)" \
    'ward-init agent'
if [ $((SECONDS - start)) -lt 10 ]; then
	pass "and waits for no user manager"
else
	fail "and waits for no user manager" "$((SECONDS - start)) s"
fi
is "no unit has failed" "$(systemctl --failed --no-legend --plain)" ''
wardctl account lock agent >/dev/null
unlike "locked, sshd lets nobody in" "$(login 'cat /proc/1/comm')" ward-init
wait_for 10 wardctl account remove agent || true
is "removed" "$(getent passwd agent || true; \
    find /etc/systemd/system -name 'user@*')" ''
is "its unit is as any other" "$(systemctl show -P LoadState \
    user@1000.service)" loaded
