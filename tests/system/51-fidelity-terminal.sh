#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# A person at a terminal does not notice: size, job control, the screens of
# vim, less and tmux, and the exit status, by each way that gives a shell.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

# What is tried, and how it looks without Ward.
table()
{
	cat <<-'TABLE'
	size|^33 101$
	a terminal|^/dev/pts/N yes$
	its controlling terminal|^from$
	login shell|^login .*i.*m
	signals ignored or blocked|SigBlk
	stopped by ^Z|Stopped .*sleep 100$
	jobs|Stopped .*sleep 100$
	fg and ^C|^(sleep 100)?$
	its status|^130$
	cat and ^D|line
	^\ |Quit
	a background job|waited 0$
	vim|^one two three$
	less|^seen$
	less and ^Z|Stopped .*less
	tmux|^in-tmux (32 101|43 122) t: 1 windows$
	tmux is over|no server running
	the exit status|^7$
	TABLE
}

# value OUTPUT NAME
value()
{
	grep -F "$2: " <<<"$1" | head -n 1 | cut -c "$((${#2} + 3))-" || true
}

# at_terminal WAY: its rows.
at_terminal()
{
	local agent plain name want
	expect "$(dirname "$0")/51-fidelity.exp" "$1" plain >/root/plain &
	agent=$(expect "$(dirname "$0")/51-fidelity.exp" "$1" agent)
	wait "$!" || true
	plain=$(cat /root/plain)
	while IFS='|' read -r name want; do
		if ! [[ $(value "$plain" "$name") =~ $want ]]; then
			fail "$1: $name" "control: $(value "$plain" "$name")
want: $want"
		else
			is "$1: $name" "$(value "$agent" "$name")" \
			    "$(value "$plain" "$name")"
		fi
	done < <(table; [ "$1" != ssh ] || echo 'a new size|^44 122$')
}

ways=(ssh su su-pty sudo runuser)
plan $((${#ways[@]} * $(table | wc -l) + 1))
setting
cd /
export SSH_OPTIONS="${ssh_options[*]}"
for way in "${ways[@]}"; do
	at_terminal "$way"
done
