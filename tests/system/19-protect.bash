# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# A tree that people share, with names in it that are protected, and a table of
# acts on them: each is refused, and works where the profile takes the names
# out.  Sourced by tests after ward.sh.

tree=/srv/build/agent
free='"!.git", "!.git/hooks", "!.git/config", "!.envrc", "!.vscode",
    "!.gitmodules", "!.claude/agents"'

# protect_profile [PROTECT]: each session has a sandbox of its own.
protect_profile()
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
	protect_profile "$@" >/etc/ward/profiles.d/probe.conf
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
	chosen_acts >/srv/acts
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

# chosen_acts: those that a test asks for by a pattern, or all.
chosen_acts()
{
	acts | grep -E -e "${acts_like:-}"
}

n_acts=$(chosen_acts | wc -l)

# protect_ready: after ward_setup.
protect_ready()
{
	apply
	install -d -m 0777 /srv/copies
	make_tree
}
