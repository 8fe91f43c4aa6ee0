# shellcheck shell=bash disable=SC2154 # tests/box sets what is not set here
# SPDX-License-Identifier: ISC
# The booted box: the same root under systemd-nspawn, with systemd, logind,
# journald, sshd, cron, atd and exim4.  Sourced by tests/box.

state=${WARD_BOX_RUN:-/run/ward-box}

# A command in a box that has systemd: its child, as a service of its own, so
# that logind sees what it sees on a real machine.
run_service=(systemd-run --quiet --collect --wait --service-type=exec
    -p KillMode=process -p TasksMax=infinity
    -E PATH="$box_path" -E HOME=/root -E USER=root -E LOGNAME=root
    -E SHELL=/bin/bash -E LANG=C.UTF-8)

# booted_name NAME: a box's name becomes a file's.
booted_name()
{
	case $1 in
	'' | *[!a-z0-9-]*) die "a box's name is of a-z, 0-9 and -: '$1'" ;;
	esac
}

# has_systemd: whether the machine has it for pid 1; nspawn then gets a scope
# of its own there, and elsewhere the cgroup that we make.
has_systemd()
{
	[ -d /run/systemd/system ]
}

# booted_cgroups NAME: where a box's cgroups are, one a hierarchy that systemd
# uses; none where the machine's systemd makes them.
booted_cgroups()
{
	has_systemd || awk -v name="ward-box-$1" '
	    $3 == "cgroup2" || ($3 == "cgroup" && $4 ~ /name=systemd/) {
		print $2 "/" name
	    }' /proc/self/mounts
}

# booted_cgroups_join NAME: two boxes in one cgroup would have each other's
# processes killed.
booted_cgroups_join()
{
	local dir
	booted_cgroups "$1" | while read -r dir; do
		mkdir -p "$dir"
		echo $$ >"$dir/cgroup.procs"
	done
}

# booted_cgroups_remove NAME: fails while something lives in one of them.
booted_cgroups_remove()
{
	local dir left=0
	while read -r dir; do
		[ ! -d "$dir" ] ||
		    find "$dir" -depth -type d -exec rmdir {} + 2>/dev/null ||
		    left=1
	done < <(booted_cgroups "$1")
	return "$left"
}

# booted_outer NAME: into the box's cgroup, and only then into namespaces.
# What nspawn starts outlives nspawn, but not the pid namespace around both.
booted_outer()
{
	booted_cgroups_join "$1"
	exec unshare --mount --propagation private --mount-proc --pid --fork \
	    --kill-child=KILL "$here/box" enter-booted "$1"
}

# booted_spawn: becomes nspawn, in a mount namespace that holds the overlay,
# so that the overlay ends with it.  nspawn's own filter and bounding set go:
# what Ward does as root must work as on a real machine.
booted_spawn()
{
	local root=$BOX_ROOT scratch=$BOX_SCRATCH bind
	local -a binds options=()
	umask 022
	if [ -z "$scratch" ]; then
		mount -t tmpfs -o mode=0700 tmpfs "$cache/mnt"
		scratch=$cache/mnt
	fi
	# nspawn's own notes end with the namespace too.
	mkdir -p /run/systemd/nspawn
	mount -t tmpfs -o mode=0700 tmpfs /run/systemd/nspawn
	mkdir -p "$scratch/root"
	overlay_mount "$root" "$scratch" "$scratch/root"
	root=$scratch/root
	[ -z "$BOX_INSTALL" ] || overlay_install "$BOX_INSTALL" "$root"
	mapfile -t binds <<<"$BOX_BINDS"
	for bind in "${binds[@]}"; do
		case $bind in
		'') ;;
		*:rw) options+=("--bind=${bind%:rw}") ;;
		*) options+=("--bind-ro=$bind") ;;
		esac
	done
	# what a real machine has, and nspawn of Debian 12 does not give
	[ ! -c /dev/fuse ] || options+=(--bind=/dev/fuse)
	has_systemd || options+=(--keep-unit)
	# As Debian 12 boots, whatever this machine has: only here does systemd
	# learn that the last process has left a session by moving away.
	export SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1
	exec systemd-nspawn --quiet --settings=no --directory="$root" \
	    --machine="wardbox-$1" --hostname=wardbox --register=no \
	    --private-network --resolv-conf=off --timezone=off \
	    --link-journal=no --console=read-only --capability=all \
	    --system-call-filter='@known' --no-new-privileges=no \
	    "${options[@]}" --boot </dev/null
}

# booted_leader NAME: the box's pid 1 as the machine numbers it: two below
# the pid that we keep, unshare's, with nspawn between them.
booted_leader()
{
	local pid
	pid=$(booted_pid "$1") || return 1
	pid=$(only_child "$pid") || return 1
	pid=$(only_child "$pid") || return 1
	awk '/^NSpid:/ { found = NF == 4 && $4 == 1 } END { exit !found }' \
	    "/proc/$pid/status" || return 1
	printf '%s\n' "$pid"
}

# only_child PID: nspawn has a second one for a moment, while it starts.
only_child()
{
	local -a children=()
	read -r -a children <"/proc/$1/task/$1/children" || true
	[ "${#children[@]}" -eq 1 ] || return 1
	printf '%s\n' "${children[0]}"
}

# pid_start PID: when it started; a pid alone may be another's by now.
pid_start()
{
	sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20
}

# booted_pid NAME: nspawn's pid, if that nspawn still runs.
booted_pid()
{
	local pid start
	[ -e "$state/$1/pid" ] || return 1
	read -r pid start <"$state/$1/pid" || return 1
	[ -n "$start" ] && [ "$(pid_start "$pid")" = "$start" ] || return 1
	printf '%s\n' "$pid"
}

# booted_inside NAME COMMAND: in the box's namespaces, but nobody's session.
booted_inside()
{
	local leader
	leader=$(booted_leader "$1") || return 1
	shift
	nsenter --target "$leader" --mount --uts --ipc --net --pid --cgroup \
	    --root --wd=/ env -i PATH="$box_path" HOME=/root LANG=C.UTF-8 "$@"
}

# booted_wait NAME: until systemd says that it is up.
booted_wait()
{
	local name=$1 told='' until=$((SECONDS + 120))
	while [ "$SECONDS" -lt "$until" ]; do
		booted_pid "$name" >/dev/null ||
		    { tail -n 30 "$state/$name/console" >&2
		    die "box $name ended while it started"; }
		told=$(booted_inside "$name" systemctl is-system-running \
		    2>/dev/null) || true
		case $told in
		running | degraded) return ;;
		esac
		sleep 0.1
	done
	tail -n 30 "$state/$name/console" >&2
	booted_stop "$name"
	die "box $name did not start within two minutes: ${told:-no answer}"
}

# booted_sweep: the notes of boxes whose tests/box was killed.
booted_sweep()
{
	local file name
	for file in "$state"/*/pid; do
		[ -e "$file" ] || continue
		name=$(basename "$(dirname "$file")")
		booted_pid "$name" >/dev/null || booted_stop "$name"
	done
}

# booted_start NAME [OPTIONS]: it outlives us, unless box_tied is set.
booted_start()
{
	local name=$1 pid
	local -a tie=()
	booted_name "$name"
	shift
	box_options "$@"
	booted_stop "$name"
	booted_sweep
	BOX_ROOT=$(root_ready)
	BOX_SCRATCH=$box_scratch
	BOX_INSTALL=$box_install
	BOX_BINDS=$(printf '%s\n' "${box_binds[@]}")
	export BOX_ROOT BOX_SCRATCH BOX_INSTALL BOX_BINDS
	install -d -m 0700 "$cache/mnt" "$state" "$state/$name"
	[ -z "${box_tied:-}" ] || tie=(setpriv --pdeathsig KILL)
	"${tie[@]}" setsid "$here/box" spawn-booted "$name" </dev/null \
	    >"$state/$name/console" 2>&1 &
	pid=$!
	disown "$pid"
	printf '%s %s\n' "$pid" "$(pid_start "$pid")" >"$state/$name/pid"
	# shellcheck disable=SC2064 # the name is what it is now
	trap "booted_stop $name; exit 143" INT TERM HUP
	booted_wait "$name"
	trap - INT TERM HUP
}

# booted_run NAME -- COMMAND
booted_run()
{
	local name=$1 mode=--pipe
	booted_name "$name"
	shift
	[ "${1:-}" != -- ] || shift
	[ $# -gt 0 ] || set -- /bin/bash -l
	booted_pid "$name" >/dev/null || die "no box $name is running"
	[ ! -t 0 ] || [ ! -t 1 ] || mode=--pty
	booted_inside "$name" "${run_service[@]}" "$mode" \
	    -E TERM="${TERM:-dumb}" -E WARD_BOX=booted -- "$@"
}

# booted_stop NAME: no box of this name is left; one that is gone is no error.
# What is thrown away needs no orderly shutdown.
booted_stop()
{
	local name=$1 pid until=$((SECONDS + 20))
	booted_name "$name"
	if pid=$(booted_pid "$name"); then
		kill -KILL "$pid"
	fi
	# The cgroups are empty once the last process is gone.
	until booted_cgroups_remove "$name"; do
		[ "$SECONDS" -lt "$until" ] || die "box $name does not end"
		sleep 0.05
	done
	rm -rf --one-file-system "${state:?}/$name"
}

# booted ARGS: the three things to do with a box that has a name.
booted()
{
	local verb=${1:-}
	[ $# -ge 2 ] || usage
	shift
	case $verb in
	start) booted_start "$@" ;;
	run) booted_run "$@" ;;
	stop) booted_stop "$@" ;;
	*) usage ;;
	esac
}
