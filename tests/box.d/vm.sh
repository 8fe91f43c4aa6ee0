# shellcheck shell=bash disable=SC2154 # tests/box sets what is not set here
# SPDX-License-Identifier: ISC
# The vm box: the same root on ext4 under Debian 12's own kernel, in qemu, with
# systemd as in the booted box.  The kernel is unpacked beside the root, never
# installed.  Emulated unless the machine's processor can do it: /dev/kvm alone
# may be one that runs no ordinary kernel.  Sourced by tests/box.

vm_kernel=linux-image-cloud-amd64

# vm_key: the name of the image that the tree asks for.
vm_key()
{
	{ root_key; packages_in unpacked
	cat "$here/box.d/vm.sh" "$here/box.d/vm-init" \
	    "$here/box.d/vm-agent.py"; } | sha256sum | cut -c 1-16
}

# vm_package NAME DIR: the newest of it, unpacked.
vm_package()
{
	local file
	mkdir "$2.deb"
	(cd "$2.deb" && apt -o APT::Sandbox::User=root download "$1")
	for file in "$2.deb"/*.deb; do
		dpkg-deb -x "$file" "$2"
	done
	rm -rf "$2.deb"
}

# vm_unpack DIR: the kernel, by what its metapackage depends on, and busybox.
vm_unpack()
{
	local kernel
	kernel=$(apt-cache show --no-all-versions "$vm_kernel" |
	    sed -n 's/^Depends: \(linux-image-[^ ,]*\).*/\1/p')
	[ -n "$kernel" ] || return 1
	vm_package "$kernel" "$1/kernel" && vm_package busybox-static "$1/busybox"
}

# vm_modules MODULES_DIR MODULE...: their files and what they need.
vm_modules()
{
	local dir=$1 name
	shift
	for name; do
		grep "/$name\.ko:" "$dir/modules.dep" | tr -d ':' || return 1
	done | tr ' ' '\n' | sed '/^$/d' | sort -u
}

# vm_initrd DIR: busybox, vm-init and what it needs to reach the root.
vm_initrd()
{
	local dir=$1 tree=$1/initrd.d modules file
	modules=$(echo "$dir"/kernel/lib/modules/*)
	mkdir -p "$tree/bin" "$tree/lib/modules/${modules##*/}"
	install -m 0755 "$dir/busybox/bin/busybox" "$tree/bin"
	install -m 0755 "$here/box.d/vm-init" "$tree/init"
	vm_modules "$modules" virtio_pci virtio_blk virtio_console \
	    >"$dir/modules"
	[ -s "$dir/modules" ] || die "no virtio modules in $vm_kernel"
	tar -C "$modules" -c -T "$dir/modules" modules.dep modules.alias \
	    modules.symbols modules.builtin |
	    tar -C "$tree/lib/modules/${modules##*/}" -x
	(cd "$tree" && find . | cpio --quiet -o -H newc) >"$dir/initrd"
}

# vm_guest DIR: what only this kind of box has: the kernel's modules, a
# modprobe, since the root has none, and the agent.
vm_guest()
{
	local dir=$1 root=$2 unit=etc/systemd/system/box-agent.service
	tar -C "$dir/kernel" -c lib/modules | tar -C "$root" -x \
	    --keep-directory-symlink --no-overwrite-dir
	install -m 0755 "$dir/busybox/bin/busybox" "$root/usr/sbin/modprobe"
	install -D -m 0755 "$here/box.d/vm-agent.py" \
	    "$root/usr/local/lib/box/agent"
	cat >"$root/$unit" <<-'UNIT'
	[Unit]
	Description=Runs what the machine outside asks for
	[Service]
	ExecStart=/usr/local/lib/box/agent
	[Install]
	WantedBy=multi-user.target
	UNIT
	# without udev no device unit ever comes
	ln -s /dev/null "$root/etc/systemd/system/serial-getty@ttyS0.service"
	ln -s /dev/null "$root/etc/systemd/system/kmod-static-nodes.service"
	mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
	ln -s "/$unit" "$root/etc/systemd/system/multi-user.target.wants"
}

# vm_make DIR: kernel, initrd and image; in namespaces that end with it.
vm_make()
{
	local dir=$1
	say "vm box: unpacking a kernel"
	mkdir "$dir/kernel" "$dir/busybox" "$dir/scratch" "$dir/root"
	vm_unpack "$dir" || die "no kernel to unpack"
	depmod -b "$dir/kernel" "$(basename "$dir"/kernel/lib/modules/*)"
	vm_initrd "$dir"
	cp "$dir"/kernel/boot/vmlinuz-* "$dir/vmlinuz"
	say "vm box: making its image"
	mount -t tmpfs -o mode=0700 tmpfs "$dir/scratch"
	overlay_mount "$BOX_ROOT" "$dir/scratch" "$dir/root"
	vm_guest "$dir" "$dir/root"
	truncate -s 3G "$dir/image"
	mke2fs -q -t ext4 -d "$dir/root" -E root_owner=0:0 "$dir/image"
}

# vm_ready: makes the image where it is missing; prints where all is.
vm_ready()
{
	local key lock
	BOX_ROOT=$(root_ready)
	export BOX_ROOT
	"$tree/scripts/setup" vm >&2
	key=vm-$(vm_key)
	if [ ! -d "$cache/$key" ]; then
		exec {lock}>"$cache/lock"
		flock "$lock" || die "cannot lock $cache/lock"
		[ -d "$cache/$key" ] || vm_make_locked "$key" {lock}>&- >&2
		exec {lock}>&-
	fi
	touch "$cache/$key.used"
	printf '%s\n' "$cache/$key"
}

# vm_make_locked KEY: with one maker at a time.
vm_make_locked()
{
	local key=$1 work
	root_prune "$key"
	apt_lists_there || apt_refresh
	work=$(mktemp -d "$cache/making.XXXXXX")
	mkdir "$work/all" "$work/$key"
	setpriv --pdeathsig KILL unshare --mount --propagation private \
	    "$here/box" make-vm "$work/all" </dev/null || die "no vm image"
	mv "$work/all/vmlinuz" "$work/all/initrd" "$work/all/image" \
	    "$work/$key"
	mv -T "$work/$key" "$cache/$key"
	rm -rf --one-file-system "$work"
}

# vm_overlay FILE: the tar that is laid over the root: the installed tree and
# copies of what --bind names.
vm_overlay()
{
	local dir=$1.d bind source dest
	mkdir "$dir"
	[ -z "$box_install" ] || overlay_install "$box_install" "$dir"
	for bind in "${box_binds[@]}"; do
		source=${bind%%:*} dest=${bind#*:}
		[ "${dest%:rw}" = "$dest" ] || die "a vm box has copies only"
		mkdir -p "$dir/$(dirname "$dest")"
		cp -a -T "$source" "$dir/$dest"
	done
	tar -C "$dir" -c --numeric-owner --owner=0 --group=0 -f "$1" .
	rm -rf --one-file-system "$dir"
}

# vm_accelerator: what qemu emulates with: no wide vectors, which it does slowly.
vm_accelerator()
{
	if [ -w /dev/kvm ] && grep -q -w -E '^flags.*(vmx|svm)' /proc/cpuinfo
	then
		echo kvm -cpu host
	else
		echo tcg,thread=multi -cpu Nehalem
	fi
}

# vm_spawn NAME: becomes qemu.  What the box writes goes to a file without a
# name.
vm_spawn()
{
	local dir=$state/$1
	local -a accelerator
	read -r -a accelerator < <(vm_accelerator)
	exec qemu-system-x86_64 -nodefaults -no-user-config -display none \
	    -no-reboot -machine pc -accel "${accelerator[@]}" -smp 2 -m 1024 \
	    -drive "file=$VM_IMAGE/image,format=raw,if=virtio,snapshot=on" \
	    -drive "file=$dir/overlay,format=raw,if=virtio,readonly=on" \
	    -device virtio-serial-pci \
	    -chardev "socket,id=agent,path=$dir/agent,server=on,wait=off" \
	    -device virtserialport,chardev=agent,name=box \
	    -serial "file:$dir/kernel" \
	    -kernel "$VM_IMAGE/vmlinuz" -initrd "$VM_IMAGE/initrd" \
	    -append "console=ttyS0 panic=-1 quiet mitigations=off no5lvl" </dev/null
}

# vm_agent NAME SECONDS COMMAND...: 124 when that was not enough.
vm_agent()
{
	local name=$1 seconds=$2
	shift 2
	timeout --foreground "$seconds" python3 "$here/box.d/vm-client.py" \
	    "$state/$name/agent" "$@"
}

# vm_start NAME [OPTIONS]: it outlives us, unless box_tied is set.
vm_start()
{
	local name=$1 pid told
	local -a tie=()
	booted_name "$name"
	shift
	box_options "$@"
	[ -z "$box_scratch" ] || die "a vm box keeps nothing"
	booted_stop "$name"
	VM_IMAGE=$(vm_ready)
	export VM_IMAGE
	install -d -m 0700 "$state" "$state/$name"
	vm_overlay "$state/$name/overlay"
	[ -z "${box_tied:-}" ] || tie=(setpriv --pdeathsig KILL)
	"${tie[@]}" setsid "$here/box" spawn-vm "$name" </dev/null \
	    >"$state/$name/console" 2>&1 &
	pid=$!
	disown "$pid"
	printf '%s %s\n' "$pid" "$(pid_start "$pid")" >"$state/$name/pid"
	wait_socket "$name"
	told=$(vm_agent "$name" 240 systemctl is-system-running --wait) || true
	case $told in
	running | degraded) ;;
	*)
		tail -n 30 "$state/$name/console" "$state/$name/kernel" >&2
		booted_stop "$name"
		die "box $name did not start: ${told:-no answer}" ;;
	esac
}

# wait_socket NAME: until qemu listens.
wait_socket()
{
	local until=$((SECONDS + 20))
	until [ -S "$state/$1/agent" ]; do
		if ! booted_pid "$1" >/dev/null || [ "$SECONDS" -ge "$until" ]
		then
			cat "$state/$1/console" >&2
			booted_stop "$1"
			die "box $1 ended while it started"
		fi
		sleep 0.1
	done
}

# vm_run NAME -- COMMAND: as booted_run does, without stdin.
vm_run()
{
	local name=$1
	booted_name "$name"
	shift
	[ "${1:-}" != -- ] || shift
	[ $# -gt 0 ] || die "a vm box has no terminal: name a command"
	booted_pid "$name" >/dev/null || die "no box $name is running"
	vm_agent "$name" "${WARD_BOX_SECONDS:-1800}" \
	    "${run_service[@]}" --pipe -E TERM=dumb -E WARD_BOX=vm -- "$@"
}

# vm ARGS: the three things to do with a box that has a name.
vm()
{
	local verb=${1:-}
	[ $# -ge 2 ] || usage
	shift
	case $verb in
	start) vm_start "$@" ;;
	run) vm_run "$@" ;;
	stop) booted_stop "$@" ;;
	*) usage ;;
	esac
}
