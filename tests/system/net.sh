# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# A network for the tests of the egress: a net namespace "world" behind a veth,
# with a server in it that the box's hosts file has names for.  Sourced after
# ward.sh; net_setup makes it, net_profile is what opens it to agent.
#
#	allowed.test packages.test git.test   what the profile allows
#	denied.test                           what it denies, with a reason
#	other.test                            what no rule names
#
# All are one server, so that a refusal is not one's that is not there: the
# control of each is the same request by root, on the host.

net_box=10.77.0.1 net_world=10.77.0.2
net_names='allowed.test packages.test git.test denied.test other.test'

# in_world COMMAND...
in_world()
{
	ip netns exec world "$@"
}

net_profile()
{
	cat <<-'PROFILE'
	profile:
	{
	  name    = "net";
	  extends = ( "base" );
	  network:
	  {
	    mode          = "filtered";
	    allow         = ( "allowed.test", "packages.test", "git.test" );
	    deny          = ( "denied.test" );
	    allow_private = true;
	    reasons       = ( { match = "denied.test"; say = "use allowed.test"; } );
	  };
	};
	PROFILE
}

# net_certificate: of all names, and its authority is known to the box.
net_certificate()
{
	local name names=''
	for name in $net_names; do
		names=${names:+$names,}DNS:$name
	done
	ward_do openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
	    -nodes -days 30 -subj /CN=world -addext "subjectAltName=$names" \
	    -keyout /root/world.key -out /root/world.crt
	install -m 0644 /root/world.crt \
	    /usr/local/share/ca-certificates/world.crt
	ward_do update-ca-certificates
}

# net_setup: the namespace, its server, and the names.
net_setup()
{
	ward_do ip netns add world
	ward_do ip link add net0 type veth peer name net1 netns world
	ward_do ip addr add "$net_box/24" dev net0
	ward_do ip link set net0 up
	ward_do in_world ip link set lo up
	ward_do in_world ip addr add "$net_world/24" dev net1
	ward_do in_world ip link set net1 up
	printf '%s %s\n' "$net_world" "$net_names" >>/etc/hosts
	net_certificate
	install -d /srv/world
	echo WORLD >/srv/world/index.html
	# shellcheck disable=SC2154 # of ward.sh
	in_world python3 "$here/net-server.py" /srv/world /root/world.crt \
	    /root/world.key </dev/null >/run/world.log 2>&1 &
	wait_for 20 curl -sS --max-time 2 -o /dev/null https://allowed.test/ ||
	    { diag "no server: $(cat /run/world.log)"; exit 1; }
}

# net_account: Ward, and agent with the profile above.
net_account()
{
	install -d -m 0755 /etc/ward
	install -d -m 0700 /etc/ward/profiles.d
	net_profile >/etc/ward/profiles.d/net.conf
	ssh-keygen -q -t ed25519 -N '' -f /root/key
	ward_do wardctl enable
	ward_do wardctl profile apply
	ward_do wardctl account add agent --profile net --key /root/key.pub
}

# inside COMMAND...: in a session of agent's, with a shell; never fails.
inside()
{
	timeout 30 su -s /bin/bash agent -c "$*" 2>&1 </dev/null || true
}

# login COMMAND...: the same through wardsh.
login()
{
	timeout 30 su - agent -c "$*" 2>&1 </dev/null || true
}

# keep_session: one that stays, so that the sandbox does; its end is on EXIT.
keep_session()
{
	su -s /bin/bash agent -c 'echo up >/tmp/up; exec sleep 600' \
	    </dev/null >/dev/null 2>&1 &
	wait_for 20 stays || { diag "no session"; exit 1; }
}

stays()
{
	[ "$(inside 'cat /tmp/up')" = up ]
}

# ended: agent has no sandbox.
ended()
{
	[ "$(wardctl sandboxes --account agent --json)" = '[]' ]
}

# fresh: the next session begins a sandbox; all rows of this one are written.
fresh()
{
	wardctl end agent --grace 0 >/dev/null 2>&1 || true
	wait_for 20 ended || diag "the sandbox stays"
}

# egress_pid: of agent's sandbox; its parent is the warden.
egress_pid()
{
	pgrep -o -u ward-egress -f '^ward-egress'
}
