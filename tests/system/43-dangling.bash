# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# What is left of sandboxes, counted; sourced by the tests 43 and 44 after
# 30-setting.bash.

# namespaces: how many there are on the machine, of every kind that processes
# are in.
namespaces()
{
	find /proc/[0-9]*/ns -lname '*:*' -printf '%l\n' 2>/dev/null |
	    sort -u | wc -l
}

# mounts: in the host's tree.
mounts()
{
	wc -l </proc/self/mountinfo
}

# of_ward: processes of the account's or of its sandboxes.
of_ward()
{
	pgrep -u agent || true
	pgrep -x warden || true
	pgrep -x ward-init || true
	pgrep -x ward-masks || true
}

nothing_of_ward()
{
	[ -z "$(of_ward)" ]
}

# run_files: in the account's run directory, beside what stays there.
run_files()
{
	find "/run/ward/$(id -u agent)" -mindepth 1 ! -name lock
}

# open_rows: sandboxes and sessions without an end.
open_rows()
{
	rows 'SELECT (SELECT count(*) FROM sandboxes WHERE ended IS NULL) +
	    (SELECT count(*) FROM sessions WHERE ended IS NULL)'
}

# counted: what is compared with what was there before the first session.
counted()
{
	printf 'mounts %s, namespaces %s, run files: %s, open rows: %s\n' \
	    "$(mounts)" "$(namespaces)" "$(run_files | wc -l)" "$(open_rows)"
}

counted_as_before()
{
	[ "$(counted)" = "$counted_before" ]
}

# count_before: on a machine that is at rest.
count_before()
{
	settled
	counted_before=$(counted)
}

# dangles_nothing ROW: at rest again, all is as it was.
dangles_nothing()
{
	wait_for 10 counted_as_before || true
	is "$1" "$(counted)$(run_files)" "$counted_before"
}
