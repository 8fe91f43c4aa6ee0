# shellcheck shell=bash disable=SC2154 # tests/box sets what is not set here
# SPDX-License-Identifier: ISC
# Makes the root that every box starts from: a debootstrap'd Debian 12 with
# the "inside" packages, and those of the section that WARD_BOX_MORE names,
# taken from the machine's own package sources.  It is kept outside the tree,
# under a name that is the hash of what it was made from, and never written to
# again.  Sourced by tests/box.

release=bookworm
cache=${WARD_BOX_CACHE:-/var/cache/ward-box}

# root_list: the packages that are in it beside Debian's base.
root_list()
{
	packages_in inside ${WARD_BOX_MORE:+"$WARD_BOX_MORE"}
}

# root_key: the name of the root that the tree asks for.
root_key()
{
	{ root_list; cat "$here/box.d/root.sh"; } |
	    sha256sum | cut -c 1-16
}

# root_sources: the machine's Debian sources of this release, as one-line
# sources; Ward's packages are all in main.
root_sources()
{
	local codename uri suite component
	while IFS='|' read -r _ codename uri suite component _; do
		case $codename:$component in
		"$release":main | "$release"-updates:main | \
		    "$release"-security:main)
			printf 'deb %s %s %s\n' "$uri" "$suite" "$component" ;;
		esac
	done < <(apt_targets)
}

# root_mirror: where debootstrap finds the release itself.
root_mirror()
{
	local mirror
	mirror=$(apt_targets | awk -F '|' -v release="$release" \
	    '$2 == release && $5 == "main" && $3 ~ /^(https?|file):/ {
		print $3; exit }')
	[ -n "$mirror" ] ||
	    die "no apt source of this machine offers Debian $release"
	printf '%s\n' "$mirror"
}

# root_proxy: lets debootstrap go the way that apt goes.
root_proxy()
{
	local http https
	http=$(apt-config dump --format '%v' Acquire::http::Proxy)
	https=$(apt-config dump --format '%v' Acquire::https::Proxy)
	[ -z "$http" ] || [ "$http" = DIRECT ] || export http_proxy=$http
	[ -z "$https" ] || [ "$https" = DIRECT ] || export https_proxy=$https
}

# root_base DIR: the smallest Debian, with nothing started and no fsync, since
# a root that was not finished is thrown away.
root_base()
{
	local dir=$1 log=$1.log
	mkdir -p "$dir/etc/dpkg/dpkg.cfg.d" "$dir/usr/sbin"
	echo force-unsafe-io >"$dir/etc/dpkg/dpkg.cfg.d/box"
	printf '#!/bin/sh\nexit 101\n' >"$dir/usr/sbin/policy-rc.d"
	chmod 0755 "$dir/usr/sbin/policy-rc.d"
	debootstrap --variant=minbase --cache-dir="$cache/debs" \
	    "$release" "$dir" "$(root_mirror)" >"$log" 2>&1 ||
	    { tail -n 20 "$log" >&2; die "debootstrap failed"; }
}

# root_apt_config DIR: the machine's apt, pointed at the new root: its lists
# and its way to the mirror, but only Debian's sources and no hook or pin.
root_apt_config()
{
	cat <<-CONFIG
	#clear DPkg::Post-Invoke;
	#clear DPkg::Pre-Invoke;
	#clear DPkg::Pre-Install-Pkgs;
	#clear APT::Update::Post-Invoke;
	#clear APT::Update::Post-Invoke-Success;
	#clear APT::Never-MarkAuto-Sections;
	APT::Install-Recommends "false";
	APT::Keep-Downloaded-Packages "true";
	Dir::Etc::sourcelist "$1.list";
	Dir::Etc::sourceparts "-";
	Dir::Etc::preferences "-";
	Dir::Etc::preferencesparts "-";
	Dir::State::status "$1/var/lib/dpkg/status";
	Dir::State::extended_states "$1/var/lib/apt/extended_states";
	Dir::Cache::archives "$1/var/cache/apt/archives";
	Dir::Cache::pkgcache "";
	Dir::Cache::srcpkgcache "";
	Dir::Log "$1/var/log/apt";
	DPkg::Chroot-Directory "$1";
	CONFIG
}

# root_packages DIR: the packages of the list, and the updates of the base.
root_packages()
{
	local dir=$1 log=$1.log
	local -a packages
	mapfile -t packages < <(root_list)
	root_sources >"$dir.list"
	root_apt_config "$dir" >"$dir.apt"
	mount --bind "$cache/debs" "$dir/var/cache/apt/archives"
	mkdir -p "$cache/debs/partial"
	mount -t proc proc "$dir/proc"
	root_devices "$dir/dev"
	if ! apt -c "$dir.apt" dist-upgrade >>"$log" 2>&1 ||
	    ! apt -c "$dir.apt" install "${packages[@]}" >>"$log" 2>&1; then
		tail -n 20 "$log" >&2
		return 1
	fi
	umount "$dir/dev" "$dir/proc" "$dir/var/cache/apt/archives"
}

# root_devices DIR: the few devices that package scripts use.
root_devices()
{
	mount -t tmpfs -o mode=0755 tmpfs "$1"
	mknod -m 0666 "$1/null" c 1 3
	mknod -m 0666 "$1/zero" c 1 5
	mknod -m 0666 "$1/full" c 1 7
	mknod -m 0666 "$1/random" c 1 8
	mknod -m 0666 "$1/urandom" c 1 9
	mknod -m 0666 "$1/tty" c 5 0
}

# root_settle DIR: what a first boot or a box must find.
root_settle()
{
	local dir=$1
	rm -f "$dir/usr/sbin/policy-rc.d" "$dir/etc/dpkg/dpkg.cfg.d/box" \
	    "$dir/etc/apt/sources.list" "$dir/etc/resolv.conf"
	rm -rf "$dir/var/log/apt"
	: >"$dir/etc/machine-id"
	: >"$dir/etc/resolv.conf"
	echo wardbox >"$dir/etc/hostname"
	printf '127.0.0.1 localhost wardbox\n::1 localhost\n' >"$dir/etc/hosts"
	echo 'LANG=C.UTF-8' >"$dir/etc/default/locale"
	# The default one is a fifth of what a login over ssh takes.
	echo 'KexAlgorithms curve25519-sha256' >"$dir/etc/ssh/ssh_config.d/box.conf"
	root_masks "$dir/etc/systemd/system"
}

# root_masks DIR: units that have no work in a box, or whose work would reach
# out of it (root in a booted box may mount what the machine's kernel has).
root_masks()
{
	local unit
	rm -f "$1"/getty.target.wants/*
	for unit in console-getty.service e2scrub_reap.service \
	    systemd-modules-load.service apt-daily.timer \
	    apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer \
	    dev-hugepages.mount sys-kernel-debug.mount \
	    sys-kernel-tracing.mount sys-kernel-config.mount \
	    sys-fs-fuse-connections.mount; do
		ln -sf /dev/null "$1/$unit"
	done
}

# root_make DIR: all steps; runs in namespaces of its own, so that its mounts
# and whatever a package script started end with it.
root_make()
{
	root_proxy
	say "box root: debootstrap"
	root_base "$1"
	say "box root: installing its packages"
	root_packages "$1" || die "the box's packages cannot be installed"
	root_settle "$1"
}

# root_prune KEY: roots that no tree has asked for in three days, and what an
# interrupted make left.
root_prune()
{
	local stamp key
	rm -rf --one-file-system "$cache"/making.*
	for stamp in "$cache"/*.used; do
		[ -e "$stamp" ] || continue
		key=$(basename "$stamp" .used)
		[ "$key" != "$1" ] || continue
		[ -n "$(find "$stamp" -mtime +3)" ] || continue
		rm -rf --one-file-system "${cache:?}/$key" "$stamp"
	done
}

# root_make_locked KEY: makes the root, with one maker at a time.
root_make_locked()
{
	local key=$1 work lock
	exec {lock}>"$cache/lock"
	flock "$lock" || die "cannot lock $cache/lock"
	if [ ! -d "$cache/$key" ]; then
		root_prune "$key"
		"$tree/scripts/setup" boxes
		apt_lists_there || apt_refresh
		work=$(mktemp -d "$cache/making.XXXXXX")
		mkdir -p "$cache/debs" "$work/root"
		root_isolated "$work/root" {lock}>&- || {
			say "box root: once more, with fresh package lists"
			apt_refresh
			rm -rf --one-file-system "$work/root"
			mkdir "$work/root"
			root_isolated "$work/root" {lock}>&- ||
			    die "no box root"
		}
		mv -T "$work/root" "$cache/$key"
		rm -rf --one-file-system "$work"
	fi
	exec {lock}>&-
}

# root_isolated DIR: root_make in namespaces that die with this script.
root_isolated()
{
	setpriv --pdeathsig KILL unshare --mount --propagation private \
	    --pid --fork --kill-child=KILL --mount-proc --uts --ipc \
	    "$here/box" make-root "$1" </dev/null
}

# root_ready: makes the root where it is missing; prints where it is.
root_ready()
{
	local key
	key=$(root_key)
	install -d -m 0700 "$cache"
	[ -d "$cache/$key" ] || root_make_locked "$key" >&2
	touch "$cache/$key.used"
	printf '%s\n' "$cache/$key"
}
