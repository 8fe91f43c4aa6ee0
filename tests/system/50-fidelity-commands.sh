#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# Commands over ssh, su, sudo and runuser behave as they do without Ward: exit
# statuses and signals, quoting, input and output.
# shellcheck disable=SC2016 # what the single quotes hold is the account's
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/50-compare.bash
. "$(dirname "$0")/50-compare.bash"

# by_SHELL ACCOUNT COMMAND: the ways that run a command line.
by_ssh() { over_ssh "$1" "$2"; }
by_ssh_tty() { over_ssh "$1" -tt "$2" <&"$silence"; }
by_su() { su "$1" -c "$2"; }
by_su_l() { su - "$1" -c "$2"; }
by_su_pty() { su --pty - "$1" -c "$2"; }
by_sudo() { sudo -u "$1" sh -c "$2"; }
by_sudo_i() { sudo -i -u "$1" sh -c "$2"; }
by_runuser() { runuser -u "$1" -- sh -c "$2"; }
by_runuser_l() { runuser -l "$1" -c "$2"; }
ways=(ssh ssh_tty su su_l su_pty sudo sudo_i runuser runuser_l)

statuses()
{
	local way
	for way in "${ways[@]}"; do
		as_plain "$way: true" '\[0\]$' "by_$way" {} true
		as_plain "$way: exit 7" '\[7\]$' "by_$way" {} 'exit 7'
		as_plain "$way: no such command" '\[127\]$' "by_$way" {} \
		    /no/such
		as_plain "$way: no program" '\[126\]$' "by_$way" {} /etc/passwd
		# the shell itself dies of it, not a child of its
		as_plain "$way: killed by TERM" '\[(255|143)\]$' "by_$way" {} \
		    'kill -TERM $$'
		as_plain "$way: killed by KILL" '\[(255|137)\]$' "by_$way" {} \
		    'kill -KILL $$'
		as_plain "$way: a child of it killed" '^137' "by_$way" {} \
		    'exec 2>/dev/null; sh -c "kill -KILL \$\$"; echo $?'
	done
}

quoting()
{
	local text
	local -a texts=("a  b" "it's" 'say "x"' 'a\b' '$HOME' '`id`' '*' '~'
	    $'two\nlines' $'a\ttab' '; exit 3' '# none' '!x' 'ü' ' lead'
	    '-n' '%s' '')
	for text in "${texts[@]}"; do
		as_plain "ssh box command: ${text@Q}" '\[0\]$' over_ssh {} \
		    "printf '<%s>' ${text@Q} a\"b  c\"d"
		as_plain "sudo -i: ${text@Q}" '\[0\]$' sudo -i -u {} \
		    printf '<%s>' "$text"
	done
	# unquoted words are joined by ssh, then split by the remote shell
	as_plain "ssh box, unquoted" '<a><b><c>' over_ssh {} \
	    printf '\<%s\>' 'a b' c
	as_plain "a glob is the remote shell's" 'hostname' over_ssh {} \
	    'echo /etc/hostn*e'
	as_plain "a variable too" 'home/ACCOUNT' over_ssh {} 'echo $HOME ~'
	as_plain "what \$0 is" '.' over_ssh {} 'echo $0 $#; shopt login_shell'
	as_plain "and in a login shell" '-bash|bash' su - {} -c \
	    'echo $0 $#; shopt login_shell'
	as_plain "several lines of commands" $'1\n2' over_ssh {} $'echo 1\necho 2'
	as_plain "an empty command line" '\[0\]$' over_ssh {} ''
	as_plain "a long command line" '100000' over_ssh {} \
	    "printf %s $(printf 'x%.0s' {1..100000}) | wc -c"
}

# the two ends of a pipe through the session
through() { head -c "$2" /dev/zero | tr '\0' x | over_ssh "$1" cat | sha256sum; }
counted() { over_ssh "$1" "head -c $2 /dev/zero" | wc -c; }
# shellcheck disable=SC2069 # standard output is to be gone
to_stderr() { over_ssh "$1" 'echo out; echo err >&2' 2>&1 >/dev/null; }
no_stdin() { over_ssh "$1" -n 'cat; echo done'; }
early_end() { over_ssh "$1" 'yes' | head -n 1; }
half_closed() { printf 'b\na\n' | over_ssh "$1" 'sort; echo end'; }
script_on_stdin() { printf 'echo one\nexit 5\n' | over_ssh "$1" bash -s; }
in_background() { over_ssh "$1" 'sleep 0.2 >/dev/null 2>&1 & echo started'; }

streams()
{
	as_plain "standard input, to its end" '-' through {} 20000000
	as_plain "output of 64 MiB" '67108864' counted {} 67108864
	as_plain "standard error is apart" 'err' to_stderr {}
	as_plain "no input" 'done' no_stdin {}
	as_plain "a reader that goes away" 'y' early_end {}
	as_plain "input that ends before output" 'end' half_closed {}
	as_plain "a script on standard input" $'one\n?\\[5\\]' \
	    script_on_stdin {}
	as_plain "what is left in the background does not hold ssh" 'started' \
	    in_background {}
}

plan 115
setting
cd /
statuses
quoting
streams
