# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# ssh, su and sudo with something missing that is the caller's own: they are
# started under a command that takes it away.  Sourced by the tests 49 after
# 40-faults.bash.
# shellcheck disable=SC2034,SC2154 # of those, and of the setting

ways=(ssh-command su sudo)

# A second sshd, as scarce as what precedes it here; its port in ssh_options.
sshd_under()
{
	"$@" /usr/sbin/sshd -D -o Port=2023 -o PidFile=/run/sshd-scarce.pid \
	    </dev/null >/dev/null 2>&1 &
	scarce=$!
	wait_for 10 sshd_listens_or_is_dead
}

sshd_listens_or_is_dead()
{
	listens 2023 || ! kill -0 "$scarce"
}

sshd_over()
{
	kill "$scarce" 2>/dev/null || true
	wait "$scarce" 2>/dev/null || true
}

# as_under ACCOUNT WAY COMMAND...: comes in by the way, under the command, and
# leaves where it ran in the mark.
as_under()
{
	local account=$1 way=$2 leave="exec readlink /proc/self/ns/net >$mark"
	shift 2
	rm -f "$mark"
	log_from=$(stat -c %s "$log")
	began=$(date +%s%3N)
	status=0
	case $way in
	ssh-command)
		sshd_under "$@"
		said=$(ssh "${ssh_options[@]}" -p 2023 "$account@127.0.0.1" \
		    "$leave" 2>&1 </dev/null) || status=$?
		sshd_over ;;
	su) said=$("$@" su "$account" -c "$leave" 2>&1 </dev/null) || status=$? ;;
	sudo) said=$("$@" sudo -u "$account" sh -c "$leave" 2>&1 </dev/null) ||
	    status=$? ;;
	esac
	took=$(($(date +%s%3N) - began))
}

under()
{
	as_under agent "$@"
}

# ended: how that came out: refused in time and with a code, inside, or bad.
ended()
{
	if [ "$took" -gt 7000 ]; then
		echo "late: $took ms"
	elif [ -s "$mark" ]; then
		[ "$(cat "$mark")" = "$(readlink /proc/self/ns/net)" ] &&
		    echo outside || echo inside
	elif [ "$status" -eq 0 ]; then
		echo "succeeded"
	elif wait_for 3 logged 'ward: W[0-9]+: session for agent refused' ||
	    [[ $said =~ ward:\ W[0-9]+:\ session ]]; then
		echo refused
	else
		echo "no code"
	fi
}

# scarce ROW WANT COMMAND...: by each of the ways.
scarce()
{
	local row=$1 want=$2 way
	shift 2
	for way in "${ways[@]}"; do
		under "$way" "$@"
		like "$row: $way: $want" "$(ended); $said" "^($want);"
	done
}
