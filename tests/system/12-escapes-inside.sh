#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Ways out that a process inside tries by itself.  The table names, for each,
# what the governed account comes to, and what the ungoverned one does.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"

# What depends on how the kernel was built or set is so for both: there the
# control is that the kernel, not the seal, was asked.
escapes_table()
{
	cat <<-'TABLE'
	families|1 2 10 16|1 2 10 16 17.*
	netlink|0|0 .*15.*
	sctp|EPERM|ok|EPROTONOSUPPORT|ESOCKTNOSUPPORT
	io_uring|ENOSYS|EFAULT|EINVAL
	userfaultfd|EPERM|ok
	kcmp|EPERM|ok
	name_to_handle_at|EPERM|EFAULT|ENOTSUP|EOPNOTSUPP
	perf_event_open|EPERM|EFAULT|EACCES
	keyctl|EPERM|ok
	add_key|EPERM|ok
	clone3|ENOSYS|EINVAL
	unshare, time|EPERM|ok
	unshare|refused|ok
	unshare, mount|refused|ok
	TIOCSTI|EPERM|ok|EIO
	TIOCLINUX|EPERM|ENOTTY
	TIOCSETD|EPERM|ok
	datagram to the log|EPERM|ok
	lock on wtmp|ENOENT|ok
	lock on utmp|ENOENT|ok
	proc/sys|ro|rw
	writable in /usr and /etc|none|.*/etc/open\.d.*/usr/open\.d.*
	scratch of its own|own|host's
	TABLE
}

# tried ACCOUNT: on a terminal, since two of them are about one.
tried()
{
	ssh_as "$1" -tt "python3 $probe_dir/escapes.py" </dev/null
}

# logged ACCOUNT: whether the host's log has what it tried to put there.
logged()
{
	if wait_for 3 grep -q "escape: forged by $(id -u "$1")\$" \
	    /var/log/syslog; then
		echo forged
	else
		echo nothing
	fi
}

# seen_by ACCOUNT NAME: the value that its attempts gave.
seen_by()
{
	case $1 in
	agent) probe_value "$agent" "$2" ;;
	plain) probe_value "$plain" "$2" ;;
	esac
}

# escapes_rows: in one scope.
escapes_rows()
{
	: >/var/log/syslog
	agent=$(tried agent)
	plain=$(tried plain)
	while IFS='|' read -r name want control; do
		opposite "$name" "$(seen_by agent "$name")" \
		    "$(seen_by plain "$name")" "$want" "$control"
	done < <(escapes_table)
	# A kernel that has no such sockets gives nobody one.
	case $(seen_by plain AF_VSOCK) in
	ok) is "AF_VSOCK" "$(seen_by agent AF_VSOCK)" EAFNOSUPPORT ;;
	*) skip "AF_VSOCK" "this kernel has none" ;;
	esac
	opposite "a forged line in the host's log" "$(logged agent)" \
	    "$(logged plain)" nothing forged
}

plan $((2 * ($(escapes_table | wc -l) + 2)))
ward_setup
touch /tmp/of-host
install -m 0644 "$here/escapes.py" "$probe_dir/escapes.py"
for scope in "${scopes[@]}"; do
	ward_scope "$scope"
	escapes_rows
done
