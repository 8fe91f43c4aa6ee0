# shellcheck shell=bash disable=SC2154 # scripts/check sets what is not set here
# SPDX-License-Identifier: ISC
# The stages that run the installed product in boxes: system, long and
# sanitized.  Sourced by scripts/check.

# system_files STAGE WAY: the files of tests/system that this stage runs, one by
# one ("alone": those on the machine itself, and those with an "# alone:" line,
# which need all of it), or beside each other: in the slow box ("vm") and in the
# others ("boxed").  A file belongs to the stage of its "# stage:" line, or to
# system; a number makes it a test, and what has none is a part of some.
# Sanitized are all of system but those that scripts/check.d/unsanitized names.
system_files()
{
	local file stage way name
	for file in tests/system/[0-9]*.sh; do
		stage=$(sed -n '1,10s/^# stage: //p' "$file")
		case $(sed -n '1,10{/^# box: none$/p; /^# box: vm$/p; /^# alone: /p}' \
		    "$file") in
		*none* | *alone*) way=alone ;;
		*vm*) way=vm ;;
		*) way=boxed ;;
		esac
		[ "$way" = "$2" ] || continue
		name=$(basename "$file" .sh)
		case $1:${stage:-system} in
		sanitized:system)
			grep -q "^$name	" scripts/check.d/unsanitized ||
			    printf '%s\n' "$file"
			;;
		"$1:$1") printf '%s\n' "$file" ;;
		esac
	done
}

# install_build BUILD DESTDIR: what the boxes get.
install_build()
{
	local status=0
	rm -rf "$tree/build/$2"
	make -C "$tree/build/$1" install DESTDIR="$tree/build/$2" \
	    >"$out/install-$1.log" 2>&1 || status=$?
	verdict "install-$1" "$status" "make install" "$out/install-$1.log"
}

# box_root: there is one, or why not.
box_root()
{
	local status=0
	tests/box root >"$out/box.log" 2>&1 || status=$?
	verdict box "$status" "the box's root" "$out/box.log"
}

# in_boxes STAGE: its files.  Of those beside each other, what takes longest
# comes first; one more than there are processors, since a seventh of their time
# is waiting.  With sanitizers nobody waits.
in_boxes()
{
	local before file status=0 at_once=$(($(nproc) + 1))
	local -a alone boxed
	[ "$1" != sanitized ] || at_once=$(nproc)
	before=$(machine_state)
	mapfile -t alone < <(system_files "$1" alone)
	mapfile -t boxed < <(system_files "$1" vm; system_files "$1" boxed)
	for file in "${alone[@]}"; do
		system_test "$1" "$file"
	done
	printf '%s\0' "${boxed[@]}" | xargs -0 -r -n 1 -P "$at_once" \
	    "$tree/scripts/check" --system-test "$1"
	diff <(echo "$before") <(machine_state) >"$out/machine.log" || status=1
	verdict "machine-$1" "$status" "the tests left the machine alone" \
	    "$out/machine.log"
}

# machine_state: what a test could leave on the machine.
machine_state()
{
	sha256sum /etc/passwd /etc/shadow /etc/group
	find /etc/pam.d /etc/ssh /etc/cron.d /var/spool/cron /etc/ward \
	    /var/lib/ward /run/ward -printf '%p %m %U %s %T@\n' 2>/dev/null |
	    LC_ALL=C sort
	cat /proc/self/mounts
}

# system_test STAGE FILE: one file in its box, with half an hour at the most, an
# hour where the sanitizers make everything slow, and two for what is long.
system_test()
{
	local name=$1:${2##*/} status=0 dest=dest most=1800
	local -a more=()
	name=${name%.sh}
	[ "$1" != long ] || most=7200
	if [ "$1" = sanitized ]; then
		dest=dest-sanitized most=3600
		install -d -m 1777 "$out/reports/${name#*:}"
		more=(--bind "$out/reports/${name#*:}:/opt/ward-reports:rw")
	fi
	timeout --foreground --kill-after=20 "$most" tests/box test \
	    --install "$tree/build/$dest" "${more[@]}" "$2" \
	    >"$out/$name.log" 2>"$out/$name.err" </dev/null || status=$?
	tally "$name" "$status" 1 "$out/$name.log"
	if grep -q '^FAIL' "$out/results/$name"; then
		tail -n 25 "$out/$name.err" | sed 's/^/    stderr: /' \
		    >"$out/results/$name.stderr"
	fi
	[ "$1" != sanitized ] || reports_of "$name"
	took "$name: $(awk '/^counts/ { print $2 " passed, " $3 " failed" }' \
	    "$out/results/$name")"
}

# reports_of NAME: a row for whatever a sanitizer found in our programs.  It also
# warns where a child has a stack of its own, as init has while it is born.
reports_of()
{
	local status=0
	find "$out/reports/${1#*:}" -type f -size +0 -exec cat {} + \
	    >"$out/$1.reports"
	! grep -qE 'ERROR: |runtime error: ' "$out/$1.reports" || status=1
	verdict "$1-reports" "$status" "no report of a sanitizer" \
	    "$out/$1.reports"
}

# reports_control: a program that reads past its memory is seen to do so, which
# ever of the two ways its report goes; egress is sealed by then.
reports_control()
{
	local program dir=$out/reports/control found
	install -d -m 1777 "$dir"
	gcc -I"$tree" -I"$tree/build/sanitize" -fsanitize=address,undefined \
	    -DWARD_LIBEXECDIR='"/usr/libexec/ward"' -o "$out/overflow" \
	    common/reports.c egress/seal.c -x c - -lseccomp <<-'PROGRAM'
	#include <stdlib.h>
	#include "egress/seal.h"
	int main(int n, char **v)
	{
		volatile char *one = calloc(1, 1);
		if (v[1] != NULL && ward_seal_egress() != 0)
			return 0;
		return one[n];
	}
	PROGRAM
	for program in /usr/bin/overflow '/usr/libexec/ward/egress sealed'; do
		# shellcheck disable=SC2086 # a word each
		tests/box quick --bind "$out/overflow:${program% *}" \
		    --bind "$dir:/opt/ward-reports:rw" -- \
		    env -i $program </dev/null 2>&1 || true
	done >"$out/control.log"
	found=$(grep -lF 'ERROR: AddressSanitizer: heap-buffer-overflow' \
	    "$dir"/* | wc -l) || true
	verdict control "$((found != 2))" \
	    "control: what a sanitizer finds is seen" "$out/control.log"
}

stage_system()
{
	took "system tests: the box's root"
	box_root
	install_build normal dest
	in_boxes system
}

# tools_built: the build that tests/box takes its tools from, for a stage that runs
# by itself.
tools_built()
{
	[ -e build/normal/config.h ] || build_stage normal
}

# stage_long: what takes too long for every check.
stage_long()
{
	tools_built || return 0
	box_root
	install_build normal dest
	in_boxes long
}

# stage_sanitized: everything but the module, and what is static, with
# AddressSanitizer and UndefinedBehaviorSanitizer in it.
stage_sanitized()
{
	tools_built || return 0
	build_stage sanitize --enable-sanitizers || return 0
	unsanitized_list
	box_root
	reports_control
	install_build sanitize dest-sanitized
	in_boxes sanitized
}

# unsanitized_list: each line names a test that is there, and has a reason.
unsanitized_list()
{
	local name reason status=0
	while IFS='	' read -r name reason; do
		case $name in
		'' | '#'*) continue ;;
		esac
		[ ! -e "tests/system/$name.sh" ] || [ -z "$reason" ] || continue
		echo "$name: no such test, or no reason"
		status=1
	done <scripts/check.d/unsanitized >"$out/unsanitized.log"
	verdict unsanitized "$status" "what is not sanitized has a reason" \
	    "$out/unsanitized.log"
}
