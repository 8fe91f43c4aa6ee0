#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# sftp runs no command: what the probe tells elsewhere is asked for through the
# protocol, and looked at from the host.  sftp-server is run by the login
# shell, internal-sftp by nothing: sshd's own child serves.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"

work=/root/sftp

# What is asked: name; sftp's command; what comes to a governed account; what
# to the other.  FILE is a file to put, NAME one that no other row uses.
sftp_table()
{
	cat <<-'TABLE'
	init|get /proc/1/comm|ward-init|bash
	run|ls /run|user ward|.*sshd.*
	homes|ls /home|agent|agent plain
	log|ls /var/log|empty|.*wtmp.*
	hidden directory|ls /srv/secrets|empty|.*secret.*
	hidden, by name|get /srv/secrets/secret|.*not found\.|DIRSECRET
	hidden file|get /srv/secret.txt|Permission denied|FILESECRET
	hidden, put|put FILE /srv/secrets/NAME|Failure|ok
	put into /|put FILE /NAME|Failure|Permission denied
	put into /etc|put FILE /etc/NAME|Failure|Permission denied
	put into /usr|put FILE /usr/NAME|Failure|Permission denied
	put into /open.d|put FILE /open.d/NAME|Failure|ok
	put into /etc/open.d|put FILE /etc/open.d/NAME|Failure|ok
	put into /usr/open.d|put FILE /usr/open.d/NAME|Failure|ok
	put into /var/open.d|put FILE /var/open.d/NAME|Failure|ok
	overwrite|put FILE /etc/open.d/file|Failure|ok
	chmod|chmod 0666 /etc/open.d/ACCOUNT|Failure|ok
	rename|rename /etc/open.d/ACCOUNT /etc/open.d/NAME.2|Failure|ok
	mkdir|mkdir /usr/open.d/NAME.3|Failure|ok
	symlink|symlink /x /var/open.d/NAME.4|Failure|ok
	rm|rm /srv/open.d/ACCOUNT|.*Failure|ok
	fifo|put FILE /srv/fifo|Permission denied|Failure
	interfaces|get /proc/net/dev|[^:]* lo: [^:]*|.* ward0: .*
	processes|get /proc/MARK/comm|.*not found\.|sleep
	no_new_privs|get /proc/self/status|.* NoNewPrivs: 1 .*|.* NoNewPrivs: 0 .*
	seccomp|get /proc/self/status|.* Seccomp: 2 .*|.* Seccomp: 0 .*
	bounding set|get /proc/self/status|.* CapBnd: 0+ .*|.* CapBnd: 0*[1-9a-f].*
	TABLE
}

# What is looked at from the host while the session lives.
look_table()
{
	cat <<-'TABLE'
	namespaces|none|ipc mnt net pid uts
	root|the view|the host's
	environment|none|.*BASH_ENV.*LD_PRELOAD.*PLANTED.*
	TABLE
}

# sftp_look ACCOUNT: of the process that serves, which is the newest with that
# name of its account's; called by sftp itself, with "!".
sftp_look()
{
	local pid name same=''
	pid=$(pgrep -n -u "$1" -x 'sftp-server|sshd')
	for name in ipc mnt net pid uts; do
		[ "$(readlink "/proc/$pid/ns/$name")" != \
		    "$(readlink "/proc/self/ns/$name")" ] || same+=" $name"
	done
	same=${same# }
	echo "namespaces: ${same:-none}"
	if [ "$(stat -L -c %d:%i "/proc/$pid/root/srv/secrets")" = \
	    "$(stat -c %d:%i /srv/secrets)" ]; then
		echo "root: the host's"
	else
		echo "root: the view"
	fi
	name=$(tr '\0' '\n' <"/proc/$pid/environ" | cut -d = -f 1 |
	    grep -Ev '^(HOME|USER|LOGNAME|SHELL|PATH|LANG|SHLVL|PWD|_)$|^SSH_' |
	    grep -Eiv '^((https?|all|grpc|no)_proxy|node_use_env_proxy)$' |
	    sort | xargs) || true
	echo "environment: ${name:-none}"
	name=$(find "/proc/$pid/fd" -mindepth 1 -printf '%f\n' | sort -n | xargs)
	echo "files: $name"
}

# batch PORT ACCOUNT: sftp's commands, the table's in order.
batch()
{
	local command name=$2-$1 number=0
	while IFS='|' read -r _ command _; do
		number=$((number + 1))
		command=${command//FILE/$work/file}
		command=${command//NAME/$name}
		command=${command//ACCOUNT/$name.own}
		command=${command//MARK/${marks[$2]}}
		case $command in
		ls*) command=${command/ls/ls -1} ;;
		get*) command+=" $work/got.$number" ;;
		esac
		printf -- '-%s\n' "$command"
	done < <(sftp_table)
	printf -- '-put %s %s\n' "$work/file" "$name.home"
	printf '!/bin/bash %s --look %s >%s/look\n' "$0" "$2" "$work"
}

# answers: one line for each command of the batch, from sftp's own output.
answers()
{
	awk '
		{ sub(/\r$/, "") }
		/^sftp> / {
			number++
			command = $2
			value[number] = command == "-ls" ? "empty" : "ok"
			next
		}
		{
			if (value[number] == "empty" || value[number] == "ok")
				value[number] = ""
			if (command == "-ls")
				sub(/.*\//, "")
			else
				sub(/^.*": /, "")
			value[number] = value[number] (value[number] == "" ? \
			    "" : " ") $0
		}
		END { for (i = 1; i <= number; i++) print value[i] }'
}

# sftp_as PORT ACCOUNT: the answers.
sftp_as()
{
	local place answer number=0
	rm -rf "$work"
	mkdir -p "$work"
	echo put >"$work/file"
	# what the account may change, were it not for Ward
	for place in /etc/open.d /srv/open.d; do
		install -m 0666 -o "$2" "$work/file" "$place/$2-$1.own"
	done
	batch "$1" "$2" >"$work/batch"
	timeout 60 sftp "${ssh_options[@]}" -P "$1" -b "$work/batch" \
	    "$2@127.0.0.1" >"$work/said" 2>&1 || true
	while read -r answer; do
		number=$((number + 1))
		if [ "$answer" = ok ] && [ -e "$work/got.$number" ]; then
			xargs -0 printf %s <"$work/got.$number" |
			    tr -s '\t\n' '  ' | sed 's/ *$//'
			echo
		else
			printf '%s\n' "$answer"
		fi
	done < <(answers <"$work/said")
}

# sftp_told PORT ACCOUNT: the answers, and what was looked at behind them.
sftp_told()
{
	sftp_as "$1" "$2"
	cat "$work/look"
}

# sftp_rows KIND PORT
sftp_rows()
{
	local kind=$1 port=$2 name want control agent_look plain_look plain
	local commands
	local -a agent plains
	commands=$(sftp_table | wc -l)
	plain_once "$kind" sftp_told "$port" plain
	mapfile -t plains < <(head -n "$commands" <<<"$plain")
	plain_look=$(tail -n "+$((commands + 1))" <<<"$plain")
	mapfile -t agent < <(sftp_as "$port" agent)
	agent_look=$(cat "$work/look")
	while IFS='|' read -r name _ want control; do
		opposite "$kind: $name" "${agent[0]:-}" "${plains[0]:-}" \
		    "$want" "$control"
		agent=("${agent[@]:1}") plains=("${plains[@]:1}")
	done < <(sftp_table)
	opposite "$kind: home" "$(homes_with "agent-$port.home")" \
	    "$(homes_with "plain-$port.home")" /home/.ward/agent /home/plain
	while IFS='|' read -r name want control; do
		[ "$kind:$name" != internal-sftp:environment ] || continue
		opposite "$kind: $name" \
		    "$(probe_value "$agent_look" "$name")" \
		    "$(probe_value "$plain_look" "$name")" "$want" "$control"
	done < <(look_table)
	is "$kind: files are those that it has without Ward" \
	    "$(probe_value "$agent_look" files)" \
	    "$(probe_value "$plain_look" files)"
}

# homes_with FILE: the directories below /home that have it.
homes_with()
{
	find /home -maxdepth 3 -name "$1" -printf '%h\n' | xargs
}

if [ "${1:-}" = --look ]; then
	trap - EXIT
	sftp_look "$2"
	exit
fi
plan $((2 * (2 * ($(sftp_table | wc -l) + $(look_table | wc -l) + 2) - 1)))
ward_setup
for scope in "${scopes[@]}"; do
	ward_scope "$scope"
	sftp_rows sftp-server "$ssh_port"
	sftp_rows internal-sftp "$internal_port"
done
