# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# What the tests 48 share: a setting in which a failure that is overlooked
# would show, and a row for each run of tests/seam/seam, which traces logins of
# agent and does something to one system call after the other.  Sourced by them
# after 30-setting.bash and 43-dangling.bash.

# What calls fail with, each n with the next one.
# shellcheck disable=SC2034 # of those who source it
errors=(EIO ENOMEM EPERM EINTR EMFILE)
# How the login is made: by su, or what seam's first arguments say.
way=()

# Without a network: an egress that is killed while it forks would leave the
# tracer a process of which nobody tells it.
eval "$(declare -f setting_profile | sed '1s/.*/filtered_profile ()/')"
setting_profile()
{
	filtered_profile |
	    sed 's/extends = .*/& network: { mode = "none"; };/'
}

# seam_profiles: agent has its profile by its group, and what is anybody else's
# is looser, so that whoever loses sight of the group gives it too much.
seam_profiles()
{
	groupadd tight
	usermod -a -G tight agent
	cat >/etc/ward/profiles.d/loose.conf <<-'PROFILE'
	profile:
	{
	  name    = "loose";
	  extends = ( "base" );
	  filesystem: { write: { allow = ( "/srv/open" ); }; };
	};
	PROFILE
	cat >/etc/ward/assignments.conf <<-'ASSIGNMENTS'
	groups: ( { name = "tight"; profile = "agent"; } );
	default = "loose";
	ASSIGNMENTS
	setting_do wardctl profile apply
}

seam_ready()
{
	install -D -m 0755 /tools/inside /usr/local/lib/ward-seam/inside
	mkfifo -m 0666 /srv/fifo
	seam_profiles
	count_before
}

# seam_row ROW AT-LEAST ARGUMENTS: no run came to a bad end, and there were at
# least as many runs.  What it says of those that did is the reason.
seam_row()
{
	local row=$1 least=$2 said last runs
	shift 2
	said=$(/tools/seam "${way[@]}" "$@" 2>&1 </dev/null) || true
	last=${said##*$'\n'}
	runs=$(awk '{ print $1 + $3 + $5 + $7 }' <<<"$last")
	if [[ $last == "0 bad, "* ]] && [ "$runs" -ge "$least" ]; then
		pass "$row: $last"
	else
		fail "$row: $last" "seam $*"$'\n'"${said:0:20000}"
	fi
}

# seam_says ROW REGEX ARGUMENTS: what one run comes to, for the controls.
seam_says()
{
	local row=$1 want=$2
	shift 2
	like "$row" "$(/tools/seam "${way[@]}" "$@" 2>&1 </dev/null)" \
	    "$want"
}

# seam_last_logins ACCOUNT...: rows that a warden could not close, in the three
# seconds that it has to end, are the next login's to close.
seam_last_logins()
{
	local account
	for account; do
		setting_do su "$account" -c /usr/local/lib/ward-seam/inside
	done
}
