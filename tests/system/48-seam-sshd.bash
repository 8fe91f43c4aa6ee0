# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# What the seams of a login by ssh share: the distribution's sshd, with a
# configuration of its own, in which the traced login's module runs.  Sourced by
# them after lib.sh.
# shellcheck disable=SC2154 # of those that this sources
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/43-dangling.bash
. "$(dirname "$0")/43-dangling.bash"
# shellcheck source=tests/system/48-seam.bash
. "$(dirname "$0")/48-seam.bash"

way=(ssh /root/seam)

seam_ssh_ready()
{
	setting
	seam_ready
	install -d -m 0700 "${way[1]}"
	printf '%s\n' 'PidFile none' \
	    'HostKey /etc/ssh/ssh_host_ed25519_key' 'Include /etc/ssh/sshd_config' \
	    >"${way[1]}/sshd_config"
	printf '%s\n' 'BatchMode yes' 'StrictHostKeyChecking no' \
	    'UserKnownHostsFile /dev/null' 'LogLevel ERROR' \
	    'ControlPath none' 'KexAlgorithms curve25519-sha256' "IdentityFile $key" >"${way[1]}/ssh_config"
	cd /
}
