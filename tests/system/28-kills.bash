# shellcheck shell=bash disable=SC2034 # points is read by who sources this
# SPDX-License-Identifier: ISC
# wardctl killed at each of its steps: the account is open as it was, or open
# inside, or closed with a word about how to go on; and it goes on, either way.

# Calls that change something, or start a program that does.
calls=rename,mkdir,rmdir,unlink,symlink,clone,clone3,vfork

# kills_setup: bob, and a profile that takes little time to try.
kills_setup()
{
	wardctl enable >/dev/null
	printf 'profile: { name = "one"; extends = ( "base" ); %s };\n' \
	    'services = ( "su" );' >/etc/ward/profiles.d/one.conf
	wardctl profile apply >/dev/null
	ssh-keygen -q -t ed25519 -N '' -f /root/key
	useradd -m -s /bin/bash bob
	echo 'bob:secret' | chpasswd
	chage -E 2099-05-05 bob
	install -d -m 0700 -o bob -g bob /home/bob/.ssh
	install -m 0600 -o bob -g bob /root/key.pub \
	    /home/bob/.ssh/authorized_keys
	before=$(account bob)
}

# over: no sandbox lives or ends, for which a release would be refused.
over()
{
	! pgrep -x warden >/dev/null
}

settle()
{
	wait_for 20 over || diag "a sandbox does not end: $(pgrep -ax warden)"
}

# points_of COMMAND...: runs it, and sets points to "CALL N WHAT" for each call
# of it that did something.
points_of()
{
	settle
	strace -qq -o /root/trace -e "trace=$calls" "$@" >/dev/null
	mapfile -t points < <(awk '
		/^[a-z0-9]+\(/ {
			call = $0
			sub(/\(.*/, "", call)
			n[call]++
			what = $0
			if (!match(what, /"[^"]*"\)? *= /))
				what = ""
			sub(/^.*, "/, "", what)
			sub(/^[a-z]*\("/, "", what)
			sub(/".*/, "", what)
			if ($0 !~ / = -1 /)
				print call, n[call], what
		}' /root/trace)
}

# at POINT HOW COMMAND...: runs it until there.
at()
{
	local call number _
	settle
	read -r call number _ <<<"$1"
	strace -qq -o /dev/null -e "trace=$call" \
	    --inject="$call:$2:when=$number" "${@:3}" >/root/said 2>&1
} 2>/dev/null

# state: bob as he was; inside; closed, with a word about it; or what is wrong.
state()
{
	local init listed
	init=$(su bob -c 'cat /proc/1/comm' 2>&1 </dev/null) || true
	settle >&2
	listed=$(wardctl account list --json)
	case $init in
	ward-init) [[ $listed == *'"locked":false'*'"problem":null'* ]] &&
	    { echo inside; return; } ;;
	bash | systemd) [ "$(account bob)" = "$before" ] &&
	    { echo "as he was"; return; } ;;
	*) [[ $listed == *interrupted* || $listed == *'"locked":true'* ]] &&
	    { echo closed; return; } ;;
	esac
	printf '%s\n%s\n%s\n' "$init" "$listed" "$(account bob)"
}

# goes_on NAME: adopted again, whatever was half done, he is inside.
goes_on()
{
	wardctl account adopt bob --profile one >/root/said 2>&1 ||
	    wardctl account unlock bob >>/root/said 2>&1 || true
	is "$1" "$(state)" inside
}

# same_as_before NAME: nothing tells that Ward ever was there.
same_as_before()
{
	is "$1" "$(account bob; left bob; su bob -c 'id -un' </dev/null)" \
	    "$before"$'\n'bob
}
