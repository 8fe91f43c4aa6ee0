#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# A profile asks for a later ABI of Landlock than the kernel has: its account is
# refused, doctor says so, and whoever is not governed does not notice.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/40-entries.bash
. "$(dirname "$0")/40-entries.bash"
# shellcheck source=tests/system/40-faults.bash
. "$(dirname "$0")/40-faults.bash"
# shellcheck source=tests/system/49-scarce.bash
. "$(dirname "$0")/49-scarce.bash"

# asks ABI: agent's profile does.
asks()
{
	setting_profile | sed "\$i seal: { landlock = $1; };" \
	    >/etc/ward/profiles.d/agent.conf
	setting_do wardctl profile apply
}

# doctor_says: of the kernel and of what profiles ask of it, a line each.
doctor_says()
{
	{ wardctl doctor || true; } |
	    sed -En 's/^(pass|warn|fail) +(kernel|policy): /\2 \1 /p'
}

plan $((${#ways[@]} * 2 + 7))
setting
cd /
abi=$(doctor_says | sed -n "s/.*Landlock's ABI is //p")
like "doctor says what the kernel has" "$abi" '^[0-9]+$'
like "a profile asks for the least that Ward itself needs" \
    "$(wardctl profile show --effective agent)" 'seal.landlock +2( |$)'
asks $((abi + 1))
for name in "${ways[@]}"; do
	refuses "$name" W033 "$name: one more than there is is refused"
done
like "it says which profile, and what there is" "$said" \
    "agent asks for version $((abi + 1)) of landlock's ABI, and it has version $abi; boot a newer one"
like "doctor says so" "$(doctor_says)" \
    "policy fail agent: agent asks for Landlock ABI $((abi + 1)), and the kernel has $abi"
opens su plain "whoever is not governed does not notice"
asks "$abi"
for name in "${ways[@]}"; do
	opens "$name" agent "control: $name: what there is is enough"
done
like "doctor says so, too" "$(doctor_says)" 'policy pass '
is "a floor below Ward's own is no profile" "$(setting_profile |
    sed '$i seal: { landlock = 1; };' >/etc/ward/profiles.d/agent.conf
    wardctl profile check 2>&1 | grep -c 'seal.landlock = 1 is out of bounds')" 1
