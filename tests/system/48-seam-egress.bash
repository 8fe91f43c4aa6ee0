# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# The setting of the seam of egress: that of the tests 48, with the network of
# net.sh.  Sourced after lib.sh.
# shellcheck disable=SC2154 # of those that this sources
# shellcheck source=tests/system/ward.sh
. "$(dirname "$0")/ward.sh"
# shellcheck source=tests/system/net.sh
. "$(dirname "$0")/net.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
# shellcheck source=tests/system/43-dangling.bash
. "$(dirname "$0")/43-dangling.bash"
# shellcheck source=tests/system/48-seam.bash
. "$(dirname "$0")/48-seam.bash"

setting_profile()
{
	filtered_profile | sed 's/extends = .*/&\
	  network: { allow = ( "allowed.test" ); allow_private = true; };/'
}

# control: the session's own look finds the one host, and not the other.
seam_egress_ready()
{
	net_setup
	setting
	seam_ready
	cd /
	local said
	said=$(su agent -c /usr/local/lib/ward-seam/inside 2>&1 </dev/null)
	[[ $said == *', network' ]] ||
	    { diag "no network without a fault: $said"; exit 1; }
	settled
}
