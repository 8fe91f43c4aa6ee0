# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# What the system tests of Ward share: enables the installed Ward in the box,
# makes the governed account "agent" and the ungoverned account "plain" with
# equal powers, and puts into the box what a sandbox must not reach.  Sourced
# by tests/system/*.sh after lib.sh; ward_setup does all of it.
#
# What is refused to agent must be seen to work for plain: a row holds both,
# and fails where they do not differ as they must.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
probe_dir=/usr/local/lib/ward-probe
probe=$probe_dir/probe
ssh_port=2222 internal_port=2223
accounts=(agent plain)
# shellcheck disable=SC2034 # of those who source this
scopes=(account session)
declare -A plain_said=()

# Each line of the probe: its name; what the governed account must have; what
# the ungoverned one must.  Extended expressions, for the whole value.
probe_table()
{
	cat <<-'TABLE'
	files|0 1 2|0 1 2.* 9
	account|agent|plain
	init|ward-init|bash|systemd
	namespaces|none|ipc mnt net pid uts
	root|ro nosuid nodev|rw
	create /|EROFS|EACCES
	create /etc|EROFS|EACCES
	create /usr|EROFS|EACCES
	create /open.d|EROFS|ok
	create /etc/open.d|EROFS|ok
	create /usr/open.d|EROFS|ok
	create /var/open.d|EROFS|ok
	create /srv/open.d|EROFS|ok
	overwrite|EROFS|ok
	profile's|/srv/build|/srv/build /srv/open.d
	home|ok own|ok host
	tmp|ok own|ok host
	var tmp|ok own|ok host
	shm|ok own|ok host
	hidden directory|empty|secret
	hidden, create|EROFS|ok
	hidden, by name|ENOENT|DIRSECRET
	hidden file|EACCES|FILESECRET
	homes|agent|.ward agent plain
	run|user ward|.*sshd.*
	log|empty|.*wtmp.*
	setuid|own|euid 0
	file capability|refused|ROOTONLY
	sudo|refused|0
	no_new_privs|1|0
	seccomp|mode 2, 1 of its own|mode [02], 0 of its own
	capabilities|empty|0+ 0+ 0+ 0*[1-9a-f][0-9a-f]+ 0+
	user namespace|EPERM|ok
	interfaces|lo|lo ward0 ward1
	host's loopback|ECONNREFUSED|HOSTSECRET
	host's address|ECONNRESET|HOSTSECRET
	abstract socket|ECONNREFUSED|HOSTSECRET
	fifo|EACCES|ok
	processes|none|10000001 10000002 10000003
	another's root|ENOENT|secret
	queue|none|seen
	environment|none|.*BASH_ENV.*LD_PRELOAD.*PLANTED.*
	TABLE
}

# probe_count: its rows without the environment, which is the profile's only
# where the login shell ran.
probe_count()
{
	probe_table | grep -cv '^environment|'
}

# ward_do COMMAND...: set-up that fails ends the file, with its reason.
ward_do()
{
	local said
	said=$("$@" 2>&1 </dev/null) ||
	    { diag "set-up failed: $*"$'\n'"$said"; exit 1; }
}

# ward_profile: the tests' own, as an admin writes one.
ward_profile()
{
	cat <<-'PROFILE'
	profile:
	{
	  name       = "probe";
	  extends    = ( "base" );
	  filesystem:
	  {
	    read:  { deny = ( "/srv/secrets", "/srv/secret.txt" ); };
	    write: { allow = ( "/srv/build" ); deny = ( "~/work/kept" ); };
	  };
	};
	PROFILE
}

# ward_scope SCOPE: agent's sessions share one sandbox ("account"), or each has
# its own ("session"); the rows from here on say so.
ward_scope()
{
	local file=/etc/ward/profiles.d/probe.conf
	about "$1"
	ward_profile >"$file"
	if grep -q 'session:' "$file"; then
		sed -i "s/session: {/& scope = \"$1\";/" "$file"
	else
		sed -i "\$i session: { scope = \"$1\"; };" "$file"
	fi
	ward_do wardctl profile apply
}

# plain_once NAME COMMAND...: what the control says, which is the same in each
# scope, and asked for once; in $plain.
plain_once()
{
	local name=$1
	shift
	[ "${plain_said[$name]+said}" ] ||
	    plain_said[$name]=$("$@" 2>&1 </dev/null) || true
	plain=${plain_said[$name]:-}
}

# ward_places: what is on the host's side, with the same rights for both.
ward_places()
{
	local place
	for place in /open.d /etc/open.d /usr/open.d /var/open.d /srv/open.d \
	    /srv/build /srv/secrets; do
		install -d -m 0777 "$place"
	done
	install -m 0666 /dev/null /etc/open.d/file
	echo DIRSECRET >/srv/secrets/secret
	echo FILESECRET >/srv/secret.txt
	install -m 0600 /dev/null /srv/rootonly
	echo ROOTONLY >/srv/rootonly
	touch /var/log/wtmp
	mkfifo -m 0666 /srv/fifo
	# both ends are open, so that no writer waits and none is alone
	cat <>/srv/fifo >/srv/fifo.read 2>/dev/null &
}

# ward_network: an interface that is not lo, and the host's services.
ward_network()
{
	ward_do ip link add ward0 type veth peer name ward1
	ward_do ip addr add 192.0.2.1/24 dev ward0
	ward_do ip link set ward0 up
	ward_do ip link set ward1 up
	python3 "$here/host-service.py" "$probe_dir/queue" \
	    </dev/null >/dev/null 2>&1 &
	wait_for 60 test -s "$probe_dir/queue" ||
	    { diag "the host's service does not start"; exit 1; }
}

# ward_mark ACCOUNT SECONDS: a process of the account's on the host; the probe
# knows it by its arguments, and its pid is in $marked.
ward_mark()
{
	setpriv --reuid "$1" --regid "$1" --init-groups \
	    bash -c "exec -a host-marker sleep $2" </dev/null >/dev/null 2>&1 &
	marked=$!
	# it is not under its own name at once
	wait_for 60 grep -q host-marker "/proc/$marked/cmdline" ||
	    { diag "no marker of $1"; exit 1; }
}

# as_account ACCOUNT COMMAND...: past every PAM stack, as root can.
as_account()
{
	local account=$1
	shift
	setpriv --reuid "$account" --regid "$account" --init-groups "$@"
}

# ward_facts: what the probe compares with.
ward_facts()
{
	local name account place
	for name in ipc mnt net pid uts; do
		echo "ns $name=$(readlink "/proc/self/ns/$name")"
	done
	for place in /tmp /var/tmp /dev/shm /home/agent /home/plain; do
		echo "at $place=$(stat -c %d:%i "$place")"
	done
	echo "filters=$(awk '/^Seccomp_filters:/ { print $2 }' \
	    /proc/self/status)"
	echo "queue=$(cat "$probe_dir/queue")"
	for account in "${accounts[@]}"; do
		echo "mark $account=${marks[$account]}"
	done
}

# ward_marks: one process of root's and one of each account's.
ward_marks()
{
	declare -gA marks=()
	ward_mark root 10000001
	ward_mark agent 10000002
	marks[agent]=$marked
	ward_mark plain 10000003
	marks[plain]=$marked
}

# ward_probe: the probe, and what it tries its powers with.
ward_probe()
{
	install -d "$probe_dir"
	install -m 0755 "$here/probe" "$probe"
	# where the way in itself closes what it was born with, this shows that
	# the probe would tell
	printf '#!/bin/sh\nexec 9</\nexec %s\n' "$probe" >"$probe-open"
	chmod 0755 "$probe-open"
	install -m 4755 /usr/bin/id "$probe_dir/setuid-id"
	install -m 0755 /usr/bin/cat "$probe_dir/cap-cat"
	ward_do setcap cap_dac_override+ep "$probe_dir/cap-cat"
	# "where MARK" tells where it ran, for where_was
	cat >"$probe_dir/where" <<-'PROGRAM'
	#!/bin/sh
	{
		readlink /proc/self/ns/mnt
		sed -n 's/^Seccomp:.//p' /proc/self/status
	} >"/srv/build/$1.${PAM_USER:-$(id -un)}"
	PROGRAM
	chmod 0755 "$probe_dir/where"
}

# where_was MARK ACCOUNT: where the program above ran, if it did.
where_was()
{
	local told
	told=$(xargs 2>/dev/null <"/srv/build/$1.$2") || true
	case $told in
	"$(readlink /proc/self/ns/mnt) "[02]) echo host ;;
	mnt:*' 2') echo sealed ;;
	mnt:*) echo unsealed ;;
	*) echo "nothing ran" ;;
	esac
} 2>/dev/null

# probe_of ACCOUNT: what it runs where no descriptor of the caller's arrives.
probe_of()
{
	case $1 in
	plain) echo "$probe-open" ;;
	*) echo "$probe" ;;
	esac
}

# ward_environment: variables that every stack with pam_env brings along, and
# those of the accounts' own files, where they are read.
ward_environment()
{
	local preload
	preload=$(ldconfig -p | awk '$1 == "libm.so.6" && !seen++ { print $NF }')
	cat >>/etc/environment <<-VARIABLES
	PLANTED=1
	LD_PRELOAD=$preload
	BASH_ENV=/dev/null
	VARIABLES
	echo 'HOME_PLANTED DEFAULT=1' >/home/plain/.pam_environment
	# what the account itself can do: to its own home, inside
	echo 'HOME_PLANTED DEFAULT=1' | as_account agent \
	    tee /home/.ward/agent/.pam_environment >/dev/null
}

# ward_accounts: "agent", with the profile above, and "plain".
ward_accounts()
{
	install -d -m 0755 /etc/ward
	install -d -m 0700 /etc/ward/profiles.d
	ward_profile >/etc/ward/profiles.d/probe.conf
	ssh-keygen -q -t ed25519 -N '' -f /root/key
	ward_do wardctl enable
	ward_do wardctl profile apply
	ward_do wardctl account add agent --profile probe --key /root/key.pub
	ward_do useradd -m -s /bin/bash plain
	install -d -m 0700 -o plain -g plain /home/plain/.ssh
	install -m 0600 -o plain -g plain /root/key.pub \
	    /home/plain/.ssh/authorized_keys
	printf '%s ALL=(ALL) NOPASSWD: ALL\n' "${accounts[@]}" \
	    >/etc/sudoers.d/accounts
	chmod 0440 /etc/sudoers.d/accounts
}

# ward_sshd: the distribution's, twice: with both kinds of sftp.  A client may
# send any variable, so that what stops one is not this.  Where systemd
# runs it is the one that is there.
ward_sshd()
{
	printf 'AcceptEnv *\nLogLevel VERBOSE\n' \
	    >/etc/ssh/sshd_config.d/00-tests.conf
	if [ "$WARD_BOX" != quick ]; then
		ssh_port=22
		ward_do systemctl restart ssh
		return
	fi
	install -d /run/sshd
	sed 's,^Subsystem.*,Subsystem sftp internal-sftp,' \
	    /etc/ssh/sshd_config >/etc/ssh/sshd_config.internal
	ward_do /usr/sbin/sshd -p "$ssh_port"
	ward_do /usr/sbin/sshd -f /etc/ssh/sshd_config.internal \
	    -p "$internal_port"
}

ward_setup()
{
	ward_places
	ward_probe
	ward_network
	ward_accounts
	ward_environment
	ward_marks
	ward_facts >"$probe_dir/facts"
	[ "$WARD_BOX" != quick ] || rsyslogd
	ward_sshd
}

# The client's options; no configuration or host key of its own.
ssh_options=(-F none -i /root/key -o BatchMode=yes -o LogLevel=ERROR
    -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null
    -o ConnectTimeout=10)

# ssh_as ACCOUNT [SSH-ARGUMENTS]
ssh_as()
{
	local account=$1
	shift
	timeout 180 ssh "${ssh_options[@]}" -p "$ssh_port" \
	    -l "$account" 127.0.0.1 "$@"
}

# probe_value OUTPUT NAME: one line's value.
probe_value()
{
	local line
	while IFS= read -r line; do
		line=${line%$'\r'}
		if [[ $line == "$2: "* ]]; then
			printf '%s\n' "${line#"$2: "}"
			return
		fi
	done <<<"$1"
	echo "(the probe did not say)"
}

# opposite NAME AGENT PLAIN AGENT-PATTERN PLAIN-PATTERN: a row that holds the
# governed account's value and, as its control, the ungoverned one's.
opposite()
{
	local name=$1 agent=$2 plain=$3
	if ! [[ $agent =~ ^($4)$ ]]; then
		fail "$name" "agent: $agent"$'\n'"want:  $4"
	elif ! [[ $plain =~ ^($5)$ ]]; then
		fail "$name" "control: $plain"$'\n'"want:    $5"
	elif [[ $plain =~ ^($4)$ ]]; then
		fail "$name" "agent and control are alike: $agent"
	else
		pass "$name"
	fi
}

# probe_rows ENTRY AGENT-OUTPUT PLAIN-OUTPUT [environment]: a row for each
# line of the table.
probe_rows()
{
	local entry=$1 agent=$2 plain=$3 environment=${4:-}
	local name want control
	while IFS='|' read -r name want control; do
		[ "$name" != environment ] || [ -n "$environment" ] || continue
		opposite "$entry: $name" "$(probe_value "$agent" "$name")" \
		    "$(probe_value "$plain" "$name")" "$want" "$control"
	done < <(probe_table)
}

# probe_entry ENTRY FUNCTION [environment]: runs the probe through one way in,
# as either account.  The function is given the account.
probe_entry()
{
	local agent plain
	agent=$("$2" agent 2>&1 </dev/null) || true
	plain_once "$1" "$2" plain
	[[ $agent == *account:* ]] || diag "$1, agent: $agent"
	[[ $plain == *account:* ]] || diag "$1, plain: $plain"
	probe_rows "$1" "$agent" "$plain" "${3:-}"
}
