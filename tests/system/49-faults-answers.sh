#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# A policy database, a warden, an init and masks that are there, and are not what they
# should be: ssh, su and sudo lead a governed account nowhere, and say so in
# time.  Whoever is not governed does not notice.
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

here=$(cd "$(dirname "$0")" && pwd -P)
policy=/var/lib/ward/policy.db
warden=/usr/libexec/ward/warden
init=/usr/libexec/ward/ward-init
masks=/usr/libexec/ward/masks

faults=(policy-locked:W020 policy-corrupt:W020 warden-stopped:W011
    warden-slow:W011 warden-ends:W013 warden-babbles:W013
    warden-newer:W013 init-missing:W031 init-not-executable:W031
    init-ends:W031 'init-hangs:W0(31|11)' masks-missing:W031
    masks-not-executable:W031 masks-ends:W031 'masks-hangs:W0(31|11)')

# What the line says beside its code.
declare -A told=([warden-newer]='it speaks another version'
    [warden-babbles]='its answer is broken'
    [init-missing]='No such file' [init-ends]='ended as it began'
    [init-not-executable]='Permission denied'
    [init-hangs]='ward-init does not begin|no answer in'
    [masks-missing]='masks ended as it began'
    [masks-ends]='masks ended as it began'
    [masks-hangs]='masks does not begin|no answer in')

policy_locked()
{
	! sqlite3 -readonly "$policy" 'SELECT count(*) FROM revisions'
}

# another_warden: what is on stdin, in the warden's place.
another_warden()
{
	mv "$warden" /root/warden
	cat >"$warden"
	chmod 0755 "$warden"
}

# What a warden says that lies (lying-warden.py).
lies=('nothing at all' 'less than a header' 'more than fits'
    'a type that does not exist' 'a type of another direction'
    'a length that is not its own' 'strings without an end'
    'a refusal that does not exist' 'a sandbox without descriptors'
    'descriptors of something else')

# lying LIE: a warden that says it, to whatever a session asked.
lying()
{
	another_warden <<-PROGRAM
	#!/bin/sh
	exec /usr/bin/python3 $here/lying-warden.py '$1'
	PROGRAM
}

break_it()
{
	case $1 in
	policy-locked)
		exec {locker}> >(exec sqlite3 -cmd '.timeout 10000' "$policy")
		echo 'BEGIN EXCLUSIVE;' >&"$locker"
		wait_for 10 policy_locked ;;
	policy-corrupt)
		cp -a "$policy" /root/policy
		dd if=<(yes nonsense 2>/dev/null) of="$policy" bs=4096 \
		    seek=1 count=$(($(stat -c %s "$policy") / 4096 - 1)) \
		    conv=notrunc iflag=fullblock status=none ;;
	warden-stopped) another_warden <<<$'#!/bin/sh\nkill -STOP $$' ;;
	warden-slow) another_warden <<<$'#!/bin/sh\nsleep 8' ;;
	warden-ends) another_warden <<<$'#!/bin/sh\nexit 0' ;;
	warden-babbles) lying nonsense ;;
	warden-newer) lying 'another version' ;;
	init-*) mv "$init" /root/init ;;&
	init-not-executable) install -m 0644 /root/init "$init" ;;
	init-ends) install /bin/false "$init" ;;
	init-hangs) install /usr/bin/yes "$init" ;;
	masks-*) mv "$masks" /root/masks ;;&
	masks-not-executable) install -m 0644 /root/masks "$masks" ;;
	masks-ends) install /bin/false "$masks" ;;
	masks-hangs)
		printf '#!/usr/bin/tail -f\n' >"$masks"
		chmod 0755 "$masks"
		;;
	esac
}

mend()
{
	case $1 in
	policy-locked) exec {locker}>&- ;;
	policy-corrupt) mv /root/policy "$policy" ;;
	warden-*) mv /root/warden "$warden" ;;
	init-*) mv /root/init "$init" ;;
	masks-*) mv /root/masks "$masks" ;;
	esac
	case $1 in
	warden-stopped | warden-slow) pkill -KILL -f "$warden" || true ;;
	esac
}

plan $((${#faults[@]} * (${#ways[@]} + 7) + ${#told[@]} + 1 +
    ${#lies[@]} * ${#ways[@]} + 1))
setting
cd /
opens su agent "control: su opens"
for fault in "${faults[@]}"; do
	settled
	code=${fault#*:} fault=${fault%:*}
	break_it "$fault"
	for name in "${ways[@]}"; do
		refuses "$name" "$code" "$fault: $name is refused"
	done
	under su env
	like "$fault: in time" "$(ended); $said" '^refused;'
	[ -z "${told[$fault]:-}" ] ||
	    like "$fault: it says what" "$said" "${told[$fault]}"
	ungoverned "$fault"
	mend "$fault"
	opens su agent "$fault: mended, it opens again"
done
settled
for lie in "${lies[@]}"; do
	lying "$lie"
	for name in "${ways[@]}"; do
		refuses "$name" W013 "the warden says $lie: $name is refused"
	done
	mend warden-lies
done
opens su agent "control: one that says what is so"
