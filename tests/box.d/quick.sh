# shellcheck shell=bash disable=SC2154 # tests/box sets what is not set here
# SPDX-License-Identifier: ISC
# The quick box: the root under an overlay, in mount, pid, net, uts, ipc and
# cgroup namespaces of its own, without a service manager.  All that it is
# made of lives in those namespaces, so nothing is left when it ends, however
# it ends.  Sourced by tests/box.

# overlay_mount ROOT SCRATCH TARGET: the root with a writable layer.  xino and
# redirect_dir, so that st_dev and the renaming of directories are those of an
# ordinary file system.
overlay_mount()
{
	mkdir -p "$2/upper" "$2/work"
	mount -t overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" \
	    -o xino=on,redirect_dir=on,index=off overlay "$3"
}

# overlay_install DESTDIR TARGET: what `make install DESTDIR=` made, laid over
# the root; links such as /lib stay links, directories keep their modes.
overlay_install()
{
	tar -C "$1" -c --numeric-owner --owner=0 --group=0 . |
	    tar -C "$2" -x -p --keep-directory-symlink --no-overwrite-dir
}

# bind_mount TARGET SOURCE:DEST[:rw]
bind_mount()
{
	local root=$1 source dest mode
	IFS=: read -r source dest mode <<<"$2"
	if [ -d "$source" ]; then
		mkdir -p "$root$dest"
	else
		mkdir -p "$(dirname "$root$dest")"
		: >>"$root$dest"
	fi
	mount --bind "$source" "$root$dest"
	[ "${mode:-ro}" = rw ] || mount -o remount,bind,ro "$root$dest"
}

# quick_dev DIR: a /dev like a container's, with terminals of its own.
quick_dev()
{
	local dir=$1
	mount -t tmpfs -o mode=0755,nosuid,size=1m tmpfs "$dir"
	mknod -m 0666 "$dir/null" c 1 3
	mknod -m 0666 "$dir/zero" c 1 5
	mknod -m 0666 "$dir/full" c 1 7
	mknod -m 0666 "$dir/random" c 1 8
	mknod -m 0666 "$dir/urandom" c 1 9
	mknod -m 0666 "$dir/tty" c 5 0
	# as devtmpfs has it; a kernel without FUSE opens it not
	mknod -m 0600 "$dir/fuse" c 10 229
	chgrp 5 "$dir/tty"
	mkdir "$dir/pts" "$dir/shm" "$dir/mqueue"
	mount -t devpts -o newinstance,nosuid,noexec,gid=5,mode=0620,ptmxmode=0666 \
	    devpts "$dir/pts"
	mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$dir/shm"
	mount -t mqueue -o nosuid,nodev,noexec mqueue "$dir/mqueue"
	ln -s pts/ptmx "$dir/ptmx"
	ln -s /proc/self/fd "$dir/fd"
	ln -s fd/0 "$dir/stdin"
	ln -s fd/1 "$dir/stdout"
	ln -s fd/2 "$dir/stderr"
}

# quick_kernel ROOT: proc and sys.  The machine's own settings stay out of
# reach of a test: only those of the box's network are writable.
quick_kernel()
{
	mount -t proc -o nosuid,nodev,noexec proc "$1/proc"
	mount --bind "$1/proc/sys" "$1/proc/sys"
	mount --bind "$1/proc/sys/net" "$1/proc/sys/net"
	mount -o remount,bind,ro,nosuid,nodev,noexec "$1/proc/sys"
	mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$1/sys"
}

# quick_run_dir ROOT: /run as systemd-tmpfiles would have it.
quick_run_dir()
{
	mount -t tmpfs -o mode=0755,nosuid,nodev tmpfs "$1/run"
	install -d -m 1777 "$1/run/lock"
	install -d -m 0755 "$1/run/sshd" "$1/run/user"
	install -m 0664 -g utmp /dev/null "$1/run/utmp"
}

# quick_enter: pid 1 of the box, while it is still the machine's bash: builds
# the tree, moves into it and becomes the box's own.
quick_enter()
{
	local root=$BOX_ROOT scratch=$BOX_SCRATCH mount=$cache/mnt bind
	local -a binds
	umask 022
	hostname wardbox
	ip link set lo up
	if [ -z "$scratch" ]; then
		mount -t tmpfs -o mode=0700 tmpfs "$mount"
		scratch=$mount
	fi
	mkdir -p "$scratch/root"
	overlay_mount "$root" "$scratch" "$scratch/root"
	root=$scratch/root
	[ -z "$BOX_INSTALL" ] || overlay_install "$BOX_INSTALL" "$root"
	mapfile -t binds <<<"$BOX_BINDS"
	for bind in "${binds[@]}"; do
		[ -z "$bind" ] || bind_mount "$root" "$bind"
	done
	quick_kernel "$root"
	quick_dev "$root/dev"
	quick_run_dir "$root"
	mkdir "$root/.old"
	cd "$root" || exit 125
	pivot_root . .old
	exec env -i --default-signal PATH="$box_path" HOME=/root USER=root \
	    LOGNAME=root SHELL=/bin/bash LANG=C.UTF-8 TERM="${TERM:-dumb}" \
	    WARD_BOX=quick /bin/bash -c "$quick_init" box-init "$@"
}

# The rest of pid 1 is read from no file, so that the machine's tree can go.
# bash reaps whatever is given to it while it waits; its exit ends the box.
# shellcheck disable=SC2016
quick_init='
umount -l /.old && rmdir /.old && cd / || exit 125
hash -r
"$@"
exit "$?"'

# quick ARGS: the command's exit status is ours.
quick()
{
	local status=0 child
	box_options "$@"
	set -- "${box_command[@]}"
	[ $# -gt 0 ] || set -- /bin/bash -l
	BOX_ROOT=$(root_ready)
	BOX_SCRATCH=$box_scratch
	BOX_INSTALL=$box_install
	BOX_BINDS=$(printf '%s\n' "${box_binds[@]}")
	export BOX_ROOT BOX_SCRATCH BOX_INSTALL BOX_BINDS
	install -d -m 0700 "$cache/mnt"
	[ -z "$box_scratch" ] || say "the box's files stay in $box_scratch"
	# Without a terminal there is none to leak in either.
	[ -t 0 ] || set -- setsid --wait "$@"
	setpriv --pdeathsig KILL unshare --mount --propagation private --pid \
	    --net --uts --ipc --cgroup --fork --kill-child=KILL \
	    "$here/box" enter-quick "$@" <&0 &
	child=$!
	# shellcheck disable=SC2064 # the pid is what it is now
	trap "kill -KILL $child 2>/dev/null || true" EXIT
	trap 'exit 143' TERM HUP
	if [ -t 0 ]; then
		trap '' INT
	else
		trap 'exit 130' INT
	fi
	wait "$child" || status=$?
	trap - EXIT
	return "$status"
}
