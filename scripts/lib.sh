# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# What the project's scripts share: progress lines, the package list, apt.
# Sourced by scripts/* and tests/box, never run.

# What is built and installed does not depend on who does it.
umask 022

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

# say WORDS: one line of progress, on stderr so that output stays clean.
say()
{
	printf '== %s\n' "$*" >&2
}

# die WORDS: the reason on stderr, and the end.
die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# need_root WHY: packages, namespaces and mounts are root's.
need_root()
{
	[ "$(id -u)" -eq 0 ] || die "must be run as root: $*"
}

# packages_in SECTION...: the packages of these sections of scripts/packages.
packages_in()
{
	local section
	for section; do
		awk -v want="$section" \
		    '!/^#/ && NF == 2 && $1 == want { print $2 }' \
		    "$tree/scripts/packages"
	done | sort -u
}

# packages_missing PACKAGE...: those that this machine has not installed.
packages_missing()
{
	local have
	have=$(dpkg-query --show \
	    --showformat='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
	    sed -n 's/^installed //p') || true
	comm -23 <(printf '%s\n' "$@" | sort -u) \
	    <(printf '%s\n' "$have" | sort -u)
}

# apt ARGS: apt-get that asks nothing and waits for another's lock.
apt()
{
	DEBIAN_FRONTEND=noninteractive apt-get --quiet=2 --yes \
	    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
	    -o Acquire::Retries=3 "$@" </dev/null
}

# apt_targets: the Packages files of the machine's own Debian sources, one a
# line: label, codename, URI, release, component, file.  apt itself reads its
# sources here, so that both of their formats, and whatever mirror the machine
# was given, work; the Origin field leaves other people's sources out.
apt_targets()
{
	# shellcheck disable=SC2016 # the names are apt's
	apt-get indextargets --format \
	    '$(ORIGIN)|$(LABEL)|$(CODENAME)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(FILENAME)' \
	    'Identifier: Packages' | sed -n 's/^Debian|//p'
}

# apt_lists_there: whether apt has read its lists at least once.
apt_lists_there()
{
	local file
	file=$(apt_targets | head -n 1 | cut -d '|' -f 6)
	[ -n "$file" ] && [ -e "$file" ]
}

# apt_refresh: apt's lists anew.
apt_refresh()
{
	say "reading the package lists"
	apt update
}
