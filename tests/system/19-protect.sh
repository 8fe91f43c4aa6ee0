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

tree=/srv/build/agent
free='"!.git", "!.git/hooks", "!.git/config", "!.envrc", "!.vscode",
    "!.gitmodules", "!.claude/agents"'

# ward_profile [PROTECT]: each session has a sandbox of its own.
ward_profile()
{
	cat <<-PROFILE
	profile:
	{
	  name       = "probe";
	  extends    = ( "base" );
	  filesystem:
	  {
	    write: { allow = ( "/srv/build", "/srv/copies" ); };
	    protect = ( ${1:-\".Deploy.yml\", \"!.husky\"} );
	  };
	  session: { scope = "session"; };
	};
	PROFILE
}

# apply [PROTECT]
apply()
{
	ward_profile "$@" >/etc/ward/profiles.d/probe.conf
	ward_do wardctl profile apply
}

# outside COMMAND: as the account's own, but on the host, as a person would.
outside()
{
	as_account agent env HOME=/srv/none bash -c "cd $tree && $1" 2>&1 ||
	    echo "status $?"
}

# inside COMMAND: in a sandbox of its own.
inside()
{
	timeout 60 su -s /bin/bash agent -c "cd $tree && $1" 2>&1 \
	    </dev/null || echo "status $?"
}

# make_tree: a repository with a submodule, one in it, and a worktree beside
# it; names in another case; links as stow makes them.
make_tree()
{
	rm -rf /srv/build
	install -d -m 0777 /srv/build
	install -d -o agent -g agent "$tree"
	install -d /srv/template/hooks /srv/template/info
	echo exit >/srv/template/hooks/update.sample
	export GIT_TEMPLATE_DIR=/srv/template
	outside '
	    exec >/dev/null; set -e
	    git init -q -b main . && git config user.name A
	    git config user.email a@example.org
	    git init -q -b main ../lib && cd ../lib
	    git -c user.name=A -c user.email=a commit -q --allow-empty -m lib
	    cd '"$tree"'
	    git -c protocol.file.allow=always submodule --quiet add ../lib sub
	    mkdir -p dots/code .claude/agents ci
	    echo use >.envrc; echo x >a; ln -s dots/code .vscode
	    ln -s gone .idea; ln -s .ripgreprc .ripgreprc; echo 1 >.deploy.yml
	    mkdir .husky; echo 1 >.husky/pre-push; echo 1 >dots/code/t.json
	    echo 1 >.claude/agents/x.md
	    git add . && git commit -q -m one
	    git init -q -b main nested && echo /nested >>.git/info/exclude
	    git worktree add -q ../wt
	    git init -q ../odd
	    mkdir -p ../odd/.GIT/Hooks ../odd/.VSCode ../odd/.Claude/agents
	' | sed 's/^/# /'
}

# listing: all that there is, with what it is; kept: the same as before.
kept()
{
	is "$1" "$(diff <(echo "$before") <(listing))" ''
}
listing()
{
	find /srv/build -printf '%p %y %m %u %s %l\n' | LC_ALL=C sort
}

# The agent's acts, what each must print, and what it does to be undone; one a
# line.  The control prints nothing: it works.
acts()
{
	cat <<-'ACTS'
	echo x >>.git/config|Read-only file system
	echo x >.git/hooks/pre-commit|Read-only file system
	mv .git/hooks .git/old|Device or resource busy
	rm -r .git/hooks|(Read-only file system|Device or resource busy)
	git config user.email b@example.org|Device or resource busy
	echo x >.envrc|Read-only file system
	chmod 755 .envrc|Read-only file system
	rm .envrc|Device or resource busy
	mv a .envrc|Device or resource busy
	ln -f a .envrc|Device or resource busy
	ln .envrc b|Invalid cross-device link
	mv .git .git.old|Device or resource busy
	mv nested other|Device or resource busy
	mv nested/.git nested/x|Device or resource busy
	echo x >nested/.git/hooks/post-checkout|Read-only file system
	echo x >.git/modules/sub/hooks/post-checkout|Read-only file system
	echo x >sub/.git|Read-only file system
	echo x >../wt/.git|Read-only file system
	rm .vscode|Device or resource busy
	ln -sfn ci .vscode|Device or resource busy
	echo x >.vscode/tasks.json|Read-only file system
	echo x >dots/code/tasks.json|Read-only file system
	mv dots moved|Device or resource busy
	echo x >.claude/agents/x.md|Read-only file system
	mv .claude old|Device or resource busy
	echo x >.gitmodules|Read-only file system
	echo x >../odd/.GIT/Hooks/x|Read-only file system
	mv ../odd/.GIT ../odd/x|Device or resource busy
	echo x >../odd/.VSCode/x|Read-only file system
	echo x >../odd/.Claude/agents/x|Read-only file system
	ACTS
}

# run_acts DIRECTORY: each act, in a sandbox, in DIRECTORY with @ for its
# number; the first line that each prints.
run_acts()
{
	cat >/srv/run-acts <<-'PROGRAM'
	n=0
	while IFS="|" read -r act want; do
		d=${1//@/$((n += 1))}
		echo "$n $(cd "$d" && eval "$act" 2>&1 </dev/null | head -n 1)"
	done </srv/acts
	PROGRAM
	timeout 60 su -s /bin/bash agent -c "bash /srv/run-acts '$1'" 2>&1 \
	    </dev/null || true
}

refused_all()
{
	local n=0 act want agent control refused worked
	acts >/srv/acts
	refused=$(run_acts "$tree")
	while [ $((n += 1)) -le "$n_acts" ]; do
		mkdir -p "/srv/copies/$n"
		cp -a /srv/build/* "/srv/copies/$n"
	done
	apply "$free"
	worked=$(run_acts "/srv/copies/@/agent")
	apply
	rm -rf /srv/copies/*
	n=0
	while IFS='|' read -r act want; do
		: $((n += 1))
		agent=$(sed -n "s/^$n //p" <<<"$refused")
		control=$(sed -n "s/^$n //p" <<<"$worked")
		if [[ $agent =~ $want ]] && [ -z "$control" ]; then
			pass "refused: $act"
		else
			fail "refused: $act" \
			    "agent: $agent"$'\n'"control: $control"
		fi
	done </srv/acts
}

# rules WHERE: the rows that fit: operation, error, rule.
rules()
{
	sqlite3 -separator ' ' /var/lib/ward/violations.db \
	    "SELECT DISTINCT kind, operation, ifnull(errno, 0), rule_text, rule_file
	    FROM violations WHERE $1"
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

n_acts=$(acts | wc -l)
plan $((n_acts + 27))
ward_setup
install -d -m 0777 /srv/copies
make_tree
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
