# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# The setting of the tests 3* to 6*: a governed account "agent" and an
# ungoverned one, "plain", that are alike in all else, each let in by the same
# key, with an sshd that logs at VERBOSE; and ways to act as either of them.
# Sourced by those tests, after lib.sh.

key=/root/key

# setting_profile: what agent's sessions run under, with a rule of each kind.
# The line numbers of its rules are in the rows of violations.
setting_profile()
{
	cat <<-'PROFILE'
	profile:
	{
	  name    = "agent";
	  extends = ( "base" );
	  filesystem:
	  {
	    read:
	    {
	      deny =
	      (
	        "/srv/secret",
	        "/srv/secret.txt"
	      );
	    };
	    write:
	    {
	      allow =
	      (
	        "/srv/out",
	        "/srv/shared"
	      );
	      deny =
	      (
	        "/srv/shared/closed"
	      );
	    };
	  };
	};
	PROFILE
}

# rule_line TEXT: FILE:LINE of a rule of the profile.
rule_line()
{
	local file=/etc/ward/profiles.d/agent.conf
	printf '%s:%s\n' "$file" "$(grep -nF "\"$1\"" "$file" | cut -d : -f 1)"
}

# setting_do COMMAND...: set-up that fails ends the file, with its reason.
setting_do()
{
	local said
	said=$("$@" 2>&1 </dev/null) ||
	    { diag "set-up failed: $*"$'\n'"$said"; exit 1; }
}

# setting_assign [PROFILE]: what agent has; nothing without.
setting_assign()
{
	if [ $# -eq 0 ]; then
		: >/etc/ward/assignments.conf
	else
		printf 'users: ( { name = "agent"; profile = "%s"; } );\n' \
		    "$1" >/etc/ward/assignments.conf
	fi
	setting_do wardctl profile apply
}

# setting_agent: the governed account.
setting_agent()
{
	install -d -m 0755 /etc/ward
	install -d -m 0700 /etc/ward/profiles.d
	setting_profile >/etc/ward/profiles.d/agent.conf
	setting_do wardctl enable
	setting_do wardctl profile apply
	setting_do wardctl account add agent --profile agent --key "$key.pub"
}

# setting_places: trees that both accounts may write as far as modes go.
setting_places()
{
	install -d -m 1777 /srv/out /srv/open
	install -d -m 0777 /srv/shared /srv/shared/closed /srv/secret
	echo secret | tee /srv/secret/file >/srv/secret.txt
	chmod 0666 /srv/secret/file /srv/secret.txt
}

# setting_plain: the ungoverned account.
setting_plain()
{
	useradd -m -s /bin/bash plain
	install -d -m 0700 -o plain -g plain /home/plain/.ssh
	install -m 0600 -o plain -g plain "$key.pub" \
	    /home/plain/.ssh/authorized_keys
}

# listens PORT: without connecting, which sshd would log.
listens()
{
	ss -Hltn "sport = :$1" | grep -q .
}

# setting_sshd: sshd as it is tested: its lines all logged, root let in by
# key.
setting_sshd()
{
	printf '%s\n' 'LogLevel VERBOSE' 'MaxStartups 200' \
	    >/etc/ssh/sshd_config.d/00-setting.conf
	install -d -m 0700 /root/.ssh
	install -m 0600 "$key.pub" /root/.ssh/authorized_keys
	if [ "$WARD_BOX" = booted ]; then
		systemctl restart ssh
	elif pidof sshd >/dev/null; then
		kill -HUP "$(cat /run/sshd.pid)"
	else
		/usr/sbin/sshd
	fi
	wait_for 10 listens 22
}

# setting_silence: $silence is a descriptor that never has input, and no end.
setting_silence()
{
	mkfifo -m 0600 /root/silence
	# shellcheck disable=SC2034 # who sources this uses it
	exec {silence}<>/root/silence
}

# setting: all of it.
setting()
{
	setting_silence
	ssh-keygen -q -t ed25519 -N '' -f "$key"
	setting_places
	setting_agent
	setting_plain
	setting_sshd
	settled
}

ssh_options=(-o BatchMode=yes -o StrictHostKeyChecking=no
    -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ControlPath=none
    -o ConnectTimeout=20 -i "$key")

# over_ssh ACCOUNT WORDS...: like "ssh box", as that account.
over_ssh()
{
	local account=$1
	shift
	# shellcheck disable=SC2029 # what is expanded here is the test's
	ssh "${ssh_options[@]}" "$account@127.0.0.1" "$@"
}

# no_sandbox_left: whether every warden has ended.
no_sandbox_left()
{
	! pgrep -x warden >/dev/null
}

# settled: the last session's sandbox is gone and its rows are written.
settled()
{
	wait_for 10 no_sandbox_left
}

# rows_are SQL TEXT: for wait_for, since rows are written a moment later.
rows_are()
{
	[ "$(rows "$1")" = "$2" ]
}
