#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Through sshd with the login shell: a terminal, a command, scp as it was.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"

with_tty()
{
	ssh_as "$1" -tt "$(probe_of "$1")"
}

with_command()
{
	ssh_as "$1" -o SetEnv=CLIENT_PLANTED=1 "$(probe_of "$1")"
}

# scp's own protocol lets the remote shell read the name.
with_scp()
{
	rm -f /root/copied
	# shellcheck disable=SC2016 # the remote shell's
	timeout 60 scp -OT "${ssh_options[@]}" -P "$ssh_port" \
	    "$1@127.0.0.1:\$($(probe_of "$1") >~/told; echo ~/told)" \
	    /root/copied
	cat /root/copied
}

plan $((2 * 3 * ($(probe_count) + 1)))
ward_setup
for scope in "${scopes[@]}"; do
	ward_scope "$scope"
	probe_entry "ssh -tt" with_tty environment
	probe_entry "ssh box command" with_command environment
	probe_entry "scp" with_scp environment
done
