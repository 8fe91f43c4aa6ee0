#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# The files of /etc that a filtered sandbox has of its own, whatever the host
# makes of its own ones: links before it begins, and while it lives.
# shellcheck disable=SC2016 # expanded inside
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/net.sh
. "$(dirname "$0")/net.sh"

resolver=/etc/resolv.conf
stub=/run/systemd/resolve/stub-resolv.conf

# host_has TEXT [FILE]: a resolver's file of the host's.
host_has()
{
	printf 'nameserver %s\n' "$1" >"${2:-$resolver.new}"
}

# sees: the nameserver that programs inside find, or "none".
sees()
{
	inside "sed -n 's/^nameserver //p' $resolver 2>/dev/null | grep . || echo none"
}

answers()
{
	[[ $(inside 'getent ahostsv4 other.test | head -n 1') == 198.18.* ]]
}

sees_one_of()
{
	[[ $(sees) == @($1) ]] && answers
}

# keeps NAME [SEEN]: soon the sandbox's own is there, or SEEN; names are
# answered, and the host has what it made.
keeps()
{
	if wait_for 20 sees_one_of "${2:-127.0.0.1}"; then
		pass "$1"
	else
		fail "$1" "inside: $(sees), $(inside 'getent ahostsv4 other.test')"
	fi
}

plan 15
rsyslogd
net_setup
net_account
install -d "${stub%/*}" /etc/resolver.d
host_has 192.0.2.53 "$stub"

about "before it begins"
ln -sf "../run/${stub#/run/}" "$resolver"
is "control: the host's is a link into /run" \
    "$(sed -n 's/^nameserver //p' "$resolver")" 192.0.2.53
keeps "a link into /run"
fresh
ln -sf /run/nobody/resolv.conf "$resolver"
keeps "a link to what is not there"
fresh
host_has 192.0.2.54 /etc/resolver.d/one
ln -sf resolver.d/one "$resolver"
keeps "a link to another file"
fresh
rm "$resolver"
keeps "none" none

about "while it lives"
keep_session
host_has 192.0.2.55
mv "$resolver.new" "$resolver"
keeps "made where none was"
host_has 192.0.2.56
mv "$resolver.new" "$resolver"
keeps "replaced"
ln -sf "$stub" "$resolver"
keeps "a link into /run, which is not the host's" none
ln -sf /etc/resolver.d/one "$resolver"
keeps "a link to another file"
host_has 192.0.2.57 /etc/resolver.d/new
mv /etc/resolver.d/new /etc/resolver.d/one
keeps "which is replaced"
host_has 192.0.2.58 /etc/resolver.d/two
ln -s resolver.d/two /etc/resolv.conf.new
mv /etc/resolv.conf.new "$resolver"
keeps "a link that is replaced by one"
rm "$resolver"
keeps "removed" none
host_has 192.0.2.59 "$resolver"
keeps "made anew"
is "the host has what it made" \
    "$(sed -n 's/^nameserver //p' "$resolver" /etc/resolver.d/* | xargs)" \
    '192.0.2.59 192.0.2.57 192.0.2.58'
printf '%s allowed.test\n' 203.0.113.9 >/etc/hosts.new
cat /etc/hosts >>/etc/hosts.new
ln -sf hosts.new /etc/hosts
hosts_are_own()
{
	[ "$(inside 'grep -c test /etc/hosts')" = 0 ]
}
succeeds "hosts, as a link, is the sandbox's" wait_for 20 hosts_are_own
