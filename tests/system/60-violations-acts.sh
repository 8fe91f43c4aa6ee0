#!/bin/bash
# SPDX-License-Identifier: ISC
# box: booted
# Every write-intent system call, however its path is written, is a row where
# it is refused, and none where it is allowed or where modes refuse it.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

acts=$(dirname "$0")/60-acts.py
spellings=(absolute relative dotdot linked dirfd dirfd-up last)
# The same tree twice: only Ward stands before the first.
refused=/srv/open/acts
allowed=/srv/out/acts
# The same once more, of root's: modes stand before it, and Ward does not.
ordinary=/srv/out/ordinary

# act SPELLING PLACE [ACCOUNT]: "CALL ERRNO" lines.
act()
{
	runuser -u "${3:-agent}" -- python3 "$acts" act "$1" "$2" | LC_ALL=C sort
}

# here SPELLING: the calls that this kernel has, by what it says to them where
# they are allowed.
here()
{
	local name
	while read -r name; do
		grep -qx "$name ENOSYS" "/root/allowed.$1" || echo "$name"
	done < <(python3 "$acts" list "$1") | LC_ALL=C sort
}

# expected SPELLING: the rows that there must be.
expected()
{
	local name
	while read -r name; do
		echo "${name%%:*}|$refused/$1/$name|30|1"
	done < <(here "$1") | LC_ALL=C sort
}

# found SPELLING: those that there are.
found()
{
	rows "SELECT operation, target, errno, count FROM violations
	    WHERE target LIKE '$refused/$1/%'" | LC_ALL=C sort
}

# same NAME GOT WANT: lists, by what they differ in.
same()
{
	if [ "$2" = "$3" ] && [ -n "$2" ]; then
		pass "$1"
	else
		fail "$1" "$(diff <(echo "$3") <(echo "$2"))"
	fi
}

# raced: makes files by a path that is rewritten all the while, until one was
# made: no path may be whole in time, on a machine that has much to do.
raced()
{
	runuser -u agent -- python3 "$acts" race "$refused/absolute/sub" \
	    "$allowed/absolute/sub" >/root/raced &&
	    [ "$(cat /root/raced)" -gt 0 ]
}

plan $((1 + 4 * ${#spellings[@]} + 5))
setting
cd /
for place in "$refused" "$allowed"; do
	ACTS_UID=$(id -u agent) python3 "$acts" make "$place"
done
same "the table of calls" "$(python3 "$acts" list | wc -l)" 52
python3 "$acts" make "$ordinary"
for spelling in "${spellings[@]}"; do
	act "$spelling" "$allowed" >"/root/allowed.$spelling"
	same "$spelling: allowed calls work" \
	    "$(grep -v ' ENOSYS$' "/root/allowed.$spelling")" \
	    "$(here "$spelling" | sed 's/$/ 0/')"
	same "$spelling: refused calls fail by the read-only mount" \
	    "$(act "$spelling" "$refused" | grep -v ' ENOSYS$')" \
	    "$(here "$spelling" | sed 's/$/ EROFS/')"
done
like "control: modes refuse what is root's" "$(act absolute "$ordinary" |
    grep -c -e ' EACCES$' -e ' EPERM$')" '^4[0-9]$'
settled
for spelling in "${spellings[@]}"; do
	same "$spelling: each refused call is one row" \
	    "$(found "$spelling")" "$(expected "$spelling")"
	is "$spelling: allowed calls are none" "$(rows "SELECT operation,
	    target FROM violations WHERE target LIKE '/srv/out/%'")" ''
done
chmod 0777 "$refused/absolute/sub" "$allowed/absolute/sub"
succeeds "control: a path that is rewritten makes files where it may" \
    wait_for 60 raced
is "and none where it may not" "$(ls -A "$refused/absolute/sub")" ''
settled
is "no row has another place" "$(rows "SELECT operation, target
    FROM violations WHERE target NOT LIKE '$refused/%'")" ''
setpriv --reuid=plain --regid=plain --clear-groups \
    python3 "$acts" act absolute "$refused" >/root/plain || true
like "control: outside, nothing stands before the first tree" \
    "$(cat /root/plain)" 'mkdir 0'
