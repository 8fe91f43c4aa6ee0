#!/bin/bash
# SPDX-License-Identifier: ISC
# box: none
# The vm box seen from the machine: what a command says and how it ends comes
# through, and nothing is left, however the box ends.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=tests/system/lib.sh
. "$here/lib.sh"
box=$here/../box
vm=outside-$$
work=$(mktemp -d)
# tidy: also where this file is ended early.
tidy()
{
	"$box" vm stop "$vm"
	rm -rf "$work"
}
trap 'status=$?; tidy; set +e; (exit "$status"); tap_end' EXIT

# inside COMMAND...
inside()
{
	"$box" vm run "$vm" -- "$@"
}

# emulators: qemu's processes of this box.
emulators()
{
	pgrep -fc "path=.*/$vm/agent" || true
}

# gone: neither the process nor its files.
gone()
{
	[ "$(emulators)" = 0 ] && [ ! -e "${WARD_BOX_RUN:-/run/ward-box}/$vm" ]
}

plan 13
mkdir -p "$work/dest/usr/bin"
chmod 0700 "$work/dest/usr"
printf '#!/bin/sh\necho installed\n' >"$work/dest/usr/bin/wardprobe"
chmod 0755 "$work/dest/usr/bin/wardprobe"
succeeds "it starts" "$box" vm start "$vm" --install "$work/dest" \
    --bind "$here:/given"
is "one emulator" "$(emulators)" 1
is "all of its units are up" "$(inside systemctl is-system-running)" running
like "its kernel is not the machine's" "$(inside uname -r)" '^6\.1\.'
exits "an exit status is passed on" 7 inside sh -c 'exit 7'
is "output and errors are two" \
    "$(inside sh -c 'echo out; echo err >&2' 2>"$work/err"; cat "$work/err")" \
    $'out\nerr'
is "much output is whole" "$(inside seq 100000 | sha256sum)" \
    "$(seq 100000 | sha256sum)"
is "a tree is laid over the root" "$(inside sh -c \
    'wardprobe; stat -c "%a %F" /usr /lib | tr "\n" " "')" \
    $'installed\n755 directory 777 symbolic link '
is "a bind is a copy" "$(inside cat /given/lib.sh)" "$(cat "$here/lib.sh")"
exits "a command that takes too long is left" 124 \
    env WARD_BOX_SECONDS=3 "$box" vm run "$vm" -- sleep 60
is "and the next one runs" "$(inside echo next)" next
"$box" vm stop "$vm"
wait_for 10 gone || true
is "stopped, it is gone" "$(gone && echo gone)" gone
fails "and runs nothing" inside true
