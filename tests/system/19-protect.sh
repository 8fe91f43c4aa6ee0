#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Protected names in a tree that people share: what git can go on doing, what
# an agent cannot plant, and that nothing is left behind.  The control of each
# refusal: the same where the profile takes the name out.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/19-protect.bash
. "$(dirname "$0")/19-protect.bash"

# listing: all that there is, with what it is; kept: the same as before.
kept()
{
	is "$1" "$(diff <(echo "$before") <(listing))" ''
}
listing()
{
	find /srv/build -printf '%p %y %m %u %s %l\n' | LC_ALL=C sort
}

# rules WHERE: the rows that fit: operation, error, rule.
rules()
{
	rows "SELECT DISTINCT kind, operation, ifnull(errno, 0), rule_text, rule_file
	    FROM violations WHERE $1" -separator ' '
}

no_sandbox()
{
	! pgrep -x ward-init >/dev/null
}

# hold NAME: a session that waits for lines.
hold()
{
	mkfifo "/srv/hold.$1"
	su -s /bin/bash agent -c "cd $tree && exec bash" \
	    <"/srv/hold.$1" >>"/srv/said.$1" 2>&1 &
	eval "exec {$1}>/srv/hold.$1"
}

# tell NAME COMMAND: what the waiting session prints for it, in one line.
tell()
{
	local fd=$1
	: >"/srv/said.$1"
	printf '%s\necho end-of-answer\n' "$2" >&"${!fd}"
	wait_for 10 grep -q end-of-answer "/srv/said.$1" ||
	    echo "no answer"
	sed '/end-of-answer/d; s/^bash: line [0-9]*: //' "/srv/said.$1" | xargs
}

let_go()
{
	local fd=${!1}
	exec {fd}>&-
	rm -f "/srv/hold.$1"
}

plan $((n_acts + 27))
ward_setup
protect_ready
before=$(listing)

# what goes on working
status=$(outside 'git status --porcelain=v2 --branch; git -C ../wt status')
is "git status is the same inside" "$(inside \
    'git status --porcelain=v2 --branch; git -C ../wt status')" "$status"
kept "a session leaves nothing in the tree"
refused_all
kept "nor do refused acts"
is "git works" "$(inside 'exec 2>&1; set -e
    echo 2 >>a; git diff --stat | tail -n 1
    git add . && git commit -q -m two
    git checkout -q -b topic && echo 3 >>a && git stash -q && git stash pop -q
    git commit -q -a -m three && git checkout -q main && git merge -q topic
    git worktree add -q -b more ../more && git -C ../more log --format=%s -1
    git worktree remove ../more && git gc -q && git status --porcelain
    cd nested && echo 1 >n && git add n && git -c user.name=A \
	-c user.email=a commit -q -m n && git log --format=%s')" \
    ' 1 file changed, 1 insertion(+)
three
n'
is "what the profile takes out is open" \
    "$(inside 'echo 2 >.husky/pre-push && cat .husky/pre-push')" 2
is "what it adds is closed" "$(inside 'echo 2 >.deploy.yml')" \
    "bash: line 1: .deploy.yml: Read-only file system
status 1"
is "the home is open" "$(inside 'echo 2 >~/.bash_login && rm ~/.bash_login')" ''
is "files beside them are moved and made" "$(inside \
    'mkdir ci2 && mv a ci2/ && mv ci2/a a && rmdir ci2 && echo 1 >.envrc2 &&
    rm .envrc2')" ''

# rows and explain
like "a row names the built-in rule" \
    "$(rules "target = '$tree/.envrc' AND operation = 'openat'")" \
    '^write openat 30 .*\.envrc.* built-in$'
like "a row of what leads there, too" \
    "$(rules "target = '$tree/nested'")" \
    '^write rename(at2?)? 16 .*\.git/.* built-in$'
like "a row names the profile's" "$(rules "target = '$tree/.deploy.yml'")" \
    '^write openat 30 .*\.deploy\.yml.* /etc/ward/profiles\.d/probe\.conf$'
like "explain tells the same" \
    "$(wardctl explain --account agent "$tree/.git/hooks/x" "$tree/.husky/x" |
    xargs)" '/hooks/x: readable .* writes refused by protect .git/hooks \(built-in\) .*/\.husky/x: writable'
like "the profile's list is shown as it holds" \
    "$(wardctl profile show --effective probe | awk '/protect/ { print $2 }' |
    xargs)" '^\.deploy\.yml !\.husky .*\.git/hooks .*\.zshrc'

# names that appear
is "a name that is not there yet is made" \
    "$(inside 'mkdir ci/x && echo 1 >.mcp.json && git init -q late')" ''
wait_for 10 no_sandbox || true
is "and is a row when the session ends" "$(rules "target IN ('$tree/.mcp.json',
    '$tree/late/.git/hooks') ORDER BY target")" \
    "protect appear 0 .mcp.json built-in
protect appear 0 .git/hooks built-in"
like "then it is closed" "$(inside 'echo 2 >late/.git/hooks/x')" Read-only
rm -rf "$tree/.mcp.json" "$tree/late" "$tree/ci/x"

# two sandboxes in one checkout, and people in it
hold one
hold two
is "a second sandbox in the same checkout" \
    "$(tell one 'echo x >.envrc') $(tell two 'echo x >.envrc')" \
    ".envrc: Read-only file system .envrc: Read-only file system"
let_go two
like "the end of one changes nothing in the other" \
    "$(tell one 'echo x >.git/hooks/x')" 'Read-only'
outside 'git config user.name B'
protected_again()
{
	grep -q "$1 was changed on the host, and is protected again" \
	    /var/log/auth.log
}
succeeds "somebody changes git's configuration" wait_for 10 \
    protected_again "$tree/.git/config"
is "it is seen, and closed" \
    "$(tell one 'git config user.name; echo x >.git/config')" \
    "B .git/config: Read-only file system"
outside 'mv nested away; mkdir nested; git init -q nested'
succeeds "somebody moves a repository, and makes another" wait_for 10 \
    protected_again "$tree/nested/.git/hooks"
like "both are closed" "$(tell one 'echo x >nested/.git/hooks/x
    echo x >away/.git/hooks/x; echo y >nested/file && cat nested/file')" \
    'hooks/x: Read-only.*hooks/x: Read-only.* y$'
rm -rf "$tree/nested"; mv "$tree/away" "$tree/nested"
is "the sandbox went on" "$(tell one 'echo still')" still

# the end by force
before=$(listing)
status=$(outside 'git status --porcelain')
pkill -KILL -x warden
wait_for 10 no_sandbox || true
kept "a warden that is killed leaves nothing in the tree"
is "and git says so" "$(outside 'git status --porcelain')" "$status"
let_go one

# what is in the way stops nothing
as_account agent mkfifo "$tree/.inputrc"
as_account agent mkdir -m 000 "$tree/closed"
as_account agent ln -s /etc/passwd "$tree/.netrc"
as_account agent ln -s "$tree" "$tree/.ssh"
long=$(printf './%.0s' {1..2044})
as_account agent ln -s "${long}gone" "$tree/.config"
is "FIFOs, closed directories and links everywhere stop nothing" \
    "$(inside 'echo in; echo x >>a; chmod 700 closed' | xargs)" \
    "in chmod: changing permissions of closed: Read-only file system status 1"
is "and a link that is too long to follow is closed like another" \
    "$(inside 'rm .config')" \
    "rm: cannot remove '.config': Device or resource busy
status 1"
