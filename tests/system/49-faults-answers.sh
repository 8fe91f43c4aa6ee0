#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# A policy database, a warden and an init that are there, and are not what they
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

policy=/var/lib/ward/policy.db
warden=/usr/libexec/ward/warden
init=/usr/libexec/ward/ward-init

faults=(policy-locked:W020 policy-corrupt:W020 warden-stopped:W011
    warden-slow:W011 warden-ends:W013 warden-babbles:W013
    warden-newer:W013 init-missing:W031 init-not-executable:W031
    init-ends:W031 'init-hangs:W0(31|11)')

# What the line says of an init that is none.
declare -A told=([init-missing]='No such file' [init-ends]='ended as it began'
    [init-not-executable]='Permission denied'
    [init-hangs]='ward-init does not begin|no answer in')

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

# answers BYTES: of what a session asked, with these instead of the first.
answers()
{
	another_warden <<-PROGRAM
	#!/usr/bin/python3
	import socket
	asker = socket.socket(fileno=3)
	answer = $1
	asker.send(answer + asker.recv(8192)[len(answer):])
	PROGRAM
}

# What a warden says that lies, in python: header(TYPE, LENGTH) begins a record,
# opened is the body of a sandbox handed out.
# shellcheck disable=SC2016 # they are not the shell's
declare -A lies=(
    ['nothing at all']='say(b"")'
    ['less than a header']='say(b"WARD\1")'
    ['more than fits']='say(header(3, 12000) + bytes(12000))'
    ['a type that does not exist']='say(header(9999, 0))'
    ['a type of another direction']='say(header(1, len(opened)) + opened)'
    ['a length that is not its own']='say(header(3, 4000) + bytes(8))'
    ['strings without an end']='say(header(3, 8) + b"\x0c\0\0\0\xff\xff\xff\xff")'
    ['a refusal that does not exist']='say(header(3, 9) + struct.pack("<II1s", 999, 1, b"x"))'
    ['a sandbox without descriptors']='say(header(2, len(opened)) + opened)'
    ['descriptors of something else']='say(header(2, len(opened)) + opened, 4)'
)

# lying LIE: a warden that says it, to whatever a session asked.
lying()
{
	another_warden <<-PROGRAM
	#!/usr/bin/python3
	import os
	import socket
	import struct
	asker = socket.socket(fileno=3)
	opened = struct.pack("<I3sIIII", 3, b"a-b", 0, 0, 0, 0)
	def header(kind, length):
	    return struct.pack("<4sHHI", b"WARD", 1, kind, length)
	def say(record, descriptors=0):
	    nothing = os.open("/dev/null", os.O_RDONLY)
	    socket.send_fds(asker, [record], [nothing] * descriptors)
	asker.recv(8192)
	${lies[$1]}
	PROGRAM
}

break_it()
{
	case $1 in
	policy-locked)
		exec {locker}> >(exec sqlite3 "$policy")
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
	warden-babbles) answers "b'nonsense'" ;;
	warden-newer) answers "b'WARD' + bytes([2, 0])" ;;
	init-*) mv "$init" /root/init ;;&
	init-not-executable) install -m 0644 /root/init "$init" ;;
	init-ends) install /bin/false "$init" ;;
	init-hangs) install /usr/bin/yes "$init" ;;
	esac
}

mend()
{
	case $1 in
	policy-locked) exec {locker}>&- ;;
	policy-corrupt) mv /root/policy "$policy" ;;
	warden-*) mv /root/warden "$warden" ;;
	init-*) mv /root/init "$init" ;;
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
for lie in "${!lies[@]}"; do
	lying "$lie"
	for name in "${ways[@]}"; do
		refuses "$name" W013 "the warden says $lie: $name is refused"
	done
	mend warden-lies
done
opens su agent "control: one that says what is so"
