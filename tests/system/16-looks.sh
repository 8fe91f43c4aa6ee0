#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Looks into hidden places: each is a row with the path that was meant, whoever
# looks; many are bounded; and a server of theirs that is stopped or killed
# shows nothing and ends the sandbox.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"

many=50000
# Where nothing is hidden, so that nobody's look is a row.
open_place=/srv/open

# programs: each is given a path; what it says of that is its own.
programs()
{
	cat <<-'PROGRAMS'
	cat|cat @
	head|head -n 1 @
	tail|tail -n 1 @
	stat|stat @
	ls|ls -l @
	find|find @ -name x
	grep|grep -r x @
	cp|cp @ /tmp/copy
	tar|tar -cf /tmp/tar @
	dd|dd if=@ of=/dev/null
	wc|wc @
	sed|sed p @
	awk|awk 1 @
	sha256sum|sha256sum @
	readlink|readlink -e @
	git|git --git-dir=@ status
	python3|python3 -c "open('@')"
	perl|perl -e 'open(F, "<", "@") or exit 1'
	rsync|rsync @ /tmp/copy
	test|test -e @
	source|. @
	glob|printf %s @/*
	completion|compgen -f @/
	cd|cd @
	PROGRAMS
}

# here: those that the box has, and what the shell does itself.
here()
{
	local name rest
	while IFS='|' read -r name rest; do
		case $name in
		source | glob | completion) rest='printf' ;;
		*) rest=${rest%% *} ;;
		esac
		! type "$rest" >/dev/null 2>&1 || echo "$name"
	done < <(programs)
}

# commands PLACE...: each program's on each place, by a name that tells which;
# a program that finds nothing is no error.
commands()
{
	local place name rest
	for place in "$@"; do
		while IFS='|' read -r name rest; do
			echo "( ${rest//@/$place/by-$name} ) || true"
		done < <(programs)
	done
}

# by_agent COMMANDS: in a session of agent's.
by_agent()
{
	timeout 120 su agent -s /bin/bash -c "$1" 2>&1 </dev/null || true
}

# looked PLACE: the programs whose look is a row with the right path.
looked()
{
	rows "SELECT DISTINCT substr(target, length('$1/by-') + 1)
	    FROM violations WHERE kind = 'read' AND confirmed AND errno = 2
	    AND operation = 'lookup' AND target LIKE '$1/by-%'
	    AND target NOT LIKE '$1/by-%/%' AND session IS NOT NULL" |
	    LC_ALL=C sort
}

# reads [WHERE]: how many rows of looks there are.
reads()
{
	rows "SELECT count(*) FROM violations WHERE kind = 'read' ${1:+AND $1}"
}

each_program()
{
	local place name
	local -a places=(/srv/secret /home /var/log /root)
	# of a directory that shows something, what the host has is hidden
	while IFS='|' read -r name _; do
		mkdir "/home/by-$name"
	done < <(programs)
	by_agent "$(commands "${places[@]}" /home/plain "$open_place")" \
	    >/dev/null
	settled
	for place in "${places[@]}"; do
		is "$place: a look of each program is a row" \
		    "$(looked "$place" | xargs)" \
		    "$(here | LC_ALL=C sort | xargs)"
	done
	# those that go from name to name themselves name no more
	rmdir /home/by-*
	is "below a name that is not there: of each that names it" \
	    "$(looked /home/plain | xargs)" "$(here |
	        grep -vx -e readlink -e rsync | LC_ALL=C sort | xargs)"
	is "control: where nothing is hidden there is none" \
	    "$(reads "target LIKE '$open_place%'")" 0
	is "control: plain may look" "$(su plain -c 'cat /srv/secret/file')" \
	    secret
}

# row NAME COMMAND TARGET WANT: what rows say of the target.
row()
{
	by_agent "$2" >/dev/null
	settled
	is "$1" "$(rows "SELECT kind, operation, errno, program, count,
	    rule_file || ':' || rule_line FROM violations
	    WHERE target = '$3' ORDER BY id")" "$4"
}

what_a_row_says()
{
	local rule before
	rule=$(rule_line /srv/secret)
	row "a name, and its rule" 'cat /srv/secret/file' /srv/secret/file \
	    "read|lookup|2|cat|1|$rule"
	row "a deeper one, as it was meant" 'cat /srv/secret/a/b/../c' \
	    /srv/secret/a/c "read|lookup|2|cat|1|$rule"
	row "from a directory inside" 'cd /srv/secret && cat ./e/f' \
	    /srv/secret/e/f "read|lookup|2|cat|1|$rule"
	row "by a descriptor" 'python3 -c "import os
os.stat(\"g/h\", dir_fd=os.open(\"/srv/secret\", os.O_PATH))"' \
	    /srv/secret/g/h "read|lookup|2|python3|1|$rule"
	row "by a link: the first name that is not there" \
	    'ln -s /srv/secret /tmp/to; cat /tmp/to/i/j' /srv/secret/i \
	    "read|lookup|2|cat|1|$rule"
	row "a list is one of the walk" 'ls /srv/secret' /srv/secret \
	    "read|list||ls|1|$rule"
	row "a hidden file" 'cat /srv/secret.txt' /srv/secret.txt \
	    "read|open|13|cat|1|$(rule_line /srv/secret.txt)"
	row "what makes something is a write, and no look" \
	    'mkdir /srv/secret/made' /srv/secret/made \
	    "write|mkdir|30|mkdir|1|$rule"
	row "what would write what is not there is a look" \
	    'python3 -c "import os; os.open(\"/srv/secret/w\", os.O_WRONLY)"' \
	    /srv/secret/w "read|lookup|2|python3|1|$rule"
	row "repeats are counted" \
	    'for i in 1 2 3; do test -e /srv/secret/again; done' \
	    /srv/secret/again "read|lookup|2|bash|3|$rule"
	before=$(reads)
	like "an ordinary refusal" "$(by_agent 'cat /etc/shadow; ls /srv/none
	    ls /home/agent >/dev/null; cat /srv/open/none')" \
	    'Permission denied.*No such file.*No such file'
	like "what a program looks for above its project" "$(by_agent 'cd
	    git status; node -e "require(\"none\")"; cat /home/none/x')" \
	    "not a git repository.*Cannot find module 'none'.*No such file"
	settled
	is "is none" "$(reads)" "$before"
	like "root's own looks are none" "$(by_agent 'exec sleep 2' &
	    wait_for 10 pgrep -x ward-init
	    nsenter --target "$(pgrep -x ward-init)" --mount \
	        cat /srv/secret/file 2>&1; wait)" 'No such file'
	settled
	is "no row says so" "$(reads)" "$before"
}

# block: what wardsh tells after a command that failed.
block()
{
	local said
	said=$(over_ssh agent 'ls /srv/secret; find /srv >/dev/null
	    cat /srv/secret/told; exit 1' 2>&1 </dev/null) || true
	settled
	like "the agent is told of what it meant" "$said" \
	    'read /srv/secret/told: refused: by the rule'
	unlike "and not of what it walked through" "$said" \
	    'read /srv/secret: refused'
}

# resident: of the warden and of the server, in KiB.
resident()
{
	awk '/^VmRSS:/ { sum += $2 } END { print sum }' \
	    "/proc/$(oldest_warden)/status" \
	    "/proc/$(pgrep -x ward-masks)/status"
}

flood()
{
	local client before after missed
	rm -f /var/lib/ward/violations.db*
	su agent -s /bin/bash -c "touch /srv/out/begun
	    until test -e /srv/out/go; do sleep 0.1; done
	    python3 -c 'import os, time
began = time.monotonic()
for i in range($many):
    os.path.exists(\"/srv/secret/%d\" % i)
print(round((time.monotonic() - began) / $many * 1e6))' >/srv/out/took
	    touch /srv/out/done; exec sleep 60" </dev/null >/dev/null 2>&1 &
	client=$!
	wait_for 20 test -e /srv/out/begun
	before=$(resident)
	touch /srv/out/go
	wait_for 240 test -e /srv/out/done
	after=$(resident)
	diag "$(cat /srv/out/took) us each; $before KiB before, $after after"
	succeeds "$many looks: the memory stays bounded" \
	    test $((after - before)) -lt 40960
	pkill -u agent -f '^sleep 60'
	wait "$client" || true
	settled
	missed=$(rows 'SELECT coalesce(sum(count), 0) FROM gaps')
	is "each is counted" "$(($(rows "SELECT sum(count) FROM violations
	    WHERE target LIKE '/srv/secret/%'") + missed))" "$many"
	like "and rows are few" "$(reads)" '^[0-9]{1,4}$'
}

# stopped_warden: who looks waits for it once, and what it missed is counted.
stopped_warden()
{
	local client warden missed
	rm -f /srv/out/go /srv/out/took /var/lib/ward/violations.db*
	su agent -s /bin/bash -c "python3 -c 'import os, time
said = open(\"/srv/out/took\", \"w\")
while not os.path.exists(\"/srv/out/go\"):
    time.sleep(0.1)
began = time.monotonic()
for i in range(2000):
    os.path.exists(\"/srv/secret/%d\" % i)
print(round((time.monotonic() - began) * 1e3), file=said, flush=True)
time.sleep(60)'" </dev/null >/dev/null 2>&1 &
	client=$!
	wait_for 20 test -e /srv/out/took
	warden=$(oldest_warden)
	kill -STOP "$warden"
	touch /srv/out/go
	wait_for 60 test -s /srv/out/took || true
	kill -CONT "$warden"
	diag "2000 looks took $(cat /srv/out/took) ms"
	succeeds "a stopped warden holds up one look" \
	    test "$(cat /srv/out/took)" -lt 4000
	# one more tells of those that were missed
	su agent -s /bin/bash -c 'test -e /srv/secret/last' || true
	pkill -u agent python3
	wait "$client" || true
	settled
	missed=$(rows 'SELECT coalesce(sum(count), 0) FROM gaps')
	is "and each is counted" "$(($(rows "SELECT sum(count) FROM violations
	    WHERE target LIKE '/srv/secret/%'") + missed))" 2001
}

# hidden_root: where nothing is to be read but what the profile opens.
hidden_root()
{
	sed 's/name    = "agent"/name = "closed"/; s/"base"/"strict"/' \
	    /etc/ward/profiles.d/agent.conf >/etc/ward/profiles.d/closed.conf
	setting_assign closed
	is "a root that is hidden: what is open is there" \
	    "$(by_agent 'cat /mnt/x /nope/x 2>/dev/null; readlink /bin; id -un
	    python3 -c "print(1)"' | xargs)" 'usr/bin agent 1'
	settled
	is "and a look at what is there is a row" "$(rows "SELECT target,
	    operation, program FROM violations WHERE target IN ('/mnt/x',
	    '/nope/x')")" '/mnt/x|lookup|cat'
	is "what the connector looks for is none" "$(rows "SELECT target
	    FROM violations WHERE program = 'ward-connector'")" ''
	setting_assign agent
}

# hold: a session that looks all the time, and says what it is told.
hold()
{
	rm -f /srv/out/said
	su agent -s /bin/bash -c 'while :; do cat /srv/secret.txt; done \
	    >>/srv/out/said 2>&1' </dev/null >/dev/null 2>&1 &
	client=$!
	wait_for 10 test -s /srv/out/said
	server=$(pgrep -x ward-masks)
}

nothing_of_it()
{
	! pgrep -u agent >/dev/null && [ -z "$(pgrep -x warden; pgrep -x ward-init; pgrep -x ward-masks)" ]
}

# ends ROW SIGNAL: what a server that gets it means.
ends()
{
	local began took
	hold
	began=$(date +%s%3N)
	kill "-$2" "$server"
	wait_for 10 nothing_of_it || true
	took=$(($(date +%s%3N) - began))
	wait "$client" 2>/dev/null || true
	if nothing_of_it && [ "$took" -le 2000 ]; then
		pass "$1: the sandbox ends ($took ms)"
	else
		fail "$1: the sandbox ends" "$took ms: $(pgrep -a .)"
	fi
	# one that is killed as it complains says half of it
	is "$1: nothing was shown" "$(grep -cv '^cat: ' /srv/out/said)" 0
	is "$1: the next session works" "$(by_agent 'echo in')" in
}

without_fuse()
{
	local before
	settled
	mv /dev/fuse /dev/fuse.away
	before=$(reads)
	like "without FUSE masks hide as well" \
	    "$(by_agent 'cat /srv/secret/file /srv/secret.txt
	    grep -c " fuse " /proc/mounts')" \
	    'No such file.*Permission denied.*0$'
	settled
	is "and nobody sees who looks" "$(reads)" "$before"
	like "doctor says so" "$(wardctl doctor 2>&1)" \
	    'warn  kernel: looks into hidden places are no rows: FUSE'
	mv /dev/fuse.away /dev/fuse
	like "control: with it doctor says that, too" "$(wardctl doctor 2>&1)" \
	    'pass  kernel: it has FUSE'
}

unobserved()
{
	local before
	sed 's/name    = "agent"/name = "unseen"/
	    s/^  filesystem:/  session: { observe = "none"; };\n&/' \
	    /etc/ward/profiles.d/agent.conf >/etc/ward/profiles.d/unseen.conf
	setting_assign unseen
	before=$(reads)
	like "a profile that observes nothing has plain masks" \
	    "$(by_agent 'cat /srv/secret/file; grep -c " fuse " /proc/mounts')" \
	    'No such file.*0$'
	settled
	is "and no rows" "$(reads)" "$before"
	setting_assign agent
}

plan 45
setting
cd /
each_program
what_a_row_says
block
ends "a killed server" KILL
ends "a stopped server" STOP
is "each such end is a row" "$(rows "SELECT operation, target FROM violations
    WHERE operation LIKE 'masks-%' ORDER BY id" | xargs)" \
    'masks-ended|masks masks-stopped|masks'
without_fuse
unobserved
hidden_root
stopped_warden
flood
